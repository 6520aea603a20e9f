"""A gate in words: what it is called, what it found, and the state of its interval."""

from collections.abc import Sequence

from plumbrule.rubrics.benchmark_rubric import Confidence
from plumbrule.runs.gates import gate_figures, latencies_are_null, settled_text
from plumbrule.runs.report.run_report import ReportGate
from plumbrule.text.figure_format import NONE, figure

DIRECTIONS = {"at_least": "at least", "at_most": "at most"}
GATE_TITLES = {
    "aggregate_score": "Mean score of the samples",
    "pass_rate": "Share of samples that pass",
    "faithfulness_failure_rate": "Share of answers that are unfaithful",
    "latency_e2e_p95_ms": "Latency that 95% of answers keep",
    "contradicted_rate": "Share of answers that a context contradicts",
    "unsupported_rate": "Share of answers that the contexts hardly support",
}
FIGURE_TITLES = {
    **GATE_TITLES,
    "accuracy_mean": "Mean accuracy",
    "accuracy_full_credit_rate": "Share of answers with full accuracy",
    "faithfulness_mean": "Mean faithfulness",
    "latency_e2e_ms": "Mean latency, end to end, in ms",
    "latency_e2e_p50_ms": "Median latency, end to end, in ms",
    "latency_e2e_p95_ms": "Latency that 95% of answers keep, in ms",
    "latency_model_p50_ms": "Median latency of the model, in ms",
    "latency_model_p95_ms": "Latency of the model that 95% of answers keep, in ms",
    "total_input_tokens": "Input tokens in all",
    "total_output_tokens": "Output tokens in all",
    "total_tokens": "Tokens in all",
    "token_efficiency_ratio_mean": "Mean of output over input tokens",
    "tokens_per_correct_answer": "Tokens for each correct answer",
}


def numbers_text(numbers: Sequence[int]) -> str:
    """Return the numbers of repeats."""
    return ", ".join(map(str, numbers)) or NONE


def gate_text(gate: ReportGate, *, confidence: Confidence = "fixed") -> str:
    """Return what a gate found, in one sentence, and the state of its interval."""
    if gate.waits_for is not None:
        return f"{gate.name} {settled_text(gate)}."
    shown = gate_figures(gate)
    verb = "keeps" if gate.passed else "misses"
    if gate.value_nulls_as_zero is None and gate.nulls:
        verb = f"cannot be told for all answers, because {latencies_are_null(gate.nulls)}: it does not keep"
    limit = f"{DIRECTIONS[gate.direction]} {figure(gate.limit)}"
    text = f"{gate.name} is {shown.value} (nulls as zero {shown.nulls_as_zero}) and {verb} its limit of {limit}; "
    text += f"95% interval {shown.interval}"
    if gate.by_judge is not None:
        text += f", by {gate.interval.labels or 0:,} labels of people; the judge alone says {shown.by_judge}"
    return f"{text}. {settling_text(gate, confidence=confidence)}" if gate.inconclusive else f"{text}."


def settling_text(gate: ReportGate, *, confidence: Confidence = "fixed") -> str:
    """Return the state of a gate's interval, and what would settle one that is not settled, as a sentence."""
    text = settled_text(gate, confidence=confidence)
    return f"{text[0].upper()}{text[1:]}."
