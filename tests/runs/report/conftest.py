"""The runs that the tests of the report's formats are made of."""

from tests.reports.conftest import ledger, make, mixed

__all__ = ["ledger", "make", "mixed"]
