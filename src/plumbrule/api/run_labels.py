"""People's labels of a run's answers for Python callers and the command line: draw, add, look, and plan."""

from dataclasses import replace
from pathlib import Path

from plumbrule.api.ledger_access import Ledgers, now, opened
from plumbrule.api.reviews import accountable
from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import Ledger
from plumbrule.reviews.campaigns.campaign_labels import campaign_labels
from plumbrule.rubrics import load_benchmark
from plumbrule.runs.anchor.anchor_results import LabelStatus
from plumbrule.runs.anchor.label_file import check_sheet, read_labels, write_sheet
from plumbrule.runs.anchor.label_plan import LabelPlan, plan_labels
from plumbrule.runs.anchor.label_store import (
    answers_of,
    draw_answers,
    keep_labels,
    label_status,
    read_run_labels,
    seeded_draw,
    waiting_answers,
)
from plumbrule.runs.plan import plan_run
from plumbrule.runs.run_entries import LabelSet, RunEntry, find_run, read_run, rubric_of, run_results
from plumbrule.runs.sample_results import SampleResult, rounded
from plumbrule.runs.summary import summarise_run

SEED = 42  # of a draw, as for a review sample


def draw_labels(
    reference: str = "last",
    count: int = 100,
    ledger: Ledgers = None,
    *,
    author: str,
    seed: int = SEED,
    sheet: Path | str | None = None,
) -> LabelStatus:
    """Draw so many answers of a run for people to label, and keep the draw; write them to ``sheet`` to fill in."""
    with opened(ledger) as store:
        run, results = _run(store, reference)
        if sheet is not None:
            check_sheet(Path(sheet))
        drawn = draw_answers(store, run, results, count, seed=seed, author=accountable(author), at=now())
        standing = read_run_labels(store, run.run_id)
        if sheet is not None:
            _write_sheet(store, run, results, Path(sheet))
        return label_status(run, standing, results, drawn_now=drawn)


def add_labels(
    file: Path | str,
    reference: str = "last",
    ledger: Ledgers = None,
    *,
    author: str,
    reason: str | None = None,
) -> LabelStatus:
    """Keep the labels of a file as those of ``author``; a label that they change needs a reason."""
    author = accountable(author)
    with opened(ledger) as store:
        run, results = _run(store, reference)
        read = read_labels(file, rubric_of(store, run.run_id), repeats=run.body.summary.repeats)
        given = LabelSet(person=author, source=read.name, sha256=read.sha256, reason=reason, labels=read.labels)
        keep_labels(store, run, given, author=author, at=now(), places=read.places)
        return label_status(
            run,
            read_run_labels(store, run.run_id),
            results,
            labels_now=len(read.labels),
            rows_without_label=read.empty,
        )


def add_campaign_labels(
    campaign: str, reference: str = "last", ledger: Ledgers = None, *, author: str, reason: str | None = None
) -> LabelStatus:
    """Keep what a closed review campaign says of the drawn answers of a run as labels."""
    author = accountable(author)
    with opened(ledger) as store:
        run, results = _run(store, reference)
        drawn = read_run_labels(store, run.run_id).drawn
        given = campaign_labels(store, campaign, answers_of(store, run, drawn), rubric_of(store, run.run_id))
        keep_labels(store, run, replace(given, reason=reason), author=author, at=now())
        return label_status(run, read_run_labels(store, run.run_id), results, labels_now=len(given.labels))


def check_labels(config: Path | str, file: Path | str, *, seed: int = SEED) -> int:
    """Return how many labels a file has for the recorded answers of a run that is not begun yet.

    They must be of the answers that the seed draws, all of them: others were chosen by hand. A live candidate will
    give other answers, so that labels come after its run.
    """
    planned = plan_run(Path(config))
    if planned.live:
        raise UsageError(f"{config}: its candidate is called, and gives answers that nobody has labelled yet")
    repeats = planned.config.repeats
    read = read_labels(file, planned.rubrics.benchmark.rubric, repeats=repeats)
    samples = {sample.id: sample for sample in planned.samples}
    answers = {sample: range(repeats) for sample in samples}
    drawn = {
        (answer.repeat, answer.sample_id) for answer in seeded_draw(answers, len(read.labels) + read.empty, seed=seed)
    }
    for label in read.labels:
        if label.key not in drawn:
            known = "was not drawn by this seed" if label.sample_id in answers else "is no sample of the run"
            raise InputError(
                f"{read.places[label.key]}: '{label.sample_id[:60]}' {known}: labels that were chosen by hand would "
                "bias the estimate"
            )
        label.check_answer(samples[label.sample_id], read.places[label.key])
    return len(read.labels) + read.empty


def show_labels(reference: str = "last", ledger: Ledgers = None, *, sheet: Path | str | None = None) -> LabelStatus:
    """Return how far the labels of a run are; write the answers that still wait to ``sheet``."""
    with opened(ledger) as store:
        run, results = _run(store, reference)
        if sheet is not None:
            _write_sheet(store, run, results, Path(sheet))
        return label_status(run, read_run_labels(store, run.run_id), results)


def plan_samples(  # noqa: PLR0913 - each is a figure of its own, and all are optional
    *,
    rate: float | None = None,
    limit: float | None = None,
    margin: float | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    samples: int | None = None,
    labels: int | None = None,
    run: str | None = None,
    ledger: Ledgers = None,
) -> LabelPlan:
    """Return how many samples and labels tell a pass rate from its limit, or reach a margin.

    With ``run``, the rate by people and the judge's sensitivity and specificity are those that its labels measured,
    where they are not given. Without a limit or margin, the limit is that of the pass rate in the run's rubric, or in
    the one that ships.
    """
    rubric = load_benchmark().rubric
    if run is not None:
        with opened(ledger) as store:
            entry = find_run(store, run)
            rubric = rubric_of(store, entry.subject)
            measured = summarise_run(store, entry).labels
        figure = None if measured is None else measured.figures.get("pass_rate")
        judge = None if measured is None else measured.judge
        if figure is None or judge is None:
            raise InputError(f"{entry.subject}: has no labels yet that say how often its answers pass")
        rate = figure.value if rate is None else rate
        sensitivity = judge.sensitivity if sensitivity is None else sensitivity
        specificity = judge.specificity if specificity is None else specificity
        if sensitivity is None or specificity is None:
            raise InputError(
                f"{entry.subject}: people pass {judge.passed_by_people} and fail {judge.failed_by_people} of its "
                "labelled answers: without both kinds the judge's sensitivity and specificity are not known; give them"
            )
    if rate is None:
        raise UsageError("give the rate that you expect, or a run with labels that says it")
    if limit is None and margin is None:
        limit = rounded(rubric.gates.pass_rate)
        if limit is None:
            raise UsageError("the rubric has no gate for the pass rate: give a limit, or a margin")
    return plan_labels(
        rate=rate,
        limit=limit,
        margin=margin,
        sensitivity=sensitivity,
        specificity=specificity,
        samples=samples,
        labels=labels,
    )


def _run(store: Ledger, reference: str) -> tuple[RunEntry, list[SampleResult]]:
    run = read_run(find_run(store, reference))
    return run, [entry.result for entry in run_results(store, run.run_id)]


def _write_sheet(store: Ledger, run: RunEntry, results: list[SampleResult], path: Path) -> None:
    keys = waiting_answers(read_run_labels(store, run.run_id), results)
    write_sheet(path, answers_of(store, run, sorted(keys, key=lambda key: (key[1], key[0]))))
