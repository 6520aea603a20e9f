"""Which runs are archived: the finished ones that are named, old enough, or due by a policy."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.runs.anchor.labelled_run import ADDRESS, begin

from plumbrule.api.ledger import archive_runs
from plumbrule.errors import UsageError
from plumbrule.ledger import Ledger, open_ledger
from plumbrule.runs.archive.retention import Retention, read_retention, select_before, select_due, select_runs
from plumbrule.runs.run_entries import find_run

pytest.importorskip("pyarrow")


def decided_at(ledger: Ledger, run: str) -> datetime:
    """Return when a run was decided."""
    return datetime.fromisoformat(ledger.last_entries("decision", [run])[run].recorded_at_utc)


def test_a_finished_run_is_selected_by_its_name_its_age_or_a_policy(tmp_path: Path) -> None:
    """Each kind by its own days after the decision; a kind that a run has none of, or that is archived, is left out."""
    run = begin(tmp_path, samples=2)
    with open_ledger(ADDRESS.format(tmp_path)) as ledger:
        decided = decided_at(ledger, run)
        assert select_runs(ledger, ["last"]) == {run: ("result", "sample")}
        assert select_before(ledger, decided) == {}
        assert select_before(ledger, decided + timedelta(seconds=1)) == {run: ("result", "sample")}
        policy = Retention(keep_days={"sample": 10, "exchange": 0})
        assert select_due(ledger, policy, at=decided + timedelta(days=9)) == {}
        selection = select_due(ledger, policy, at=decided + timedelta(days=10))
        assert selection == {run: ("sample",)}
        archive_runs(ledger, selection, tmp_path / "a", author="Ada", reason="due", at=decided)
        assert select_runs(ledger, [run]) == {run: ("result",)}
        archive_runs(ledger, {run: ("result",)}, tmp_path / "b", author="Ada", reason="due", at=decided)
        assert select_before(ledger, decided + timedelta(days=1)) == {}
        with pytest.raises(UsageError, match=f"{run}: there is nothing to archive"):
            select_runs(ledger, [run])


def test_a_run_that_is_not_finished_stays(tmp_path: Path) -> None:
    """It may go on; whoever names it is told."""
    run = begin(tmp_path, samples=2)
    with open_ledger(ADDRESS.format(tmp_path)) as ledger:
        begun = find_run(ledger, run)
        ledger.append("run", "run-b", begun.value, "plumbrule run", at=decided_at(ledger, run))
        ledger.append("result", "run-b/0/q", {}, "plumbrule run", at=decided_at(ledger, run))
        assert list(select_before(ledger, decided_at(ledger, run) + timedelta(days=1))) == [run]
        with pytest.raises(UsageError, match="run-b: is not finished, and only finished runs are archived"):
            select_runs(ledger, ["run-b"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("keep_days: {record: 3}", "record"),
        ("keep_days: {sample: -1}", "sample"),
        ("keep_days: {sample: soon}", "sample"),
        ("keep_dayz: {sample: 3}", "keep_dayz"),
        ("[]", "a retention policy is a mapping"),
    ],
)
def test_a_policy_that_is_none_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """What always stays cannot be named, and the line says where the fault is."""
    (tmp_path / "retention.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=rf"retention\.yaml:1: .*{said}"):
        read_retention(tmp_path / "retention.yaml")


def test_a_policy_of_a_file(tmp_path: Path) -> None:
    """What it does not name stays for good."""
    (tmp_path / "retention.yaml").write_text("keep_days:\n  result: 365\n", encoding="utf-8")
    assert read_retention(tmp_path / "retention.yaml") == Retention(keep_days={"result": 365})
