"""The demo's reviews are real ones: they stand in the ledger, and are taken up where they were cut short."""

from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from plumbrule.demo import interactions_path
from plumbrule.demo.scripted_reviews import PRACTICE, RELEASE, open_practice, review_release, review_weeks
from plumbrule.ledger import open_ledger
from plumbrule.reviews.campaigns.campaign_store import campaign_names, load_campaign
from plumbrule.suites import corpus_path

START = datetime(2025, 7, 1, tzinfo=UTC)


class CutShortError(Exception):
    """The process that wrote was ended."""


def test_reviews_that_were_cut_short_are_finished(tmp_path: Path) -> None:
    """However often they are cut short, in the end they are what they are when nothing comes between."""

    def work(url: str, folder: Path, steps: int | None) -> tuple[object, object]:
        ticks = count()

        def now() -> datetime:
            tick = next(ticks)
            if steps is not None and tick >= steps:
                raise CutShortError
            return START + timedelta(seconds=tick)

        with open_ledger(url, at=START) as ledger:
            return review_release(ledger, folder, now), review_weeks(ledger, folder, now)

    whole = work(f"sqlite:///{tmp_path / 'whole.db'}", tmp_path, None)
    broken = f"sqlite:///{tmp_path / 'broken.db'}"
    for steps in (1, 20, 20, 40):
        with pytest.raises(CutShortError):
            work(broken, tmp_path, steps)
    assert work(broken, tmp_path, None) == whole
    with open_ledger(broken, at=None) as ledger:
        assert ledger.verify().whole
        assert len(campaign_names(ledger)) == 13
        assert all(not load_campaign(ledger, name).campaign.unfinished() for name in campaign_names(ledger))
        assert load_campaign(ledger, RELEASE).campaign.evaluators == 2


def test_the_practice_has_something_to_rate_and_to_decide(tmp_path: Path) -> None:
    """Whoever looks at the demo finds items that wait for ratings, and one that waits for an adjudicator."""
    ticks = count()
    (tmp_path / "interactions.jsonl").write_bytes(interactions_path().read_bytes())
    (tmp_path / "corpus.jsonl").write_bytes(corpus_path().read_bytes())
    with open_ledger(f"sqlite:///{tmp_path / 'practice.db'}", at=START) as ledger:
        for _ in range(2):  # a second time finds it done
            open_practice(ledger, tmp_path, lambda: START + timedelta(seconds=next(ticks)))
        items = load_campaign(ledger, PRACTICE).campaign.items.values()
        assert [item.adjudication for item in items if item.ratings] == [None]
        assert sum(not item.ratings for item in items) == len(items) - 1 > 10
