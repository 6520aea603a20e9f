"""The ledger, the rubrics and the campaigns that the tests of reviews use."""

from tests.reviews.conftest import ledger, loaded, opens, own

__all__ = ["ledger", "loaded", "opens", "own"]
