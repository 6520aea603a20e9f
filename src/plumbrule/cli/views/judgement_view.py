"""One judgement on a terminal, and the one sample that it is about."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from plumbrule.cli.terminal_console import plain
from plumbrule.errors import InputError, UsageError
from plumbrule.runs.run_results import SingleJudgement
from plumbrule.samples import Reading, Sample, sample_from
from plumbrule.text.figure_format import figure
from plumbrule.verdicts import CONCERNS


def read_one(source: str | None, parts: Mapping[str, object]) -> Sample:
    """Return the one sample of a file, or the one that the parts make up."""
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


def show_judgement(console: Console, judgement: SingleJudgement) -> None:
    """Print the scores, the reason for them, and the judge."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, score in (
        ("accuracy_score", judgement.accuracy_score),
        ("faithfulness_score", judgement.faithfulness_score),
    ):
        style = "dim" if score is None else {0: "bold red", 1: "yellow", 2: "green"}.get(score, "dim")
        table.add_row(plain(name), plain("none" if score is None else f"{score} of 2", style))
    for name, text in (("rationale", judgement.rationale), ("evaluator_error", judgement.evaluator_error)):
        if text is not None:
            table.add_row(plain(name), plain(text))
    concerns = [concern for concern in CONCERNS if getattr(judgement, concern)]
    if concerns:
        table.add_row(plain("evidence"), plain(" · ".join(concerns), "bold yellow"))
    if judgement.flags:
        table.add_row(plain("flags"), plain(", ".join(judgement.flags)))
    judge = judgement.judge
    table.add_row(plain("judge"), plain(judge.model_id or f"{judge.name} {judge.version}"))
    if judge.requests:
        used = f"{judge.requests} calls, {figure(judge.input_tokens)} + {figure(judge.output_tokens)} tokens"
        table.add_row(plain("used"), plain(used))
    console.print(table)
