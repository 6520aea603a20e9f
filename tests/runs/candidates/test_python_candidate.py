"""A Python callable as the candidate: how it is found, what it is given, and what becomes of what it does."""

import asyncio
import functools
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.clock import LONG_S, MovableTime, wait_until
from tests.runs.conftest import SAMPLE, answer_once, nothing_old_is_left

from plumbrule.errors import UsageError
from plumbrule.http.rate_limit import Pace
from plumbrule.runs.candidate import Answered, CandidateIdentity
from plumbrule.runs.candidates.function_calls import FunctionCalls, load_target
from plumbrule.runs.candidates.python_candidate import PythonCandidate
from plumbrule.samples import Passage, Refusal, Sample


def ask(
    function: Callable[..., Any], *, sample: Sample = SAMPLE, run: Callable[..., Answered] = asyncio.run, **options: Any
) -> Answered:
    """Let a function answer one sample."""
    candidate = PythonCandidate(FunctionCalls(function, target="my_app:reply"), timeout_s=LONG_S, **options)
    return answer_once(candidate, sample, run=run)


def test_a_text_is_the_answer() -> None:
    """One call, its time, and nothing old; tokens that nobody reports are unknown."""
    answered = ask(lambda question: f"Asked: {question}", model_id="mine@1")
    sample = answered.sample
    assert (sample.answer, sample.timed_out, sample.model_id) == ("Asked: What is the wire fee?", False, "mine@1")
    assert (answered.error, answered.final, answered.requests, answered.exchanges) == (None, True, 1, ())
    assert (sample.latency_e2e_ms or 0) > 0
    assert (sample.latency_model_ms, sample.input_tokens, sample.output_tokens) == (None, None, None)
    assert sample.contexts == SAMPLE.contexts
    assert nothing_old_is_left(sample)


def test_a_mapping_is_read_as_a_response() -> None:
    """A compliance assistant's response and the canonical fields are one."""
    said = {
        "response": "Twenty-five dollars.",
        "contexts": ["The fee is $25."],
        "metadata": {"processing_time_ms": 3.5},
        "input_tokens": 7,
        "output_tokens": 3,
        "model_id": "mine@2",
    }
    answered = ask(lambda question: said, accept_contexts=True)  # noqa: ARG005 - the name of the parameter is what counts
    sample = answered.sample
    assert (sample.answer, sample.contexts) == ("Twenty-five dollars.", (Passage(text="The fee is $25."),))
    assert (sample.latency_model_ms, sample.input_tokens, sample.output_tokens) == (3.5, 7, 3)
    assert (sample.model_id, answered.reported_model) == ("mine@2", "mine@2")
    refused = ask(lambda _: {"grounding_status": "REFUSED", "refusal": {"code": "POLICY_BLOCKED"}})
    assert (refused.sample.refusal, refused.error) == (Refusal(code="POLICY_BLOCKED"), None)


def named(question: str, contexts: list[str], sample: dict[str, Any]) -> str:
    """Take all there is, by name."""
    return f"{question} {contexts} {sorted(sample)} {sample['contexts'][0]['text']} {sample['tags']}"


def with_passages(query: str, role: str | None = None, passages: list[dict[str, Any]] | None = None) -> str:
    """Take the passages whole, and who asks."""
    return f"{query} {role} {[passage['text'] for passage in passages or []]}"


def only_contexts(contexts: list[str], *, limit: int = 1) -> str:
    """Take contexts, with an option of its own."""
    return str(contexts[:limit])


def other_name(text: str, contexts: list[str], k: int = 3) -> str:
    """Take the question under another name."""
    return f"{text} {len(contexts)} {k}"


def by_position(text: str, /) -> str:
    """Take the question by position only."""
    return text


def anything(*args: object, **options: object) -> str:
    """Take whatever comes, as a careless decorator does."""
    return f"{args} {options}"


@pytest.mark.parametrize(
    ("function", "answer"),
    [
        (
            named,
            (
                "What is the wire fee? ['The wire fee is $25.', 'Checks are free.'] "
                "['category', 'contexts', 'id', 'metadata', 'question', 'tags'] The wire fee is $25. ['easy']"
            ),
        ),
        (with_passages, "What is the wire fee? None ['The wire fee is $25.', 'Checks are free.']"),
        (only_contexts, "['The wire fee is $25.']"),
        (other_name, "What is the wire fee? 2 3"),
        (by_position, "What is the wire fee?"),
        (anything, "('What is the wire fee?',) {}"),
        (functools.partial(other_name, k=5), "What is the wire fee? 2 5"),
        (str, "What is the wire fee?"),
    ],
)
def test_a_function_gets_what_its_parameters_name(function: Callable[..., str], answer: str) -> None:
    """What is expected of the answer, and an answer of last year, are never among it."""
    assert ask(function).sample.answer == answer


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (lambda: "", "it has no parameter for the question"),
        (lambda question, temperature: "", "its parameter 'temperature'"),  # noqa: ARG005 - as above
        (lambda a, b: "", "its parameter 'b'"),  # noqa: ARG005 - as above
    ],
)
def test_a_function_that_cannot_be_called_is_told_before_the_run(function: Callable[..., str], problem: str) -> None:
    """The target and the parameter are named."""
    with pytest.raises(UsageError, match=f"'my_app:reply': .*{problem}.*a function may take question, contexts"):
        PythonCandidate(FunctionCalls(function, target="my_app:reply"), timeout_s=1.0)


own_ms: list[float] = []  # the times that ``later`` took by its own count


async def later(question: str) -> str:
    """Answer in the loop."""
    started = time.monotonic()
    await asyncio.sleep(0.001)
    own_ms.append((time.monotonic() - started) * 1000)
    return question


def hidden(text: str) -> Any:
    """Look plain, as behind a decorator."""
    return later(text)


class Assistant:
    """An object that is called."""

    async def __call__(self, question: str) -> str:
        """Answer in the loop."""
        return await later(question)


@pytest.mark.parametrize("function", [later, Assistant(), functools.partial(later), hidden])
def test_an_async_function_is_awaited(function: Callable[..., Any]) -> None:
    """Whether it is a function, an object, or hidden behind a plain function."""
    sample = ask(function).sample
    assert sample.answer == "What is the wire fee?"
    assert (sample.latency_e2e_ms or 0) >= round(own_ms[-1], 3)


class WordlessError(Exception):
    """An exception that cannot even be printed."""

    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (ValueError("no such\n  fee"), "ValueError: no such fee"),
        (KeyError(), "KeyError"),
        (StopIteration("end"), "StopIteration: end"),
        (SystemExit(3), "SystemExit: 3"),
        (WordlessError(), "WordlessError"),
    ],
)
def test_an_exception_is_a_failed_answer(error: BaseException, detail: str) -> None:
    """Type and message on one line, no traceback, final: the same call would fail the same way."""

    def fail(question: str) -> str:  # noqa: ARG001 - it fails whatever is asked
        raise error

    answered = ask(fail)
    assert (answered.error, answered.error_detail, answered.final, answered.requests) == ("failed", detail, True, 1)
    assert (answered.sample.answer, answered.sample.timed_out, answered.sample.latency_e2e_ms) == (None, None, None)
    assert nothing_old_is_left(answered.sample)


def test_an_async_exception_is_a_failed_answer() -> None:
    """Also where a function cancels itself: the run goes on."""

    async def fail(question: str) -> str:
        raise asyncio.CancelledError if question == "cancel" else LookupError("nothing")

    assert ask(fail).error_detail == "LookupError: nothing"
    gone = ask(fail, sample=Sample(id="1", question="cancel"))
    assert (gone.error, gone.final) == ("failed", True)


@pytest.mark.parametrize("said", [None, 12, ["text"], {}, {"answer": 1}, {1: "a"}, "half \ud800", object()])
def test_an_answer_that_cannot_be_read_is_malformed(said: object) -> None:
    """Final, with the reason."""
    answered = ask(lambda _: said)
    assert (answered.error, answered.final, answered.sample.answer) == ("malformed", True, None)
    assert answered.error_detail


def test_a_slow_function_is_timed_out_and_its_thread_left_behind() -> None:
    """G22: the elapsed time counts; the only place is free for the next call while the thread goes on."""
    held, moved = threading.Event(), MovableTime()

    def reply(question: str) -> str:
        if question == "slow":
            moved.move(LONG_S)
            held.wait(LONG_S)
        return "done"

    async def both(candidate: PythonCandidate) -> list[Answered]:
        questions = ("slow", "quick")
        return await asyncio.gather(*(candidate.answer(Sample(id=word, question=word), 0) for word in questions))

    slow, quick = moved.run(both(PythonCandidate(FunctionCalls(reply, target="a:b"), timeout_s=LONG_S, threads=1)))
    held.set()
    assert (slow.sample.timed_out, slow.sample.answer, slow.error, slow.final) == (True, None, None, True)
    assert (slow.sample.latency_e2e_ms or 0) >= LONG_S * 1000
    assert (quick.sample.timed_out, quick.sample.answer) == (False, "done")


def test_waiting_for_a_place_is_not_the_candidates_time() -> None:
    """Ten calls in one thread take ten times as long as one; each of them is in time."""
    moved = MovableTime()

    def reply(question: str) -> str:
        moved.move(LONG_S / 2)
        return question

    async def all_of_them(candidate: PythonCandidate) -> list[Answered]:
        return await asyncio.gather(*(candidate.answer(SAMPLE, 0) for _ in range(10)))

    done = moved.run(all_of_them(PythonCandidate(FunctionCalls(reply, target="a:b"), timeout_s=LONG_S, threads=1)))
    assert [answered.sample.timed_out for answered in done] == [False] * 10


def test_no_more_threads_than_asked_for() -> None:
    """Plain functions share the given number of places."""
    under_way, most, lock = 0, 0, threading.Lock()
    three = threading.Barrier(3)

    def reply(question: str) -> str:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        three.wait(LONG_S)
        time.sleep(0.02)  # a fourth would be seen
        with lock:
            under_way -= 1
        return question

    async def all_of_them(candidate: PythonCandidate) -> None:
        await asyncio.gather(*(candidate.answer(SAMPLE, 0) for _ in range(12)))

    asyncio.run(all_of_them(PythonCandidate(FunctionCalls(reply, target="a:b"), timeout_s=LONG_S, threads=3)))
    assert most == 3


def test_a_slow_async_function_is_cancelled() -> None:
    """And one that does not let itself be cancelled holds nobody up."""
    seen: list[str] = []
    moved = MovableTime()

    async def reply(question: str) -> str:
        try:
            moved.move(LONG_S)
            await asyncio.sleep(LONG_S)
        except asyncio.CancelledError:
            seen.append(question)
            await asyncio.sleep(0.05)
            raise ValueError("too late") from None
        return question

    answered = ask(reply, run=moved.run)
    assert (answered.sample.timed_out, answered.error, answered.final) == (True, None, True)
    wait_until(lambda: seen == ["What is the wire fee?"])


def test_a_function_that_swallows_its_cancellation_holds_up_no_exit(tmp_path: Path) -> None:
    """The process ends although the call goes on."""
    (tmp_path / "stubborn.py").write_text(
        "import asyncio\n"
        "async def reply(question):\n"
        "    while True:\n"
        "        try:\n            await asyncio.sleep(60)\n        except BaseException:\n            pass\n",
        encoding="utf-8",
    )
    (tmp_path / "data.jsonl").write_text('{"id": "q", "question": "q", "answer": "a", "reference": "a"}\n')
    (tmp_path / "run.yaml").write_text(
        "name: stubborn\ndataset: {path: data.jsonl, id: d}\ncandidate: {kind: python, target: 'stubborn:reply'}\n"
        "judge: {kind: rules}\nrepeats: 1\ntimeout_s: 0.2\n"
    )
    command: list[str | Path] = [Path(sys.executable).with_name("plumbrule"), "run", "run.yaml", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=LONG_S)
    assert json.loads(done.stdout)["aggregates"]["counts"]["timed_out"] == 1


def test_a_cancelled_run_cancels_the_call() -> None:
    """An interrupt does not wait for the answer."""
    begun, ended = threading.Event(), []

    async def reply(question: str) -> str:
        begun.set()
        try:
            await asyncio.sleep(LONG_S)
        finally:
            ended.append(question)
        return question

    async def interrupted() -> None:
        candidate = PythonCandidate(FunctionCalls(reply, target="my_app:reply"), timeout_s=LONG_S)
        running = asyncio.ensure_future(candidate.answer(SAMPLE, 0))
        await asyncio.to_thread(begun.wait)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await asyncio.to_thread(wait_until, lambda: ended == ["What is the wire fee?"])
        await candidate.aclose()

    asyncio.run(interrupted())


def test_the_pace_is_kept() -> None:
    """Each call waits for its turn, which is not its own time."""
    turns: list[int] = []
    moved = MovableTime()

    class Counting(Pace):
        """A pace that takes its time."""

        async def turn(self) -> None:
            """Wait longer than the function may take."""
            turns.append(len(turns))
            moved.move(2 * LONG_S)

    answered = ask(lambda _: "yes", pace=Counting(60), run=moved.run)
    assert (turns, answered.sample.answer, answered.sample.timed_out) == ([0], "yes", False)


def test_the_identity_is_what_the_user_knows() -> None:
    """A callable tells nothing of the model behind it."""
    known = {"model_id": "m", "model_version": "1", "prompt_template_id": "t", "prompt_template_sha256": "v7"}
    candidate = PythonCandidate(FunctionCalls(str, target="builtins:str"), timeout_s=1.0, **known)  # type: ignore[arg-type]  # texts
    assert candidate.identity == CandidateIdentity(kind="python", **known)


def test_a_target_is_found_beside_the_configuration(tmp_path: Path) -> None:
    """The folder is on the path when the module is imported, and when the function imports more."""
    (tmp_path / "pl_words.py").write_text("WORD = 'Yes.'\n", encoding="utf-8")
    source = "from pl_words import WORD\ndef reply(q):\n    import pl_later\n    return WORD + pl_later.WORD\n"
    (tmp_path / "pl_answers.py").write_text(source, encoding="utf-8")
    (tmp_path / "pl_later.py").write_text("WORD = ' And no.'\n", encoding="utf-8")
    function = load_target("pl_answers:reply", tmp_path)
    assert ask(function).sample.answer == "Yes. And no."
    load_target("pl_answers:reply", tmp_path)
    assert sys.path.count(str(tmp_path)) == 1


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("reply", "is not of the form module:function"),
        ("pl_nowhere:reply", "there is no module 'pl_nowhere' in .* or installed"),
        ("pl_nowhere.sub:reply", "there is no module 'pl_nowhere' in"),
        ("pl_bad:none", "module 'pl_bad' has no 'none'"),
        ("pl_bad:NUMBER", "'NUMBER' is int, which cannot be called"),
        ("pl_needs:reply", "importing 'pl_needs' failed: ModuleNotFoundError: No module named 'pl_missing'"),
        ("pl_raises:reply", "importing 'pl_raises' failed: RuntimeError: no database"),
        ("pl_exits:reply", "importing 'pl_exits' failed: SystemExit: 2"),
        ("pl_syntax:reply", "importing 'pl_syntax' failed: SyntaxError: "),
    ],
)
def test_a_target_that_is_not_there_is_named(tmp_path: Path, target: str, problem: str) -> None:
    """One line that says what is wrong with it."""
    sources = {
        "pl_bad": "NUMBER = 1",
        "pl_needs": "import pl_missing",
        "pl_raises": "raise RuntimeError('no database')",
        "pl_exits": "raise SystemExit(2)",
        "pl_syntax": "def reply(:",
    }
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    with pytest.raises(UsageError, match=f"^'{target}'.*{problem}"):
        load_target(target, tmp_path)
    sys.modules.pop("pl_bad", None)  # the next case has a folder of its own
