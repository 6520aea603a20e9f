"""The ledger of a running application is opened once, and again after it could not be read."""

import pytest

from plumbrule.ledger import LedgerBusyError
from plumbrule.web.open_ledgers import OpenLedgers
from plumbrule.web.site import Site


def test_a_ledger_is_opened_once(site: Site) -> None:
    """Every request uses the same open ledger; one that failed is opened again."""
    ledgers = OpenLedgers()
    with ledgers.use(site.ledger) as first, ledgers.use(site.ledger) as second:
        assert first is second
    with pytest.raises(LedgerBusyError), ledgers.use(site.ledger):
        raise LedgerBusyError("too many at once")
    with ledgers.use(site.ledger) as third:
        assert third is not first
    ledgers.close()
    first.close()


def test_a_checkpoint_is_kept_while_the_application_runs(site: Site) -> None:
    """What was verified when the ledger was opened is held against a checkpoint at once, not only at the end."""
    ledgers = OpenLedgers()
    with ledgers.use(site.ledger) as ledger:
        last = ledger.checkpoint()
        assert ledger.files is not None
        kept = ledger.files.read()
        assert ([state.checkpoint for state in kept.own], kept.is_complete) == ([last], True)
    ledgers.close()
