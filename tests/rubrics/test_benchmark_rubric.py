"""The form of the benchmark rubric: closed, typed, bounded, and the only home of its numbers."""

import dataclasses
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from pydantic import TypeAdapter, ValidationError

import plumbrule
from plumbrule.codec import to_json
from plumbrule.errors import RubricError
from plumbrule.rubrics import (
    RUBRICS,
    BenchmarkRubric,
    content_of,
    kept_rubric,
    load_benchmark,
    policy_differences,
    shipped_text,
)


def leaves(value: object, path: str = "") -> Iterator[str]:
    """Yield the dotted keys of all that is not a mapping."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    else:
        yield path


def fractions(*numbers: int) -> tuple[Fraction, ...]:
    """Return whole numbers as the rubric holds amounts."""
    return tuple(map(Fraction, numbers))


def test_the_rubric_that_ships() -> None:
    """Every number is that of the requirements (R20, R25-R29, R32, G18, G23), exactly."""
    loaded = load_benchmark()
    rubric = loaded.rubric
    assert loaded.stamp() == {"name": "benchmark", "version": "1", "sha256": loaded.sha256}
    for scale in (rubric.accuracy_score, rubric.faithfulness_score):
        assert (scale.lowest, scale.highest, scale.pass_at_least) == (0, 2, 1)
    assert (rubric.latency_e2e_ms.pass_at_most, rubric.latency_e2e_ms.full_score_up_to) == fractions(8000, 3000)
    assert (rubric.total_tokens.pass_at_most, rubric.total_tokens.full_score_up_to) == fractions(6000, 2000)
    weights = rubric.weights
    assert (weights.accuracy, weights.faithfulness) == (Fraction(45, 100), Fraction(30, 100))
    assert (weights.latency, weights.token_efficiency) == (Fraction(15, 100), Fraction(10, 100))
    gates = rubric.gates
    assert (gates.aggregate_score, gates.pass_rate) == (Fraction(80, 100), Fraction(85, 100))
    assert (gates.faithfulness_failure_rate, gates.latency_e2e_p95_ms) == (Fraction(5, 100), Fraction(10000))
    assert (rubric.repeats.live, rubric.repeats.recorded) == (3, 1)
    generation = rubric.generation
    assert (generation.temperature, generation.top_p, generation.max_tokens, generation.seed) == (0, 1, 1024, 42)
    assert (rubric.rationale.at_most_words, rubric.rationale.over_limit) == (80, "flag")


def test_it_ships_as_text() -> None:
    """The benchmark rubric is one of those that ship, comments and all."""
    assert "benchmark" in RUBRICS
    assert shipped_text("benchmark").startswith("# The benchmark rubric")


def test_the_file_states_every_key() -> None:
    """The shipped file is complete: no value hides in a default."""
    content = yaml.safe_load(shipped_text("benchmark"))
    # as shipped, these are not written: see the next tests
    names = ("anchor", "confidence", "contradicted_rate", "decide_on", "unsupported_rate")
    unsaid = ["components", *(f"gates.{name}" for name in names), *leaves(content.pop("labels"), "labels")]
    said = [*leaves(content), *(key for key in unsaid if key.startswith("labels."))]
    assert sorted(said) == sorted([*leaves(content_of(load_benchmark())), *unsaid])


def test_a_policy_that_is_not_changed_leaves_the_hash() -> None:
    """Rubrics of older versions have no policy; a run that was begun with one can be resumed and compared."""
    shipped = load_benchmark()
    assert shipped.sha256 == "95a49424300139a8c55119f216308fbe3daf6703cab5ba65529df8f2f559515e"
    assert (shipped.rubric.gates.decide_on, shipped.rubric.gates.confidence) == ("point", "fixed")
    bound = load_benchmark(None, {"gates.decide_on": "bound"})
    assert bound.sha256 != shipped.sha256
    assert content_of(bound)["gates"]["decide_on"] == "bound"
    assert kept_rubric("benchmark", content_of(bound)) == bound


def test_the_grounding_rubric_needs_no_reference_latency_or_tokens() -> None:
    """It grades faithfulness alone, gates three rates, and is told apart from the rubric with the four gates."""
    loaded = load_benchmark(Path("grounding"))
    assert (loaded.name, loaded.version) == ("benchmark", "grounding-1")
    assert loaded.rubric.components == ("faithfulness",)
    assert set(loaded.rubric.gates.limits) == {"faithfulness_failure_rate", "contradicted_rate", "unsupported_rate"}
    assert kept_rubric("benchmark", content_of(loaded)) == loaded
    weaker = [each.text for each in policy_differences(loaded) if each.effect == "weaker"]
    assert "gate latency_e2e_p95_ms is left out, 10000 in the rubric that ships" in weaker


def test_a_rubric_keeps_one_gate_and_weighs_only_what_it_grades() -> None:
    """A release without any limit, or by a component that is not graded, would be decided by nothing."""
    named = ("aggregate_score", "pass_rate", "faithfulness_failure_rate", "latency_e2e_p95_ms")
    with pytest.raises(RubricError, match=r"every gate is null: a release needs at least one limit"):
        load_benchmark(None, {f"gates.{name}": None for name in named})
    with pytest.raises(RubricError, match=r"weights\.accuracy must be 0, because components does not name accuracy"):
        load_benchmark(None, {"components": ["faithfulness"]})
    with pytest.raises(RubricError, match=r"components names one of them twice"):
        load_benchmark(None, {"components": ["faithfulness", "faithfulness"]})


def test_the_gates_on_evidence_are_off_and_leave_the_hash() -> None:
    """The specification's gates are those that ship; a limit adds one, and is kept with the rubric."""
    shipped = load_benchmark()
    assert (shipped.rubric.gates.contradicted_rate, shipped.rubric.gates.unsupported_rate) == (None, None)
    added = load_benchmark(None, {"gates.contradicted_rate": 0.02})
    assert added.rubric.gates.contradicted_rate == Fraction(1, 50)
    assert content_of(added)["gates"]["contradicted_rate"] == 0.02
    assert kept_rubric("benchmark", content_of(added)) == added
    assert [(each.effect, each.text) for each in policy_differences(added)] == [
        ("stricter", "gate contradicted_rate is added, at 0.02")
    ]
    with pytest.raises(RubricError, match=r"gates\.unsupported_rate: must be between 0 and 1"):
        load_benchmark(None, {"gates.unsupported_rate": 2})


def test_labels_of_a_campaign_that_are_not_changed_leave_the_hash() -> None:
    """What the file says of them is what a rubric of an older version means; another mapping is another rubric."""
    shipped, content = load_benchmark(), yaml.safe_load(shipped_text("benchmark"))["labels"]
    mapping = shipped.rubric.labels
    assert to_json(mapping) == {**content, "passes": list(content["passes"])}
    assert "labels" not in content_of(shipped)
    other = load_benchmark(None, {"labels.accuracy_score.dimension": "attribution_accuracy"})
    assert other.sha256 != shipped.sha256
    assert kept_rubric("benchmark", content_of(other)) == other
    with pytest.raises(RubricError, match="goes beyond the scale, whose highest is 2"):
        load_benchmark(None, {"labels.accuracy_score.scores": {"Strong": 3}})


@pytest.mark.parametrize("key", sorted(leaves(content_of(load_benchmark()))))
def test_no_key_may_be_missing(key: str) -> None:
    """A rubric without a value is no rubric."""
    content = content_of(load_benchmark())
    place = content
    *parents, last = key.split(".")
    for parent in parents:
        place = place[parent]
    del place[last]
    with pytest.raises(ValidationError):
        TypeAdapter(BenchmarkRubric).validate_python(content)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("gate: {}", "gate: unknown key"),
        ("gates: {pass_rat: 0.9}", "gates.pass_rat: unknown key"),
        ("gates: {pass_rate: 1.1}", "gates.pass_rate: must be between 0 and 1, not 1.1"),
        ("gates: {latency_e2e_p95_ms: 0}", "gates.latency_e2e_p95_ms: must be above 0 and at most 1000000000, not 0"),
        ("gates: {latency_e2e_p95_ms: .inf}", "gates.latency_e2e_p95_ms: must be a finite number, not inf"),
        ("gates: {latency_e2e_p95_ms: true}", "gates.latency_e2e_p95_ms: must be a number, not True"),
        ("latency_e2e_ms: {pass_at_most: '8000'}", "latency_e2e_ms.pass_at_most: must be a number, not '8000'"),
        ("total_tokens: {full_score_up_to: -1}", "total_tokens.full_score_up_to: must be above 0"),
        ("weights: {accuracy: 0.5}", "weights: must sum to 1, and sum to 1.05"),
        ("weights: {accuracy: -0.45}", "weights.accuracy: must be between 0 and 1"),
        ("accuracy_score: {lowest: 1}", "accuracy_score.lowest: "),
        ("accuracy_score: {highest: 0}", "accuracy_score.highest: "),
        ("accuracy_score: {pass_at_least: 3}", "accuracy_score: pass_at_least must be at most highest, 2"),
        ("accuracy_score: {pass_at_least: 0.5}", "accuracy_score.pass_at_least: "),
        ("repeats: {live: 0}", "repeats.live: "),
        ("generation: {temperature: 2.5}", "generation.temperature: "),
        ("generation: {temperature: .nan}", "generation.temperature: "),
        ("generation: {top_p: 0}", "generation.top_p: "),
        ("generation: {max_tokens: 1.5}", "generation.max_tokens: "),
        ("generation: {seed: -1}", "generation.seed: "),
        ("rationale: {at_most_words: 0}", "rationale.at_most_words: "),
        ("rationale: {over_limit: drop}", "rationale.over_limit: "),
        ("name: verdict", "name: "),
        ("version: 1", 'version: must be text; write it in quotes, as "1"'),
    ],
)
def test_a_mistake_is_named_on_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    """The message names the file, the line and the key."""
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(RubricError) as caught:
        load_benchmark(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:1: {complaint}")
    assert "\n" not in message


def test_weights_are_summed_as_written() -> None:
    """Ten tenths are 1: no binary fraction makes a good set of weights a bad one."""
    changes = {"accuracy": 0.7, "faithfulness": 0.1, "latency": 0.1, "token_efficiency": 0.1}
    weights = load_benchmark(None, {f"weights.{name}": weight for name, weight in changes.items()}).rubric.weights
    assert weights.accuracy == Fraction(7, 10)


def test_an_override_of_no_key_says_where_the_keys_are() -> None:
    """The hint names the rubric that was meant."""
    with pytest.raises(RubricError, match="'plumbrule rubric show benchmark' lists them"):
        load_benchmark(None, {"gates.nope": 1})


def test_content_loads_again(tmp_path: Path) -> None:
    """What is in force can be written to a file that means the same; another value is another hash."""
    changed = load_benchmark(None, {"generation.seed": None, "gates.pass_rate": 0.9})
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(content_of(changed)))
    assert load_benchmark(tmp_path / "mine.yaml") == changed
    assert changed.sha256 != load_benchmark().sha256


def test_a_rubric_cannot_be_changed() -> None:
    """What is in force stays in force: another policy is another rubric."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        load_benchmark().rubric.version = "2"  # type: ignore[misc]  # that is the point


@pytest.mark.parametrize("module", ["sample_results", "aggregates", "gates", "repeats", "differences", "comparison"])
def test_limits_and_weights_are_data(module: str) -> None:
    """No module that grades, sums or decides holds a number of the rubric as a literal."""
    text = (Path(plumbrule.__file__).parent / "runs" / f"{module}.py").read_text()
    code = text.replace("LEVEL = 0.95", "")  # the level of the intervals is no policy
    assert not re.findall(r"(?<![\w.])(?:0\.\d*[1-9]|[1-9]\d{3,})", code)
