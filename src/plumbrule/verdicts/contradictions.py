"""What the contexts contradict in an answer: the one place where that is decided, for every view, rule and gate."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from plumbrule.support.findings import Finding, FindingKind
from plumbrule.support.support_scorer import Support
from plumbrule.verdicts.anchors import Anchor

# The findings that say by themselves that a context says otherwise. Numbers and dates are decided by their anchors.
# Of the other kinds too many stand against right answers of the development sets (docs/verdict-rubric.md).
_CONTRADICTING: frozenset[FindingKind] = frozenset({"opposite", "denial", "rival"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A stretch of the answer that a context contradicts, and what the context says instead, where that is known."""

    start: int
    end: int
    against: str
    denied: bool = False  # the context does not say it instead: it denies it


def contradictions(anchors: Iterable[Anchor], support: Support | None) -> tuple[Contradiction, ...]:
    """Return what the contexts contradict, in the order of the answer.

    An anchor is contradicted where its reason says so. A finding of the support score counts where its sentence is not
    held supported: beside a supported sentence it was outweighed.
    """
    found = {(each.start, each.end): each for each in (*_in_support(support), *_in_anchors(anchors))}
    return tuple(found[place] for place in sorted(found))


def contradicting(findings: Iterable[Finding]) -> list[Finding]:
    """Return those of the findings against a sentence that say that a context says otherwise."""
    return [finding for finding in findings if finding.contradicts and finding.kind in _CONTRADICTING]


def _in_anchors(anchors: Iterable[Anchor]) -> Iterator[Contradiction]:
    for anchor in anchors:
        if anchor.reason == "contradicted":
            against = anchor.evidence.text if anchor.evidence is not None else ""
            yield Contradiction(start=anchor.start, end=anchor.end, against=against)


def _in_support(support: Support | None) -> Iterator[Contradiction]:
    for sentence in support.sentences if support is not None else ():
        if sentence.band != "supported":
            for finding in contradicting(sentence.findings):
                yield Contradiction(
                    start=finding.start, end=finding.end, against=finding.against, denied=finding.kind == "denial"
                )
