"""What a dataset holds, shown to a person or a machine."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.progress import progress_over
from plumbrule.cli.terminal_console import plain, print_json, stderr, stdout
from plumbrule.errors import RecordError
from plumbrule.samples import Reading, Sample, parse_mapping

_USED = ("question", "answer", "contexts")
# What is counted, and how it is said; a refusal that is one by its wording alone is for a rubric to tell.
_FACTS = {
    "answered": "answered {}",
    "refused_declared": "refused {} (declared)",
    "timed_out": "timed out {}",
    "without_contexts": "without contexts {}",
    "without_question": "without question {}",
}


def validate(dataset: str, mapping: tuple[str, ...], format_: str | None, *, as_json: bool) -> int:
    """Read the whole dataset, print what was found, and return how many records are bad."""
    listed = _BadRecords(None if as_json else stdout())
    reading = Reading(dataset, mapping=parse_mapping(mapping), format=format_, on_bad=listed)
    facts = dict.fromkeys(_FACTS, 0)
    with progress_over(reading, stderr()) as samples:
        for sample in samples:
            _count(facts, sample)
    if as_json:
        print_json(_record(reading, listed.kept, facts))
    else:
        _show(stdout(), reading, facts)
    return reading.bad


class _BadRecords:
    """Every bad record: printed as it comes, so that memory does not grow with them, or kept for JSON."""

    def __init__(self, console: Console | None) -> None:
        self._console = console
        self.kept: list[dict[str, object]] = []

    def __call__(self, error: RecordError) -> None:
        if self._console is None:
            self.kept.append({"line": error.line, "reason": error.reason})
        else:
            self._console.print(plain(str(error), "red"), soft_wrap=True)


def _count(facts: dict[str, int], sample: Sample) -> None:
    facts["refused_declared"] += sample.refused
    facts["answered"] += sample.answer is not None and not sample.refused
    facts["timed_out"] += bool(sample.timed_out)
    facts["without_contexts"] += not sample.contexts
    facts["without_question"] += not sample.question


def _record(reading: Reading, bad: list[dict[str, object]], facts: dict[str, int]) -> dict[str, object]:
    return {
        "source": reading.source,
        "format": reading.format,
        "counts": {"attempted": reading.read + reading.bad, "read": reading.read, "bad": reading.bad},
        "facts": facts,
        "fields": reading.fields,
        "ignored": reading.ignored,
        "notes": reading.notes,
        "bad": bad,
    }


def _show(console: Console, reading: Reading, facts: dict[str, int]) -> None:
    console.print()
    heading = f"{reading.source}: {reading.format}, good records {reading.read}, bad {reading.bad}"
    console.print(plain(heading, "bold"), soft_wrap=True)
    console.print(Text(" · ".join(_FACTS[name].format(count) for name, count in facts.items()), "dim"))
    console.print()
    if reading.fields:
        table = Table(box=None, pad_edge=False)
        for heading in ("field", "taken from", "records"):
            table.add_column(heading, justify="right" if heading == "records" else "left")
        for name, origins in reading.fields.items():
            for origin, count in origins.items():
                table.add_row(name, plain(origin, "" if origin == name else "cyan"), str(count))
        console.print(table)
    _list(console, "not understood, and left aside", reading.ignored)
    _list(console, "remarks", reading.notes)
    if not all(name in reading.fields for name in _USED):
        missing = ", ".join(name for name in _USED if name not in reading.fields)
        console.print(plain(f"\nnothing was read as {missing}; --map FIELD=COLUMN names the column", "yellow"))


def _list(console: Console, heading: str, counts: dict[str, int]) -> None:
    if counts:
        console.print()
        console.print(Text(heading, "bold"))
        for name, count in counts.items():
            console.print(plain(f"  {name} ({count})"), soft_wrap=True)
