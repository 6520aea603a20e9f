"""Verdicts on a terminal: the summary of a dataset, and one answer with its evidence and its sentences."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import plain
from plumbrule.samples import Sample
from plumbrule.stats.intervals import Interval, wilson
from plumbrule.support.support_scorer import Band, Support, SupportedSentence
from plumbrule.terminal import safe
from plumbrule.verdicts.anchors import Anchor
from plumbrule.verdicts.verdict import Verdict
from plumbrule.verdicts.verdict_tally import ScoreTally, Tally

BANDS: Mapping[Band, str] = {"supported": "green", "doubtful": "yellow", "unsupported": "red"}
_LONGEST = 240  # characters shown of a sentence, or of its evidence


def show_support(console: Console, answer: str, support: Support) -> None:
    """Print how likely it is that the contexts bear out an answer, sentence by sentence."""
    line = Text.assemble("support  ", (support.band, f"bold {BANDS[support.band]}"))
    if support.log_odds is None:
        line.append("  nothing is claimed", "dim")
    else:
        line.append(f"  all of it is borne out with a probability of {support.score:.2f}", "dim")
    console.print(line)
    for sentence in support.sentences:
        console.print(_sentence(answer, sentence))
    for text in _stamps(support):
        console.print(plain(text, "dim"), soft_wrap=True)


def _sentence(answer: str, sentence: SupportedSentence) -> Table:
    """Return a sentence beside its probability, and below it the evidence and the reasons."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=11)
    grid.add_column(justify="right", width=4)
    grid.add_column(overflow="fold")
    said = plain(_clipped(answer[sentence.start : sentence.end]))
    if not sentence.claims:
        grid.add_row(Text("no claim", "dim"), "", said)
        grid.add_row("", "", Text("claims nothing that a context could bear out", "dim"))
        return grid
    colour = BANDS[sentence.band]
    grid.add_row(Text(sentence.band, colour), Text(f"{sentence.probability:.2f}", colour), said)
    evidence = sentence.evidence
    if evidence is not None:
        place = f"context {evidence.context} at {evidence.start}–{evidence.end}: "
        grid.add_row("", "", Text.assemble((place, "dim"), plain(_clipped(evidence.text), "dim italic")))
    for reason in sentence.reasons:
        grid.add_row("", Text("✗", colour), plain(reason))
    return grid


def _clipped(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def _stamps(support: Support) -> list[str]:
    parts = [("support model", support.model), ("calibration", support.calibration), ("verifier", support.verifier)]
    return [
        f"{what}: {stamp['name']} version {stamp['version']}, sha256 {stamp['sha256'][:12]}"
        for what, stamp in parts
        if stamp is not None
    ]


_COLOURS = {"PASS": "green", "WARN": "yellow", "FAIL": "red"}
_BLOCKS = " ▁▂▃▄▅▆▇█"
_WIDEST_BAR = 24
_GOOD, _BAD = "green", "bold red"
_REASONS = {
    "found": "stands in the context",
    "equal_value": "same value, written otherwise",
    "near": "subject and object stand together",
    "entailed": "follows from a more exact value",
    "not_found": "not in the context",
    "too_far": "subject and object only far apart",
    "contradicted": "the context says otherwise",
}


def show_summary(
    console: Console,
    tally: Tally,
    *,
    bad: int,
    rubric: dict[str, str],
    output: Path | None = None,
    closer: str | None = None,
) -> None:
    """Print counts per verdict, the spread of each score, and the worst samples."""
    console.print()
    console.print(_verdict_table(tally))
    console.print()
    console.print(_score_table(tally))
    console.print(_counts_line(tally, bad))
    if any(tally.support.values()):
        console.print(_support_line(tally))
    if tally.passed_contradicted:
        said = f"{tally.passed_contradicted} passed with a contradicted anchor: too few of their anchors to fail them"
        console.print(plain(said, "yellow"), soft_wrap=True)
    if tally.passed_unverified:
        said = f"{tally.passed_unverified} passed with nothing to verify: no number, date or claim was found in them"
        console.print(plain(said, "yellow"), soft_wrap=True)
    for sample, verdict in tally.worst():
        console.print()
        console.print(_headline(verdict))
        console.print(_quoted(marked_answer(sample, verdict, only_unsupported=True)))
    console.print()
    if output is not None:
        console.print(plain(f"results: {output}", "dim"), soft_wrap=True)
    if closer is not None:
        console.print(plain(f"look closer: {closer}", "dim"), soft_wrap=True)
    _show_stamp(console, rubric)


def show_explanation(console: Console, sample: Sample, verdict: Verdict) -> None:
    """Print one answer with every anchor marked, and the evidence for each."""
    console.print()
    console.print(_headline(verdict))
    if sample.question:
        console.print(Text.assemble(("question  ", "dim"), plain(sample.question)))
    console.print()
    answer = marked_answer(sample, verdict, only_unsupported=False)
    console.print(Panel(answer, title="answer", title_align="left", border_style=_COLOURS[verdict.verdict]))
    console.print(_score_lines(verdict))
    if verdict.hallucination.anchors:
        console.print()
        console.print(_anchor_table(verdict))
        console.print()
        console.print(Group(*_cited_contexts(sample, verdict)))
    if verdict.support is not None:
        console.print()
        show_support(console, sample.answer or "", verdict.support)
    _show_stamp(console, verdict.rubric)


def _show_stamp(console: Console, rubric: dict[str, str]) -> None:
    stamp = f"rubric: {rubric['name']} version {rubric['version']}, sha256 {rubric['sha256'][:12]}"
    console.print(plain(stamp, "dim"), soft_wrap=True)


def marked_answer(sample: Sample, verdict: Verdict, *, only_unsupported: bool) -> Text:
    """Return the answer with its anchors coloured: green where the context bears them out, else red."""
    if not sample.answer:
        refusal = sample.refusal
        said = f"refused: {refusal.code or 'no code'}" if refusal is not None else "no answer"
        return plain(f"({said})", "italic dim")
    places = []
    for anchor in verdict.hallucination.anchors:
        if anchor.supported and only_unsupported:
            continue
        colour = _GOOD if anchor.supported else _BAD
        # A claim spans its clause, so it is underlined, and the values inside it stand out in reverse.
        places.append((anchor.start, anchor.end, f"{colour} {'underline' if anchor.kind == 'claim' else 'reverse'}"))
    return _marked(sample.answer, sorted(places, key=lambda place: place[0] - place[1]))


def _marked(text: str, places: list[tuple[int, int, str]]) -> Text:
    """Return hostile text with stretches of it styled; offsets are those of the text as it came."""
    cuts = sorted({0, len(text), *(start for start, _, _ in places), *(end for _, end, _ in places)})
    shown = Text()
    for start, end in pairwise(cuts):
        styles = [style for first, last, style in places if first <= start and end <= last]
        shown.append(safe(text[start:end]), " ".join(styles))
    return shown


def _verdict_table(tally: Tally) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("verdict")
    table.add_column("samples", justify="right")
    table.add_column("share", justify="right")
    table.add_column("95% interval", justify="right")
    table.add_column("")
    for outcome, count in tally.verdicts.items():
        interval = wilson(count, tally.attempted)
        share = count / tally.attempted if tally.attempted else 0.0
        table.add_row(
            Text(outcome, f"bold {_COLOURS[outcome]}"),
            str(count),
            f"{share:.0%}",
            _interval_text(interval),
            Text("█" * round(share * _WIDEST_BAR), _COLOURS[outcome]),
        )
    return table


def _interval_text(interval: Interval | None) -> str:
    if interval is None:
        return ""
    decimals = 0 if interval.high - interval.low >= 0.02 else 1
    return f"{interval.low:.{decimals}%} to {interval.high:.{decimals}%}"


def _score_table(tally: Tally) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("score")
    table.add_column("mean", justify="right")
    table.add_column("scored", justify="right")
    table.add_column("not scored", justify="right")
    table.add_column("0 to 1")
    for name, score in tally.scores.items():
        mean = "none" if score.mean is None else f"{score.mean:.2f}"
        table.add_row(name, mean, str(score.scored), str(tally.attempted - score.scored), _sparkline(score))
    return table


def _sparkline(score: ScoreTally) -> Text:
    top = max(score.histogram) or 1
    blocks = [_BLOCKS[-(-count * (len(_BLOCKS) - 1) // top)] for count in score.histogram]
    return Text("│" + "".join(blocks) + "│", "cyan")


def _counts_line(tally: Tally, bad: int) -> Text:
    by_wording = tally.flags.get("refusal_undeclared", 0)
    how = f"declared {tally.refused - by_wording}, by wording {by_wording}"
    parts = [
        f"attempted {tally.attempted + bad}",
        f"scored {tally.attempted}",
        f"errored {bad}",
        f"refused {tally.refused}" + (f" ({how})" if tally.refused else ""),
    ]
    parts += [
        f"{kind}s unsupported {unsupported}/{total}" for kind, (total, unsupported) in tally.anchors.items() if total
    ]
    return Text("\n" + " · ".join(parts), "dim")


def _support_line(tally: Tally) -> Text:
    """Say how many answers the contexts bear out, as the support score has it."""
    line = Text("support: ", "dim")
    for band, count in tally.support.items():
        line.append(f"{band} {count}", BANDS[band]).append(" · ", "dim")
    return line.append(f"not scored {tally.attempted - sum(tally.support.values())}", "dim")


def _headline(verdict: Verdict) -> Text:
    reasons = "; ".join(verdict.reasons) or "no rule fired"
    line = Text.assemble(
        (f" {verdict.verdict} ", f"bold reverse {_COLOURS[verdict.verdict]}"),
        " ",
        plain(verdict.id, "bold"),
        "  ",
    )
    line.append_text(plain(reasons))
    if verdict.flags:
        line.append("  " + " ".join(f"[{flag}]" for flag in verdict.flags), "dim")
    return line


def _quoted(text: Text) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    grid.add_row(Text("  │", "dim"), text)
    return grid


def _score_lines(verdict: Verdict) -> Table:
    grid = Table.grid(padding=(0, 2))
    relevance, completeness, hallucination = verdict.relevance, verdict.completeness, verdict.hallucination
    if relevance is not None:
        grid.add_row(
            "relevance",
            f"{relevance.score:.2f}",
            f"cosine {relevance.cosine:.2f}, Jaccard {relevance.jaccard:.2f}",
        )
    if completeness is not None:
        missing = ", ".join(completeness.missing) or "nothing"
        asked = f"{len(completeness.keywords)} keywords, missing: "
        grid.add_row("completeness", f"{completeness.score:.2f}", Text(asked).append_text(plain(missing)))
    overlap = hallucination.ngram_overlap
    grid.add_row(
        "hallucination",
        f"{hallucination.score:.2f}",
        f"{hallucination.unsupported} of {len(hallucination.anchors)} anchors unsupported, n-gram overlap "
        + ("none" if overlap is None else f"{float(overlap):.2f}")
        + f", drift penalty {float(hallucination.drift_penalty):.2f}",
    )
    if verdict.refusal is not None:
        code = plain(verdict.refusal.code or "")
        grid.add_row("refusal", verdict.refusal.judgement.replace("_", " "), code)
    return grid


def _anchor_table(verdict: Verdict) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("", "anchor", "in the answer", "why", "evidence"):
        table.add_column(heading, vertical="top", overflow="fold")
    for anchor in verdict.hallucination.anchors:
        mark = Text("✓", _GOOD) if anchor.supported else Text("✗", _BAD)
        table.add_row(mark, anchor.kind, _anchor_text(anchor), _REASONS[anchor.reason], _evidence_text(anchor))
    return table


def _anchor_text(anchor: Anchor) -> Text:
    triple = anchor.triple
    if triple is None:
        return plain(anchor.text)
    negation = "not " if triple.negated else ""
    return plain(f"{triple.subject} → {negation}{triple.verb} → {triple.object}")


def _evidence_text(anchor: Anchor) -> Text:
    evidence = anchor.evidence
    if evidence is None:
        return Text("")
    place = f"context {evidence.context} at {evidence.start}–{evidence.end}: "
    return Text.assemble((place, "dim"), plain(evidence.text, "" if anchor.supported else "yellow"))


def _cited_contexts(sample: Sample, verdict: Verdict) -> list[RenderableType]:
    """Return the contexts with the evidence marked in them."""
    shown: list[RenderableType] = []
    for index, passage in enumerate(sample.contexts):
        places = [
            (anchor.evidence.start, anchor.evidence.end, _GOOD if anchor.supported else "yellow")
            for anchor in verdict.hallucination.anchors
            if anchor.evidence is not None and anchor.evidence.context == index
        ]
        title = f"context {index}" + (f" · {passage.id}" if passage.id else "")
        body = _marked(passage.text, sorted(places, key=lambda place: place[0] - place[1]))
        shown.append(Panel(body, title=plain(title), title_align="left", border_style="dim"))
    return shown
