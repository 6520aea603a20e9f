"""One judgement on a terminal."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from plumbrule.cli.terminal_console import plain, print_json, stdout
from plumbrule.errors import InputError, UsageError
from plumbrule.reports.figure_text import figure
from plumbrule.runs.single_judgement import judge_sample
from plumbrule.samples import Reading, Sample, sample_from


def judge_one(source: str | None, parts: Mapping[str, object], *, config: Path | None, as_json: bool) -> None:
    """Judge the one sample of a file, or the one that its parts make up."""
    judged = judge_sample(_read(source, parts), config)
    if as_json:
        print_json(judged)
    else:
        _show(stdout(), judged)


def _read(source: str | None, parts: Mapping[str, object]) -> Sample:
    if source is None:
        if "answer" not in parts:
            raise UsageError("give an answer with -a, or a file with one sample")
        return sample_from(parts)
    if parts:
        raise UsageError("give a file or the parts as options, not both")
    samples = list(Reading(source))
    if len(samples) != 1:
        raise InputError(f"{source}: holds {len(samples)} samples; one is judged here, 'plumbrule run' judges many")
    return samples[0]


def _show(console: Console, judged: dict[str, Any]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    for name in ("accuracy_score", "faithfulness_score"):
        score = judged[name]
        style = {0: "bold red", 1: "yellow", 2: "green"}.get(score, "dim")
        table.add_row(plain(name), plain("none" if score is None else f"{score} of 2", style))
    for name in ("rationale", "evaluator_error"):
        if judged[name] is not None:
            table.add_row(plain(name), plain(judged[name]))
    if judged["flags"]:
        table.add_row(plain("flags"), plain(", ".join(judged["flags"])))
    judge = judged["judge"]
    table.add_row(plain("judge"), plain(judge["model_id"] or f"{judge['name']} {judge['version']}"))
    if judge["requests"]:
        used = f"{judge['requests']} calls, {figure(judge['input_tokens'])} + {figure(judge['output_tokens'])} tokens"
        table.add_row(plain("used"), plain(used))
    console.print(table)
