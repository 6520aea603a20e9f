"""The journal of a run: what is written together stands together, and a resumed run knows what was under way."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from plumbrule.judges.judgement import JudgeIdentity, Judgement
from plumbrule.ledger import EntryError, Ledger, open_ledger
from plumbrule.runs.budget import Spending
from plumbrule.runs.candidate import Answered
from plumbrule.runs.execution import Failed, Finished, Task, result_of
from plumbrule.runs.journal import LedgerJournal, read_before
from plumbrule.samples import Passage, Sample

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
SPENT = Spending(calls=1, tokens=10, cost_usd=0.5)
JUDGE = JudgeIdentity(name="any", version="1", sha256="0" * 64)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """Return an empty ledger."""
    with open_ledger(f"sqlite:///{tmp_path}/ledger.db", at=AT) as opened:
        yield opened


def task(sample: str) -> Task:
    """Return one task."""
    return Task(repeat=0, sample=Sample(id=sample, question="q", contexts=(Passage(text="c", id="p"),)))


def answered(sample: str, answer: str = "a") -> Answered:
    """Return an answer."""
    return Answered(sample=Sample(id=sample, answer=answer, contexts=(Passage(text="c"),)), requests=1)


def finished(sample: str, rationale: str = "r") -> Finished:
    """Return a task that is done."""
    judgement = Judgement(accuracy_score=2, faithfulness_score=2, rationale=rationale, judge=JUDGE)
    said = answered(sample)
    return Finished(answered=said, judgement=judgement, result=result_of(said, judgement, refused=False), spent=SPENT)


def failed(sample: str) -> Failed:
    """Return a task that could not be done."""
    return Failed(task=task(sample), answered=answered(sample), judgement=None, spent=SPENT)


def journal_of(ledger: Ledger) -> LedgerJournal:
    """Return the journal of a run that calls candidate and judge."""
    return LedgerJournal(ledger, "run-1", lambda: AT, paid=True, live=True)


def test_what_was_under_way_is_known(ledger: Ledger) -> None:
    """Announced and neither answered, finished nor failed; a failure that was recorded is no loss."""

    async def events() -> None:
        journal = journal_of(ledger)
        for sample in ("lost", "failed", "done", "answered"):
            await journal.started(task(sample))
        await journal.failed(failed("failed"))
        await journal.answered(task("done"), answered("done"), SPENT)
        await journal.finished(finished("done"))
        await journal.answered(task("answered"), answered("answered", "kept"), SPENT)

    asyncio.run(events())
    before = read_before(ledger, "run-1", judge_is_called=True)
    assert before.finished == {(0, "done")}
    assert before.lost == ((0, "answered"), (0, "lost"))
    assert before.answers == {(0, "answered"): answered("answered", "kept")}
    assert before.spent == SPENT.times(4)
    # a judge that calls nobody has nothing under way that costs
    assert read_before(ledger, "run-1", judge_is_called=False).lost == ((0, "lost"),)


def test_a_loss_stays_one(ledger: Ledger) -> None:
    """Whatever comes of the task later, a call that was under way at a kill may have been paid for."""

    async def events() -> None:
        journal = journal_of(ledger)
        await journal.started(task("q"))
        await journal.started(task("q"))  # after a kill
        await journal.failed(failed("q"))

    asyncio.run(events())
    assert read_before(ledger, "run-1", judge_is_called=True).lost == ((0, "q"),)


def test_writes_that_wait_are_made_together(ledger: Ledger) -> None:
    """Many tasks at once are all kept, each before its call returns."""

    async def many() -> None:
        journal = journal_of(ledger)
        await asyncio.gather(*(journal.finished(finished(f"q{number}")) for number in range(200)))

    asyncio.run(many())
    assert len(read_before(ledger, "run-1", judge_is_called=True).finished) == 200
    assert ledger.verify().whole


def test_an_entry_that_cannot_be_stored_takes_no_other_with_it(ledger: Ledger) -> None:
    """Those that gathered with it are kept; only its own call raises."""

    async def three() -> list[object]:
        journal = journal_of(ledger)
        tasks = (finished("a"), finished("bad", "\ud800"), finished("c"))
        return await asyncio.gather(*map(journal.finished, tasks), return_exceptions=True)

    said = asyncio.run(three())
    assert [type(each) for each in said] == [type(None), EntryError, type(None)]
    assert read_before(ledger, "run-1", judge_is_called=True).finished == {(0, "a"), (0, "c")}
