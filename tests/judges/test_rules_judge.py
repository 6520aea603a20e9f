"""The rules judge rates by the reference, the expected behaviour and the evidence, and says why (R20)."""

import asyncio
import dataclasses
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from plumbrule.demo import samples_path
from plumbrule.errors import RubricError
from plumbrule.judges.rules_judge import RulesJudge
from plumbrule.rubrics import load_rules, load_verdict
from plumbrule.samples import Sample, sample_from, samples_from
from plumbrule.support.support_model import load_model

ROOT = Path(__file__).parents[2]
JUDGE = RulesJudge(load_rules(), load_verdict())
CONTEXT = "The wire fee is $25 for domestic wires. Branch staff do not waive the fee. Treasury approves refunds."


def rate(**fields: Any) -> tuple[int | None, int | None]:
    """Return accuracy and faithfulness of an answer about the wire fee."""
    record = {"question": "What is the wire fee?", "contexts": [CONTEXT], **fields}
    judgement = JUDGE.rate(sample_from(record))
    return judgement.accuracy_score, judgement.faithfulness_score


def test_a_right_answer_gets_full_marks() -> None:
    """All values and key words of the reference, all of it in the context; equal values count in any form."""
    assert rate(answer="The wire fee is $25.", reference="$25.") == (2, 2)
    assert rate(answer="The wire fee is 25 dollars.", reference="The fee is $25 for domestic wires.") == (2, 2)


def test_a_part_of_the_reference_is_partly_right() -> None:
    """Some values or words are there, none is contradicted."""
    assert rate(answer="The wire fee is $25.", reference="$25, and Treasury approves refunds above $90.")[0] == 1


def test_another_value_is_wrong() -> None:
    """A value that the reference contradicts is 0, and so is one that the context contradicts."""
    assert rate(answer="The wire fee is $30.", reference="$25.") == (0, 0)


def test_a_value_that_the_reference_knows_contradicts_nothing() -> None:
    """Leaving out one of two values is an omission, not a contradiction."""
    assert rate(answer="The wire fee is $25.", reference="The wire fee is $25, or $45 abroad.")[0] == 1


def test_what_was_asked_need_not_be_said_again() -> None:
    """The reference's words that stand in the question are not looked for."""
    asked = {"question": "Who approves refunds above $90?", "reference": "Treasury approves refunds above $90."}
    assert rate(**asked, answer="Treasury.")[0] == 2


@pytest.mark.parametrize("answer", ["Yes. Branch staff waive the fee.", "Branch staff waive the fee."])
def test_the_opposite_is_wrong(answer: str) -> None:
    """A yes for a no, or a claim that the reference denies."""
    asked = {"question": "Do branch staff waive the fee?", "reference": "No. Branch staff do not waive the fee."}
    assert rate(**asked, answer=answer) == (0, 0)


def test_a_bare_yes_or_no_can_be_compared() -> None:
    """A reference of stop words alone is compared as it stands."""
    asked = {"question": "Do branch staff waive the fee?", "reference": "No."}
    assert rate(**asked, answer="No, they do not waive the fee.")[0] == 2
    assert rate(**asked, answer="Yes.")[0] == 0


@pytest.mark.parametrize(
    ("expected", "refusal", "answer", "accuracy"),
    [
        ({"refuse": True, "refusal_code": "A"}, {"code": "A"}, None, 2),
        ({"refuse": True, "refusal_code": "A"}, {"code": "B"}, None, 1),
        ({"refuse": True}, None, "I cannot answer this question.", 2),
        ({"refuse": True, "refusal_code": "A"}, None, "The wire fee is $25.", 0),
        ({"refuse": False}, {"code": "A"}, None, 0),
    ],
)
def test_an_expected_refusal_is_part_of_accuracy(expected: Any, refusal: Any, answer: Any, accuracy: int) -> None:
    """The right code 2, another 1, none at all 0; refused though answerable 0. A refusal asserts nothing: faithful."""
    assert rate(expected=expected, refusal=refusal, answer=answer) == (accuracy, 2)


def test_a_refusal_is_compared_with_the_reference_where_nothing_was_expected() -> None:
    """A reference that is an answer shows that there was one; one that refuses, that there was none."""
    assert rate(refusal={"code": "A"}, reference="$25.")[0] == 0
    assert rate(refusal={"code": "A"}, reference="I cannot answer that from the documents.")[0] == 2


def test_without_a_reference_accuracy_is_not_guessed() -> None:
    """Null with its reason; faithfulness needs no reference."""
    judgement = JUDGE.rate(sample_from({"question": "Fee?", "answer": "The fee is $25.", "contexts": [CONTEXT]}))
    assert (judgement.accuracy_score, judgement.faithfulness_score) == (None, 2)
    assert judgement.evaluator_error == "no_reference"


def test_faithfulness_falls_with_unsupported_anchors() -> None:
    """None unsupported 2, a minor part 1, more than the limit or any contradiction 0; drift takes one off."""
    reference = "$25."
    assert rate(reference=reference, answer="The wire fee is $25 for domestic wires; code 7781 applies.")[1] == 1
    assert rate(reference=reference, answer="Codes 7781, 7782 and 7783 apply beside $25.")[1] == 0
    assert rate(reference=reference, answer="Penguins huddle together through icy polar nights.")[1] in {0, 1}
    assert rate(reference=reference, answer="It costs $25.", contexts=[])[1] == 0


INVENTED = "Penguins of the harbour office dispatch parcels through coral tunnels to Zanzibar for 900 pounds."


@pytest.mark.parametrize(
    ("caps", "faithfulness"),
    [
        (None, 2),
        ({"minor_below": 1.0, "major_below": 0.0}, 1),
        ({"minor_below": 1.0, "major_below": 1.0}, 0),
        ({"minor_below": 0.0, "major_below": 0.0}, 2),
    ],
)
def test_a_low_support_score_caps_faithfulness(caps: Any, faithfulness: int) -> None:
    """Below minor_below 1 at most, below major_below 0; null turns it off. What the anchors took is not given back."""
    judge = RulesJudge(load_rules(overrides={"faithfulness.support": caps}), load_verdict())
    fields = {"question": "What is the wire fee?", "contexts": [CONTEXT], "reference": "$25."}
    assert judge.rate(sample_from({**fields, "answer": "The wire fee is $25."})).faithfulness_score == faithfulness
    assert judge.rate(sample_from({**fields, "answer": "The wire fee is $30."})).faithfulness_score == 0


def test_without_contexts_the_anchors_alone_decide() -> None:
    """There is nothing that could bear out an answer: an admission of that is no invention."""
    judge = RulesJudge(load_rules(overrides={"faithfulness.support": None}), load_verdict())
    sample = sample_from({"question": "What is the fee?", "answer": "I have nothing on that.", "reference": "$25."})
    assert JUDGE.rate(sample).faithfulness_score == judge.rate(sample).faithfulness_score


def test_a_rationale_names_the_weakest_sentence_and_the_model() -> None:
    """Quoted, with its probability and what made it; an answer that is borne out has the figures and no remark."""
    fields = {"question": "What is the wire fee?", "contexts": [CONTEXT], "reference": "$25."}
    judgement = JUDGE.rate(sample_from({**fields, "answer": f"The wire fee is $25. {INVENTED}"}))
    model = load_model()
    assert judgement.faithfulness_score in {0, 1}
    assert judgement.support is not None
    assert judgement.support["band"] == "unsupported"
    assert judgement.support["model"] == model.stamp
    least = judgement.support["weakest"]["probability"]
    said = f"least 'Penguins of the harbour office dispatch parcels through…' {least:.2f} ({model.name} {model.version}"
    assert f"support {judgement.support['score']:.2f}, {said}, sha256 {model.sha256[:12]})" in (
        judgement.rationale or ""
    )
    sound = JUDGE.rate(sample_from({**fields, "answer": "The wire fee is $25 for domestic wires."}))
    assert sound.support is not None
    assert sound.support["score"] > 0.4
    assert "support" not in (sound.rationale or "")


def test_the_model_is_named_however_much_else_there_is_to_say() -> None:
    """The longest accuracy and the longest evidence leave the support its place within the words."""
    words = " ".join(f"word{n}" for n in range(12))
    answer = " ".join(f"{INVENTED[:-1]} on {words} for ${n}." for n in range(101, 106))
    reference = " ".join(f"{INVENTED[:-1]} on {words} for ${n}." for n in range(201, 206))
    rationale = JUDGE.rate(sample_from({"answer": answer, "reference": reference, "contexts": [CONTEXT]})).rationale
    assert load_model().sha256[:12] in (rationale or "")
    assert len((rationale or "").split()) <= 80


def test_where_there_is_nothing_to_bear_out_support_is_not_given() -> None:
    """A refusal, a silent candidate, and a verdict rubric that asks for none: None, never zero."""
    fields = {"question": "What is the wire fee?", "contexts": [CONTEXT], "reference": "$25."}
    assert JUDGE.rate(sample_from({**fields, "refusal": {"code": "A"}})).support is None
    assert JUDGE.rate(sample_from({**fields, "answer": ""})).support is None
    without = RulesJudge(load_rules(), load_verdict(overrides={"support.when": "never"}))
    judgement = without.rate(sample_from({**fields, "answer": f"The wire fee is $25. {INVENTED}"}))
    assert judgement.support is None
    assert judgement.to_dict()["support"] is None


def test_a_silent_candidate_is_non_responsive() -> None:
    """G22: accuracy 0, faithfulness null."""
    assert rate(answer="The fee is $25.", timed_out=True, reference="$25.") == (0, None)


def test_the_demo_tells_right_from_wrong() -> None:
    """Good answers and right refusals get 2 for accuracy and pass on faithfulness; planted faults never get 2 and 2."""
    samples = list(samples_from([orjson.loads(line) for line in samples_path().read_bytes().splitlines()]))
    marks: dict[str, Counter[tuple[int | None, int | None]]] = {}
    for sample in samples:
        judgement = asyncio.run(JUDGE.judge(sample))
        case = str(sample.metadata["demo_case"])
        marks.setdefault(case, Counter())[judgement.accuracy_score, judgement.faithfulness_score] += 1
        assert judgement.rationale
        assert len(judgement.rationale.split()) <= 80
        assert judgement.evaluator_error is None
    right = {"good", "refusal_right", "refusal_worded"}
    for case in right:
        assert marks[case].keys() <= {(2, 2), (2, 1)}, case
    assert marks["good"][2, 2] >= 0.9 * marks["good"].total()
    for case in marks.keys() - right:
        assert all((accuracy or 0) < 2 for accuracy, _ in marks[case]), case
    for case in ("wrong_number", "wrong_date", "invented"):
        assert all(faithfulness == 0 for _, faithfulness in marks[case]), case


def test_a_rationale_names_the_evidence() -> None:
    """Which value was wrong, and what stands in its place."""
    sample = Sample(id="1", question="What is the wire fee?", answer="The wire fee is $30.", reference="$25.")
    rationale = JUDGE.rate(sample).rationale or ""
    assert "'$30' where the reference says '$25'" in rationale


def test_a_rationale_never_exceeds_its_words() -> None:
    """However long the evidence is."""
    answer = " ".join(f"The {'very ' * 30}long fee number {n} is ${n},777." for n in range(30))
    judgement = JUDGE.rate(
        sample_from({"answer": answer, "reference": answer.replace("777", "888"), "contexts": ["x"]})
    )
    assert len((judgement.rationale or "").split()) <= 80


def test_the_same_in_every_process() -> None:
    """No set order leaks into scores, words or hashes."""
    code = (
        "from tests.judges.test_rules_judge import JUDGE, CONTEXT\n"
        "from plumbrule.samples import sample_from\n"
        "s = sample_from({'question': 'Fee?', 'answer': 'The domestic fee is $30, Treasury says on Monday.',"
        " 'reference': 'The wire fee is $25; Treasury approves refunds and branch staff file forms.',"
        " 'contexts': [CONTEXT]})\n"
        "print(JUDGE.rate(s).to_dict())"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("accuracy: {full_share: 2}", "accuracy.full_share"),
        ("name: other", "name"),
        ("a: 1", "a"),
        ("faithfulness: {support: {major_below: 0.5}}", "major_below may not be above minor_below"),
    ],
)
def test_a_bad_policy_is_a_rubric_error(tmp_path: Path, text: str, problem: str) -> None:
    """One line that names the key."""
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(RubricError, match=problem):
        load_rules(tmp_path / "mine.yaml")


def test_the_identity_changes_with_either_policy() -> None:
    """The hash is over all that decides."""
    other = RulesJudge(load_rules(), load_verdict(overrides={"hallucination.fail_above": 0.4}))
    assert other.identity.sha256 != JUDGE.identity.sha256
    assert JUDGE.identity == RulesJudge(load_rules(), load_verdict()).identity


def test_the_identity_changes_with_the_support_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other weights or words may judge otherwise, although both policies are the same."""
    retrained = dataclasses.replace(load_model(), sha256="0" * 64)
    monkeypatch.setattr("plumbrule.support.support_scorer.load_model", lambda: retrained)
    assert RulesJudge(load_rules(), load_verdict()).identity.sha256 != JUDGE.identity.sha256


def test_what_the_evidence_is_against_is_told() -> None:
    """Contradicted and unsupported, also of a refusal; unsupported is not known where no support score is given."""
    record: dict[str, Any] = {"question": "What is the wire fee?", "contexts": [CONTEXT], "reference": "$25."}
    wrong = JUDGE.rate(sample_from({**record, "answer": "The wire fee is $99 for domestic wires."}))
    assert (wrong.contradicted, wrong.unsupported) == (True, True)
    refused = JUDGE.rate(sample_from({**record, "answer": "I cannot answer that."}))
    assert (refused.contradicted, refused.unsupported) == (False, False)
    plain = RulesJudge(load_rules(), load_verdict(overrides={"support.when": "never"}))
    assert plain.rate(sample_from({**record, "answer": "The wire fee is $25."})).unsupported is None
