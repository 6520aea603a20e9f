"""A judge that asks a scripted server, as the tests of judges use it."""

from tests.judges.conftest import ask_counted, protocol

__all__ = ["ask_counted", "protocol"]
