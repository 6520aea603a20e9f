"""Figures, gates and metadata in words, the same in every format."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import NamedTuple

from plumbrule.outcomes import DecideOn
from plumbrule.rubrics.benchmark_rubric import Anchor, Confidence
from plumbrule.runs.anchor.anchor_results import AnchorSummary
from plumbrule.runs.differences import DifferenceResult, FigureComparison
from plumbrule.runs.report.gate_text import DIRECTIONS, gate_text, numbers_text, settling_text
from plumbrule.runs.report.run_report import ReportGate, ReportInterval
from plumbrule.runs.run_metadata import REQUIRED, RunMetadata
from plumbrule.support.kept_support import SupportTotals
from plumbrule.text.figure_format import NONE, SIGNS, between, figure, figures, measured
from plumbrule.verdicts.headline import CONCERNS

__all__ = [
    "DIRECTIONS",
    "METHODS",
    "NONE",
    "NOT_GIVEN",
    "SIGNS",
    "bands_text",
    "compared_texts",
    "concern_gates",
    "counts_text",
    "figure",
    "gate_text",
    "labels_text",
    "measured",
    "metadata_rows",
    "numbers_text",
    "percent",
    "policy_text",
    "settling_text",
    "signed",
    "support_text",
    "worst_text",
]

NOT_GIVEN = "not given"
METADATA_TITLES = {  # of what is kept of how a run was made, and of what two runs may differ in
    "run_id": "Run",
    "timestamp_utc": "Begun, in UTC",
    "model_id": "Model",
    "model_version": "Version of the model",
    "model_reported": "Version that the model's provider reports",
    "model_fingerprints": "Fingerprints that the model's provider reports",
    "prompt_template_id": "Prompt",
    "prompt_template_version_or_hash": "Version of the prompt",
    "dataset_id": "Dataset",
    "dataset_version_or_hash": "Version of the dataset",
    "evaluator_model_id": "Judge",
    "evaluator_model_version": "Version of the judge",
    "evaluator_model_reported": "Version that the judge's provider reports",
    "evaluator_model_fingerprints": "Fingerprints that the judge's provider reports",
    "evaluator_prompt_template_version_or_hash": "Version of the judge's prompt",
    "generation_params": "Parameters of generation",
    "environment": "Environment",
    "code_version": "Version of the code",
    "code_dirty": "Code changed since its version",
    "config_sha256": "Hash of the configuration",
    "platform": "Platform",
    "plumbrule_version": "Version of Plumbrule",
    "benchmark_rubric": "Benchmark rubric",
    "verdict_rubric": "Verdict rubric",
    "cluster": "Clusters of samples",
    "repeats": "Repeats",
}
_APART = ("packages", "rubrics", "warnings")  # metadata with a place of its own
METHODS = {
    "clopper_pearson": "exact, Clopper and Pearson",
    "korn_graubard": "exact with an effective sample size, Korn and Graubard",
    "pseudo_samples": "Student's t with two pseudo-samples",
    "order_statistics": "order statistics",
    "betting": "always valid, by betting",
    "prediction_powered": "anchored by labels, PPI++",
    "wilson": "Wilson",
    "student_t": "Student's t",
}
CONCERN_GATES = tuple(f"{concern}_rate" for concern in CONCERNS)


def concern_gates(gates: Sequence[ReportGate]) -> list[str]:
    """Return the gates on what the evidence has against answers, which only some rubrics have."""
    return [gate.name for gate in gates if gate.name in CONCERN_GATES]


def signed(value: float) -> str:
    """Return a difference with its sign."""
    return f"+{figure(value)}" if value >= 0 else figure(value)


class ComparedTexts(NamedTuple):
    """A figure of two runs for people: all with the same decimals, what is a difference with its sign."""

    first: str
    second: str
    difference: str
    interval: str


def compared_texts(compared: FigureComparison | DifferenceResult) -> ComparedTexts:
    """Return a figure of two runs for people; an end of the interval that is open is said to be open."""
    low, high = compared.interval.low, compared.interval.high
    texts = figures(compared.first, compared.second, compared.difference, low, high)
    differences = zip((compared.difference, low, high), texts[2:], strict=True)
    difference, low_text, high_text = (f"+{text}" if value and value > 0 else text for value, text in differences)
    return ComparedTexts(texts[0] or NONE, texts[1] or NONE, difference or NONE, between(low_text, high_text))


def percent(share: float) -> str:
    """Return a share of a whole."""
    return f"{share:.1%}"


def counts_text(interval: ReportInterval) -> str:
    """Return what an interval rests on: samples, or people's labels of a part of them, and their clusters."""
    samples = f"{interval.samples:,} samples"
    if interval.labels is not None:
        samples = f"{interval.labels:,} labels by people, of {samples}"
    return samples if interval.clusters is None else f"{samples} in {interval.clusters:,} clusters"


def support_text(band: str | None, score: float | None) -> str:
    """Return a support score as its band; one that is not known is not given, which is not zero."""
    return NOT_GIVEN if band is None else f"{band} ({figure(score)})"


def bands_text(totals: SupportTotals) -> str:
    """Return how many samples are in each band."""
    return (
        f"supported {figure(totals.supported)}, doubtful {figure(totals.doubtful)}, "
        f"unsupported {figure(totals.unsupported)}, {NOT_GIVEN} {figure(totals.not_given)}"
    )


def worst_text(gate: ReportGate) -> str:
    """Return which repeat keeps a gate worst, and how."""
    worst = gate.worst_repeat
    if worst is None:
        return NONE
    return f"{figure(worst.value, against=gate.limit)} in repeat {worst.repeat}"


def policy_text(decide_on: DecideOn, confidence: Confidence, anchor: Anchor = "judge") -> str:
    """Return what the decision rests on."""
    what = "every figure" if decide_on == "point" else "the whole 95% interval of every figure"
    looks = " Intervals are valid however often one looks." if confidence == "sequential" else ""
    people = " Judged figures go by people's labels of a random part." if anchor == "people" else ""
    return f"Decided on {decide_on}: {what} must keep its limit.{looks}{people}"


def labels_text(summary: AnchorSummary) -> str:
    """Return how many answers people labelled, who did, and how far they agree with each other and with the judge."""
    text = f"{summary.labelled:,} of {summary.drawn:,} drawn answers are labelled, by {', '.join(summary.people)}."
    if summary.draws > 1:
        text += f" They were drawn in {summary.draws} draws, each of them another look."
    if summary.labelled_by_several:
        text += f" People disagree on {summary.disagreements:,} of {summary.labelled_by_several:,} labelled by several."
    if summary.changed:
        text += f" Labels changed later: {summary.changed:,}."
    if summary.judge is not None:
        words = summary.judge.in_words()
        text += f" {words[0].upper()}{words[1:]}."
    return text


def metadata_rows(metadata: RunMetadata) -> list[tuple[str, str | None, bool]]:
    """Return the metadata as name, text and whether it is required; the required ones first, in their order."""
    others = (field.name for field in fields(metadata) if field.name not in {*REQUIRED, *_APART})
    return [(name, _plain(getattr(metadata, name)), name in REQUIRED) for name in (*REQUIRED, *others)]


def _plain(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(part) or NONE}" for name, part in value.items())
    return json.dumps(value, ensure_ascii=False)
