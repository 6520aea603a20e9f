"""From Python: one answer, or many, by the same rules as the command line."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import plumbrule
from plumbrule import InputError, RecordError, RubricError, Sample, UsageError

CONTEXT = "The fee is $25."


def test_score_gives_a_verdict() -> None:
    """The docstring's own example."""
    verdict = plumbrule.score(question="What is the fee?", answer="The fee is $30.", contexts=[CONTEXT])
    assert isinstance(verdict, plumbrule.Verdict)
    assert (verdict.verdict, verdict["verdict"]) == ("FAIL", "FAIL")


@pytest.mark.parametrize(
    "contexts", [CONTEXT, [CONTEXT], (CONTEXT,), [{"text": CONTEXT}], [{"id": "p1", "text": CONTEXT}]]
)
def test_contexts_come_in_many_forms(contexts: object) -> None:
    """A string, a list of strings or a list of passages."""
    verdict = plumbrule.score(answer=CONTEXT, contexts=contexts)  # type: ignore[arg-type]  # each form in turn
    assert verdict.hallucination.score == 0.0


def test_an_id_may_be_given_or_is_made() -> None:
    """Without one, the id is made from the content: the same content has the same id."""
    assert plumbrule.score(id="q1", answer="A.").id == "q1"
    made = plumbrule.score(answer="A.").id
    assert made == plumbrule.score(answer="A.").id != plumbrule.score(answer="B.").id


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "answer is null and there is no refusal"),
        ({"answer": 3}, "answer must be text, not a number"),
        ({"answer": "A.", "contexts": 5}, "contexts must be a list, not a number"),
    ],
)
def test_bad_input_is_told(fields: dict[str, object], reason: str) -> None:
    """A wrong argument is a RecordError, which is an InputError."""
    with pytest.raises(RecordError) as caught:
        plumbrule.score(**fields)  # type: ignore[arg-type]  # wrong on purpose
    assert caught.value.reason == reason
    assert isinstance(caught.value, InputError)


def test_a_rubric_file_and_overrides(tmp_path: Path) -> None:
    """A file states only what it changes; overrides come after it; both are in the hash."""
    path = tmp_path / "mine.yaml"
    path.write_text("relevance: {fail_below: 0.9}\n")
    given = {"question": "What is the fee?", "answer": CONTEXT, "contexts": [CONTEXT]}
    strict = plumbrule.score(**given, rubric=path)  # type: ignore[arg-type]  # one dict of mixed values
    back = plumbrule.score(**given, rubric=str(path), overrides={"relevance.fail_below": 0.1})  # type: ignore[arg-type]  # the same
    assert (strict.verdict, back.verdict) == ("FAIL", "PASS")
    assert back.rubric == plumbrule.score(answer="A.").rubric != strict.rubric
    with pytest.raises(RubricError, match="relevanz"):
        plumbrule.score(answer="A.", overrides={"relevanz": 1})


def test_score_many_takes_samples_and_mappings() -> None:
    """Samples, mappings with canonical names and mappings with the names of other tools, in order."""
    samples: list[Sample | dict[str, object]] = [
        Sample(id="one", answer="A."),
        {"id": "two", "answer": "B."},
        {"id": "three", "user_input": "What?", "response": "C.", "retrieved_contexts": ["C."]},
    ]
    assert [verdict.id for verdict in plumbrule.score_many(samples)] == ["one", "two", "three"]


def test_score_many_names_the_bad_record() -> None:
    """The error tells which record it is."""
    with pytest.raises(RecordError, match="record 2: answer is null"):
        list(plumbrule.score_many([{"answer": "A."}, {"question": "Q?"}]))


def test_score_many_reads_no_further_than_it_must() -> None:
    """A stream without end gives verdicts as they are asked for."""

    def endless() -> Iterator[dict[str, object]]:
        number = 0
        while True:
            number += 1
            yield {"id": str(number), "answer": f"Fee {number}."}

    verdicts = plumbrule.score_many(endless(), overrides={"hallucination.anchors": ["number"]})
    assert [next(verdicts).id for _ in range(200)] == [str(number) for number in range(1, 201)]


def test_one_sample_scores_the_same_alone_and_among_many() -> None:
    """G5: nothing is learnt from the other samples."""
    records = [
        {"id": str(n), "question": "What is the fee?", "answer": f"It is ${n}.", "contexts": CONTEXT} for n in range(40)
    ]
    many = [verdict.to_dict() for verdict in plumbrule.score_many(records)]
    assert many[25] == plumbrule.score(**records[25]).to_dict()  # type: ignore[arg-type]  # one dict of mixed values


def test_threads_may_share_the_scorer() -> None:
    """A web server's threads get what one thread gets."""
    records = [
        {
            "question": "What is the fee?",
            "answer": f"The fee is ${number}. Clerk{number} approved it.",
            "contexts": ["x"],
        }
        for number in range(80)
    ]
    alone = [plumbrule.score(**record).to_dict() for record in records]  # type: ignore[arg-type]  # as read from JSON
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda record: plumbrule.score(**record).to_dict(), records))
    assert together == alone


def test_other_tools_names_are_taken_and_unknown_ones_refused() -> None:
    """An alias is read as in a file; a slip of the pen is said, not swallowed."""
    verdict = plumbrule.score(
        user_input="What is the fee?", response="The fee is $25.", retrieved_contexts=["The fee is $25."]
    )
    assert verdict.verdict == "PASS"
    with pytest.raises(UsageError, match="no field 'expectd'"):
        plumbrule.score(answer="x", expectd={"refuse": True})
