"""The rubric that ships is a floor: whatever is weaker is told in words, and has to be accepted."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cli.test_another_scorecard import SCORECARD

from plumbrule.errors import RubricError, UsageError
from plumbrule.rubrics import (
    check_policy,
    content_of,
    load_benchmark,
    load_scorecard,
    load_verdict,
    policy_differences,
    weaker_differences,
)

SHIPPED: dict[str, Any] = content_of(load_scorecard())


def told(overrides: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return effect and text of each difference that these overrides make."""
    found = policy_differences(load_scorecard(None, overrides))
    return [(difference.effect, difference.text) for difference in found]


def changed(part: str, place: int, **changes: object) -> dict[str, object]:
    """Return a list of the rubric with one of its parts changed."""
    return {part: [{**item, **changes} if place == number else item for number, item in enumerate(SHIPPED[part])]}


def without(part: str, place: int) -> dict[str, object]:
    """Return a list of the rubric without one of its parts."""
    return {part: [item for number, item in enumerate(SHIPPED[part]) if number != place]}


def added(part: str, **changes: object) -> dict[str, object]:
    """Return a list of the rubric with its first part once more, under another key and changed."""
    return {part: [*SHIPPED[part], {**SHIPPED[part][0], "key": "mine", **changes}]}


def dimension(key: str, weight: float) -> dict[str, object]:
    """Return a dimension that does not ship."""
    return {**SHIPPED["dimensions"][0], "key": key, "weight": weight, "may_be_not_applicable": False}


WORSE = {"name": "Dangerous", "score": 0}
WITH_WORSE: dict[str, object] = {
    "levels": [*SHIPPED["levels"], WORSE],
    "dimensions": [
        {**each, "descriptors": {**each["descriptors"], "Dangerous": "?"}} for each in SHIPPED["dimensions"]
    ],
    "judged": [{**each, "levels": {**each["levels"], "Dangerous": 0}} for each in SHIPPED["judged"]],
    "bands": [*SHIPPED["bands"][:-1], {**SHIPPED["bands"][-1], "at_least": 0}],
}


WITH_BETTER: dict[str, object] = {
    "levels": [{"name": "Excellent", "score": 5}, *SHIPPED["levels"]],
    "dimensions": [
        {**each, "descriptors": {**each["descriptors"], "Excellent": "!"}} for each in SHIPPED["dimensions"]
    ],
    "judged": [{**each, "levels": {**each["levels"], "Excellent": 2}} for each in SHIPPED["judged"]],
}


def test_what_ships_does_not_differ() -> None:
    """Nor does a copy of it."""
    assert policy_differences(load_scorecard()) == ()
    assert check_policy(load_scorecard(), accept_weaker=False) == ()


@pytest.mark.parametrize(
    ("overrides", "text"),
    [
        ({"blockers": []}, 'blocker any_unsafe (Any dimension scored "Unsafe") is removed'),
        (without("blockers", 3), 'blocker several_needs_review (More than one dimension at "Needs Review") is removed'),
        (changed("blockers", 0, dimensions=["attribution_accuracy"]), "more than 0 of attribution_accuracy at Unsafe"),
        (
            changed("blockers", 1, levels=["Unsafe"], run_mean=False),
            "attribution_accuracy at Unsafe, never averaged, not",
        ),
        (changed("blockers", 3, more_than=2), "more than 2 of any dimension at Needs Review"),
        (changed("blockers", 0, levels=["Needs Review", "Unsafe"], run_mean=True), "which run_mean may average, not"),
        ({"recommendation.fail_below": 2.9}, "recommendation.fail_below 2.9, not 3"),
        ({"recommendation.pass_at_least": 3.4}, "recommendation.pass_at_least 3.4, not 3.5"),
        ({"recommendation.pass_with_none_at": []}, "recommendation.pass_with_none_at is without 'Needs Review'"),
        ({"note_required_at": ["Unsafe"]}, "note_required_at is without 'Needs Review'"),
        ({"adjudication.levels_apart": 3}, "adjudication.levels_apart 3, not 2"),
        ({"adjudication.any_at": []}, "adjudication.any_at is without 'Unsafe'"),
        ({"not_applicable.needs": None}, "not_applicable is name Not Applicable; needs none; allowed_on refusals, not"),
        ({"not_applicable.allowed_on": "any"}, "not_applicable.allowed_on any, not refusals"),
        (
            {"not_applicable.allowed_on": "any", "not_applicable.needs.at_least": "Strong"},
            "not_applicable.allowed_on any, not refusals",
        ),
        ({"not_applicable.needs.at_least": "Unsafe"}, "at_least Unsafe; allowed_on refusals, not"),
        (
            changed("dimensions", 4, may_be_not_applicable=True)
            | {"not_applicable.needs.dimension": "compliance_alignment"},
            "dimension refusal_appropriateness may be Not Applicable",
        ),
        ({"dimensions.0.weight": 0.01, "dimensions.1.weight": 0.44}, "dimension attribution_accuracy weighs 0.01, not"),
        (
            {
                "dimensions": [
                    *SHIPPED["dimensions"][:5],
                    {**SHIPPED["dimensions"][5], "weight": 0.05},
                    dimension("x", 0.05),
                ]
            },
            "dimension compliance_alignment weighs 0.05, not 0.1",
        ),
        (changed("triggers", 0, evaluators=1), "trigger pre-deployment: evaluators 1, not 2"),
        (changed("triggers", 0, sample_size=5), "trigger pre-deployment: sample_size 5, not all"),
        (changed("triggers", 3, sample_size=10), "trigger monitoring: sample_size 10, not 50"),
        (changed("triggers", 0, draw="representative"), "trigger pre-deployment: draw representative, not all"),
        (changed("triggers", 0, in_view=["compliance_alignment"]), "trigger pre-deployment: in_view"),
        (without("triggers", 0), "trigger pre-deployment is removed"),
        (changed("bands", 0, at_least=3.2), "band production_ready begins 3.2, not 3.5"),
        (without("figures", 1), "figure unsafe_share is removed"),
        (changed("figures", 0, alert=3.0), "figure average_overall_score: alert 3, not 3.2"),
        (changed("figures", 1, alert=0.5), "figure unsafe_share: alert 0.5, not 0"),
        (changed("figures", 0, target={"at_least": 3.5}), "figure average_overall_score: the target is met at it"),
        ({"drift.alarm_at": 9}, "drift.alarm_at 9, not 5"),
        (WITH_WORSE, "more than 0 of any dimension at Unsafe"),  # a level below Unsafe that does not block
        (WITH_WORSE, "adjudication.any_at is without 'Dangerous'"),
        (WITH_BETTER, "level 'Excellent' is added, and counts 5, where 'Strong' counts 4"),
        (
            added("triggers", evaluators=1),
            "trigger mine is added, and is less than pre-deployment: evaluators 1, not 2",
        ),
        (added("triggers", sample_size=3), "pre-deployment: sample_size 3, not all"),
        (added("triggers", draw="one"), "pre-deployment: draw one, not all"),
        (added("triggers", in_view=["compliance_alignment"]), "pre-deployment: in_view compliance_alignment, not all"),
        (without("bands", 2), "band needs_improvement is removed"),
        (changed("bands", 3, action="Deploy"), "band not_ready: action Deploy, not Block deployment; remediate"),
        (
            {"bands": [*SHIPPED["bands"][:3], {**SHIPPED["bands"][2], "key": "x", "at_least": 2}, SHIPPED["bands"][3]]},
            "band x is added, from 2",
        ),
        (changed("traits", 2, tags=["edge-case"]), "trait edge_case: tags edge-case, not edge-case, edge_case"),
        (changed("traits", 0, refusal=False), "trait refused: refusal False, not True"),
        ({"strata.0.share": 0.01, "strata.3.share": 0.69}, "stratum refusals: share 0.01, not 0.2"),
        (changed("strata", 2, any_of=["edge_case"]), "stratum edge_cases: any_of edge_case, not edge_case, diff"),
        ({"drift.baseline_weeks": 52}, "drift.baseline_weeks 52, not 4"),
    ],
)
def test_what_is_weaker(overrides: dict[str, object], text: str) -> None:
    """Every way to let through what the shipped rubric stops is named, and refused unless it is accepted."""
    loaded = load_scorecard(None, overrides)
    assert [difference.text for difference in weaker_differences(policy_differences(loaded)) if text in difference.text]
    with pytest.raises(UsageError, match="weaker than the one that ships") as refused:
        check_policy(loaded, accept_weaker=False)
    assert "--accept-weaker-policy" in str(refused.value)
    assert check_policy(loaded, accept_weaker=True) == policy_differences(loaded)


@pytest.mark.parametrize(
    ("overrides", "effect"),
    [
        ({"recommendation.fail_below": 3.1}, "stricter"),
        ({"adjudication.levels_apart": 1}, "stricter"),
        ({"adjudication.any_at": ["Needs Review", "Unsafe"]}, "stricter"),
        ({"note_required_at": ["Adequate", "Needs Review", "Unsafe"]}, "stricter"),
        ({"decide_on": "bound"}, "stricter"),
        ({"not_applicable.needs.at_least": "Strong"}, "stricter"),
        (changed("blockers", 3, more_than=0), "stricter"),
        (changed("blockers", 1, run_mean=False), "stricter"),
        (changed("blockers", 2, dimensions=["grounding_integrity", "retrieval_relevance"]), "stricter"),
        ({"blockers": [*SHIPPED["blockers"], {**SHIPPED["blockers"][1], "rule": "mine"}]}, "stricter"),
        (changed("blockers", 0, rule="unsafe"), "other"),  # another name for the same
        (changed("dimensions", 0, may_be_not_applicable=False), "stricter"),
        (changed("triggers", 1, evaluators=3), "stricter"),
        (changed("triggers", 2, in_view="all"), "stricter"),
        (changed("triggers", 3, sample_size=None), "stricter"),
        (changed("figures", 0, alert=3.3), "stricter"),
        (added("triggers"), "other"),
        (added("triggers", evaluators=3), "other"),
        (changed("traits", 3, question_words=["crypto"]), "stricter"),
        (changed("bands", 0, title="Ready"), "other"),
        ({"drift.baseline_weeks": 3}, "stricter"),
        ({"guidelines": []}, "other"),
        (changed("dimensions", 0, title="Citations"), "other"),
    ],
)
def test_what_may_be_added_and_tightened(overrides: dict[str, object], effect: str) -> None:
    """It needs no word of anybody."""
    found = told(overrides)
    assert effect in {each for each, _ in found}
    assert "weaker" not in {each for each, _ in found}
    check_policy(load_scorecard(None, overrides), accept_weaker=False)


def test_a_rule_may_be_covered_by_others() -> None:
    """What matters is what blocks, not what the rules are called or how they are cut."""
    unsafe = SHIPPED["blockers"][0]
    keys = [each["key"] for each in SHIPPED["dimensions"]]
    apart = [{**unsafe, "rule": f"unsafe_{key}", "dimensions": [key]} for key in keys]
    found = told({"blockers": [*apart, *SHIPPED["blockers"][1:]]})
    assert ("other", 'blocker any_unsafe (Any dimension scored "Unsafe") is covered by other rules') in found
    assert "weaker" not in {effect for effect, _ in found}
    assert "weaker" in {effect for effect, _ in told({"blockers": [*apart[1:], *SHIPPED["blockers"][1:]]})}


def test_another_scorecard() -> None:
    """Of other dimensions on another scale: nothing that ships is left, and what is like it is not told as missing."""
    weaker = [text for effect, text in told(SCORECARD) if effect == "weaker"]
    assert [text for text in weaker if text.startswith("blocker ")] == [
        'blocker any_unsafe (Any dimension scored "Unsafe") is removed',
        "blocker attribution_below_adequate (Attribution Accuracy < Adequate) is removed",
        "blocker grounding_below_adequate (Grounding Integrity < Adequate) is removed",
        'blocker several_needs_review (More than one dimension at "Needs Review") is removed',
    ]
    assert not [text for text in weaker if text.startswith(("note_required_at", "adjudication.any_at"))]


def test_the_weaker_come_first() -> None:
    """Then the stricter, then the rest."""
    found = told({"guidelines": [], "recommendation.fail_below": 2, "recommendation.pass_at_least": 3.6})
    assert [effect for effect, _ in found] == ["weaker", "stricter", "other"]


def test_the_gates_of_a_benchmark() -> None:
    """Its limits are the user's choice; the differences are told in the same form."""
    loaded = load_benchmark(None, {"gates.pass_rate": 0.5, "gates.latency_e2e_p95_ms": 9000})
    assert [(each.effect, each.text) for each in policy_differences(loaded)] == [
        ("weaker", "gate pass_rate 0.5, not 0.85"),
        ("stricter", "gate latency_e2e_p95_ms 9000, not 10000"),
    ]


@pytest.mark.parametrize(
    ("overrides", "key"),
    [
        ({"accuracy_score.pass_at_least": 0}, "accuracy_score"),
        ({"latency_e2e_ms.pass_at_most": 80000}, "latency_e2e_ms"),
        ({"weights.accuracy": 0.10, "weights.token_efficiency": 0.45}, "weights"),
        ({"labels.passes": ["Pass", "Pass with notes", "Fail"]}, "labels"),
    ],
)
def test_what_else_decides_a_benchmark(overrides: dict[str, object], key: str) -> None:
    """What a sample passes by, what it weighs and how labels are read could let more through, and is told so."""
    found = policy_differences(load_benchmark(None, overrides))
    assert [(each.effect, each.text) for each in found] == [("weaker", f"{key}: other than what ships")]


def test_any_rubric_may_be_compared() -> None:
    """What nothing is known of is told as another difference."""
    [found] = policy_differences(load_verdict(None, {"relevance.fail_below": 0.05}))
    assert (found.effect, found.text) == ("other", "relevance: other than what ships")


def test_a_changed_scorecard_has_a_version_of_its_own(tmp_path: Path) -> None:
    """A file under the version that ships is refused; single values get a version that is made from their hash."""
    path = tmp_path / "mine.yaml"
    path.write_text("blockers: []\n")
    with pytest.raises(RubricError, match=r"mine.yaml: this is not the scorecard rubric that ships under version 2"):
        load_scorecard(path)
    with pytest.raises(RubricError, match="give it a version of its own"):
        load_scorecard(path, {"claims.minutes": 5})
    for shipped in ("2", "1"):  # the one that ships, and the one that shipped before it
        with pytest.raises(RubricError, match="give it a version of its own"):
            load_scorecard(None, {"blockers": [], "version": shipped})
    path.write_text("version: mine\nblockers: []\n")
    assert load_scorecard(path).version == "mine"
    one, other = (load_scorecard(path, {"claims.minutes": minutes}) for minutes in (5, 6))
    assert one.version.startswith("mine+set.")
    assert one.version != other.version
    assert load_scorecard(None, {"claims.minutes": 120}).version == "2"  # which is what ships
    path.write_text(yaml.safe_dump(SHIPPED))
    assert load_scorecard(path) == load_scorecard()
    path.write_text(yaml.safe_dump(content_of(one)))
    assert load_scorecard(path) == one
