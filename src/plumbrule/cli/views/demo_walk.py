"""The demo at work: every part of Plumbrule on the bundled data, in one folder."""

import shlex
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from plumbrule.api.reports import write_report
from plumbrule.cli.ledger_access import now
from plumbrule.cli.terminal_console import plain, print_json, stdout
from plumbrule.cli.views.demo_reviews import show_release, show_weeks
from plumbrule.cli.views.run_tables import gate_table
from plumbrule.cli.views.score_job import ScoreJob
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
from plumbrule.files import written_whole
from plumbrule.ledger import open_ledger
from plumbrule.rubrics import load_scorecard
from plumbrule.runs.plan import plan_run
from plumbrule.runs.session import begin_run, carry_out, find_run
from plumbrule.runs.summary import describe_run

DATASET, CONFIG, REPORT, LEDGER = "answers.jsonl", "run.yaml", "report.html", ".plumbrule/ledger.db"
_SHOWN_ID = 8  # characters of a trace id that are enough to find it in a campaign

_RUN = f"""\
name: demo
dataset: {{path: {DATASET}, id: compliance-qa}}
candidate: {{kind: recorded}}
judge: {{kind: rules}}
"""


def copy_dataset(file: Path) -> None:
    """Copy the bundled dataset."""
    with written_whole(file) as copy:
        copy.write(samples_path().read_bytes())


def demonstrate(folder: Path, *, as_json: bool) -> None:
    """Score, run, gate, report, review and monitor, and say where everything is."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}; name another folder with --into") from None
    copy_dataset(folder / DATASET)
    with written_whole(folder / CONFIG) as file:
        file.write(_RUN.encode())
    console = stdout()
    console.quiet = as_json
    job = ScoreJob(dataset=str(folder / DATASET))
    _head(console, "Verdicts: every answer against its contexts")
    tally = job.run(output=folder / "verdicts.jsonl", worst=3, as_json=False, quiet=as_json)
    if not as_json:
        job.explain(tally.worst()[0][1].id, as_json=False)
    rubric = load_scorecard().rubric
    with open_ledger(f"sqlite:///{folder / LEDGER}", at=now()) as ledger:
        _head(console, "A benchmark run: judged, gated, kept in a ledger")
        plan = plan_run(folder / CONFIG)
        run = begin_run(plan, ledger, now)
        carry_out(run, plan, ledger, now)
        entry = find_run(ledger, run)
        described = describe_run(ledger, entry)
        write_report(ledger, entry, folder / REPORT)
        _show_run(console, described)
        _head(console, "Scorecards: people review the repaired assistant before it is deployed")
        release = review_release(ledger, folder, now)
        show_release(console, release, rubric)
        _head(console, "Monitoring: twelve weeks in production")
        weeks = review_weeks(ledger, folder, now)
        show_weeks(console, weeks, rubric)
        whole = ledger.verify()
    if as_json:
        files = {name: str(folder / place) for name, place in (("report", REPORT), ("ledger", LEDGER))}
        summary = tally.to_dict(bad_records=0)
        parts = {"verdicts": summary, "run": described, "release": release, "monitoring": weeks}
        print_json({**parts, "files": files})
        return
    _head(console, "What is there now")
    for place, what in (
        (REPORT, "the report of the run: open it in a browser"),
        (DATASET, "the dataset of the run"),
        ("verdicts.jsonl", "a verdict for each answer"),
        (CONFIG, "the run's configuration"),
        (CORPUS, "the policies that the assistant searches"),
        (INTERACTIONS, "the reviewed answers with their traces"),
        (LOGS, "what was asked in each week"),
        (LEDGER, "the ledger of it all"),
    ):
        console.print(plain(f"  {folder / place}  "), plain(what, "dim"), sep="", soft_wrap=True)
    state, style = ("whole", "dim") if whole.whole else ("BROKEN", "bold red")
    console.print(plain(f"ledger {state}: {whole.entries} entries in one hash chain", style))
    _show_next(console, folder, release, weeks)


def _show_run(console: Console, described: dict[str, Any]) -> None:
    console.print(gate_table(described["gates"]))
    ready = described["release_ready"]
    console.print()
    console.print(Text("RELEASE" if ready else "NO RELEASE", "bold green" if ready else "bold red"), end="")
    console.print(plain(": wrong answers are in the data on purpose; the report says what to fix first"))


def _show_next(console: Console, folder: Path, release: ReleaseReview, weeks: WeeksReview) -> None:
    """Print commands that go on from here, as they are typed."""
    campaign = f"--campaign {release.campaign}"
    commands = {
        f"cd {shlex.quote(str(folder))}": "",
        "plumbrule show last": "the run",
        f"plumbrule review progress {campaign}": "every card",
    }
    for item in release.disagreements[:1]:
        commands[f"plumbrule review show {item.trace_id[:_SHOWN_ID]} {campaign} --as YOU"] = "who rated what"
    commands[f"plumbrule monitor --from {weeks.weeks[0].week}"] = "week by week"
    for failed in weeks.behind[:1]:
        commands[f"plumbrule incident {failed.trace_id} -o incident.html"] = "the wrong fee"
    _head(console, "What next")
    for command, what in commands.items():
        comment = f"  # {what}" if what else ""
        console.print(plain(f"  {command}", "bold"), plain(comment, "dim"), sep="", soft_wrap=True)


def _head(console: Console, title: str) -> None:
    console.print()
    console.rule(title, align="left", style="dim")
