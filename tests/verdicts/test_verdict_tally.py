"""A tally keeps counts beside every mean, in constant memory."""

from fractions import Fraction

import orjson
import pytest

import plumbrule
from plumbrule.codec import from_json, json_line, to_json
from plumbrule.samples import Sample
from plumbrule.verdicts.verdict import Verdict
from plumbrule.verdicts.verdict_json import VerdictJson
from plumbrule.verdicts.verdict_tally import FAIL_ON, ScoreTally, VerdictTally

CONTEXT = "The wire fee is $25."


def scored(name: str, answer: str | None, **fields: object) -> tuple[Sample, Verdict]:
    """Return a sample with its verdict."""
    verdict = plumbrule.score(id=name, question="What is the wire fee?", answer=answer, contexts=[CONTEXT], **fields)  # type: ignore[arg-type]  # further fields
    return Sample(id=name, answer=answer), verdict


@pytest.fixture(scope="module")
def rows() -> list[tuple[Sample, Verdict]]:
    """Return one sample of each outcome, and a refusal."""
    return [
        scored("good", CONTEXT),
        scored("bad", "The wire fee is $30."),
        scored("thin", "The fee is $25."),
        scored("worse", "Cats purr for $30 in 1999."),
        scored("refused", None, refusal={"code": "X"}),
    ]


def tally_of(rows: list[tuple[Sample, Verdict]], worst: int = 5) -> VerdictTally[Verdict]:
    """Return the tally of some rows."""
    tally: VerdictTally[Verdict] = VerdictTally(worst)
    for sample, verdict in rows:
        tally.add(sample, verdict)
    return tally


def test_counts_stand_beside_every_mean(rows: list[tuple[Sample, Verdict]]) -> None:
    """Attempted, scored, errored and refused; a refusal has no relevance and does not count in its mean."""
    record = to_json(tally_of(rows).summary(bad_records=2))
    assert record["counts"] == {"attempted": 7, "scored": 5, "errored": 2, "refused": 1}
    assert record["verdicts"] == {"PASS": 2, "WARN": 1, "FAIL": 2}
    assert record["pass_rate"] == 0.4
    assert record["scores"]["relevance"]["scored"] == 4
    assert record["scores"]["hallucination"]["scored"] == 5
    assert sum(record["scores"]["completeness"]["histogram"]) == 4


def test_the_worst_come_first(rows: list[tuple[Sample, Verdict]]) -> None:
    """Failures before warnings, more hallucination first; what passed with nothing against it is never among them."""
    assert [verdict.id for _, verdict in tally_of(rows).worst()] == ["worse", "bad", "thin"]
    assert [verdict.id for _, verdict in tally_of(rows, worst=1).worst()] == ["worse"]
    assert tally_of(rows, worst=0).worst() == []


def test_the_earlier_comes_first_among_equals(rows: list[tuple[Sample, Verdict]]) -> None:
    """Equal badness keeps the order of the dataset, also when there is no room for all."""
    same = [(Sample(id=str(number)), rows[1][1]) for number in range(4)]
    assert [sample.id for sample, _ in tally_of(same, worst=2).worst()] == ["0", "1"]


def test_anchors_and_flags_are_counted(rows: list[tuple[Sample, Verdict]]) -> None:
    """Totals and unsupported ones by kind; flags in alphabetical order."""
    record = to_json(tally_of(rows).summary())
    assert record["anchors"]["number"] == {"total": 4, "unsupported": 2}
    assert record["anchors"]["date"] == {"total": 1, "unsupported": 1}
    assert list(record["flags"]) == sorted(record["flags"])
    assert record["flags"]["refusal"] == 1


def test_parts_add_up_to_the_whole(rows: list[tuple[Sample, Verdict]]) -> None:
    """Tallies made apart, as by several processes, merge to the tally of all, the worst and each digit included."""
    whole: VerdictTally[Verdict] = VerdictTally(2)
    for part in (rows[:2], rows[2:3], [], rows[3:]):
        whole.merge(tally_of(part, worst=2))
    assert whole.summary() == tally_of(rows, worst=2).summary()


def test_parts_may_come_in_any_order(rows: list[tuple[Sample, Verdict]]) -> None:
    """With the number of samples before each part, the last may come first."""
    same = [(Sample(id=str(number)), rows[1][1]) for number in range(6)]
    whole: VerdictTally[Verdict] = VerdictTally(2)
    for start in (4, 0, 2):
        whole.merge(tally_of(same[start : start + 2], worst=2), before=start)
    assert [sample.id for sample, _ in whole.worst()] == ["0", "1"]


def test_a_mean_is_exact_however_the_scores_are_shared_out() -> None:
    """The sum of floats depends on their order; the tally's does not."""
    scores = [0.1, 1.0, 1e-17, 0.3, 0.7, 5e-324]
    whole, parts = ScoreTally(), [ScoreTally(), ScoreTally()]
    for number, score in enumerate(scores):
        whole.add(score)
        parts[number % 2].add(score)
    parts[1].merge(parts[0])
    assert parts[1] == whole
    assert whole.mean == float(sum(map(Fraction, scores)) / 6)


def test_verdicts_that_were_read_back_count_the_same(rows: list[tuple[Sample, Verdict]]) -> None:
    """A tally of what was written is the tally of what was given."""
    again = {sample.id: verdict for sample, verdict in rows}
    tally: VerdictTally[VerdictJson] = VerdictTally(2)
    for sample, verdict in rows:
        tally.add(sample, from_json(VerdictJson, orjson.loads(json_line(verdict.to_dict())), where="a line"))
    given = tally.rescored(lambda sample: again[sample.id])
    assert given.summary() == tally_of(rows, worst=2).summary()
    assert given.worst() == tally_of(rows, worst=2).worst()


def test_nothing_has_no_mean() -> None:
    """A zero denominator is null, never 0 or 100%."""
    record = to_json(VerdictTally().summary())
    assert record["pass_rate"] is None
    assert record["pass_rate_interval_95"] is None
    assert record["scores"]["relevance"]["mean"] is None


def test_a_score_falls_into_its_bin() -> None:
    """Ten bins from 0 to 1; 1 belongs to the last."""
    tally = ScoreTally()
    for score in (0.0, 0.05, 0.1, 0.5, 0.99, 1.0):
        tally.add(score)
    assert tally.histogram == [2, 1, 0, 0, 0, 1, 0, 0, 0, 2]
    assert tally.mean == pytest.approx(2.64 / 6)


def test_what_the_evidence_is_against_is_counted_by_verdict() -> None:
    """Contradicted and unsupported, each beside every verdict; merged tallies add up, and a build can fail on both."""
    against = scored("against", "The wire fee is $25. The wire fee is $30.")
    rows = [against, scored("good", CONTEXT), scored("bad", "The wire fee is $30.")]
    assert against[1].headline != against[1].verdict != "FAIL"
    tally = tally_of(rows[:1])
    tally.merge(tally_of(rows[1:]))
    summary = tally.summary()
    assert to_json(summary) == to_json(tally_of(rows).summary())
    assert sum(summary.against_evidence["contradicted"].values()) == summary.flags["contradicted"] == 2
    assert summary.against_evidence["contradicted"][against[1].verdict] == 1
    assert summary.passed_contradicted == summary.against_evidence["contradicted"]["PASS"]
    assert "against" in summary.worst
    assert [summary.fails_on([condition]) for condition in FAIL_ON] == [True, True, True, True]
    good = tally_of(rows[1:2]).summary()
    assert not good.fails_on(FAIL_ON)
    assert not tally_of(rows[:1]).summary().fails_on(["fail"])
    assert tally_of(rows[:1]).summary().fails_on(["fail", "contradicted"])
