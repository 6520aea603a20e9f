"""A claim is an asserted subject-verb-object triple; guesses, conditions, questions and orders are none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbrule.rubrics import load_verdict
from plumbrule.text.claims import Claim, extract_claims
from plumbrule.text.sentences import sentences
from plumbrule.verdicts.verdict import VerdictScorer

WORDS = VerdictScorer(load_verdict())._claim_words

Said = tuple[str, str, str]


def triples(text: str) -> list[Said]:
    """Return the claims of a text in its own words."""
    [claims] = extract_claims([text], WORDS)
    return [in_words(claim, text) for claim in claims]


def in_words(claim: Claim, text: str) -> Said:
    """Return subject, verb and object as the text has them."""
    subject, verb, target = (text[part.start : part.end] for part in (claim.subject, claim.verb, claim.object))
    return subject, verb, target


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # active
        ("The firm released the product in May.", [("The firm", "released", "the product")]),
        ("The policy includes a waiver.", [("The policy", "includes", "a waiver")]),
        ("The fee costs 30 dollars.", [("The fee", "costs", "30 dollars")]),
        ("The client gave the broker a form.", [("The client", "gave", "a form")]),
        (
            "The chief compliance officer approves the trade.",
            [("The chief compliance officer", "approves", "the trade")],
        ),
        ("The price rose to $40.", [("The price", "rose", "$40")]),
        # passive
        ("The product was released by the firm.", [("The product", "released", "the firm")]),
        ("Records are kept for five years.", [("Records", "kept", "five years")]),
        # copula
        ("The fee is $25.", [("The fee", "is", "$25")]),
        ("The holding period is six months.", [("The holding period", "is", "six months")]),
        ("The policy is strict.", [("The policy", "is", "strict")]),
        # obligation and future assert
        ("Firms must keep records.", [("Firms", "keep", "records")]),
        ("The firm will pay a fee.", [("The firm", "pay", "a fee")]),
    ],
)
def test_an_assertion_is_a_triple(text: str, expected: list[Said]) -> None:
    """Released, costs, includes, is: who does what to what, in the words of the text."""
    assert triples(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Alice and Bob signed the contract.",
            [("Alice", "signed", "the contract"), ("Bob", "signed", "the contract")],
        ),
        (
            "The firm sells bonds, stocks and funds.",
            [("The firm", "sells", "bonds"), ("The firm", "sells", "stocks"), ("The firm", "sells", "funds")],
        ),
        ("The firm sells bonds and pays a fee.", [("The firm", "sells", "bonds"), ("The firm", "pays", "a fee")]),
        (
            "The firm sells bonds; the client pays a fee.",
            [("The firm", "sells", "bonds"), ("the client", "pays", "a fee")],
        ),
        (
            "The firm sold bonds because the client paid the fee.",
            [("The firm", "sold", "bonds"), ("the client", "paid", "the fee")],
        ),
    ],
)
def test_joined_parts_are_claims_each(text: str, expected: list[Said]) -> None:
    """Each of several subjects, verbs or objects makes a claim; a later verb shares the first one's subject."""
    assert triples(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The broker who signed the form paid the fee.",
            [("The broker", "signed", "the form"), ("The broker", "paid", "the fee")],
        ),
        (
            "The fund that holds bonds pays a dividend.",
            [("The fund", "holds", "bonds"), ("The fund", "pays", "a dividend")],
        ),
        ("The firm said that the client paid the fee.", [("the client", "paid", "the fee")]),
    ],
)
def test_a_clause_inside_is_a_claim_too(text: str, expected: list[Said]) -> None:
    """A relative clause is said of the noun it hangs from, never of 'who' or 'that'."""
    assert triples(text) == expected


@pytest.mark.parametrize(
    "text",
    ["The bonds, which the firm sold, pay interest.", "What the firm sells is bonds.", "Bonds that firms sold pay."],
)
def test_a_relative_pronoun_is_no_object(text: str) -> None:
    """'Which', 'what' and 'that' name nothing that could be looked up in a context."""
    assert not {target.casefold() for _, _, target in triples(text)} & {"which", "what", "that"}


@pytest.mark.parametrize(
    "text",
    [
        "The policy is not strict.",
        "The firm does not sell bonds.",
        "The firm never sold bonds.",
        "The firm sold no bonds.",
        "Neither firm sold bonds.",
    ],
)
def test_a_denial_is_a_claim(text: str) -> None:
    """A denial asserts as much as an affirmation; the scorer reads the negation from the words."""
    assert len(triples(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Firms may keep records.",
        "Firms might keep records.",
        "The firm could sell bonds.",
        "Clients should sign the form.",
        "The firm would pay a fee.",
        "The client who may object signs the form.",
    ],
)
def test_a_possibility_is_no_claim(text: str) -> None:
    """May, might, can, could, should and would assert nothing, nor does a clause about such a subject."""
    assert ("Firms", "keep", "records") not in triples(text)
    assert all(verb not in {"sell", "sign", "pay", "object"} for _, verb, _ in triples(text))


@pytest.mark.parametrize(
    "text",
    [
        "The report suggests that the firm sold bonds.",
        "I think the firm sells bonds.",
        "The firm probably sold bonds.",
        "Perhaps the firm sold bonds.",
        "It is likely that the firm sold bonds.",
        "The firm appears to sell bonds.",
        "The firm allegedly sold bonds.",
    ],
)
def test_a_guess_is_no_claim(text: str) -> None:
    """A hedging verb or word, also one that the clause hangs from, makes a guess."""
    assert triples(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "If the firm sells bonds, the client pays a fee.",
        "The client pays a fee if the firm sells bonds.",
        "Unless the client objects, the firm sells bonds.",
        "The clerk asked whether the firm sells bonds.",
    ],
)
def test_a_condition_is_no_claim(text: str) -> None:
    """Neither a condition nor what depends on it is asserted."""
    assert triples(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Does the firm sell bonds?",
        "What does the fee include?",
        'The clerk asked "Does the firm sell bonds?" and left.',
        "The firm sells bonds, doesn't it?",
    ],
)
def test_a_question_is_no_claim(text: str) -> None:
    """A sentence that asks, also in a quotation, asserts nothing."""
    assert triples(text) == []


@pytest.mark.parametrize(
    "text", ["Sell the bonds.", "Please send the form.", "Keep all records.", "Do not sell bonds."]
)
def test_an_order_is_no_claim(text: str) -> None:
    """An imperative has no subject to look up."""
    assert triples(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "We sell bonds.",
        "You must sign the form.",
        "I sold the bonds.",
        "Someone signed the form.",
        "There is a fee.",
        "This answer includes three points.",
        "It pays a fee.",
        "Hello world.",
        "Bonds, stocks and funds.",
        "",
        "... 12 %",
    ],
)
def test_what_cannot_be_looked_up_is_no_claim(text: str) -> None:
    """Persons of the talk, the answer itself, a pronoun without antecedent, and fragments claim nothing."""
    assert triples(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The firm sells bonds. It pays a fee.", [("The firm", "sells", "bonds"), ("The firm", "pays", "a fee")]),
        ("Brokers sell bonds. They pay a fee.", [("Brokers", "sell", "bonds"), ("Brokers", "pay", "a fee")]),
        ("The firm sells it.", []),
    ],
)
def test_a_pronoun_stands_for_the_last_subject(text: str, expected: list[Said]) -> None:
    """A pronoun as subject names what was named last; as object it names nothing."""
    assert triples(text) == expected


def test_a_pronoun_stays_within_its_text() -> None:
    """The subject of one text is never that of the next."""
    first, second = extract_claims(["The firm sells bonds.", "It pays a fee."], WORDS)
    assert len(first) == 1
    assert second == ()


def test_the_mention_is_where_the_pronoun_stands() -> None:
    """A claim's own words are those of its sentence."""
    text = "The firm sells bonds. It pays a fee."
    [claims] = extract_claims([text], WORDS)
    claim = claims[1]
    assert text[claim.start : claim.end] == "It pays a fee"
    assert text[claim.mention.start : claim.mention.end] == "It"
    assert text[claim.sentence.start : claim.sentence.end] == "It pays a fee."


@pytest.mark.parametrize(
    "text",
    [
        "- The firm sells bonds.",
        "**The firm** sells bonds [1].",
        "1. The firm sells `bonds`.",
        "# The firm sells bonds",
    ],
)
def test_markup_is_no_obstacle(text: str) -> None:
    """List markers, emphasis, code marks and citation markers are looked through, and offsets stay right."""
    assert triples(text) == [("The firm", "sells", "bonds")]


def test_heads_and_lemmas() -> None:
    """A phrase knows its head noun by lemma, and its other words, also those after 'of'."""
    [[claim]] = extract_claims(["The long periods of retention are six years."], WORDS)
    assert (claim.subject.head, claim.verb.head, claim.object.head) == ("period", "be", "year")
    assert set(claim.subject.lemmas) >= {"long", "period", "retention"}


def test_an_endless_sentence_is_parsed_in_pieces() -> None:
    """A text without an end mark gives claims with offsets inside it."""
    text = "The firm sells bonds and " * 400
    [claims] = extract_claims([text], WORDS)
    assert claims
    assert all(0 <= claim.start < claim.end <= len(text) for claim in claims)


WORDS_OF_CLAIMS = st.sampled_from(
    ["the", "firm", "client", "bonds", "fee", "sells", "paid", "is", "and", "which", "not", "if", "may", "$5", ",", "."]
)


@given(st.lists(st.lists(WORDS_OF_CLAIMS, max_size=12).map(" ".join), max_size=5))
@settings(max_examples=40, deadline=None)
def test_a_text_has_the_same_claims_alone_and_in_a_batch(texts: list[str]) -> None:
    """Parsing many texts together changes nothing, and every claim lies inside its sentence."""
    together = extract_claims(texts, WORDS)
    assert together == [extract_claims([text], WORDS)[0] for text in texts]
    for claims in together:
        for claim in claims:
            assert claim.sentence.start <= claim.start < claim.end <= claim.sentence.end


def test_sentences_that_are_read_already_are_not_read_again() -> None:
    """They give the same claims."""
    texts = ["The firm sells bonds. It pays a fee.", "", "Fees rose by 5 percent. Who paid them?"]
    assert extract_claims(texts, WORDS, [sentences(text) for text in texts]) == extract_claims(texts, WORDS)
