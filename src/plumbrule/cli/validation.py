"""What a dataset holds, shown to a person or a machine."""

import sys

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.console import plain, stderr, stdout
from plumbrule.cli.progress import progress_over
from plumbrule.errors import RecordError
from plumbrule.samples import Reading, Sample, parse_mapping

_USED = ("question", "answer", "contexts")


def validate(dataset: str, mapping: tuple[str, ...], format_: str | None, *, as_json: bool) -> int:
    """Read the whole dataset, print what was found, and return how many records are bad."""
    bad: list[RecordError] = []
    reading = Reading(dataset, mapping=parse_mapping(mapping), format=format_, on_bad=bad.append)
    facts = dict.fromkeys(("answered", "refused", "timed out", "without contexts", "without question"), 0)
    with progress_over(reading, stderr()) as samples:
        for sample in samples:
            _count(facts, sample)
    if as_json:
        sys.stdout.buffer.write(orjson.dumps(_record(reading, bad, facts), option=orjson.OPT_APPEND_NEWLINE))
    else:
        _show(stdout(), reading, bad, facts)
    return len(bad)


def _count(facts: dict[str, int], sample: Sample) -> None:
    refused = sample.refusal is not None or (sample.grounding_status or "").upper() == "REFUSED"
    facts["refused"] += refused
    facts["answered"] += sample.answer is not None and not refused
    facts["timed out"] += bool(sample.timed_out)
    facts["without contexts"] += not sample.contexts
    facts["without question"] += not sample.question


def _record(reading: Reading, bad: list[RecordError], facts: dict[str, int]) -> dict[str, object]:
    return {
        "source": reading.source,
        "format": reading.format,
        "counts": {"attempted": reading.read + reading.bad, "read": reading.read, "bad": reading.bad},
        "facts": {name.replace(" ", "_"): count for name, count in facts.items()},
        "fields": reading.fields,
        "ignored": reading.ignored,
        "notes": reading.notes,
        "bad": [{"line": error.line, "reason": error.reason} for error in bad],
    }


def _show(console: Console, reading: Reading, bad: list[RecordError], facts: dict[str, int]) -> None:
    console.print()
    heading = f"{reading.source}: {reading.format}, good records {reading.read}, bad {reading.bad}"
    console.print(plain(heading, "bold"), soft_wrap=True)
    console.print(Text(" · ".join(f"{name} {count}" for name, count in facts.items()), "dim"))
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
    if bad:
        console.print()
        console.print(Text(f"bad records: {len(bad)}", "bold red"))
        for error in bad:
            console.print(plain(f"  {error.line}: {error.reason}"), soft_wrap=True)
    elif not all(name in reading.fields for name in _USED):
        missing = ", ".join(name for name in _USED if name not in reading.fields)
        console.print(plain(f"\nnothing was read as {missing}; --map FIELD=COLUMN names the column", "yellow"))


def _list(console: Console, heading: str, counts: dict[str, int]) -> None:
    if counts:
        console.print()
        console.print(Text(heading, "bold"))
        for name, count in counts.items():
            console.print(plain(f"  {name} ({count})"), soft_wrap=True)
