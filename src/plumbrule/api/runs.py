"""Benchmark runs for Python callers and the command line: plan, run, list, show, gate, compare, judge."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import islice
from pathlib import Path

from plumbrule.api.finished_runs import RunResults
from plumbrule.api.ledger_access import Ledgers, now, opened
from plumbrule.errors import UsageError
from plumbrule.ledger import Ledger, ResultKey
from plumbrule.outcomes import DecideOn
from plumbrule.rubrics.benchmark_rubric import Anchor, Confidence
from plumbrule.runs.comparison import RunComparison, compare_runs
from plumbrule.runs.gates import GateDecision, GatePolicy, decide_release
from plumbrule.runs.plan import Plan, PlanSummary, plan_run
from plumbrule.runs.run_entries import find_run, read_run
from plumbrule.runs.run_results import RunLine, RunSummary, SingleJudgement
from plumbrule.runs.sample_detail import SampleDetail, find_sample, read_sample_detail
from plumbrule.runs.session import Begun, RunOutcome, Watch, execute
from plumbrule.runs.single_judgement import judge_sample
from plumbrule.runs.summary import run_lines, summarise_run
from plumbrule.samples import Sample

_SHOWN_FAILURES = 10


def _ignore_beginning(run: str, plan: Plan) -> None:
    """Do nothing when a run begins."""


def _ignore_progress(progress: object) -> None:
    """Do nothing after a task."""


def plan(config: Path | str) -> PlanSummary:
    """Return what the run that a configuration file describes would do and use; nobody is called."""
    return plan_run(Path(config)).summary()


def run(  # noqa: PLR0913 - each is an option of the command, too
    config: Path | str,
    ledger: Ledgers = None,
    *,
    resume: str | None = None,
    join: str | None = None,
    workers: int | None = None,
    accept_errors: bool = False,
    decide_on: DecideOn | None = None,
    confidence: Confidence | None = None,
    begun: Begun = _ignore_beginning,
    watch: Watch = _ignore_progress,
) -> RunResults:
    """Execute the run that a configuration file describes, or ``resume`` one: its id, the start of it, or last.

    With ``workers`` so many processes of this machine share the run, and others may ``join`` it by its id; to join one
    that nobody works on is to resume it so. A script that asks for several begins with ``if __name__ == "__main__":``.
    ``decide_on`` and ``confidence`` may ask for more than the rubric's gates do, and are kept with the run. A ledger
    that does not exist is made. ``begun`` is called with the run's id before the first task, ``watch`` with
    the progress after every task.
    """
    if join is not None and resume is not None:
        raise UsageError("a run is either joined, with others, or resumed: name it once")
    if workers is not None and workers < 1:
        raise UsageError(f"a run needs at least one worker, not {workers}")
    with opened(ledger, make=now()) as store:
        planned = plan_run(Path(config), GatePolicy(decide_on=decide_on, confidence=confidence))
        outcome = execute(
            planned,
            store,
            now,
            resume=resume if join is None else join,
            workers=workers if join is None else workers or 1,
            accept_errors=accept_errors,
            begun=begun,
            watch=watch,
        )
        return RunResults(outcome, texts=_failed_texts(store, outcome), rules=planned.rubrics.verdict)


def _failed_texts(ledger: Ledger, outcome: RunOutcome) -> dict[tuple[str, int], Sample]:
    """Return the texts of the first samples that failed, as a notebook shows them."""
    failed = list(islice((sample for sample in outcome.samples if not sample.passed), _SHOWN_FAILURES))
    if not failed:
        return {}
    run = read_run(find_run(ledger, outcome.run_id))
    texts = {(each.sample_id, each.repeat): find_sample(ledger, run, each.sample_id, each.repeat) for each in failed}
    return {key: text for key, text in texts.items() if text is not None}


def list_runs(ledger: Ledgers = None) -> tuple[RunLine, ...]:
    """Return the runs of a ledger, the oldest first."""
    with opened(ledger) as store:
        return run_lines(store)


def show(
    reference: str = "last", ledger: Ledgers = None, *, samples: bool = False, anchor: Anchor | None = None
) -> RunSummary:
    """Return the summary of a run: its id, the start of it, or last; with its samples where they are asked for.

    ``anchor`` may ask for gates that go by people's labels, where the run's own policy does not.
    """
    with opened(ledger) as store:
        return summarise_run(store, find_run(store, reference), samples=samples, policy=GatePolicy(anchor=anchor))


def show_sample(reference: str, sample_id: str, ledger: Ledgers = None, *, repeat: int | None = None) -> SampleDetail:
    """Return one sample of a run whole; without a ``repeat``, of the first that has a result of it."""
    with opened(ledger) as store:
        run = find_run(store, reference)
        repeats = range(read_run(run).body.summary.repeats) if repeat is None else (repeat,)
        keys = {each: ResultKey(run=run.subject, repeat=each, sample=sample_id).subject for each in repeats}
        there = {entry.subject for entry in store.glance("result", list(keys.values()))}
        first = next((each for each, subject in keys.items() if subject in there), repeats[0])
        return read_sample_detail(store, run, sample_id, first)


def gate(
    reference: str = "last",
    ledger: Ledgers = None,
    *,
    strict: bool = False,
    decide_on: DecideOn | None = None,
    confidence: Confidence | None = None,
    anchor: Anchor | None = None,
) -> GateDecision:
    """Decide whether a run may be released; ``strict`` also asks for metadata and repeats.

    ``decide_on``, ``confidence`` and ``anchor`` may ask for more than the rubric and the run do, not for less.
    """
    policy = GatePolicy(decide_on=decide_on, confidence=confidence, anchor=anchor)
    with opened(ledger) as store:
        return decide_release(summarise_run(store, find_run(store, reference), policy=policy), strict=strict)


def compare(
    first: str,
    second: str,
    ledger: Ledgers = None,
    *,
    other_dataset: bool = False,
    margins: Mapping[str, Fraction | float] | None = None,
    confidence: Confidence | None = None,
) -> RunComparison:
    """Compare two runs of one dataset, or with ``other_dataset`` of two, sample by sample.

    ``margins`` are by how much a figure may be worse in the second run, by its name: ``{"pass_rate": 0.03}``.
    ``confidence="sequential"`` asks for intervals that are valid however often one looks, as the policy of either run
    may.
    """
    exact = {name: _margin(name, margin) for name, margin in (margins or {}).items()}
    with opened(ledger) as store:
        found = find_run(store, first), find_run(store, second)
        return compare_runs(store, *found, other_dataset=other_dataset, margins=exact, confidence=confidence)


def _margin(name: str, margin: Fraction | float) -> Fraction:
    try:
        return Fraction(margin)
    except (ArithmeticError, ValueError, TypeError):
        raise UsageError(f"the margin of {name}: {str(margin)[:40]!r} is no number") from None


def judge(sample: Sample, config: Path | str | None = None) -> SingleJudgement:
    """Judge one recorded answer as the run of ``config`` would, or by the rules that ship; nothing is kept."""
    return judge_sample(sample, None if config is None else Path(config))
