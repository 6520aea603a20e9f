"""A refusal is declared or known by its wording, and judged by what was expected (G6)."""

import pytest

import plumbrule
from plumbrule.verdicts.refusal import RefusalFinding

WORDING: dict[str, object] = {"refusal.at_most_words": 12, "hallucination.anchors": []}


def finding(**fields: object) -> RefusalFinding | None:
    """Return what is found of a refusal in a sample with these fields."""
    return plumbrule.score(**fields, overrides=WORDING).refusal  # type: ignore[arg-type]  # any field of a sample


@pytest.mark.parametrize(
    "answer",
    [
        "I cannot answer that.",
        "I CANNOT  answer.",
        "Sorry, I cannot\nanswer this.",
        "I don't know.",
        "I don’t know.",
        "Thank you for asking. I cannot answer that.",
        "Cannot answer.",
        "The documents cannot answer this.",
        "I cannot answer – sorry.",
    ],
)
def test_a_refusal_is_known_by_its_wording(answer: str) -> None:
    """Case, spacing and the shape of the apostrophe do not matter."""
    found = finding(answer=answer)
    assert found is not None
    assert (found.refused, found.declared, found.judgement) == (True, False, "unjudged")
    assert found.start is not None
    said = "".join(answer[found.start : found.end].casefold().replace("’", "'").split())
    assert said.removeprefix("i").removeprefix("documents") in {"cannot", "cannotanswer", "don'tknow"}


@pytest.mark.parametrize(
    "answer",
    [
        "The fee is $25.",
        "Undon't known.",
        "Clerks cannot answer clients.",
        "Employees are not permitted to accept gifts.",
        "",
    ],
)
def test_an_answer_is_no_refusal(answer: str) -> None:
    """What is said of others than the assistant and its sources refuses nothing."""
    assert finding(answer=answer) is None


@pytest.mark.parametrize(
    "answer",
    [
        "The fee is $25. I cannot answer more.",
        "I cannot answer " + "but here is a lot of text " * 3,
        "The fee is $25, but the documents do not mention a discount.",
    ],
)
def test_who_answers_a_part_has_not_refused(answer: str) -> None:
    """A partial refusal is a finding of its own: it is scored as the answer that it is."""
    found = finding(answer=answer)
    assert found is not None
    assert (found.refused, found.extent, found.judgement) == (False, "partial", "partial")
    scored = plumbrule.score(question="What is the fee?", answer=answer, overrides=WORDING)
    assert scored.relevance is not None
    assert scored.flags.count("refusal_partial") == 1
    assert not {"refusal", "refusal_undeclared"} & set(scored.flags)


def test_a_partial_refusal_is_no_refusal_where_one_was_expected() -> None:
    """Who answers a part of what was to be refused did not refuse."""
    found = finding(answer="The fee is $25. I cannot say more.", expected={"refuse": True})
    assert found is not None
    assert (found.refused, found.extent, found.judgement) == (False, "partial", "missing")


@pytest.mark.parametrize(
    "declared",
    [{"refusal": {"code": "X"}}, {"grounding_status": "REFUSED"}, {"grounding_status": "refused", "answer": "No."}],
)
def test_a_declared_refusal_needs_no_wording(declared: dict[str, object]) -> None:
    """A refusal object or the status REFUSED declares it."""
    found = finding(**declared)
    assert found is not None
    assert (found.refused, found.declared, found.start) == (True, True, None)


@pytest.mark.parametrize(
    ("code", "expected", "judgement"),
    [
        ("A", None, "unjudged"),
        ("A", {}, "unjudged"),
        ("A", {"refuse": True}, "as_expected"),
        ("A", {"refuse": True, "refusal_code": "A"}, "as_expected"),
        ("A", {"refusal_code": "A"}, "as_expected"),
        ("A", {"refuse": True, "refusal_code": "B"}, "wrong_code"),
        ("A", {"refuse": False}, "unneeded"),
    ],
)
def test_a_refusal_is_judged_by_what_was_expected(
    code: str, expected: dict[str, object] | None, judgement: str
) -> None:
    """As expected, for another reason, unneeded, or nobody said."""
    found = finding(refusal={"code": code}, expected=expected)
    assert found is not None
    assert found.judgement == judgement


def test_an_answer_where_a_refusal_was_expected() -> None:
    """The missing refusal is a finding of its own."""
    found = finding(answer="Yes.", expected={"refuse": True})
    assert found is not None
    assert (found.refused, found.judgement) == (False, "missing")
    assert finding(answer="Yes.", expected={"refuse": False}) is None


REFUSAL = {"code": "NO_DOCS"}


@pytest.mark.parametrize(
    ("fields", "verdict", "reasons", "flag"),
    [
        ({"refusal": REFUSAL}, "PASS", (), "refusal"),
        ({"refusal": REFUSAL, "expected": {"refuse": True}}, "PASS", (), "refusal"),
        (
            {"refusal": REFUSAL, "expected": {"refuse": True, "refusal_code": "BLOCKED"}},
            "WARN",
            ("refused with NO_DOCS where BLOCKED was expected",),
            "refusal_wrong_code",
        ),
        (
            {"refusal": REFUSAL, "expected": {"refuse": False}},
            "WARN",
            ("refused although an answer was expected",),
            "refusal_unneeded",
        ),
        (
            {"answer": "The wire fee applies.", "expected": {"refuse": True}},
            "FAIL",
            ("answered although a refusal was expected",),
            "refusal_missing",
        ),
        ({"answer": "I cannot answer that."}, "PASS", (), "refusal_undeclared"),
    ],
)
def test_the_verdict_on_a_refusal(fields: dict[str, object], verdict: str, reasons: tuple[str, ...], flag: str) -> None:
    """G6: the refusal rules judge it, and the reason says how."""
    found = plumbrule.score(question="Does the wire fee apply?", contexts=["The wire fee applies."], **fields)  # type: ignore[arg-type]  # mixed fields
    assert (found.verdict, found.reasons) == (verdict, reasons)
    assert flag in found.flags


def test_a_refusal_is_neither_irrelevant_nor_incomplete() -> None:
    """G6: relevance and completeness are null."""
    found = plumbrule.score(question="What is the fee?", answer="I cannot answer that.")
    assert (found["relevance"], found["completeness"]) == (None, None)
    assert "refusal" in found.flags


def test_what_a_refusal_says_besides_is_checked() -> None:
    """A refusal may still invent a figure."""
    answer = "I cannot answer that. The fee is $25."
    found = plumbrule.score(question="What is the fee?", answer=answer, contexts=["The fee is $30."])
    assert found.verdict == "FAIL"
    assert {anchor.kind for anchor in found.hallucination.anchors} == {"number", "claim"}


def test_the_verdicts_are_the_rubrics() -> None:
    """What each judgement costs is data."""
    found = plumbrule.score(refusal=REFUSAL, overrides={"refusal.verdicts.unjudged": "WARN"})
    assert (found.verdict, found.reasons) == ("WARN", ("refusal unjudged",))
