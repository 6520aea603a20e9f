"""Verdicts on a terminal: the summary of a dataset, and one answer with its evidence and its sentences."""

import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from plumbrule.api.results import ScoredSample
from plumbrule.api.scoring import ScoredFile
from plumbrule.cli.terminal_console import plain, stamp_line, table
from plumbrule.codec import to_json
from plumbrule.rubrics import Outcome
from plumbrule.samples import Sample
from plumbrule.stats.intervals import Interval
from plumbrule.support.evidence import REASON_WORDS
from plumbrule.support.support_scorer import Band, Support, SupportedSentence
from plumbrule.terminal import safe, shortened
from plumbrule.verdicts import Anchor, ScoreSummary, Verdict, VerdictSummary, headline_of

BANDS: Mapping[Band, str] = {"supported": "green", "doubtful": "yellow", "unsupported": "red"}
_LONGEST = 240  # characters shown of a sentence, or of its evidence
_LONGEST_QUOTED = 2_000  # characters shown of an answer in a summary


def show_support(console: Console, answer: str, support: Support) -> None:
    """Print the probability that the contexts support an answer, sentence by sentence."""
    line = Text.assemble("support  ", (support.band, f"bold {BANDS[support.band]}"))
    if support.log_odds is None:
        line.append("  nothing is claimed", "dim")
    else:
        line.append(f"  all of it is supported with a probability of {support.score:.2f}", "dim")
    console.print(line)
    for sentence in support.sentences:
        console.print(_sentence(answer, sentence))
    parts = {"support model": support.model, "calibration": support.calibration, "verifier": support.verifier}
    for what, stamp in parts.items():
        if stamp is not None:
            console.print(stamp_line(stamp, f"{what}: "), soft_wrap=True)


def _sentence(answer: str, sentence: SupportedSentence) -> Table:
    """Return a sentence beside its probability, and below it the evidence and the reasons."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=11)
    grid.add_column(justify="right", width=4)
    grid.add_column(overflow="fold")
    text = plain(_clipped(answer[sentence.start : sentence.end]))
    if not sentence.claims:
        grid.add_row(Text("no claim", "dim"), "", text)
        grid.add_row("", "", Text("claims nothing that a context could support", "dim"))
        return grid
    colour = BANDS[sentence.band]
    grid.add_row(Text(sentence.band, colour), Text(f"{sentence.probability:.2f}", colour), text)
    evidence = sentence.evidence
    if evidence is not None:
        place = f"context {evidence.context} at {evidence.start}–{evidence.end}: "
        grid.add_row("", "", Text.assemble((place, "dim"), plain(_clipped(evidence.text), "dim italic")))
    for reason in sentence.reasons:
        grid.add_row("", Text("✗", colour), plain(reason))
    return grid


def _clipped(text: str) -> str:
    return shortened(" ".join(text.split()), _LONGEST)


_COLOURS: Mapping[Outcome, str] = {"PASS": "green", "WARN": "yellow", "FAIL": "red"}
_BAD_OUTCOMES: tuple[Outcome, ...] = ("FAIL", "WARN")
_BLOCKS = " ▁▂▃▄▅▆▇█"
_WIDEST_BAR = 24
_GOOD, _BAD = "green", "bold red"


def show_summary(console: Console, scored: ScoredFile, *, output: str | None = None, again: Sequence[str] = ()) -> None:
    """Print counts per verdict, the spread of each score, and the worst samples.

    ``again`` is the dataset, with the options it was read with, for the command that explains the worst sample.
    """
    summary = scored.summary
    show_warning(console, scored)
    console.print()
    console.print(_verdict_table(summary))
    console.print()
    console.print(_score_table(summary))
    console.print(_counts_line(summary))
    if summary.support.not_scored < summary.counts.scored:
        console.print(_support_line(summary))
    if summary.passed_unverified:
        text = f"{summary.passed_unverified} passed with nothing to verify: no number, date or claim was found in them"
        console.print(plain(text, "yellow"), soft_wrap=True)
    if summary.flags.get("claims_unchecked"):
        text = "claims were not checked: an answer is held against its contexts by its numbers and dates alone"
        console.print(plain(text, "yellow"), soft_wrap=True)
    for bad in () if scored.ungrounded else scored.worst:
        console.print()
        console.print(_headline(bad.verdict))
        console.print(_quoted(marked_answer(bad.sample, bad.verdict, only_unsupported=True, longest=_LONGEST_QUOTED)))
    rest = {} if scored.ungrounded or not scored.worst else _not_shown(scored)
    if rest:
        counts = " and ".join(f"{count} more {outcome}" for outcome, count in rest.items())
        everything = "" if output is not None else ", -o FILE writes all"
        text = f"\nand {counts}; --worst N shows more{everything}"
        console.print(plain(text, "yellow"), soft_wrap=True)
    console.print()
    if output is not None:
        console.print(plain(f"results: {output}", "dim"), soft_wrap=True)
    if again and scored.worst and not scored.ungrounded:
        words = ["plumbrule", "score", again[0], "--explain", scored.worst[0].verdict.id, *again[1:]]
        console.print(plain(f"look closer: {shlex.join(words)}", "dim"), soft_wrap=True)
    if summary.rubric is not None:
        console.print(stamp_line(to_json(summary.rubric)), soft_wrap=True)


def _not_shown(scored: ScoredFile) -> dict[Outcome, int]:
    """Return how many answers fail or warn besides the worst that are shown."""
    shown = [bad.verdict.verdict for bad in scored.worst]
    counts = {outcome: count - shown.count(outcome) for outcome, count in scored.summary.verdicts.items()}
    return {outcome: counts[outcome] for outcome in _BAD_OUTCOMES if counts[outcome]}


def show_warning(console: Console, scored: ScoredFile) -> None:
    """Say before anything else that there was nothing to hold the answers against."""
    if scored.ungrounded:
        text = (
            f"WARNING: not one of the {scored.summary.counts.scored:,} records has contexts, so nothing could be "
            "checked: the verdicts below say nothing about the answers. --map contexts=COLUMN names where they stand; "
            f"'plumbrule validate {scored.source}' shows what was read"
        )
        console.print(plain(text, "bold red"), soft_wrap=True)


def show_remarks(console: Console, scored: ScoredFile) -> None:
    """Print which records were skipped, and which fields no record has."""
    counts = scored.summary.counts
    if counts.errored:
        for error in scored.skipped:
            console.print(plain(f"skipped {error}", "yellow"), soft_wrap=True)
        rest = f"; 'plumbrule validate {scored.source}' lists all" if counts.errored > len(scored.skipped) else ""
        text = f"{counts.errored} bad of {counts.attempted} records were skipped{rest}"
        console.print(plain(text, "yellow"), soft_wrap=True)
    unread = [name for name in scored.unread if not (name == "contexts" and scored.ungrounded)]
    if unread:
        text = f"nothing was read as {' or '.join(unread)}; --map FIELD=COLUMN names the column"
        console.print(plain(text, "yellow"), soft_wrap=True)


def show_explanation(console: Console, scored: ScoredSample) -> None:
    """Print one answer with its scores, every anchor marked with its evidence, the contexts, and the support."""
    sample, verdict = scored.sample, scored.verdict
    _show_answer(console, scored)
    console.print(_score_lines(verdict))
    if verdict.hallucination.anchors:
        console.print()
        console.print(_anchor_table(verdict))
        console.print()
        console.print(Group(*_cited_contexts(sample, verdict)))
    if verdict.support is not None:
        console.print()
        show_support(console, sample.answer or "", verdict.support)
    console.print(stamp_line(verdict.rubric), soft_wrap=True)


def show_anchors(console: Console, scored: ScoredSample) -> None:
    """Print one answer with every anchor marked, and the evidence for each."""
    _show_answer(console, scored)
    console.print(_anchor_table(scored.verdict))


def _show_answer(console: Console, scored: ScoredSample) -> None:
    sample, verdict = scored.sample, scored.verdict
    console.print()
    console.print(_headline(verdict))
    if sample.question:
        console.print(Text.assemble(("question  ", "dim"), plain(sample.question)))
    console.print()
    answer = marked_answer(sample, verdict, only_unsupported=False)
    console.print(Panel(answer, title="answer", title_align="left", border_style=_headline_colour(verdict)))


def marked_answer(sample: Sample, verdict: Verdict, *, only_unsupported: bool, longest: int | None = None) -> Text:
    """Return the answer with its anchors coloured: green where the contexts support them, else red.

    Of an answer with more than ``longest`` characters only the first are shown, and how many follow.
    """
    if not sample.answer:
        refusal = sample.refusal
        text = f"refused: {refusal.code or 'no code'}" if refusal is not None else "no answer"
        return plain(f"({text})", "italic dim")
    text = sample.answer[:longest]
    places = []
    for anchor in verdict.hallucination.anchors:
        if (anchor.supported and only_unsupported) or anchor.start >= len(text):
            continue
        colour = _GOOD if anchor.supported else _BAD
        # A claim spans its clause, so it is underlined, and the values inside it stand out in reverse.
        style = f"{colour} {'underline' if anchor.kind == 'claim' else 'reverse'}"
        places.append((anchor.start, min(anchor.end, len(text)), style))
    shown = _marked(text, sorted(places, key=lambda place: place[0] - place[1]))
    if len(text) < len(sample.answer):
        shown.append(f" … and {len(sample.answer) - len(text):,} more characters", "dim")
    return shown


def _marked(text: str, places: list[tuple[int, int, str]]) -> Text:
    """Return untrusted text with parts of it styled; the offsets are those of the text as it was given."""
    begun: dict[int, list[int]] = {}
    ended: dict[int, list[int]] = {}
    for number, (start, end, _) in enumerate(places):
        begun.setdefault(start, []).append(number)
        ended.setdefault(end, []).append(number)
    shown = Text()
    held: list[int] = []  # the places that the text is in, in their order
    for start, end in pairwise(sorted({0, len(text), *begun, *ended})):
        held = sorted({*held, *begun.get(start, ())}.difference(ended.get(start, ())))
        shown.append(safe(text[start:end]), " ".join([places[number][2] for number in held]))
    return shown


def _verdict_table(summary: VerdictSummary) -> Table:
    rows = table("verdict", ">samples", ">share", ">95% interval", "")
    for outcome, count in summary.verdicts.items():
        share = summary.share(outcome)
        rows.add_row(
            Text(outcome, f"bold {_COLOURS[outcome]}"),
            str(count),
            f"{share:.0%}",
            _interval_text(summary.interval(outcome)),
            Text("█" * round(share * _WIDEST_BAR), _COLOURS[outcome]),
        )
        for concern, counts in summary.against_evidence.items():
            if counts[outcome] and outcome != "FAIL":
                headline = Text(f"  {headline_of(outcome, [concern])}", "yellow")
                rows.add_row(headline, str(counts[outcome]), "", "", Text("of these", "dim"))
    return rows


def _interval_text(interval: Interval | None) -> str:
    if interval is None:
        return ""
    decimals = 0 if interval.high - interval.low >= 0.02 else 1
    return f"{interval.low:.{decimals}%} to {interval.high:.{decimals}%}"


def _score_table(summary: VerdictSummary) -> Table:
    rows = table("score", ">mean", ">scored", ">not scored", "0 to 1")
    for name, score in summary.scores.items():
        mean = "none" if score.mean is None else f"{score.mean:.2f}"
        rows.add_row(name, mean, str(score.scored), str(summary.counts.scored - score.scored), _sparkline(score))
    return rows


def _sparkline(score: ScoreSummary) -> Text:
    top = max(score.histogram) or 1
    blocks = [_BLOCKS[-(-count * (len(_BLOCKS) - 1) // top)] for count in score.histogram]
    return Text("│" + "".join(blocks) + "│", "cyan")


def _counts_line(summary: VerdictSummary) -> Text:
    counts, by_wording = summary.counts, summary.refused_by_wording
    how = f" (declared {counts.refused - by_wording}, by wording {by_wording})" if counts.refused else ""
    parts = [
        f"attempted {counts.attempted}",
        f"scored {counts.scored}",
        f"errored {counts.errored}",
        f"refused {counts.refused}{how}",
    ]
    parts += [
        f"{kind}s unsupported {anchors.unsupported}/{anchors.total}"
        for kind, anchors in summary.anchors.items()
        if anchors.total
    ]
    return Text("\n" + " · ".join(parts), "dim")


def _support_line(summary: VerdictSummary) -> Text:
    """Say how many answers the contexts support, by the support score."""
    line = Text("support: ", "dim")
    for band, colour in BANDS.items():
        line.append(f"{band} {getattr(summary.support, band)}", colour).append(" · ", "dim")
    return line.append(f"not scored {summary.support.not_scored}", "dim")


def _headline_colour(verdict: Verdict) -> str:
    """Return the colour of a verdict: a PASS is green only where the evidence has nothing against it."""
    return "yellow" if verdict.headline != verdict.verdict else _COLOURS[verdict.verdict]


def _headline(verdict: Verdict) -> Text:
    reasons = "; ".join(verdict.reasons) or "no rule fired"
    line = Text.assemble(
        (f" {verdict.headline} ", f"bold reverse {_headline_colour(verdict)}"), " ", plain(verdict.id, "bold"), "  "
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
            "relevance", f"{relevance.score:.2f}", f"cosine {relevance.cosine:.2f}, Jaccard {relevance.jaccard:.2f}"
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
    headings = ("", "anchor", "in the answer", "why", "evidence")
    rows = table(*headings, fold=headings)
    for anchor in verdict.hallucination.anchors:
        mark = Text("✓", _GOOD) if anchor.supported else Text("✗", _BAD)
        rows.add_row(mark, anchor.kind, _anchor_text(anchor), REASON_WORDS[anchor.reason], _evidence_text(anchor))
    return rows


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
