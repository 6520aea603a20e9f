"""Files of records, as the tests of samples write them."""

from tests.samples.conftest import read, write

__all__ = ["read", "write"]
