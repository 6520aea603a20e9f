"""The demo at work: every part of Plumbrule on the bundled data, in one folder."""

import shlex
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from plumbrule.api.ledger_access import now
from plumbrule.api.reports import write_report
from plumbrule.api.runs import run
from plumbrule.api.scoring import score_file
from plumbrule.cli.progress import progress_bar
from plumbrule.cli.terminal_console import plain, print_json, stderr, stdout
from plumbrule.cli.views.demo_reviews import indented, show_release, show_weeks
from plumbrule.cli.views.run_tables import gate_table, release_text
from plumbrule.cli.views.verdict_tables import show_anchors, show_summary
from plumbrule.demo import samples_path
from plumbrule.demo.scripted_reviews import (
    CORPUS,
    INTERACTIONS,
    LOGS,
    ReleaseReview,
    WeeksReview,
    review_release,
    review_weeks,
)
from plumbrule.errors import UsageError
from plumbrule.files import written_new, written_whole
from plumbrule.ledger import open_ledger
from plumbrule.rubrics import load_scorecard
from plumbrule.runs.gates import gate_figures, settled_text
from plumbrule.runs.run_entries import find_run
from plumbrule.runs.run_results import GateResult, RunSummary
from plumbrule.samples import DatasetFile
from plumbrule.text.figure_format import SIGNS, figure

DATASET, CONFIG, REPORT, LEDGER = "answers.jsonl", "run.yaml", "report.html", ".plumbrule/ledger.db"
FIRST_DATASET, FIRST_CONFIG, FIRST = "first-answers.jsonl", "first-run.yaml", 13  # too few samples to decide on
VERDICTS = "verdicts.jsonl"
_SHOWN_ID = 8  # characters of a trace id that are enough to find it in a campaign

_RUN = """\
name: demo
dataset: {{path: {dataset}, id: compliance-qa}}
candidate: {{kind: recorded}}
judge: {{kind: rules}}
"""


def copy_dataset(file: Path) -> None:
    """Copy the bundled dataset to a file that is not there yet."""
    with written_new(file) as copy:
        copy.write(samples_path().read_bytes())


def demonstrate(folder: Path, *, as_json: bool) -> None:
    """Score, run, gate, report, review and monitor, and say where everything is."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}; name another folder with --into") from None
    with written_whole(folder / DATASET) as file:
        file.write(samples_path().read_bytes())
    with written_whole(folder / FIRST_DATASET) as file:
        file.writelines(samples_path().read_bytes().splitlines(keepends=True)[:FIRST])
    for config, samples in ((FIRST_CONFIG, FIRST_DATASET), (CONFIG, DATASET)):
        with written_whole(folder / config) as file:
            file.write(_RUN.format(dataset=samples).encode())
    console = stdout()
    console.quiet = as_json
    _head(console, "Verdicts: every answer against its contexts")
    verdicts = folder / VERDICTS
    dataset = str(folder / DATASET)
    with progress_bar(dataset, stderr()) as progress:
        scored = score_file(DatasetFile(dataset), into=verdicts, worst=1, progress=progress)
    show_summary(console, replace(scored, summary=replace(scored.summary, rubric=None), worst=()))
    console.print(plain("the worst of them, with its evidence:"))
    show_anchors(console, scored.worst[0])
    rubric = load_scorecard().rubric
    with open_ledger(f"sqlite:///{folder / LEDGER}", at=now()) as ledger:
        _head(console, "A benchmark run: judged, gated, kept in a ledger")
        first = run(folder / FIRST_CONFIG, ledger, decide_on="bound").summary()
        outcome = run(folder / CONFIG, ledger, decide_on="bound")
        summary = outcome.summary()
        write_report(ledger, find_run(ledger, outcome.run_id), folder / REPORT)
        _show_runs(console, first, summary)
        _head(console, "Scorecards: people review the repaired assistant before it is deployed")
        release = review_release(ledger, folder, now)
        show_release(console, release, rubric)
        _head(console, "Monitoring: twelve weeks in production")
        weeks = review_weeks(ledger, folder, now)
        show_weeks(console, weeks, rubric)
        whole = ledger.verify()
    if as_json:
        files = {name: str(folder / place) for name, place in (("report", REPORT), ("ledger", LEDGER))}
        verdict_summary = replace(scored.summary, rubric=None)
        parts = {
            "verdicts": verdict_summary,
            "first_run": first,
            "run": summary,
            "release": release,
            "monitoring": weeks,
        }
        print_json({**parts, "files": files})
        return
    _head(console, "What is there now")
    for place, what in ((REPORT, "the report of the run: open it in a browser"), (LEDGER, "the ledger of it all")):
        console.print(plain(f"  {folder / place}  "), plain(what, "dim"), sep="", soft_wrap=True)
    beside = f"beside them: {DATASET}, {VERDICTS}, {FIRST_CONFIG}, {CONFIG}, {CORPUS}, {INTERACTIONS}, {LOGS}"
    console.print(indented(plain(beside, "dim")))
    state, style = ("whole", "dim") if whole.whole else ("BROKEN", "bold red")
    console.print(plain(f"ledger {state}: {whole.entries} entries in one hash chain", style))
    _show_next(console, folder, scored.worst[0].verdict.id, release, weeks)


def _show_runs(console: Console, first: RunSummary, summary: RunSummary) -> None:
    """Print the gates that the first samples leave open and all samples settle, then the run of all."""
    attempted = first.aggregates.counts.attempted
    console.print(plain(f"The first {attempted} answers, decided on bound: a whole interval must keep its limit."))
    console.print(release_text(first.outcome, first.outcome))
    by_all = {gate.name for gate in summary.gates if not gate.inconclusive}
    settled = [gate for gate in first.gates if gate.inconclusive and gate.name in by_all]
    for gate in settled:
        console.print(indented(plain(_open_text(gate))))
    console.print()
    attempted, names = summary.aggregates.counts.attempted, " and ".join(gate.name for gate in settled)
    console.print(plain(f"All {attempted} answers settle {names}:"))
    console.print(gate_table(summary.gates))
    console.print()
    console.print(release_text(summary.outcome, summary.headline), end="")
    console.print(plain(": wrong answers are in the data on purpose; the report says what to fix first"))


def _open_text(gate: GateResult) -> str:
    shown = gate_figures(gate)
    limit = f"{SIGNS[gate.direction]} {figure(gate.limit)}"
    return f"{gate.name} {limit}: {shown.deciding} ({shown.interval}), {settled_text(gate)}"


def _show_next(console: Console, folder: Path, worst: str, release: ReleaseReview, weeks: WeeksReview) -> None:
    """Print commands that go on from here, as they are typed."""
    campaign = f"--campaign {release.campaign}"
    commands = {
        f"cd {shlex.quote(str(folder))}": "",
        f"plumbrule score {DATASET} --explain {shlex.quote(worst)}": "the worst answer, with its passages",
        "plumbrule show last": "the run",
        f"plumbrule review progress {campaign}": "every card",
    }
    for item in release.disagreements[:1]:
        commands[f"plumbrule review show {item.trace_id[:_SHOWN_ID]} {campaign} --as YOU"] = "who rated what"
    commands[f"plumbrule monitor --from {weeks.weeks[0].week}"] = "week by week"
    for failed in weeks.behind[:1]:
        commands[f"plumbrule incident {failed.trace_id} -o incident.html"] = "the wrong fee"
    commands["plumbrule serve --as YOU"] = "all of it in a browser"
    _head(console, "What next")
    for command, what in commands.items():
        comment = f"  # {what}" if what else ""
        console.print(plain(f"  {command}", "bold"), plain(comment, "dim"), sep="", soft_wrap=True)


def _head(console: Console, title: str) -> None:
    console.print()
    console.rule(title, align="left", style="dim")
