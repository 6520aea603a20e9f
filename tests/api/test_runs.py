"""Runs from Python: one call each, on a ledger that is open or only named."""

from pathlib import Path

import pytest

from plumbrule.api.runs import compare, gate, judge, list_runs, plan, run, show
from plumbrule.codec import json_line, to_json
from plumbrule.demo import samples_path
from plumbrule.errors import UsageError
from plumbrule.ledger import open_ledger
from plumbrule.samples import Passage, Sample

CONFIG = """\
name: demo
dataset: {path: data.jsonl, id: compliance-qa}
candidate: {kind: recorded}
judge: {kind: rules}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Return the configuration of a run over the demo data."""
    (tmp_path / "data.jsonl").write_bytes(samples_path().read_bytes())
    (tmp_path / "run.yaml").write_text(CONFIG)
    return tmp_path / "run.yaml"


def test_a_run_from_plan_to_decision(config: Path, tmp_path: Path) -> None:
    """Plan, run, list, show, gate and compare say the same of one run."""
    address = f"sqlite:///{tmp_path}/ledger.db"
    planned = plan(config)
    assert (planned.dataset.samples, planned.estimate.total.calls) == (56, 0)
    begun: list[str] = []
    done: list[int] = []
    outcome = run(
        config,
        address,
        begun=lambda run_id, _: begun.append(run_id),
        watch=lambda progress: done.append(progress.finished),
    )
    assert (begun, done[-1], outcome.progress.total) == ([outcome.run_id], 56, 56)
    assert [line.run_id for line in list_runs(address)] == [outcome.run_id]
    assert show("last", address) == outcome.summary()
    decision = gate(outcome.run_id, address)
    assert (decision.release_ready, decision.gates) == (False, show("last", address).gates)
    with open_ledger(address) as ledger:
        assert len(show("last", ledger, samples=True).samples or ()) == 56
        comparison = compare("last", outcome.run_id, ledger)
        assert list_runs(ledger)[0].name == "demo"  # the ledger that was given stays open
    assert (comparison.samples, comparison.regressions, comparison.first.run_id) == (56, (), outcome.run_id)


def test_a_finished_run_is_resumed_to_the_same_summary(config: Path, tmp_path: Path) -> None:
    """Nothing is left to do, and nothing is done twice."""
    address = f"sqlite:///{tmp_path}/ledger.db"
    first = run(config, address)
    again = run(config, address, resume="last")
    assert (again.run_id, again.summary()) == (first.run_id, first.summary())
    assert (again.progress.done, again.progress.skipped) == (0, 56)


def test_a_ledger_is_only_made_for_a_run(tmp_path: Path) -> None:
    """A look at one that is not there is a mistake, and makes none."""
    with pytest.raises(UsageError):
        show("last", f"sqlite:///{tmp_path}/none.db")
    assert list(tmp_path.iterdir()) == []


def test_one_answer_is_judged_alone() -> None:
    """By the rules that ship: the fields of a sample in a run, then the judge and the rubrics."""
    sample = Sample(id="s", question="Fee?", answer="It is $25.", contexts=(Passage(text="The fee is $25."),))
    judgement = judge(sample)
    assert (judgement.faithfulness_score, judgement.judge.name) == (2, "rules")
    assert list(to_json(judgement))[-3:] == ["judge", "support", "rubrics"]
    assert json_line(judge(sample)) == json_line(judgement)
