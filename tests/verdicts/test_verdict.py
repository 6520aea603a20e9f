"""The verdict names every rule that fired and takes the most severe (R6, G1)."""

import gc
from collections.abc import Sequence
from dataclasses import replace

import orjson
import pytest

import plumbrule
from plumbrule.demo import samples_path
from plumbrule.rubrics import load_verdict
from plumbrule.samples import Passage, Sample, sample_from
from plumbrule.support.support_scorer import Support, SupportScorer
from plumbrule.text.text_view import TextView
from plumbrule.verdicts.verdict import VerdictScorer, _batches

VALUES_ONLY: dict[str, object] = {"hallucination.anchors": ["number", "date"]}
GOOD = {"question": "What is the wire fee?", "answer": "The wire fee is $25.", "contexts": ["The wire fee is $25."]}


def test_a_good_answer_passes() -> None:
    """R6: no rule fires."""
    verdict = plumbrule.score(**GOOD)  # type: ignore[arg-type]  # one dict of mixed values
    assert (verdict.verdict, verdict.reasons, verdict.flags) == ("PASS", (), ())


@pytest.mark.parametrize(
    ("unsupported", "total", "fails", "high_risk"),
    [(1, 2, False, False), (3, 5, True, False), (2, 3, True, True), (0, 1, False, False), (51, 100, True, False)],
)
def test_more_than_half_unsupported_fails(unsupported: int, total: int, *, fails: bool, high_risk: bool) -> None:
    """G1: 0.5 itself does not fail, 0.6 itself is no high risk; shares are compared exactly."""
    known = " ".join(f"code {1000 + number};" for number in range(unsupported, total))
    said = " ".join(f"code {1000 + number};" for number in range(total))
    verdict = plumbrule.score(answer=said, contexts=[known], overrides=VALUES_ONLY)
    assert verdict.hallucination.exact * total == unsupported
    assert (verdict.verdict == "FAIL", "high_risk" in verdict.flags) == (fails, high_risk)


def test_every_rule_that_fired_is_named_in_order() -> None:
    """G1: hallucination, relevance, completeness; the first two decide, the third is told as well."""
    verdict = plumbrule.score(question="Which bonds mature?", answer="The fee is $30.", contexts=["The fee is $25."])
    assert verdict.verdict == "FAIL"
    assert verdict.reasons == (
        "hallucination 1.00 > 0.50",
        "relevance 0.00 < 0.10",
        "completeness 0.00 < 0.60",
    )


def test_an_irrelevant_answer_fails() -> None:
    """R6: relevance below 0.1, whatever its support."""
    verdict = plumbrule.score(question="Which bonds mature?", answer="Cats purr.", contexts=["Cats purr."])
    assert verdict.verdict == "FAIL"
    assert "relevance 0.00 < 0.10" in verdict.reasons


def test_an_incomplete_answer_warns() -> None:
    """R6: completeness below 0.6 alone warns."""
    verdict = plumbrule.score(question="Which wire fee applies?", answer="Fees.", contexts=["Fees."])
    assert (verdict.verdict, verdict.reasons) == ("WARN", ("completeness 0.33 < 0.60",))


def test_a_reason_has_the_decimals_it_needs() -> None:
    """A comparison is never printed as '0.50 > 0.50'."""
    said = " ".join(f"code {1000 + number};" for number in range(999))
    known = " ".join(f"code {1000 + number};" for number in range(500, 999))
    verdict = plumbrule.score(answer=said, contexts=[known], overrides=VALUES_ONLY)
    assert verdict.reasons == ("hallucination 0.501 > 0.500",)


@pytest.mark.parametrize("answer", ["", " \n"])
@pytest.mark.parametrize("question", ["What is the fee?", "What is it?", ""])
def test_an_empty_answer_fails(question: str, answer: str) -> None:
    """G4: an empty answer fails, whatever was asked."""
    verdict = plumbrule.score(question=question, answer=answer, contexts=["The fee is $25."])
    assert verdict.verdict == "FAIL"
    assert "empty_answer" in verdict.flags


def test_flags_tell_what_was_not_verified() -> None:
    """G4: no anchors, a flag instead of a guess."""
    verdict = plumbrule.score(question="Are fees fair?", answer="Fair fees.", contexts=["Fees are fair."])
    assert verdict.flags == ("nothing_to_verify",)


def test_a_time_out_is_flagged() -> None:
    """A partial answer of a candidate that timed out is known as one."""
    assert "timed_out" in plumbrule.score(**GOOD, timed_out=True).flags  # type: ignore[arg-type]  # one dict of mixed values


def test_a_batch_gives_the_verdicts_one_by_one() -> None:
    """More samples than a batch holds come back in order, each as it is alone."""
    samples = [
        Sample(
            id=str(number),
            question="What is the wire fee?",
            answer=f"The wire fee is ${number}. It pays {number % 3} clerks.",
            contexts=(Passage(text=f"The wire fee is ${number - number % 2}."),),
        )
        for number in range(150)
    ]
    scorer = VerdictScorer(load_verdict())
    together = list(scorer.score_many(samples))
    assert [verdict.id for verdict in together] == [sample.id for sample in samples]
    assert together[::37] == [VerdictScorer(load_verdict()).score(sample) for sample in samples[::37]]


def test_long_contexts_are_scored_in_smaller_batches() -> None:
    """A batch ends where its contexts are long enough, so that memory does not grow with them; no sample is lost."""
    text = "The fee is $25 a year. " * 20_000
    samples = [
        sample_from({"id": str(number), "question": "What is the fee?", "answer": "$25.", "contexts": [text]})
        for number in range(4)
    ]
    batches = [[sample.id for sample in batch] for batch in _batches(samples)]
    assert batches == [["0", "1"], ["2", "3"]]
    assert [len(batch) for batch in _batches(replace(samples[0], contexts=()) for _ in range(300))] == [128, 128, 44]


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_left_as_it_was(*, enabled: bool) -> None:
    """The collector of cycles waits for a batch and runs again after it, unless the caller had it off."""
    scorer = VerdictScorer(load_verdict(overrides={"hallucination.anchors": ["number"]}))
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        scorer.score(sample_from({"id": "1", "question": "What?", "answer": "It is 5.", "contexts": ["It is 5."]}))
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if was else gc.disable)()


def test_no_samples_give_no_verdicts() -> None:
    """An empty input is no error."""
    assert list(VerdictScorer(load_verdict()).score_many([])) == []


def test_a_verdict_reads_like_its_json() -> None:
    """Keys of the JSON form are keys of the object."""
    verdict = plumbrule.score(**GOOD)  # type: ignore[arg-type]  # one dict of mixed values
    assert verdict["hallucination"]["score"] == 0.0
    with pytest.raises(KeyError):
        verdict["nothing"]


def test_every_result_names_its_rubric() -> None:
    """Version and hash of the policy stand in every result."""
    assert plumbrule.score(answer="Fees.").rubric == load_verdict().stamp()


@pytest.mark.parametrize("overrides", [{}, {"hallucination.claim_check": "evidence"}, VALUES_ONLY])
def test_scored_beside_other_contexts(overrides: dict[str, object]) -> None:
    """The verdict is that of the sample, the anchors are those of the same answer with the other contexts."""
    scorer = VerdictScorer(load_verdict(None, overrides))
    for record in map(orjson.loads, samples_path().read_bytes().splitlines()):
        sample = sample_from(record)
        others = (Passage(text=sample.reference or "The fee is $25."),)
        verdict, beside = scorer.score_beside(sample, others)
        assert verdict == scorer.score(sample)
        assert beside == scorer.score(replace(sample, contexts=others)).hallucination
        assert scorer.refusal_in(sample) == verdict.refusal


def test_support_beside_is_worked_out_where_it_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the check of claims by evidence asks for it; else the support is that of the sample's own contexts alone."""
    asked: list[list[str]] = []
    score = SupportScorer.score

    def watched(self: SupportScorer, answer: TextView, contexts: Sequence[TextView], question: str) -> Support | None:
        asked.append([context.text for context in contexts])
        return score(self, answer, contexts, question)

    monkeypatch.setattr(SupportScorer, "score", watched)
    sample = Sample(id="a", question="What is the fee?", answer="The fee is $25.", contexts=(Passage(text="own"),))
    for check, contexts in (("proximity", [["own"]]), ("evidence", [["own"], ["other"]])):
        VerdictScorer(load_verdict(None, {"hallucination.claim_check": check})).score_beside(
            sample, [Passage(text="other")]
        )
        assert asked == contexts
        asked.clear()


WIRE = "The firm charges a fee of $25 for a domestic wire and $45 for an international wire."


def test_the_recommended_rubric_fails_what_the_evidence_is_against() -> None:
    """A contradiction fails with what the context says instead, and so does an answer that is hardly supported."""
    verdict = plumbrule.score(
        question="What fee does the firm charge for a domestic wire?",
        answer="The firm charges a fee of $35 for a domestic wire.",
        contexts=[WIRE],
        rubric="recommended",
    )
    assert verdict.verdict == verdict.headline == "FAIL"
    assert "contradicted: '$35', the context says '$25'" in verdict.reasons
    invented = plumbrule.score(
        question="Who owns the archive?",
        answer="A museum in Columbus might own the archive.",
        contexts=[WIRE],
        rubric="recommended",
    )
    assert invented.verdict == "FAIL"
    assert any(reason.startswith("support ") and reason.endswith(" < 0.30") for reason in invented.reasons)


def test_a_reason_says_what_a_context_denies() -> None:
    """A word that a context says with a "not" is told as denied, never as what the context says instead."""
    verdict = plumbrule.score(
        question="Do associates settle complaints or offer compensation to customers?",
        answer="Yes. Associates settle complaints and offer compensation to customers.",
        contexts=["Associates do not settle complaints or offer compensation to customers."],
        rubric="recommended",
        overrides={"hallucination.anchors": ["number", "date"]},  # the claim of it would stand with the whole sentence
    )
    (reason,) = (each for each in verdict.reasons if each.startswith("contradicted"))
    assert reason.endswith("', the context denies it: 'settle'")


def test_the_recommended_rubric_does_not_fail_a_short_right_answer() -> None:
    """Few shared words with the question are no failure; the literal rubric fails it for them alone."""
    short = {
        "question": "How long are client records kept?",
        "answer": "Six years.",
        "contexts": ["Client records are kept for six years."],
    }
    assert plumbrule.score(**short).verdict == "FAIL"  # type: ignore[arg-type]  # one dict of mixed values
    verdict = plumbrule.score(**short, rubric="recommended")  # type: ignore[arg-type]  # the same
    assert (verdict.verdict, verdict.reasons) == ("WARN", ("completeness 0.00 < 0.60",))


@pytest.mark.parametrize(("outcome", "verdict"), [("PASS", "PASS"), ("WARN", "WARN"), ("FAIL", "FAIL")])
def test_the_rubric_says_what_a_rule_makes_of_the_verdict(outcome: str, verdict: str) -> None:
    """Each rule has its verdict in the rubric; one with PASS does not fire."""
    overrides = {"verdicts.relevance": outcome, "verdicts.completeness": "PASS"}
    scored = plumbrule.score(
        question="Which bonds mature?", answer="Cats purr.", contexts=["Cats purr."], overrides=overrides
    )
    assert (scored.verdict, bool(scored.reasons)) == (verdict, verdict != "PASS")
