"""The support score on a terminal: each sentence of an answer with its band, its evidence and what decided."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.console import plain
from plumbrule.scorers.support.scoring import Band, Support, SupportedSentence

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
