"""Where the reviews come from that a command is about: the ledger, or files."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from plumbrule.api.ledger_access import open_here
from plumbrule.api.monitoring import Reviews, check_triggers
from plumbrule.errors import UsageError
from plumbrule.rubrics import Loaded, ScorecardRubric


@contextmanager
def reviews_from(
    records: str | None,
    interactions: str | None,
    triggers: tuple[str, ...],
    loaded: Loaded[ScorecardRubric],
    ledger_url: str | None,
) -> Iterator[Reviews]:
    """Give the reviews that the options name, with the ledger open where they are in the ledger."""
    if interactions is not None and records is None:
        raise UsageError("--interactions goes with --records: the ledger has its own")
    if records is not None and ledger_url is not None:
        raise UsageError("--records and --ledger are two places for records: name one")
    check_triggers(triggers, loaded.rubric)
    with ExitStack() as stack:
        ledger = stack.enter_context(open_here(ledger_url)) if records is None else None
        yield Reviews(ledger=ledger, records=records, interactions=interactions, triggers=triggers, loaded=loaded)
