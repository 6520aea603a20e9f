"""A function in a process of its own: whatever it does, the run goes on, and what it did is told."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.clock import LONG_S
from tests.runs.conftest import SAMPLE

from plumbrule.errors import UsageError
from plumbrule.runs.candidate import Answered
from plumbrule.runs.candidates.function_process import CandidateProcess
from plumbrule.runs.candidates.python_candidate import PythonCandidate
from plumbrule.samples import Sample

SOURCE = """
import asyncio, collections, datetime, os, re, sys, time, types
print("imported")
seen = collections.Counter()

def reply(question):
    seen[question] += 1
    if question == "exit":
        os._exit(0)
    if question == "hold":  # in C, with Python's lock: no thread of this process runs any more
        re.match(r"(a+)+$", "a" * 64 + "b")
    if question == "sleep":
        time.sleep(600)
    if question == "large":
        return "x" * 40_000_000
    if question == "odd":
        return {"answer": {1, 2}}
    if question == "typed":
        return types.MappingProxyType({"answer": "A", "metadata": {"at": datetime.date(2025, 1, 2), "n": (1,)}})
    if question == "raise":
        raise RuntimeError("no database")
    if question == "print":
        print("a word")
        os.write(1, b"and more")
    return f"{question}: {os.getpid()}"

async def later(question):
    await asyncio.sleep(600 if question == "sleep" else 0)
    return f"{question}: {os.getpid()}"
"""


@pytest.fixture
def answers(tmp_path: Path) -> Callable[..., list[Answered]]:
    """Return a function that lets a process answer questions, all at once."""
    (tmp_path / "pl_process.py").write_text(SOURCE, encoding="utf-8")

    def ask(*questions: str, timeout_s: float = LONG_S, function: str = "reply") -> list[Answered]:
        async def all_of_them() -> list[Answered]:
            process = CandidateProcess(f"pl_process:{function}", tmp_path)
            process.start()
            candidate = PythonCandidate(process, timeout_s=timeout_s)
            samples = [Sample(id=f"{number}", question=question) for number, question in enumerate(questions)]
            try:
                return await asyncio.gather(*(candidate.answer(sample, 0) for sample in samples))
            finally:
                await candidate.aclose()

        return asyncio.run(all_of_them())

    return ask


def process_of(answered: Answered) -> str:
    """Return the id of the process that answered."""
    return (answered.sample.answer or "").partition(": ")[2]


@pytest.mark.parametrize("function", ["reply", "later"])
def test_calls_share_one_process(answers: Callable[..., list[Answered]], function: str) -> None:
    """What a module loads is loaded once; plain and async functions answer, each with its own time."""
    done = answers("a", "b", "c", function=function)
    assert len({process_of(answered) for answered in done}) == 1
    assert [(answered.error, answered.requests, answered.flags) for answered in done] == [(None, 1, ())] * 3
    assert all((answered.sample.latency_e2e_ms or 0) > 0 for answered in done)


@pytest.mark.parametrize("question", ["sleep", "hold"])
def test_the_deadline_holds_whatever_the_function_does(answers: Callable[..., list[Answered]], question: str) -> None:
    """Also where no thread of its process runs any more."""
    [answered] = answers(question, timeout_s=0.3)
    assert (answered.sample.timed_out, answered.sample.answer, answered.error) == (True, None, None)
    assert (answered.sample.latency_e2e_ms or 0) >= 300
    [late] = answers("sleep", timeout_s=0.3, function="later")
    assert late.sample.timed_out


def test_who_was_beside_a_process_that_ends_is_asked_again(answers: Callable[..., list[Answered]]) -> None:
    """One call ends the process, and is told from the others by being made alone; they are answered."""
    done = answers("a", "exit", "b", "c")
    assert [answered.error for answered in done] == [None, "failed", None, None]
    assert done[1].error_detail == "its process ended (exit code 0)"
    assert (done[1].requests, done[1].flags) == (2, ("retried",))


def test_an_answer_is_bounded_and_is_data(answers: Callable[..., list[Answered]]) -> None:
    """Forty million characters are no answer; dates and tuples are read, a set is not; an exception is told."""
    large, odd, typed, raised = answers("large", "odd", "typed", "raise")
    assert (large.error, large.error_detail) == ("malformed", "an answer of more than 8,000,000 bytes")
    assert (odd.error, odd.error_detail) == ("malformed", "an answer that is not JSON: set is not JSON")
    assert (typed.sample.answer, typed.sample.metadata) == ("A", {"at": "2025-01-02", "n": [1]})
    assert (raised.error, raised.error_detail) == ("failed", "RuntimeError: no database")


def test_what_it_prints_goes_to_standard_error(
    answers: Callable[..., list[Answered]], capfd: pytest.CaptureFixture[str]
) -> None:
    """Standard output is for the result of the run alone."""
    [answered] = answers("print")
    assert answered.error is None
    out, err = capfd.readouterr()
    assert out == ""
    assert "imported" in err
    assert "and more" in err


def test_a_target_that_cannot_be_called_is_told_at_the_start(tmp_path: Path) -> None:
    """By its own message; a module that ends its process while it is imported, too."""
    (tmp_path / "pl_gone.py").write_text("import os\nos._exit(3)\n")
    (tmp_path / "pl_many.py").write_text("def reply(a, b):\n    return a\n")
    for target, problem in {
        "pl_gone:reply": r"ended while it was imported \(exit code 3\)",
        "pl_many:reply": "nothing is known to give for its parameter 'b'",
        "pl_none:reply": "there is no module 'pl_none'",
    }.items():
        with pytest.raises(UsageError, match=f"^'{target}': .*{problem}"):
            CandidateProcess(target, tmp_path).start()


def test_a_process_that_was_not_started_starts_with_the_first_call(tmp_path: Path) -> None:
    """So that to plan a run is not to run anybody's code."""
    (tmp_path / "pl_mark.py").write_text(
        "import pathlib\npathlib.Path(__file__).with_name('mark').touch()\ndef reply(question):\n    return question\n"
    )
    candidate = PythonCandidate(CandidateProcess("pl_mark:reply", tmp_path), timeout_s=LONG_S)
    assert not (tmp_path / "mark").exists()

    async def once() -> Answered:
        try:
            return await candidate.answer(SAMPLE, 0)
        finally:
            await candidate.aclose()

    assert asyncio.run(once()).sample.answer == SAMPLE.question
    assert (tmp_path / "mark").exists()
