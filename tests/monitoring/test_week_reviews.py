"""The reviews of a week: one line for each interaction, the worst first."""

from pathlib import Path

import pytest
from tests.storing import MONDAY, Store, card, refusal, response

from plumbrule.api.monitoring import Reviews, view_monitoring
from plumbrule.errors import UsageError
from plumbrule.rubrics import load_scorecard


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a ledger with three reviews of one week and one of the next, in two strata."""
    store = Store(tmp_path / "ledger.db")
    for answer in (response("t1"), response("t2", query="x" * 1000), refusal("t3")):
        store.interaction(answer)
    store.interaction(response("t4", timestamp="2026-01-13T10:00:00Z"))
    store.campaign("c", [("random", 8, ["t1", "t2", "t4"]), ("refusals", 2, ["t3"])])
    for record in (card("t1"), card("t2", 4, 4, 1), card("t3"), card("t4", 2)):
        store.record(record, campaign="c")
    store.close("c")
    return store


def test_the_worst_stands_first(store: Store) -> None:
    """What blocks, then by score; a long question is cut, and every week has its own."""
    with store.open() as ledger:
        view = view_monitoring(Reviews(ledger=ledger, loaded=load_scorecard()))
    assert list(view.weeks) == ["2026-W02", "2026-W03"]
    week = view.weeks["2026-W02"]
    assert MONDAY.isoformat() == "2026-01-05"
    assert [line.trace_id for line in week.reviews] == ["t2", "t1", "t3"]
    worst = week.reviews[0]
    assert (worst.blocked, worst.recommendation, worst.levels["grounding_integrity"]) == (True, "Fail", "Unsafe")
    assert (len(worst.question or ""), worst.evaluators, worst.stratum) == (300, ("Ada",), "random")
    assert [line.refused for line in week.reviews] == [False, False, True]


def test_a_view_of_one_stratum(store: Store) -> None:
    """Figures, weeks and patterns are of that stratum alone; one that nothing was drawn from is an error."""
    with store.open() as ledger:
        whole = Reviews(ledger=ledger, loaded=load_scorecard())
        view = view_monitoring(Reviews(ledger=ledger, loaded=load_scorecard(), strata=("refusals",)))
        assert (view.report.reviewed, view.feedback.reviewed, view.strata) == (1, 1, ("random", "refusals"))
        assert view_monitoring(whole).report.reviewed == 4
        with pytest.raises(UsageError, match="from a stratum 'other'; there are random, refusals"):
            view_monitoring(Reviews(ledger=ledger, loaded=load_scorecard(), strata=("other",)))


def test_a_view_writes_nothing(store: Store) -> None:
    """Its alerts are new until somebody keeps them."""
    with store.open() as ledger:
        before = ledger.checkpoint()
        report = view_monitoring(Reviews(ledger=ledger, loaded=load_scorecard())).report
        assert report.alerts
        assert report.new == tuple(alert.id for alert in report.alerts)
        assert ledger.checkpoint() == before
