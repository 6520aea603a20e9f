"""A number or a date is supported by an equal value, contradicted by another of the same topic, else not found."""

import pytest

import plumbrule
from plumbrule.verdicts.anchors import Anchor

VALUES_ONLY = {"hallucination.anchors": ["number", "date"]}


def only_anchor(answer: str, *contexts: str, question: str = "") -> Anchor:
    """Return the one number or date of an answer, checked against its contexts."""
    verdict = plumbrule.score(question=question, answer=answer, contexts=contexts, overrides=VALUES_ONLY)
    [anchor] = verdict.hallucination.anchors
    return anchor


@pytest.mark.parametrize(
    ("answer", "context"),
    [
        ("It costs $1.2M.", "The price is $1.2M."),
        ("It costs $1.2M.", "The price is 1,200,000 dollars."),
        ("It costs $1.2M.", "The price is 1.2 million USD."),
        ("It rose 5%.", "It rose 5 percent."),
        ("It rose 5%.", "It rose five per cent."),
        ("It lasts 12 months.", "It lasts one year."),
        ("It is due March 5, 2024.", "Due 5 Mar 2024."),
        ("It is due March 5, 2024.", "Due 2024-03-05."),
        ("It is due March 5, 2024.", "Due 03/05/2024."),
        ("It began in 2024.", "It began on 5 March 2024."),
    ],
)
def test_an_equal_value_supports(answer: str, context: str) -> None:
    """G7: values are compared by what they mean, not by how they are written."""
    anchor = only_anchor(answer, context)
    assert anchor.supported
    assert anchor.reason in {"found", "equal_value", "entailed"}
    assert anchor.evidence is not None
    assert context[anchor.evidence.start : anchor.evidence.end] == anchor.evidence.text


@pytest.mark.parametrize(
    ("answer", "context"),
    [
        ("It has 10 parts.", "It began in 2010."),
        ("It rose 5%.", "It has 5 parts."),
        ("It has 5 parts.", "It rose 5%."),
        ("It costs $30.", "It costs €30."),
        ("It is due March 5, 2024.", "It began in 2024."),
        ("It is due March 5, 2024.", ""),
    ],
)
def test_another_value_does_not_support(answer: str, context: str) -> None:
    """G7: part of a number, another unit, another currency, and a year for a day are no support."""
    assert not only_anchor(answer, context).supported


def test_the_closest_match_is_the_evidence() -> None:
    """The same words come before an equal value, whichever context stands first."""
    anchor = only_anchor("It lasts 12 months.", "It lasts one year.", "It lasts 12 months.")
    assert anchor.reason == "found"
    assert anchor.evidence is not None
    assert (anchor.evidence.context, anchor.evidence.text) == (1, "12 months")


def test_another_value_on_the_same_topic_contradicts() -> None:
    """The evidence is the value that the context gives instead."""
    anchor = only_anchor("The wire fee is $30.", "Opening hours are 9 to 5.", "The wire fee is $25.")
    assert (anchor.supported, anchor.reason) == (False, "contradicted")
    assert anchor.evidence is not None
    assert (anchor.evidence.context, anchor.evidence.start, anchor.evidence.text) == (1, 16, "$25")


def test_the_rival_is_the_value_in_the_same_role() -> None:
    """Of two values of one sentence, the one between the same words is what the context says instead."""
    context = "The firm charges a fee of $25 for a domestic wire and $45 for an international wire."
    answer = "The firm charges a fee of $35 for a domestic wire and $60 for an international wire."
    found = plumbrule.score(question="What do wires cost?", answer=answer, contexts=[context]).hallucination.anchors
    rivals = {each.text: each.evidence.text for each in found if each.kind == "number" and each.evidence is not None}
    assert rivals == {"$35": "$25", "$60": "$45"}


def test_a_value_on_another_topic_is_only_not_found() -> None:
    """A different number in a sentence about something else contradicts nothing."""
    anchor = only_anchor("The wire fee is $30.", "Parking at headquarters for visitors costs $25.")
    assert (anchor.reason, anchor.evidence) == ("not_found", None)


def test_a_bare_value_is_about_the_question() -> None:
    """An answer of one value is said of what was asked."""
    anchor = only_anchor("$30.", "The wire fee is $25.", question="What is the wire fee?")
    assert anchor.reason == "contradicted"


def test_the_overlap_that_contradicts_is_the_rubrics() -> None:
    """How much of the topic must recur is a number of the rubric."""
    given = {"answer": "The wire fee for members is $30.", "contexts": ["The fee is $25."]}
    strict = {**VALUES_ONLY, "hallucination.contradiction_overlap": 1.0}
    loose = {**VALUES_ONLY, "hallucination.contradiction_overlap": 0.1}
    assert plumbrule.score(**given, overrides=strict).hallucination.anchors[0].reason == "not_found"  # type: ignore[arg-type]  # one dict of mixed values
    assert plumbrule.score(**given, overrides=loose).hallucination.anchors[0].reason == "contradicted"  # type: ignore[arg-type]  # the same


@pytest.mark.parametrize(
    "contexts", [("Due 03/05/2024.", "Due March 5, 2024."), ("Due March 5, 2024.", "Due 03/05/2024.")]
)
def test_a_plain_date_comes_before_an_ambiguous_one(contexts: tuple[str, str]) -> None:
    """Where one context settles the reading, nothing is flagged as ambiguous, whatever their order."""
    anchor = only_anchor("It is due 2024-03-05.", *contexts)
    assert anchor.supported
    assert not anchor.ambiguous


def test_an_ambiguous_date_is_flagged() -> None:
    """G7: either reading of 03/05/2024 counts, and it is said."""
    verdict = plumbrule.score(answer="It is due 2024-05-03.", contexts=["Due 03/05/2024."], overrides=VALUES_ONLY)
    assert verdict.hallucination.anchors[0].supported
    assert "ambiguous_date" in verdict.flags
