"""Monitoring from Python: typed results, and failures that come back beside the figures."""

from pathlib import Path

import orjson
import pytest
from tests.storing import card, response

from plumbrule.api.monitoring import Monitored, Reviews, feedback, monitor, take_sample
from plumbrule.codec import from_json, to_json
from plumbrule.errors import EvaluationError, UsageError
from plumbrule.monitoring.monitoring_report import AnyAlert, MonitoringReport
from plumbrule.monitoring.webhook import Webhook
from plumbrule.rubrics import load_scorecard

LOADED = load_scorecard()


@pytest.fixture
def reviews(tmp_path: Path) -> Reviews:
    """Return two records, one with an unsafe level, beside their interactions."""
    records, interactions = tmp_path / "records.jsonl", tmp_path / "answers.jsonl"
    records.write_bytes(b"\n".join(map(orjson.dumps, [card("t1"), card("t2", 4, 4, 1)])))
    interactions.write_bytes(b"\n".join(map(orjson.dumps, [response("t1"), response("t2")])))
    return Reviews(records=str(records), interactions=str(interactions), loaded=LOADED)


def test_a_report_is_read_back(reviews: Reviews) -> None:
    """What the codec writes is what it reads."""
    report = monitor(reviews).report
    assert (report.reviewed, report.interactions, [week.reviewed for week in report.weeks]) == (2, 2, [2])
    assert [alert.figure for alert in report.alerts] == ["unsafe_share", "grounding_integrity_average"]
    assert report.new == tuple(alert.id for alert in report.alerts)
    assert from_json(MonitoringReport, to_json(report), where="report") == report


def test_a_failed_delivery_does_not_lose_the_figures(reviews: Reviews, monkeypatch: pytest.MonkeyPatch) -> None:
    """The failure is a value beside the report."""

    def post(_webhook: Webhook, _alerts: list[AnyAlert], *, ledger_id: str | None) -> str:
        raise EvaluationError(f"nobody took it for {ledger_id}")

    monkeypatch.setenv("SECRET", "correct-horse-battery-staple")
    monkeypatch.setattr(Webhook, "post", post)
    done: Monitored = monitor(reviews, webhook=Webhook("http://127.0.0.1:1/", secret_env="SECRET"))  # noqa: S106 - a name
    assert isinstance(done.failure, EvaluationError)
    assert (len(done.report.alerts), done.report.posted) == (2, ())


def test_feedback_and_a_regression_sample(reviews: Reviews, tmp_path: Path) -> None:
    """The pattern names the trace, which can be taken into a dataset."""
    [shown] = [pattern for pattern in feedback(reviews).patterns if pattern.count]
    assert (shown.key, shown.count, shown.total, shown.share, shown.traces) == ("grounding_issues", 1, 2, 0.5, ("t2",))
    taken = take_sample("t2", tmp_path / "regressions.jsonl", ledger=None, source=reviews.interactions)
    assert (taken.id, taken.samples, taken.expects_refusal) == ("t2", 1, None)


def test_one_source_of_records() -> None:
    """A ledger or a file; neither is a mistake."""
    with pytest.raises(UsageError, match="either from a ledger or from a file"):
        Reviews(loaded=LOADED)
