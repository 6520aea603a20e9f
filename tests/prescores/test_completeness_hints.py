"""A question that asks several things falls into parts, each known by words of its own."""

import pytest

from plumbrule.prescores.completeness_hints import question_parts
from plumbrule.rubrics import load_verdict
from plumbrule.text.text_view import TextView
from plumbrule.verdicts.lexicon import lexicon_of

WORDS = lexicon_of(load_verdict().rubric).topic


@pytest.mark.parametrize(
    ("question", "answer", "parts"),
    [
        ("How long is the file kept?", "Six years.", []),
        ("What is the fee for a domestic wire and for an international wire?", "$25.", []),
        ("How is a complaint escalated, how long is the file kept, and when does the Board meet?", "The file is kept.",
         [False, True, False]),
        ("Who approves it? Where is it stored?", "The branch approves it.", [True, False]),
        ("1) Name the approver 2) Name the limit", "The limit is $5.", [False, True]),
        ("What is X and what is X?", "X.", []),
        ("", "", []),
    ],
)  # fmt: skip
def test_parts(question: str, answer: str, parts: list[bool]) -> None:
    """Each part tells whether the answer takes up a word that is the part's own; one thing asked has no parts."""
    found = question_parts(TextView(question), TextView(answer), WORDS)
    assert [part.answered for part in found] == parts


def test_offsets() -> None:
    """A part knows its place in the question."""
    text = "Who approves it, and where is it stored?"
    found = question_parts(TextView(text), TextView(""), WORDS)
    assert [text[part.start : part.end] for part in found] == ["Who approves it", "where is it stored"]
