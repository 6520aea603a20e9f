"""The judged figures of a run as people have them: a judge that errs no longer misleads."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from plumbrule.rubrics import load_benchmark
from plumbrule.runs.anchor.anchor_results import JUDGED, AnchorSummary, JudgeAccuracy
from plumbrule.runs.anchor.anchored_figures import anchor_figures
from plumbrule.runs.anchor.label_file import Label
from plumbrule.runs.anchor.label_store import RunLabels
from plumbrule.runs.gates import settled_text
from plumbrule.runs.repeats import summarise
from plumbrule.runs.run_results import GateResult
from plumbrule.runs.sample_results import SampleResult, grade_all

RUBRIC = load_benchmark().rubric


def result(name: str, accuracy: int | None = 2, faithfulness: int | None = 2, **more: object) -> SampleResult:
    """Return a result that passes in everything that is measured."""
    given: dict[str, object] = {
        "accuracy_score": accuracy,
        "faithfulness_score": faithfulness,
        "latency_e2e_ms": 100.0,
        "input_tokens": 10,
        "output_tokens": 10,
    }
    return SampleResult(sample_id=name, **{**given, **more})  # type: ignore[arg-type]  # the fields by name


def anchored(results: Sequence[SampleResult], *labels: tuple[str, Label], drawn: Sequence[str] = ()) -> AnchorSummary:
    """Return the summary with labels by people; what is labelled was drawn."""
    given: dict[tuple[int, str], dict[str, Label]] = {}
    for person, label in labels:
        given.setdefault(label.key, {})[person] = label
    keys = [*given, *((0, name) for name in drawn)]
    return anchor_figures(grade_all(results, RUBRIC), RunLabels(drawn=tuple(keys), labels=given), RUBRIC)


def both(name: str, accuracy: int, faithfulness: int = 2, repeat: int = 0) -> tuple[str, Label]:
    """Return a label with both scores."""
    return "ada", Label(sample_id=name, repeat=repeat, accuracy_score=accuracy, faithfulness_score=faithfulness)


def simulated(random: Random, *, samples: int, labels: int, share: float, right: float) -> AnchorSummary:
    """Return a run whose answers pass with this share by people, and whose judge is right as often as that."""
    truths = {f"q{number:03}": random.random() < share for number in range(samples)}
    results = [result(name, 2 if truth == (random.random() < right) else 0) for name, truth in truths.items()]
    return anchored(results, *(both(name, 2 * truths[name]) for name in random.sample(sorted(truths), labels)))


def test_a_judge_that_errs_no_longer_misleads() -> None:
    """Sensitivity and specificity of 0.9: the judge shows 0.78 where people pass 0.85, and the labels cover 0.85."""
    random = Random(5)  # noqa: S311 - no secret
    covered = misled = 0
    for _ in range(60):
        summary = simulated(random, samples=300, labels=100, share=0.85, right=0.9)
        figure = summary.figures["pass_rate"]
        covered += figure.low <= 0.85 <= figure.high
        misled += figure.judge < 0.82
    assert covered >= 56
    assert misled >= 50


def test_every_judged_figure_has_an_estimate() -> None:
    """With both scores in every label; the judge's own figures stand beside, on the scales that they are shown on."""
    random = Random(1)  # noqa: S311 - no secret
    results = [result(f"q{number}", random.choice((0, 1, 2)), random.choice((0, 2))) for number in range(40)]
    summary = anchored(results, *(both(f"q{number}", 2, 2) for number in range(20)))
    assert list(summary.figures) == list(JUDGED)
    assert summary.unavailable == {}
    assert summary.figures["accuracy_mean"].value == pytest.approx(2)
    assert summary.figures["accuracy_mean"].high == 2
    assert summary.figures["accuracy_mean"].judge == pytest.approx(
        sum(each.accuracy_score or 0 for each in results) / 40
    )
    assert summary.figures["faithfulness_failure_rate"].value == pytest.approx(0)
    assert (summary.drawn, summary.labelled, summary.missing) == (20, 20, 0)


def test_labels_of_all_answers_are_their_mean() -> None:
    """A census needs no judge."""
    results = [result(f"q{number}", 0) for number in range(10)]
    summary = anchored(results, *(both(f"q{number}", 2 * (number < 8)) for number in range(10)))
    assert summary.figures["pass_rate"].value == 0.8
    assert (summary.figures["pass_rate"].judge, summary.figures["pass_rate"].tuning) == (0, 0)


def test_what_was_measured_stays_measured() -> None:
    """A person passes a slow answer, and it fails all the same."""
    results = [result(f"q{number}", latency_e2e_ms=9_000 if number < 5 else 100) for number in range(10)]
    summary = anchored(results, *(both(f"q{number}", 2) for number in range(10)))
    assert summary.figures["pass_rate"].value == 0.5
    assert summary.figures["accuracy_full_credit_rate"].value == 1


def test_pass_alone_anchors_the_pass_rate() -> None:
    """The other figures say which fields they need."""
    results = [result(f"q{number}") for number in range(10)]
    labels = [("ada", Label(sample_id=f"q{number}", passes=number > 0)) for number in range(4)]
    summary = anchored(results, *labels)
    assert list(summary.figures) == ["pass_rate"]
    assert summary.unavailable["accuracy_mean"] == "4 of 4 labels do not say accuracy_score"
    assert summary.unavailable["aggregate_score"] == "4 of 4 labels do not say accuracy_score and faithfulness_score"


def test_one_score_that_fails_is_a_fail() -> None:
    """A pass needs both scores, or the word; a fail needs one score."""
    results = [result(f"q{number}") for number in range(4)]
    failing = [("ada", Label(sample_id=f"q{number}", accuracy_score=0)) for number in range(4)]
    assert anchored(results, *failing).figures["pass_rate"].value == 0
    passing = [("ada", Label(sample_id=f"q{number}", accuracy_score=2)) for number in range(4)]
    [why] = {anchored(results, *passing).unavailable[name] for name in ("pass_rate",)}
    assert why == "4 of 4 labels do not say pass, or both scores"
    for_another_reason = [
        ("ada", Label(sample_id=f"q{n}", accuracy_score=2, faithfulness_score=2, passes=False)) for n in range(4)
    ]
    assert anchored(results, *for_another_reason).figures["pass_rate"].value == 0


def test_nothing_is_anchored_until_every_drawn_answer_has_a_label() -> None:
    """People label what is easy first: the part that is done is not random."""
    results = [result(f"q{number}") for number in range(10)]
    summary = anchored(results, both("q1", 2), both("q2", 2), drawn=["q3"])
    assert summary.figures == {}
    assert set(summary.unavailable.values()) == {"1 of 3 drawn answers have no label yet"}
    assert (summary.drawn, summary.labelled, summary.missing) == (3, 2, 1)


def test_an_answer_that_never_came_needs_no_label() -> None:
    """It fails, and is left out where nulls are."""
    broken = {"candidate_error": "timeout", "latency_e2e_ms": None}
    results = [*(result(f"q{number}") for number in range(9)), result("q9", None, None, **broken)]
    summary = anchored(results, *(both(f"q{number}", 2) for number in range(9)), drawn=["q9"])
    assert summary.unanswered == 1
    assert summary.figures["pass_rate"].value == 0.9
    failures = summary.figures["faithfulness_failure_rate"]
    assert (failures.value, failures.labels, failures.nulls_as_zero.value) == (0, 9, 0.1)


def test_a_label_of_an_answer_that_the_judge_could_not_score_counts() -> None:
    """Left out where nulls are; else the judge's word is the worst, and the person's stays what it is."""
    results = [result(f"q{number}", *((None, None) if number == 0 else (2, 2))) for number in range(10)]
    figure = anchored(results, *(both(f"q{number}", 2) for number in range(10))).figures["accuracy_mean"]
    assert (figure.value, figure.labels, figure.samples) == (2, 9, 9)
    assert (figure.nulls_as_zero.value, figure.nulls_as_zero.labels) == (2, 10)


def test_two_people_count_by_the_mean() -> None:
    """The figure is what a person of those who label would say; disagreements are counted."""
    results = [result(f"q{number}") for number in range(10)]
    labels = [both(f"q{number}", 2) for number in range(10)]
    other = [("ben", Label(sample_id=f"q{number}", accuracy_score=0, faithfulness_score=2)) for number in range(2)]
    summary = anchored(results, *labels, *other)
    assert summary.figures["pass_rate"].value == 0.9
    assert (summary.labelled_by_several, summary.disagreements, summary.people) == (2, 2, ("ada", "ben"))


def test_a_label_is_of_one_repeat() -> None:
    """A drawn sample counts by the answer that was labelled, the others by the mean over their repeats."""
    results = [result(f"q{number}", 2 if repeat else 0, repeat=repeat) for number in range(20) for repeat in range(2)]
    labels = [both(f"q{number}", 2 if number % 2 else 0, repeat=number % 2) for number in range(10)]
    figure = anchored(results, *labels).figures["pass_rate"]
    assert (figure.judge, figure.labels, figure.samples) == (0.5, 10, 20)
    assert figure.value == pytest.approx(0.5)


def test_clusters_widen_the_interval() -> None:
    """Labels of one document say less than labels of many."""
    names = [f"q{number:02}" for number in range(60)]
    results = [result(name, 2 if number // 10 % 3 else 0) for number, name in enumerate(names)]
    labels = RunLabels(
        drawn=tuple((0, name) for name in names[::2]),
        labels={(0, name): {"ada": both(name, 2 if int(name[1:]) // 10 % 2 else 0)[1]} for name in names[::2]},
    )
    graded = grade_all(results, RUBRIC)
    alone = anchor_figures(graded, labels, RUBRIC).figures["pass_rate"]
    documents = {name: f"document {int(name[1:]) // 10}" for name in names}
    clustered = anchor_figures(graded, labels, RUBRIC, documents).figures["pass_rate"]
    assert clustered.value == alone.value
    assert clustered.high - clustered.low > 1.5 * (alone.high - alone.low)
    one = anchor_figures(graded, labels, RUBRIC, dict.fromkeys(names, "one")).figures["pass_rate"]
    assert (one.low, one.high) == (0, 1)


def test_the_judge_is_measured() -> None:
    """Sensitivity and specificity of its passes, over the labelled answers."""
    results = [result(f"q{number}", 2 if number in {0, 1, 2, 4} else 0) for number in range(8)]
    judge = anchored(results, *(both(f"q{number}", 2 * (number < 4)) for number in range(8))).judge
    assert judge is not None
    assert (judge.passed_by_people, judge.failed_by_people) == (4, 4)
    assert (judge.sensitivity, judge.specificity) == (0.75, 0.75)


def test_too_few_labels_give_no_estimate() -> None:
    """One label has no spread."""
    summary = anchored([result(f"q{number}") for number in range(5)], both("q0", 2))
    assert summary.unavailable["pass_rate"].startswith("there are fewer than 2 labels")
    none = anchor_figures(grade_all([result("q0")], RUBRIC), RunLabels(), RUBRIC)
    assert none.unavailable["pass_rate"].startswith("no answers were drawn yet")
    assert none.judge is None


def gate_of(results: Sequence[SampleResult], summary: AnchorSummary) -> GateResult:
    """Return the gate on the pass rate, as people have it."""
    return next(gate for gate in summarise(results, RUBRIC).anchored(summary).gates() if gate.name == "pass_rate")


def test_labels_to_settle_are_counted_by_the_interval_that_decides() -> None:
    """With so many labels of the like, the anchored interval excludes the limit; with many fewer it does not."""
    results = [result(f"q{number:03}", 2 if number % 20 else 0) for number in range(400)]

    def labelled(count: int) -> AnchorSummary:
        return anchored(results, *(both(f"q{number:03}", 2 if number % 20 else 0) for number in range(count)))

    gate = gate_of(results, labelled(20))
    assert (gate.settled, gate.interval.labels, gate.interval.samples) == ("inconclusive", 20, 400)
    assert gate.labels_to_settle is not None
    assert 20 + gate.labels_to_settle <= 400
    assert gate_of(results, labelled(20 + 2 * gate.labels_to_settle)).settled == "holds"
    assert gate_of(results, labelled(20 + gate.labels_to_settle // 4)).settled == "inconclusive"


def test_where_every_answer_has_a_label_no_more_are_asked_for() -> None:
    """A label of each of twenty answers leaves the gate open: it takes more samples, not one more label."""
    results = [result(f"q{number}", 2 if number else 0) for number in range(20)]
    gate = gate_of(results, anchored(results, *(both(f"q{number}", 2 if number else 0) for number in range(20))))
    assert (gate.settled, gate.interval.labels, gate.labels_to_settle) == ("inconclusive", 20, None)
    assert settled_text(gate) == (
        "not settled: a label for every sample of this run would not settle it; it takes more samples"
    )


def test_the_judge_in_words() -> None:
    """Shares are percentages, so that 1 of 29 labels is not taken for all of them; what no label says is said."""
    judge = JudgeAccuracy(passed_by_people=29, failed_by_people=4, sensitivity=1.0, specificity=0.75)
    assert judge.in_words() == "the judge passes 100.0% of the 29 labels that pass, and fails 75.0% of the 4 that fail"
    none = replace(judge, failed_by_people=0, specificity=None)
    assert none.in_words() == "the judge passes 100.0% of the 29 labels that pass, and none fails"
    other = replace(judge, passed_by_people=0, sensitivity=None)
    assert other.in_words() == "no label passes, and the judge fails 75.0% of the 4 that fail"
