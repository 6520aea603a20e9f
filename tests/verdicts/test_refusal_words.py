"""A refusal in other words: who lacks what, a part or the whole, and what only looks like one."""

import pytest

from plumbrule.errors import RubricError
from plumbrule.rubrics import load_verdict
from plumbrule.text.text_view import TextView
from plumbrule.verdicts.lexicon import lexicon_of
from plumbrule.verdicts.refusal_words import RefusalWording, WordedRefusal


def wording(**overrides: object) -> RefusalWording:
    """Return the wording of the rubric that ships, with overrides."""
    keys = {f"refusal.{key}": value for key, value in overrides.items()}
    return lexicon_of(load_verdict(overrides=keys).rubric).refusal


SHIPPED = wording()


def found(answer: str, question: str = "What is the fee for a wire?") -> WordedRefusal | None:
    """Return what the answer refuses."""
    return SHIPPED.find(question, TextView(answer))


@pytest.mark.parametrize(
    "answer",
    [
        "That isn't covered in the material I was given.",
        "This is outside the scope of the policy documents.",
        "I don't have information about wire fees.",
        "The documents do not say whether a fee is charged.",
        "Unfortunately nothing in the passages mentions a wire fee.",
        "Please contact your branch.",
        "We are unable to answer this.",
        "The assistant can't answer that.",
        "It is not possible to tell from the excerpts.",
        "No information was found.",
        "Not stated in the provided context.",
        "The fee cannot be determined from the text.",
        "It's unclear whether a fee is charged.",
        "I’m afraid that’s beyond what the documents cover.",
        "Which account do you mean?",
    ],
)
def test_a_refusal_in_other_words(answer: str) -> None:
    """Persons, passives, impersonal forms, referrals alone and questions back are refusals."""
    refusal = found(answer)
    assert refusal is not None
    assert refusal.extent == "full"


@pytest.mark.parametrize(
    "answer",
    [
        "Refunds cannot be given after 30 days.",
        "The policy does not cover flood damage.",
        "I cannot recommend it enough.",
        "No, the fee is not refundable.",
        "The material does not contain wool.",
        "Damage by misuse falls outside the scope of the warranty.",
        "If the contract does not specify a term, it runs for a year.",
        "A notice that does not state a reason is invalid.",
        "Our staff do not have access to your PIN.",
        "No information about customers is sold to third parties.",
        'Whoever says "I can\'t answer that" in an audit is warned.',
        "It is clear from the documents that no fee is charged.",
    ],
)
def test_a_fact_is_no_refusal(answer: str) -> None:
    """The same words say of a thing what it does not do."""
    assert found(answer) is None


@pytest.mark.parametrize(
    ("question", "answer", "extent"),
    [
        ("What is the fee and the limit?", "The fee is $25. I could not find the limit.", "partial"),
        ("What is the fee and the limit?", "I could not find the limit. The fee is $25.", "partial"),
        ("What is the fee and the limit?", "While the fee is $25, the text does not mention a limit.", "partial"),
        ("What is the fee and the limit?", "I can't answer that. Wires are sent at noon.", "full"),
        ("What is the wire fee?", "The wire fee isn't in the documents. Wires are sent at noon.", "full"),
        ("What is the fee?", "The two documents disagree: one says $20, one $25. I can't tell which applies.", "full"),
        ("What is the fee?", "The list is restricted, so I can't share it. Please ask your branch.", "full"),
        ("What is the fee?", "The passages describe opening hours. They don't mention fees.", "full"),
        ("Is it known?", "The fee is $25. It is unclear who set it.", None),
    ],
)
def test_a_part_or_the_whole(question: str, answer: str, extent: str | None) -> None:
    """Partial is what answers something; who opens by declining all that was asked may go on."""
    refusal = found(answer, question)
    assert (refusal.extent if refusal is not None else None) == extent


@pytest.mark.parametrize("question", ["Who do I ask about it?", "How can I cancel?", "What is your phone number?"])
def test_a_referral_answers_who_asks_for_one(question: str) -> None:
    """To be sent elsewhere is the answer where that was the question."""
    assert found("Please contact the front desk.", question) is None


def test_each_clause_that_declines_is_told() -> None:
    """The places are those of the words that decline."""
    answer = "The fee is $25. The text does not mention a limit, so I can't answer that part."
    refusal = found(answer)
    assert refusal is not None
    said = [answer[clause.start : clause.end] for clause in refusal.clauses]
    assert said == ["text does not mention", "I can't answer"]


def test_the_words_are_the_rubrics() -> None:
    """A pattern of one's own is found, and what it replaces is not."""
    own = wording(declines=["beat I"])
    assert own.find("", TextView("Beats me, not that I care.")) is not None
    assert own.find("", TextView("I cannot answer that.")) is None


@pytest.mark.parametrize(
    ("pattern", "message"),
    [("I *99 not", "a number of words up to 20"), ("I *x not", "a number of words"), ("NOBODY not", "no words NOBODY")],
)
def test_a_pattern_is_checked(pattern: str, message: str) -> None:
    """Unbounded gaps and words that nobody listed are the rubric's mistakes."""
    with pytest.raises(RubricError, match=message):
        wording(declines=[pattern])


def test_a_sign_is_no_refusal_without_the_rest() -> None:
    """An answer with the signs and none of the patterns is read to its end and refuses nothing."""
    assert found("Not bad, no doubt, nothing to add, never late, out of stock.") is None


@pytest.mark.parametrize("unit", ["i not ", "document you share i have not, and ", "no information what which "])
def test_only_so_many_words_are_read(unit: str) -> None:
    """What stands behind the words that are read changes nothing."""
    short = wording(read_words=50)
    text = "the fee is due " * 20 + unit * 200
    assert short.find("", TextView(text)) is None
