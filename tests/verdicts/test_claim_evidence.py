"""A claim is supported where its subject and object stand close together in a context that does not deny it."""

import pytest

import plumbrule
from plumbrule.verdicts.anchors import Anchor

CLAIMS_ONLY: dict[str, object] = {"hallucination.anchors": ["claim"]}


def claims(answer: str, *contexts: str, **overrides: object) -> tuple[Anchor, ...]:
    """Return the claims of an answer, checked against its contexts."""
    return plumbrule.score(
        answer=answer, contexts=contexts, overrides={**CLAIMS_ONLY, **overrides}
    ).hallucination.anchors


def only_claim(answer: str, *contexts: str, **overrides: object) -> Anchor:
    """Return the one claim of an answer."""
    [anchor] = claims(answer, *contexts, **overrides)
    return anchor


def test_a_sentence_that_stands_in_the_context_is_found() -> None:
    """The whole sentence, word for word, is its own evidence."""
    anchor = only_claim("The firm sells bonds.", "Nothing here.", "By law. The firm sells bonds. Always.")
    assert (anchor.supported, anchor.reason) == (True, "found")
    assert anchor.evidence is not None
    assert (anchor.evidence.context, anchor.evidence.text) == (1, "The firm sells bonds.")


@pytest.mark.parametrize(
    "context",
    [
        "Bonds are sold by the firm.",
        "All firms have sold some bonds.",
        "The firm is old. It has many bonds.",
        "THE FIRM SELLS BONDS",
    ],
)
def test_subject_and_object_together_support(context: str) -> None:
    """G8: by lemma and head noun, in one sentence or near each other."""
    anchor = only_claim("The firm sells bonds.", context)
    assert (anchor.supported, anchor.reason) == (True, "near")
    assert anchor.evidence is not None
    assert context[anchor.evidence.start : anchor.evidence.end] == anchor.evidence.text


@pytest.mark.parametrize("context", ["", "The firm sells stocks.", "Brokers sell bonds.", "Confirmed: vagabonds."])
def test_a_claim_without_both_is_not_found(context: str) -> None:
    """G8: subject and object must both stand there as words, not as parts of words."""
    anchor = only_claim("The firm sells bonds.", context)
    assert (anchor.supported, anchor.reason, anchor.evidence) == (False, "not_found", None)


def test_far_apart_is_not_near() -> None:
    """G8: the window is 300 characters, and the rubric can widen it."""
    context = f"The firm is old. {'Nothing happens here. ' * 30}Some bonds."
    assert only_claim("The firm sells bonds.", context).reason == "too_far"
    assert only_claim("The firm sells bonds.", context, **{"hallucination.claim_window": 1000}).reason == "near"


def test_two_contexts_are_not_one() -> None:
    """A subject in one context and the object in another are far apart."""
    assert only_claim("The firm sells bonds.", "The firm is old.", "Bonds are safe.").reason == "too_far"


@pytest.mark.parametrize(
    ("answer", "context"),
    [
        ("The firm sells bonds.", "The firm does not sell bonds."),
        ("The firm sells bonds.", "The firm doesn't sell any bonds."),
        ("The firm sells bonds.", "The firm never sells bonds to clients."),
        ("The firm sells bonds.", "No firm sells bonds."),
        ("The firm sells bonds.", "The firm sells no bonds."),
        ("The firm does not sell bonds.", "The firm sells bonds to clients."),
        ("The firm never sold bonds.", "The firm sold many bonds."),
        ("The policy is not strict.", "The policy is very strict."),
        ("The firm sells bonds.", "The firm DOESN'T sell bonds."),
    ],
)
def test_a_denial_contradicts(answer: str, context: str) -> None:
    """G8: evidence that negates the claim, or affirms what the claim denies, contradicts it."""
    anchor = only_claim(answer, context)
    assert (anchor.supported, anchor.reason) == (False, "contradicted")
    assert anchor.evidence is not None


@pytest.mark.parametrize(
    ("answer", "context"),
    [
        ("The firm does not sell bonds.", "The firm never sells any bonds."),
        ("Firms must file reports.", "Firms must file reports no later than noon."),
        ("The firm sells bonds.", "The firm sells not only bonds but also stocks."),
    ],
)
def test_two_denials_agree_and_a_bound_denies_nothing(answer: str, context: str) -> None:
    """A denial is borne out by a denial; 'no later than' and 'not only' deny nothing."""
    assert only_claim(answer, context).supported


def test_another_value_for_the_same_subject_and_verb_contradicts() -> None:
    """G8: the evidence is the other value."""
    anchor = only_claim("The wire fee is $30.", "Fees are due. The wire fee is $25 today.")
    assert (anchor.supported, anchor.reason) == (False, "contradicted")
    assert anchor.evidence is not None
    assert anchor.evidence.text == "$25"


def test_of_several_values_in_a_sentence_the_one_beside_the_same_words_is_shown() -> None:
    """Where the subject fits equally, the value with most of the claim's words near it is the evidence."""
    context = "A statement costs $9 by post for those who ask, the branch says, and the fee for an express wire is $28."
    anchor = only_claim("The express wire fee is $38.", context)
    assert (anchor.supported, anchor.reason) == (False, "contradicted")
    assert anchor.evidence is not None
    assert anchor.evidence.text == "$28"


def test_an_equal_value_bears_a_claim_out() -> None:
    """The object of a claim is compared by value."""
    assert only_claim("The holding period is 12 months.", "The holding period is one year for all.").supported


def test_a_count_belongs_to_its_noun() -> None:
    """Three reports are not two reports."""
    assert only_claim("The firm files three reports.", "Each firm files 3 long reports.").supported
    assert not only_claim("The firm files three reports.", "Each firm files two reports.").supported


def test_one_agreeing_context_is_enough() -> None:
    """Where contexts disagree, the claim stands if one of them bears it out as strongly as the other denies it."""
    denied, said = "The firm does not sell bonds here.", "The firm sells bonds here."
    assert only_claim("The firm sells bonds.", denied, said).supported
    assert only_claim("The firm sells bonds.", said, denied).supported


def test_a_claim_is_told_in_words() -> None:
    """An anchor carries its triple and whether it denies."""
    first, second = claims("The firm sells bonds. It does not pay fees.")
    assert first.triple is not None
    assert second.triple is not None
    assert (first.triple.subject, first.triple.verb, first.triple.object) == ("The firm", "sells", "bonds")
    assert (second.triple.subject, second.triple.object, second.triple.negated) == ("The firm", "fees", True)
    assert (second.text, first.triple.negated) == ("It does not pay fees", False)
