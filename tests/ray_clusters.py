"""Tests that start Ray clusters run only where they are asked for: a cluster takes its share of a machine."""

import os

import pytest

starts_ray = pytest.mark.skipif(
    not os.environ.get("PLUMBRULE_TEST_RAY"), reason="set PLUMBRULE_TEST_RAY=1 to start Ray clusters of two nodes"
)
