"""The support score: probabilities with bands, evidence where it says, spans, and what a rubric decides about it."""

from typing import Any

import pytest

import plumbrule
from plumbrule.errors import RubricError
from plumbrule.rubrics import load_verdict
from plumbrule.support.support_model import load_model
from plumbrule.support.support_scorer import Support, SupportScorer, support_scorer
from plumbrule.text.text_view import TextView
from plumbrule.text.tokens import lemmas
from plumbrule.verdicts.anchors import Anchor
from plumbrule.verdicts.verdict import Verdict

FEES = "The wire fee is $25. Clients pay it each month. Refunds take six weeks. The office is in Berlin."
OTHER = "Elephants migrate through Botswana, Zambia and 14 parks."


def score(answer: str, *contexts: str, **rules: Any) -> Support | None:
    """Return the support of an answer by the default rules, or with these changed."""
    rubric = load_verdict(None, {f"support.{name}": value for name, value in rules.items()}).rubric
    return SupportScorer(rubric.support).score(TextView(answer), [TextView(text) for text in contexts])


def given(answer: str, *contexts: str, **rules: Any) -> Support:
    """Return the support of an answer that has one."""
    found = score(answer, *contexts, **rules)
    assert found is not None
    return found


def verdict(answer: str, *contexts: str, overrides: dict[str, Any] | None = None, **fields: Any) -> Verdict:
    """Return the verdict on an answer."""
    return plumbrule.score(answer=answer, contexts=contexts, overrides=overrides or {}, **fields)


def claims(found: Verdict) -> list[Anchor]:
    """Return the claims of a verdict."""
    return [anchor for anchor in found.hallucination.anchors if anchor.kind == "claim"]


def test_what_stands_in_the_context_is_supported() -> None:
    """Word for word: the answer and its sentences are supported, and nothing is said against them."""
    found = given("The wire fee is $25. Refunds take six weeks.", OTHER, FEES)
    assert found.band == "supported"
    assert [(each.band, each.reasons, each.findings) for each in found.sentences] == [("supported", (), ())] * 2
    assert found.spans == ()


@pytest.mark.parametrize(
    ("answer", "band"),
    [
        ("The branch in Hull opens at nine on Mondays.", "supported"),  # word for word
        ("the  branch in Hull opens\nat nine on Mondays", "supported"),
        ("On Mondays the branch in Hull opens at nine.", "doubtful"),
        ("The branch in Hull opens at nine.", "doubtful"),  # what follows is left out
    ],
)
def test_without_a_question_only_what_is_repeated_is_held_supported(answer: str, band: str) -> None:
    """Small changes are looked for in answers to a question; elsewhere the words alone do not prove support."""
    found = given(answer, "Hours: see below. The branch in Hull opens at nine on Mondays. It has a lift.")
    assert (found.band, [each.band for each in found.sentences]) == (band, [band])
    reasons = [] if band == "supported" else ["without a question small changes are not looked for"]
    assert [list(each.reasons) for each in found.sentences] == [reasons]


def test_what_stands_nowhere_is_unsupported() -> None:
    """With the reasons in words, the strongest first, three at most."""
    found = given(OTHER, FEES)
    assert found.band == "unsupported"
    (sentence,) = found.sentences
    assert 0 < len(sentence.reasons) <= 3
    assert "names not in the context: 'Botswana', 'Zambia'" in sentence.reasons
    assert found.spans == ((0, len(OTHER)),)


def test_a_contradicted_number_says_what_the_passage_has() -> None:
    """The reason quotes both."""
    (sentence,) = given("The wire fee is $95.", FEES).sentences
    assert sentence.reasons == ("numbers not in the context: '$95' (where the passage has '$25')",)


@pytest.mark.parametrize(
    ("answer", "context", "reason"),
    [
        (
            "The fee was not refunded.",
            "The fee was refunded.",
            "denies ('not') what the nearest passage says plainly: 'refunded'",
        ),
        (
            "The fee was refunded.",
            "The fee was not refunded.",
            "leaves out that the nearest passage denies it: 'refunded'",
        ),
        ("Fees must be paid.", "Fees may be paid.", "is stronger than its passage: 'must'"),
    ],
)
def test_a_meaning_turned_round_is_told(answer: str, context: str, reason: str) -> None:
    """A denial more or less, or a stronger word, is among the reasons; only a denial contradicts."""
    found = given(answer, context)
    assert reason in found.sentences[0].reasons
    assert any(each.contradicts for each in found.sentences[0].findings) == ("is stronger" not in reason)


def test_whatever_is_not_supported_has_a_reason() -> None:
    """Where no word, name or number is to blame, it is how little the nearest passage has of the sentence."""
    contexts = [
        "The gate is red and old.",
        "A clerk opens it.",
        "Trains leave at night.",
        "The bell of the station rings.",
    ]
    found = given("The old clerk of the night station rings the red bell at the gate.", *contexts, supported_from=1.0)
    assert found.sentences[0].band == "doubtful"
    assert found.sentences[0].reasons == ("the nearest passage lacks 40% of its words, by weight",)


@pytest.mark.parametrize(("supported_from", "band"), [(0.0, "supported"), (1.0, "doubtful")])
def test_bands_are_cut_by_the_rubric(supported_from: float, band: str) -> None:
    """From ``supported_from`` on supported, below ``unsupported_below`` unsupported."""
    rules = {"supported_from": supported_from, "supported_unasked_from": supported_from, "unsupported_below": 0}
    assert given(OTHER, FEES, **rules).band == band
    assert given("The wire fee is $25.", FEES, supported_from=1, unsupported_below=1).band == "unsupported"


def test_a_probability_at_the_bound_is_in_the_upper_band() -> None:
    """As it is printed: equal is not below."""
    probability = given("The wire fee is $95.", FEES).sentences[0].probability
    lower = {"supported_unasked_from": probability, "unsupported_below": 0}
    assert given("The wire fee is $95.", FEES, **lower).sentences[0].band == "supported"
    upper = given("The wire fee is $95.", FEES, supported_from=1, unsupported_below=probability).sentences[0]
    assert upper.band == "doubtful"


def test_spans_join_over_space_alone() -> None:
    """Neighbours that are unsupported are one stretch; a supported sentence or a list marker parts them."""
    strange = "Zorbles quax Ostfor wumbles."
    answer = f"{strange} {strange}\n\n{strange} The wire fee is $25. {strange}\n- {strange}"
    found = given(answer, FEES)
    shown = [answer[start:end] for start, end in found.spans]
    assert shown == [f"{strange} {strange}\n\n{strange}", strange, strange]


@pytest.mark.parametrize("answer", ["", " \n", "...", "— 🙂 !"])
def test_an_answer_without_words_has_no_support(answer: str) -> None:
    """There is nothing to bear out: null in the verdict."""
    assert score(answer, FEES) is None
    assert verdict(answer, FEES)["support"] is None


def test_a_courtesy_alone_is_supported() -> None:
    """It claims nothing, so nothing speaks against it; it has no evidence."""
    found = given("You're welcome! Let me know.", FEES)
    assert (found.score, found.band) == (1.0, "supported")
    assert [(each.claims, each.probability, each.evidence) for each in found.sentences] == [(False, 1.0, None)] * 2


def test_a_courtesy_changes_no_answer() -> None:
    """The score is that of the sentences that claim something."""
    assert given("The wire fee is $95. Let me know!", FEES).score == given("The wire fee is $95.", FEES).score


@pytest.mark.parametrize("contexts", [(), ("",), ("", "...")])
def test_no_contexts_bear_nothing_out(contexts: tuple[str, ...]) -> None:
    """The sentence is unsupported and has no evidence."""
    (sentence,) = given("The wire fee is $25.", *contexts).sentences
    assert (sentence.band, sentence.evidence) == ("unsupported", None)
    assert "no passage has any of its words" in sentence.reasons


def test_evidence_holds_words_of_its_sentence() -> None:
    """The offsets lie in the context that is named, and quote it."""
    answer = "Refunds take six weeks. The office of Berlin has elephants. Botswana has parks."
    contexts = ("", OTHER, "Nothing.", FEES, '{"Refunds": "six weeks", "city": "Berlin"}')
    for sentence in given(answer, *contexts).sentences:
        evidence = sentence.evidence
        assert evidence is not None
        assert evidence.text == contexts[evidence.context][evidence.start : evidence.end] != ""
        assert set(lemmas(evidence.text)) & set(lemmas(answer[sentence.start : sentence.end]))


def test_a_refusal_has_no_support() -> None:
    """Declared or by its wording, it says nothing that a context should bear out."""
    assert verdict("I cannot answer that from the documents.", FEES).support is None
    assert verdict("No.", FEES, refusal={"code": "X"}).support is None


def test_the_score_is_written_as_it_is() -> None:
    """JSON has all of it, with the model that made it, and no calibration or verifier where none was used."""
    record = given("The wire fee is $95. Thank you!", FEES).to_dict()
    assert list(record) == ["score", "band", "sentences", "unsupported_spans", "model"]
    assert record["model"] == load_model().stamp
    first, second = record["sentences"]
    assert (first["claims"], first["evidence"]) == (True, {"context": 0, "start": 0, "end": 20})
    assert (second["claims"], second["evidence"], second["reasons"]) == (False, None, [])


def test_a_sentence_is_found_by_offset() -> None:
    """The one that holds it; between sentences there is none."""
    found = given("Fees rose.  Fees fell.", FEES)
    assert found.at(0) == found.at(9) == found.sentences[0]
    assert found.at(10) is None
    assert found.at(12) == found.sentences[1]


# What a rubric decides


CALIBRATION = {
    "name": "ours",
    "version": "3",
    "model": load_model().sha256,
    "labels": 200,
    "unsupported_share": 0.25,
    "answers": [[-1.0, -4.0], [1.0, -3.0]],
    "sentences": [[-1.0, 3.0], [1.0, 4.0]],
}


def test_a_calibration_changes_probabilities_and_is_stamped() -> None:
    """Answers by their curve, sentences by theirs; the order of answers stays."""
    good, bad = "The wire fee is $25.", "The wire fee is $95."
    ours = [given(answer, FEES, calibration=CALIBRATION) for answer in (good, bad)]
    assert all(each.score < 0.1 and each.sentences[0].probability > 0.9 for each in ours)
    assert ours[1].score < ours[0].score
    stamp = ours[0].to_dict()["calibration"]
    assert (stamp["name"], stamp["version"]) == ("ours", "3")
    other = given(good, FEES, calibration={**CALIBRATION, "sentences": [[0, 0]]}).calibration
    assert other is not None
    assert other["sha256"] != stamp["sha256"]


def test_a_calibration_leaves_the_log_odds_that_it_is_fitted_to() -> None:
    """Where binding decides, what is copied goes by coverage as it ships, whatever calibration is in force."""
    contexts = [TextView(FEES), TextView(f"{OTHER} Nobody counts them, and the parks have no staff for it until June.")]
    for answer in ("The wire fee is $25.", "Quantum turbines hum 7 lullabies nightly."):
        ours, shipped = (
            SupportScorer(load_verdict(None, overrides).rubric.support).score(
                TextView(answer), contexts, "What is the wire fee?"
            )
            for overrides in ({"support.calibration": CALIBRATION}, {})
        )
        assert ours is not None
        assert shipped is not None
        assert ours.log_odds == shipped.log_odds


def test_bands_that_cross_are_refused() -> None:
    """What is supported cannot be unsupported as well."""
    with pytest.raises(RubricError, match="unsupported_below may not be above supported_from"):
        load_verdict(None, {"support.supported_from": 0.3, "support.unsupported_below": 0.4})


@pytest.mark.parametrize(
    ("when", "anchors", "check", "given_"),
    [
        ("claims", ["claim"], "proximity", True),
        ("claims", ["number", "date"], "proximity", False),
        ("claims", ["number", "date"], "evidence", False),
        ("always", ["claim"], "proximity", True),
        ("always", ["number", "date"], "proximity", True),
        ("never", ["claim"], "proximity", False),
        ("never", ["number"], "evidence", False),
        ("never", ["claim"], "evidence", True),
    ],
)
def test_support_is_given_when_the_rubric_says(when: str, anchors: list[str], check: str, *, given_: bool) -> None:
    """Where claims are checked, always or never; but where it decides on claims it is needed."""
    overrides = {"support.when": when, "hallucination.anchors": anchors, "hallucination.claim_check": check}
    assert (support_scorer(load_verdict(None, overrides).rubric) is not None) == given_
    assert (verdict("The wire fee is $25.", FEES, overrides=overrides).support is not None) == given_


EVIDENCE: dict[str, Any] = {"hallucination.claim_check": "evidence", "hallucination.anchors": ["claim"]}


def test_claims_follow_their_sentence() -> None:
    """Each parsed claim is supported where its sentence is, with the sentence's evidence."""
    found = verdict("The wire fee is $25 and clients pay it. Zorbles eat Botswana.", FEES, overrides=EVIDENCE)
    assert found.support is not None
    first, second = found.support.sentences
    for anchor in claims(found):
        sentence = first if anchor.start < first.end else second
        assert (anchor.supported, anchor.evidence) == (sentence is first, sentence.evidence)
        assert anchor.reason == ("found" if sentence is first else "not_found")
        assert anchor.triple is not None
    assert len({anchor.supported for anchor in claims(found)}) == 2


POOL = (
    "Members of the pool pay £4 for a lane and £2 for a locker. A lane is booked for 45 minutes, and the last booking "
    "starts at 20:00. Guests pay £9 for a lane and must leave a deposit of £10 at the desk."
)


@pytest.mark.parametrize(
    ("question", "answer", "literal", "by_evidence"),
    [
        (
            "How long is a lane booked for?",
            "A lane is booked for three quarters of an hour.",
            "not_found",
            "in_support",
        ),
        (
            "What does a member pay for both?",
            "A member pays £6 in total: £4 for a lane and £2 for a locker.",
            "contradicted",
            "in_support",
        ),
        ("What does a guest pay for a lane?", "Guests pay £8 for a lane.", "contradicted", "contradicted"),
    ],
)
def test_what_is_worked_out_follows_its_sentence(question: str, answer: str, literal: str, by_evidence: str) -> None:
    """A number that no context has is supported in a sentence that is, unless a context has another in its place."""
    for overrides, reason in (({}, literal), ({"hallucination.claim_check": "evidence"}, by_evidence)):
        found = verdict(answer, POOL, question=question, overrides={**overrides, "support.claim_from": 0.4})
        anchor = next(each for each in found.hallucination.anchors if each.kind == "number" and each.reason != "found")
        assert (anchor.supported, anchor.reason) == (reason == "in_support", reason)
        assert ("contradicted" in found.concerns) == (reason == "contradicted")


def test_a_sentence_without_a_claim_is_one_claim() -> None:
    """What the parser reads nothing in is held as a whole."""
    answer = "Wire fee: $25 a month"
    assert claims(verdict(answer, FEES)) == []
    (anchor,) = claims(verdict(answer, FEES, overrides=EVIDENCE))
    assert (anchor.text, anchor.triple) == (answer, None)


def test_a_courtesy_is_no_claim() -> None:
    """Even where the parser reads one in it: nothing bears it out, and nothing need."""
    answer = "Thank you, clients love elephants. The wire fee is $25."
    assert len(claims(verdict(answer, FEES))) == 2
    found = verdict(answer, FEES, overrides=EVIDENCE)
    assert [anchor.text for anchor in claims(found)] == ["The wire fee is $25"]
    assert all(anchor.evidence is not None for anchor in claims(found) if anchor.supported)


@pytest.mark.parametrize(
    ("answer", "context", "reason"),
    [
        ("It has alcohol.", '{"Alcohol": false}', "not_found"),
        ("The fee decreased for all members of Botswana.", "The fee increased.", "contradicted"),
        ("Zorbles eat.", FEES, "not_found"),
    ],
)
def test_an_opposite_is_contradicted(answer: str, context: str, reason: str) -> None:
    """A word whose opposite stands there; a fact denied in data weighs against a claim, and does not contradict it."""
    (anchor,) = claims(verdict(answer, context, overrides={**EVIDENCE, "support.claim_from": 0.99}))
    assert (anchor.supported, anchor.reason) == (False, reason)


def test_a_claim_at_the_bound_is_supported() -> None:
    """The probability as it is printed is compared with ``claim_from`` as it is written."""
    for answer in ("The wire fee is $95.", "Refunds take ten weeks.", "The office is in Paris.", OTHER):
        found = verdict(answer, FEES, overrides=EVIDENCE)
        assert found.support is not None
        bound = found.support.sentences[0].probability
        again = verdict(answer, FEES, overrides={**EVIDENCE, "support.claim_from": bound})
        assert all(anchor.supported for anchor in claims(again))


def test_support_leaves_the_other_scores_alone() -> None:
    """It stands beside them: with and without it the rest of the verdict is the same."""
    one, other = (verdict(OTHER, FEES, overrides={"support.when": when}).to_dict() for when in ("always", "never"))
    assert one.pop("support") is not None
    assert other.pop("support") is None
    assert one.pop("rubric") != other.pop("rubric")
    assert one == other


def test_a_half_sign_in_data_is_written() -> None:
    """A reason that quotes a fact can always be written to JSON."""
    record = verdict("It has 3 stars.", '{"stars": "4.5 \\ud83d"}').to_dict()
    assert "4.5 \ufffd" in record["support"]["sentences"][0]["reasons"][0]
