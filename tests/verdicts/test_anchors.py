"""An anchor is a stretch of the answer with what was found for it."""

import pytest

from plumbrule.support.evidence import Evidence, Finding, evidence_in
from plumbrule.text.text_view import TextView
from plumbrule.verdicts.anchors import Anchor, anchor_at

FOUND = Finding(supported=True, reason="found", evidence=Evidence(context=0, start=11, end=14, text="$25"))


def test_an_anchor_takes_its_words_from_the_answer() -> None:
    """Text and offsets agree, and the finding is carried over."""
    anchor = anchor_at(TextView("It is $25."), "number", 6, 9, FOUND)
    assert anchor == Anchor(
        kind="number", text="$25", start=6, end=9, supported=True, reason="found", evidence=FOUND.evidence
    )


def test_evidence_takes_its_words_from_its_context() -> None:
    """Evidence names the context and repeats its words."""
    views = [TextView("Nothing."), TextView("The fee is $25.")]
    assert evidence_in(views, 1, 11, 14) == Evidence(context=1, start=11, end=14, text="$25")


def test_what_was_found_cannot_be_changed() -> None:
    """Findings are values: nothing alters them after the fact."""
    with pytest.raises(AttributeError):
        FOUND.supported = False  # type: ignore[misc]  # that is the point
