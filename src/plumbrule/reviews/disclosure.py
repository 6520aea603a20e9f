"""The ledger written out while campaigns are open: without their ratings, except for somebody who rates nothing."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from plumbrule.codec import to_json
from plumbrule.errors import UsageError
from plumbrule.ledger import Ledger, export
from plumbrule.reviews.campaigns.campaign_store import check_counts, load_campaign, rehearse
from plumbrule.reviews.record_store import ADHOC, open_campaigns
from plumbrule.reviews.review_entries import Disclosure


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """How many entries were written, and of how many of them the body was withheld."""

    entries: int
    withheld: int
    open_campaigns: tuple[str, ...]


def write_entries(ledger: Ledger, path: Path, *, to: str | None = None, at: datetime) -> Written:
    """Write every entry out; the records of open campaigns without their bodies, whose hashes stay.

    ``to`` names somebody who is shown the ratings all the same. It is refused to those who rate in one of the
    campaigns, it is recorded, and whoever has seen the ratings rates nothing there any more.
    """
    blind = open_campaigns(ledger)
    if to is not None:
        _disclose(ledger, blind, to, at=at)
        return Written(entries=export(ledger, path), withheld=0, open_campaigns=blind)
    public = {ADHOC, *_campaigns_with_records(ledger)} - {*blind}
    withheld: list[str] = []

    def withholds(kind: str, subject: str) -> bool:
        # a campaign may be opened while this runs: only what is known to be public is written
        if kind != "record" or subject.split("/")[1] in public:
            return False
        withheld.append(subject)
        return True

    count = export(ledger, path, withholds=withholds)
    return Written(entries=count, withheld=len(withheld), open_campaigns=blind)


def _campaigns_with_records(ledger: Ledger) -> set[str]:
    return {entry.subject.split("/")[1] for entry in ledger.entries(kind="record")}


def _disclose(ledger: Ledger, names: tuple[str, ...], to: str, *, at: datetime) -> None:
    body = Disclosure(evaluator=to)
    for name in names:  # all are checked before any is appended to
        objection = rehearse(load_campaign(ledger, name).campaign, body, author=to, at=at)
        if objection is not None:
            raise UsageError(objection)
    for name in names:
        entry = ledger.append("campaign", f"campaigns/{name}", to_json(body), to, at=at)
        check_counts(load_campaign(ledger, name).campaign, entry)
