"""The mechanical rules, each on interactions that break it and on some that do not; the cases stand in tests/data."""

import copy
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from plumbrule.interactions.contract_findings import SEVERITIES
from plumbrule.interactions.corpus import Corpus
from plumbrule.interactions.formats.contract import contract_of
from plumbrule.interactions.interaction import Interaction, interaction_from
from plumbrule.prescores.checks import DIMENSIONS, Check
from plumbrule.prescores.prescore_tally import PrescoreTally
from plumbrule.prescores.prescorer import Prescore, PreScorer, prescorer
from plumbrule.rubrics import LEVELS, load_compliance, load_refusals, load_verdict
from plumbrule.samples.sample_model import Passage
from plumbrule.support.support_model import load_model

CASES = Path(__file__).parents[1] / "data" / "interactions.yaml"
DATA = yaml.safe_load(CASES.read_text(encoding="utf-8"))
COMPLIANCE, REFUSALS = load_compliance(), load_refusals()
VERDICT = load_verdict(overrides={"support.unsupported_below": 0.4})  # so that a plain invention is unsupported
CONTRACT = contract_of(COMPLIANCE, REFUSALS)
# Findings that only files can have: tests/interactions/test_interaction_reader.py has them.
OF_FILES = {"record_bad", "trace_id_twice", "trace_orphan", "file_skipped", "passage_twice"}


@cache
def scorer(*, claims: bool) -> PreScorer:
    """Return one scorer for all cases."""
    return PreScorer(COMPLIANCE, REFUSALS, VERDICT) if claims else prescorer(COMPLIANCE, REFUSALS, claims=False)


def changed(record: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return a copy with the value at each dotted path set; null drops it, and one past a list's end is appended."""
    whole = copy.deepcopy(record)
    for path, value in changes.items():
        *steps, last = path.split(".")
        place: Any = whole
        for step in steps:
            place = place[int(step) if isinstance(place, list) else step]
        if isinstance(place, list):
            place[int(last) :] = [value, *place[int(last) + 1 :]]
        elif value is None and path not in {"response.answer", "response.refusal"}:
            place.pop(last, None)
        else:
            place[last] = value
    return whole


def made(case: dict[str, Any]) -> Interaction:
    """Return the interaction of a case."""
    changes = {path: "x" * 1001 if value == "LONG" else value for path, value in case.get("set", {}).items()}
    record = changed(DATA["bases"][case["base"]], changes)
    corpus = Corpus()
    for passage in record.pop("corpus", []):
        corpus.add(Passage(**passage), "corpus")
    return interaction_from(record, CONTRACT, corpus)


def prescored(case: dict[str, Any]) -> Prescore:
    """Return the pre-score of a case."""
    return scorer(claims=case.get("claims", False)).prescore(made(case))


def check_of(prescore: Prescore, rule: str) -> Check:
    """Return what came of one rule."""
    [found] = [check for score in prescore.dimensions.values() for check in score.checks if check.rule == rule]
    return found


def named(case: dict[str, Any]) -> str:
    """Return a case's name."""
    return f"{case.get('rule') or case.get('hint')}-{case['base']}"


@pytest.mark.parametrize("case", DATA["rules"], ids=named)
def test_rule(case: dict[str, Any]) -> None:
    """A rule fires where it must and nowhere else, with its cap, its message and its evidence."""
    prescore = prescored(case)
    check = check_of(prescore, case["rule"])
    assert check.outcome == case["outcome"], check
    if check.outcome == "failed":
        assert check.message
        assert check.evidence
        level = prescore.scores[check.dimension]
        assert check.cap is None or (level is not None and LEVELS.index(level) >= LEVELS.index(check.cap))
    if "cap" in case:
        assert check.cap == case["cap"]
    if "evidence" in case:
        assert case["evidence"] in [spot.text for spot in check.evidence]


@pytest.mark.parametrize("case", DATA["hints"], ids=named)
def test_hint(case: dict[str, Any]) -> None:
    """A hint says what it saw, with its figures and the level that it proposes."""
    hints = {hint.code: hint for hint in prescored(case).dimensions[case["dimension"]].hints}
    assert (case["hint"] in hints) is not case.get("absent", False)
    if case.get("absent"):
        return
    hint = hints[case["hint"]]
    assert hint.level == case.get("level")
    if "figures" in case:
        assert dict(hint.figures) == pytest.approx(case["figures"], abs=1e-11)
    if "evidence" in case:
        assert case["evidence"] in [spot.text.strip() for spot in hint.evidence]


@pytest.mark.parametrize("case", [case for case in DATA["rules"] if case["rule"].startswith("weak_")], ids=named)
def test_support_only_withholds_strong(case: dict[str, Any]) -> None:
    """Without the score every other rule says the same; with it no level is higher."""
    without = PreScorer(COMPLIANCE, REFUSALS, load_verdict(overrides={"support.when": "never"})).prescore(made(case))
    found = prescored({"claims": True, **case})
    assert without.support is None
    for name, level in found.scores.items():
        before = without.scores[name]
        assert before is None or level is None or LEVELS.index(level) >= LEVELS.index(before)
    others = [
        [check for check in score.checks if check.rule not in {"weak_support", "weak_cited_support"}]
        for score in (*found.dimensions.values(), *without.dimensions.values())
    ]
    assert [[check.outcome == "failed" for check in checks] for checks in others[:6]] == [
        [check.outcome == "failed" for check in checks] for checks in others[6:]
    ]


@pytest.mark.parametrize(
    "case",
    [
        {"base": "refusal"},
        {"base": "answer", "set": {"trace": None, "passages": None}},
        {"base": "answer", "set": {"trace.retrieval.passage_ids.2": "nowhere-1"}},
        {"base": "answer", "claims": False},
    ],
)
def test_support_is_null_where_it_cannot_be_told(case: dict[str, Any]) -> None:
    """A refusal, passages that nobody or not everybody knows, no parse: no score, instead of a bad one."""
    assert prescored({"claims": True, **case}).to_dict()["support"] is None


def test_the_hints_of_support_name_their_model() -> None:
    """Name, version and the start of the hash stand in the message, and whole in the pre-score."""
    model = load_model()
    for case in DATA["hints"]:
        if "support" in case["hint"] and not case.get("absent"):
            prescore = prescored(case)
            [hint] = [each for each in prescore.dimensions[case["dimension"]].hints if each.code == case["hint"]]
            assert f"({model.name} {model.version}, sha256 {model.sha256[:12]})" in hint.message
            assert prescore.to_dict()["support"]["model"] == model.stamp


def test_what_the_passages_bear_out_has_no_hint_of_support() -> None:
    """Neither on the answer nor on its marked sentence; and without the parse there is no support at all."""
    supported = prescored({"base": "answer", "claims": True})
    codes = {hint.code for score in supported.dimensions.values() for hint in score.hints}
    assert "coverage_against_support" not in codes
    assert check_of(supported, "weak_support").outcome == check_of(supported, "weak_cited_support").outcome == "passed"
    assert supported.support is not None
    assert supported.support.band == "supported"
    assert prescored({"base": "answer"}).support is None


@pytest.mark.parametrize("case", DATA["findings"], ids=lambda case: "-".join(case["codes"]) or case["base"])
def test_finding(case: dict[str, Any]) -> None:
    """Each deviation from the contract is a finding of its code, and what keeps to it has none."""
    findings = made(case).findings
    assert list(dict.fromkeys(finding.code for finding in findings)) == case["codes"], findings
    if "says" in case:
        assert any(case["says"] in finding.message for finding in findings), findings


def test_every_rule_has_a_case_for_and_against() -> None:
    """A new rule needs an interaction that it fires on and one that it lets pass."""
    rules = {rule.name for caps in fields(COMPLIANCE.rubric.caps) for rule in fields(caps.type)}  # type: ignore[arg-type]  # a dataclass
    for outcome in (["failed"], ["passed", "not_applicable"]):
        assert rules == {case["rule"] for case in DATA["rules"] if case["outcome"] in outcome}


def test_every_finding_has_a_case() -> None:
    """A new code needs a record that shows it."""
    assert {code for case in DATA["findings"] for code in case["codes"]} == SEVERITIES.keys() - OF_FILES


@pytest.mark.parametrize("base", DATA["bases"])
@pytest.mark.parametrize("claims", [False, True])
def test_a_base_fires_nothing(base: str, claims: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """The interactions that the cases start from are clean: every dimension is Strong or does not apply."""
    prescore = scorer(claims=claims).prescore(made({"base": base}))
    assert [check.rule for score in prescore.dimensions.values() for check in score.caps] == []
    assert set(prescore.scores.values()) <= {"Strong", None}


@pytest.mark.parametrize("base", DATA["bases"])
def test_every_rule_is_told(base: str) -> None:
    """Each rule of the policy comes to exactly one outcome, fired or not."""
    prescore = scorer(claims=False).prescore(made({"base": base}))
    for dimension in DIMENSIONS:
        caps = getattr(COMPLIANCE.rubric.caps, dimension, None)
        names = sorted(field.name for field in fields(caps)) if caps is not None else []
        assert sorted(check.rule for check in prescore.dimensions[dimension].checks) == names


def test_the_lowest_cap_decides() -> None:
    """Several caps in one dimension: the proposal is the worst of them, and the worst stands first."""
    case = {"base": "answer", "set": {"response.citations.0.source_id": "X", "response.citations.0.passage": "y" * 200}}
    score = prescored(case).dimensions["attribution_accuracy"]
    assert score.level == "Unsafe"
    assert [check.cap for check in score.caps] == sorted(
        (check.cap for check in score.caps), key=lambda cap: -LEVELS.index(cap or "Strong")
    )


def test_a_refusal_has_no_level_where_none_applies() -> None:
    """Attribution, grounding and completeness say nothing of a refusal; refusal and compliance always do."""
    prescore = prescored({"base": "refusal"})
    bases = {name: score.basis for name, score in prescore.dimensions.items() if score.level is None}
    assert bases == dict.fromkeys(
        ("attribution_accuracy", "retrieval_relevance", "grounding_integrity", "response_completeness"), "refused"
    )


def test_nothing_known_is_no_clean_slate() -> None:
    """Where no passage is known, attribution and grounding get no proposal instead of a good one."""
    prescore = prescored({"base": "answer", "set": {"trace": None, "passages": None}})
    for name in ("attribution_accuracy", "grounding_integrity", "retrieval_relevance"):
        assert (prescore.dimensions[name].level, prescore.dimensions[name].basis) == (None, "unknown")


def test_a_cap_can_be_switched_off() -> None:
    """A policy may let a rule be a hint: it still fires, and caps nothing."""
    policy = load_compliance(overrides={"caps.compliance_alignment.prohibited_phrase": None})
    interaction = made({"base": "answer", "set": {"response.answer": "It is always kept for 7 years [1]."}})
    score = prescorer(policy, REFUSALS, claims=False).prescore(interaction).dimensions["compliance_alignment"]
    assert [(check.rule, check.cap) for check in score.caps] == [("prohibited_phrase", None)]
    assert score.level == "Strong"


def test_a_limit_can_be_changed() -> None:
    """The limits are the policy's: a longer excerpt is allowed where it says so."""
    case = next(case for case in DATA["rules"] if case["rule"] == "excerpt_too_long" and case["outcome"] == "failed")
    policy = load_compliance(overrides={"limits.excerpt_characters": 190})
    prescore = prescorer(policy, REFUSALS, claims=False).prescore(made(case))
    assert check_of(prescore, "excerpt_too_long").outcome == "passed"


def test_offsets_lead_to_the_text() -> None:
    """Every piece of evidence in the answer or in a passage stands where it says."""
    for case in DATA["rules"]:
        prescore = prescored(case)
        sample, passages = prescore.interaction.sample, prescore.interaction.passages
        for score in prescore.dimensions.values():
            for spot in (spot for check in score.checks for spot in check.evidence if spot.start is not None):
                if spot.where == "answer" and len(spot.text) < 200:
                    assert (sample.answer or "")[spot.start : spot.end] == spot.text
                elif spot.where.startswith("passages["):
                    index = int(spot.where.removeprefix("passages[").rstrip("]"))
                    assert passages[index].text[spot.start : spot.end] == spot.text
                    assert passages[index].id == spot.ref


@pytest.mark.parametrize(
    ("refused", "answerable", "pattern"), [(1, 1, False), (0, 9, False), (2, 2, True), (9, 60, True)]
)
def test_one_refusal_is_no_pattern(refused: int, answerable: int, pattern: object) -> None:
    """D13: refused though answerable is a pattern where even the lower end of the exact interval reaches 5%."""
    tally = PrescoreTally(pattern=0.05)
    tally.over_refused, tally.answerable = refused, answerable
    assert tally.summary(counts={}, rubrics=()).over_refusal.pattern is pattern
