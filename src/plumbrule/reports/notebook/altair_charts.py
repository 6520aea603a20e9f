"""Charts of results for a notebook, by Altair: they carry counts, not rows, so that any number of rows can be drawn."""

from collections.abc import Sequence

from plumbrule.errors import MissingExtraError
from plumbrule.runs.run_results import GateResult, SampleSummary
from plumbrule.verdicts import Verdict

try:
    import altair as alt
except ImportError:
    raise MissingExtraError(need="plot()", extra="notebook") from None

_BINS = 10
_COLOURS = {"PASS": "#1b6b3a", "WARN": "#d9a400", "FAIL": "#c0392b"}
_SCORES = ("relevance", "completeness", "hallucination", "support")
_WIDTH, _HEIGHT = 180, 160


def verdict_chart(verdicts: Sequence[Verdict]) -> alt.HConcatChart:
    """Return how many answers have each verdict, and how each score spreads from 0 to 1 by verdict."""
    scored = {
        name: [(part.score, verdict.verdict) for verdict in verdicts if (part := getattr(verdict, name)) is not None]
        for name in _SCORES
    }
    counts = [
        {"verdict": outcome, "answers": sum(verdict.verdict == outcome for verdict in verdicts)} for outcome in _COLOURS
    ]
    bars = (
        alt.Chart(alt.InlineData(values=counts), title=f"{len(verdicts):,} answers")
        .mark_bar()
        .encode(
            x=alt.X("verdict:N", sort=list(_COLOURS), title=None),
            y=alt.Y("answers:Q", title="answers", axis=alt.Axis(tickMinStep=1)),
            color=_colour(),
            tooltip=["verdict:N", "answers:Q"],
        )
        .properties(width=_WIDTH, height=_HEIGHT)
    )
    spreads = [_spread(name, pairs) for name, pairs in scored.items() if pairs]
    return alt.hconcat(bars, *spreads)


def run_chart(samples: Sequence[SampleSummary], gates: Sequence[GateResult]) -> alt.HConcatChart:
    """Return each gate of a run with its interval beside its limit, and how the scores of its samples spread."""
    scores = [
        (sample.sample_score, "PASS" if sample.passed else "FAIL")
        for sample in samples
        if sample.sample_score is not None
    ]
    spread = [_spread("sample_score", scores)] if scores else []
    return alt.hconcat(*(_gate(gate) for gate in gates if gate.value is not None), *spread)


def _gate(gate: GateResult) -> alt.LayerChart | alt.FacetChart:
    low = gate.value if gate.interval.low is None else gate.interval.low
    high = gate.value if gate.interval.high is None else gate.interval.high
    outcome = "PASS" if gate.passed else "FAIL"
    values = [{"figure": gate.value, "low": low, "high": high, "limit": gate.limit, "outcome": outcome}]
    base = alt.Chart(alt.InlineData(values=values), title=gate.name)
    scale = alt.Scale(zero=False)
    tooltip = ["figure:Q", "low:Q", "high:Q", "limit:Q"]
    return alt.layer(
        base.mark_rule(strokeWidth=3).encode(
            y=alt.Y("low:Q", scale=scale, title="95% interval; dashed: the limit"),
            y2="high:Q",
            color=_colour("outcome"),
        ),
        base.mark_point(filled=True, size=90).encode(
            y=alt.Y("figure:Q", scale=scale), color=_colour("outcome"), tooltip=tooltip
        ),
        base.mark_rule(strokeDash=[4, 3]).encode(y=alt.Y("limit:Q", scale=scale)),
    ).properties(width=_WIDTH // 2, height=_HEIGHT)


def _spread(name: str, scores: Sequence[tuple[float, str]]) -> alt.Chart:
    """Return a histogram of one score, its bars stacked by verdict."""
    bins = [min(_BINS - 1, int(score * _BINS)) for score, _ in scores]
    found = list(zip(bins, (outcome for _, outcome in scores), strict=True))
    values = [
        {"from": place / _BINS, "to": (place + 1) / _BINS, "verdict": outcome, "answers": count}
        for outcome in _COLOURS
        for place in range(_BINS)
        if (count := found.count((place, outcome)))
    ]
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=values), title=name)
        .mark_bar()
        .encode(
            x=alt.X("from:Q", bin="binned", title=None, scale=alt.Scale(domain=[0, 1])),
            x2="to:Q",
            y=alt.Y("answers:Q", stack="zero", title=None, axis=alt.Axis(tickMinStep=1)),
            color=_colour(),
            tooltip=["from:Q", "to:Q", "verdict:N", "answers:Q"],
        )
        .properties(width=_WIDTH, height=_HEIGHT)
    )
    return chart


def _colour(field: str = "verdict") -> alt.Color:
    return alt.Color(f"{field}:N", scale=alt.Scale(domain=list(_COLOURS), range=list(_COLOURS.values())), legend=None)
