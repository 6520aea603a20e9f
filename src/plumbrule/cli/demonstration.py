"""The demo at work: every part of Plumbrule on the bundled data, in one folder."""

from pathlib import Path

from rich.console import Console
from rich.text import Text

from plumbrule.api.figures import describe_run
from plumbrule.api.planning import plan_run
from plumbrule.api.reports import write_report
from plumbrule.api.runs import begin_run, carry_out, find_run
from plumbrule.cli.benchmarks import gate_table, print_json
from plumbrule.cli.console import plain, stdout
from plumbrule.cli.scoring import ScoreJob
from plumbrule.cli.storage import now
from plumbrule.demo import samples_path
from plumbrule.errors import UsageError
from plumbrule.ledger import open_ledger
from plumbrule.writing import written_whole

DATASET, CONFIG, REPORT, LEDGER = "answers.jsonl", "run.yaml", "report.html", ".plumbrule/ledger.db"

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
    """Score, run, gate and report, and say where everything is."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}; name another folder with --into") from None
    copy_dataset(folder / DATASET)
    with written_whole(folder / CONFIG) as file:
        file.write(_RUN.encode())
    console = stdout()
    job = ScoreJob(dataset=str(folder / DATASET))
    if not as_json:
        _head(console, "Verdicts: every answer against its contexts")
    tally = job.run(output=folder / "verdicts.jsonl", worst=3, as_json=False, quiet=as_json)
    if not as_json:
        job.explain(tally.worst()[0][1].id, as_json=False)
        _head(console, "A benchmark run: judged, gated, kept in a ledger")
    with open_ledger(f"sqlite:///{folder / LEDGER}", at=now()) as ledger:
        plan = plan_run(folder / CONFIG)
        run = begin_run(plan, ledger, now)
        carry_out(run, plan, ledger, now)
        entry = find_run(ledger, run)
        described = describe_run(ledger, entry)
        write_report(ledger, entry, folder / REPORT)
        whole = ledger.verify()
    if as_json:
        files = {name: str(folder / place) for name, place in (("report", REPORT), ("ledger", LEDGER))}
        print_json({"verdicts": tally.to_dict(bad_records=0), "run": described, "files": files})
        return
    console.print(gate_table(described["gates"]))
    ready = described["release_ready"]
    console.print()
    console.print(Text("RELEASE" if ready else "NO RELEASE", "bold green" if ready else "bold red"), end="")
    console.print(plain(": wrong answers are in the data on purpose; the report says what to fix first"))
    console.print(plain(f"ledger whole: {whole.entries} entries in one hash chain", "dim"))
    _head(console, "What is there now")
    for place, what in (
        (REPORT, "the report: open it in a browser"),
        (DATASET, "the dataset"),
        ("verdicts.jsonl", "a verdict for each answer"),
        (CONFIG, "the run's configuration"),
        (LEDGER, "the ledger"),
    ):
        console.print(plain(f"  {folder / place}  "), plain(what, "dim"), sep="", soft_wrap=True)
    console.print()
    console.print(plain(f"Next: cd {folder} && plumbrule show last", "bold"), soft_wrap=True)


def _head(console: Console, title: str) -> None:
    console.print()
    console.rule(title, align="left", style="dim")
