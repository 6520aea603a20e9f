"""A text with marked stretches, for a page: spans that may overlap become segments that follow each other.

A span lights others: a sentence its evidence in a passage, the evidence its sentence. The macros in
``marked_text.html`` draw the segments, and ``marked_text.js`` lights what belongs to the one under the pointer or the
focus; without it, every span that lights another is still a link to it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

_GAP = " […] "


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A marked stretch of a text, from ``start`` to before ``end``."""

    id: str  # unique on its page
    start: int
    end: int
    kind: str  # how it is drawn, together with its state: see style.css
    state: str = ""
    title: str = ""  # said in the tooltip, and to who cannot see the mark
    note: str = ""  # stands behind the stretch, such as the value that the passage has instead
    lights: tuple[str, ...] = ()  # the ids of the spans that belong to it, the one to go to first


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A part of a text that lies in the same spans from its first character to its last; the widest span is first."""

    text: str
    spans: tuple[Span, ...]
    begins: tuple[str, ...]  # the ids of the spans that begin here
    link: Span | None  # the span that this segment stands for: its narrowest, in its first segment of that kind
    notes: tuple[str, ...]  # of the spans that end here

    @property
    def classes(self) -> str:
        """The style of every span that the segment lies in."""
        return " ".join(dict.fromkeys(name for span in self.spans for name in (span.kind, f"{span.kind}-{span.state}")))

    @property
    def ids(self) -> str:
        """The ids of the spans that the segment lies in."""
        return " ".join(span.id for span in self.spans)

    @property
    def lights(self) -> str:
        """What is lit with this segment: what belongs to its narrowest span that has any, else nothing."""
        return next((" ".join((span.id, *span.lights)) for span in reversed(self.spans) if span.lights), "")

    @property
    def title(self) -> str:
        """What the spans say, the narrowest first."""
        return "; ".join(dict.fromkeys(span.title for span in reversed(self.spans) if span.title))


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedText:
    """A text in segments; ``left_out`` characters at its end are not in them."""

    segments: tuple[Segment, ...]
    left_out: int = 0


def mark_text(text: str, spans: Iterable[Span] = (), *, longest: int | None = None) -> MarkedText:
    """Return a text in segments; offsets beyond the text are cut to it, and a span of nothing is left out.

    ``longest`` bounds how many characters are shown.
    """
    shown = text if longest is None else text[:longest]
    kept = sorted(_within(spans, len(shown)), key=lambda span: (span.start, -span.end))
    edges = sorted({0, len(shown), *(place for span in kept for place in (span.start, span.end))})
    segments: list[Segment] = []
    open_spans: list[Span] = []
    linked: set[str] = set()
    following = 0
    for start, end in pairwise(edges):
        begins = []
        while following < len(kept) and kept[following].start == start:
            begins.append(kept[following])
            following += 1
        open_spans = _widest_first([*(span for span in open_spans if span.end > start), *begins])
        link = next((span for span in reversed(open_spans) if span.lights), None)
        if link is not None and link.id in linked:
            link = None
        if link is not None:
            linked.add(link.id)
        segments.append(
            Segment(
                text=shown[start:end],
                spans=tuple(open_spans),
                begins=tuple(span.id for span in begins),
                link=link,
                notes=tuple(span.note for span in reversed(open_spans) if span.end == end and span.note),
            )
        )
    return MarkedText(segments=tuple(segments), left_out=len(text) - len(shown))


def _widest_first(spans: Sequence[Span]) -> list[Span]:
    return sorted(spans, key=lambda span: (span.start - span.end, span.start))


def collapse(text: MarkedText, *, around: int) -> MarkedText:
    """Return a marked text without the middle of its long stretches that no span marks, for a short look at it.

    ``around`` characters are kept on either side of each.
    """
    most = 2 * around + len(_GAP)
    return replace(
        text,
        segments=tuple(
            segment
            if segment.spans or len(segment.text) <= most
            else replace(segment, text=f"{segment.text[:around]}{_GAP}{segment.text[-around:]}")
            for segment in text.segments
        ),
    )


def _within(spans: Iterable[Span], length: int) -> Iterable[Span]:
    """Yield the spans as far as they lie in the text."""
    for span in spans:
        start, end = max(0, span.start), min(length, span.end)
        if start < end:
            yield span if (start, end) == (span.start, span.end) else replace(span, start=start, end=end)
