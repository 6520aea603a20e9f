"""Verdicts on many answers as a Python caller holds them: a sequence with a summary, tables, a chart and a picture."""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import plumbrule
from plumbrule import InputError, Results, Sample, UsageError

NUMBERS = {"hallucination.anchors": ["number"]}  # no parser is needed
HOSTILE = '<script>alert("1")</script><img src=x onerror=alert(1)>'
ROWS: list[dict[str, object]] = [
    {"id": "right", "question": "What is the fee?", "answer": "The fee is $25.", "contexts": ["The fee is $25."]},
    {"id": "wrong", "question": "What is the fee?", "answer": "The fee is $30.", "contexts": ["The fee is $25."]},
    {"id": "short", "question": "What are the fee and the term?", "answer": "The fee is $25.", "contexts": ["$25 fee"]},
    {"id": "none", "question": "What is the fee?", "answer": "I cannot answer that.", "contexts": ["The fee is $25."]},
]
FRAME = pd.DataFrame(ROWS, index=[f"row {number}" for number in range(4)])


@pytest.fixture(scope="module")
def results() -> Results:
    """Return the verdicts on a DataFrame, by the rubric that ships."""
    return plumbrule.score_many(FRAME)


def test_results_are_a_sequence(results: Results) -> None:
    """They have a length, places, slices and as many passes as one likes; a verdict knows whether it passed."""
    assert (len(results), results[1].id, results[-1].id) == (4, "wrong", "none")
    assert [verdict.id for verdict in results] == [verdict.id for verdict in results[:]] == [row["id"] for row in ROWS]
    assert [verdict.passed for verdict in results] == [verdict.verdict == "PASS" for verdict in results]
    assert [verdict.id for verdict in results.failures] == ["wrong"]
    assert results.rows[1].sample.answer == "The fee is $30."


def test_the_summary_counts_what_is_behind_every_mean(results: Results) -> None:
    """Attempted, scored, errored and refused, and the rubric that decided."""
    summary = results.summary()
    counts = summary.counts
    assert (counts.attempted, counts.scored, counts.errored, counts.refused) == (4, 4, 0, 1)
    assert summary.rubric is not None
    assert summary.rubric.sha256 == results[0].rubric["sha256"]


def test_tables_have_a_row_for_each_answer(results: Results) -> None:
    """In pandas with the index of what was scored, so that both can be joined; a score that is not given is missing."""
    frame = results.to_pandas()
    assert list(frame.index) == list(FRAME.index)
    assert list(frame["verdict"]) == [verdict.verdict for verdict in results]
    assert frame.dtypes["relevance"] == "float64"
    assert frame["relevance"].isna().tolist() == [verdict.relevance is None for verdict in results]
    assert frame.loc["row 1", "unsupported"] == ["The fee is $30", "$30"]
    assert list(results.failures.to_pandas().index) == ["row 1"]
    assert list(FRAME.join(frame[["verdict", "passed"]]).loc["row 1", ["answer", "passed"]]) == [
        "The fee is $30.",
        False,
    ]
    table = results.to_polars()
    assert table.columns == list(frame.columns)
    assert table.schema["reasons"] == pl.List(pl.String())
    assert table["hallucination"].to_list() == frame["hallucination"].tolist()
    assert len(results[:0].to_pandas()) == len(results[:0].to_polars()) == 0


def test_a_chart_carries_counts(results: Results) -> None:
    """The verdicts, and the spread of each score; the bars add up to the answers that have it."""
    parts = json.loads(results.plot().to_json())["hconcat"]
    data = json.loads(results.plot().to_json())["datasets"]
    names = [part["title"] for part in parts]
    assert names == ["4 answers", "relevance", "completeness", "hallucination", "support"]
    sums = {part["title"]: sum(bar["answers"] for bar in data[part["data"]["name"]]) for part in parts}
    assert (sums["4 answers"], sums["hallucination"], sums["relevance"]) == (4, 4, 3)


def test_a_notebook_shows_the_evidence(results: Results) -> None:
    """The worst comes first, with the value that the passage contradicts and what the passage says."""
    page = results._repr_html_() or ""
    assert page.index("> wrong") < page.index("> right")
    assert 'value-contradicted" title=' in page
    assert "the passage says: " in page
    assert "evidence- rival" in page
    assert "attempted 4" in page
    assert results.rows[1]._repr_html_() == results[1:2]._repr_html_()


def test_hostile_texts_are_shown_as_text_and_cut() -> None:
    """Whatever the texts hold, no element of theirs is in the page, and the page stays small."""
    row: dict[str, object] = {"id": HOSTILE, "question": HOSTILE * 500, "answer": f"{HOSTILE} $30. " * 300}
    row["contexts"] = [f"{HOSTILE} $25. " * 2000] * 4
    page = plumbrule.score_many([row] * 12, overrides=NUMBERS)._repr_html_() or ""
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    assert len(page.encode()) < 500_000


def test_no_repr_shows_a_fraction(results: Results) -> None:
    """People read decimals: a verdict, its parts, a rubric, a decision."""
    scores = {dimension.key: 4 for dimension in plumbrule.load_scorecard().rubric.dimensions}
    shown = [results, results[1], results[1].hallucination, results[1].completeness, results.summary()]
    shown += [plumbrule.verdict_rules(), plumbrule.load_scorecard(), plumbrule.decide_scorecard(scores)]
    assert [each for each in shown if "Fraction(" in repr(each)] == []
    assert repr(results[1]).startswith("Verdict(id='wrong', verdict='FAIL', reasons=('hallucination 1.00 > 0.50',)")
    assert repr(results).startswith("Results(2 PASS, 1 WARN, 1 FAIL, attempted 4")


def test_a_file_and_a_list_give_the_same(tmp_path: Path) -> None:
    """``map`` names columns for each of them."""
    other = [{"id": row["id"], "said": row["answer"], "contexts": row["contexts"]} for row in ROWS]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in other))
    given: list[str | Path | plumbrule.DatasetFile | list[dict[str, object]]] = [
        other, path, str(path), plumbrule.DatasetFile(path)
    ]  # fmt: skip
    scored = [plumbrule.score_many(each, map={"answer": "said"}, overrides=NUMBERS) for each in given]
    assert len({json.dumps([verdict.to_dict() for verdict in each]) for each in scored}) == 1
    assert "no sample has question" in repr(scored[0])


def test_bad_records_may_be_skipped() -> None:
    """They are counted as errored, and the index of the others stays with them."""
    frame = FRAME.assign(answer=["The fee is $25.", None, "The fee is $25.", "The fee is $25."])
    with pytest.raises(InputError, match="record 2: answer is null"):
        plumbrule.score_many(frame, overrides=NUMBERS)
    scored = plumbrule.score_many(frame, overrides=NUMBERS, skip_bad=True)
    assert list(scored.to_pandas().index) == ["row 0", "row 2", "row 3"]
    assert (scored.summary().counts.errored, [error.line for error in scored.skipped]) == (1, [2])
    assert "1 bad record was skipped; the first: samples: record 2" in (scored._repr_html_() or "")
    with pytest.raises(InputError, match="not one of the 1 records could be read"):
        plumbrule.score_many(frame[1:2], overrides=NUMBERS, skip_bad=True)


def test_a_column_that_is_not_there_is_told() -> None:
    """A slip of the pen in ``map`` would make every answer look unsupported."""
    with pytest.raises(InputError, match="no record has the 'context' that is mapped to contexts"):
        plumbrule.score_many(FRAME, map={"contexts": "context"}, overrides=NUMBERS)


def test_contexts_that_no_sample_has_are_told() -> None:
    """A column that was not understood would make every answer look unsupported."""
    frame = FRAME.rename(columns={"contexts": "seen by it"})
    scored = plumbrule.score_many(frame, overrides=NUMBERS)
    assert "no sample has contexts: map=" in repr(scored)
    assert "no sample has contexts" in (scored._repr_html_() or "")


def stream() -> Iterator[Sample]:
    """Yield three samples."""
    return (Sample(id=str(number), answer="A.") for number in range(3))


def test_a_stream_is_scored_as_it_is_taken() -> None:
    """What was taken is not kept: the rest can be taken, and a summary of a part is refused."""
    begun = plumbrule.score_many(stream(), overrides=NUMBERS)
    assert next(begun).id == "0"
    with pytest.raises(UsageError, match="1 verdicts of this stream were taken already"):
        begun.summary()
    assert [verdict.id for verdict in list(begun)] == ["1", "2"]
    assert begun._repr_html_() is None
    whole = plumbrule.score_many(stream(), overrides=NUMBERS)
    assert (whole.summary().counts.scored, len(whole), next(whole).id) == (3, 3, "0")


def test_an_event_loop_goes_on_meanwhile() -> None:
    """``asyncio.to_thread`` is what a user of asyncio calls; several calls share the scorer."""

    async def main() -> tuple[list[Results], int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        calls = [asyncio.to_thread(plumbrule.score_many, ROWS, overrides=NUMBERS) for _ in range(3)]
        scored = await asyncio.gather(*calls)
        ticking.cancel()
        return scored, ticks

    scored, ticks = asyncio.run(main())
    assert ticks > 1
    assert len({json.dumps([verdict.to_dict() for verdict in each]) for each in scored}) == 1


@pytest.mark.parametrize("missing", ["altair", "pandas", "polars"])
def test_a_library_that_is_not_there_is_named(missing: str, results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what installs it."""
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, "plumbrule.reports.notebook.altair_charts", raising=False)
    call = {"altair": results.plot, "pandas": results.to_pandas, "polars": results.to_polars}[missing]
    with pytest.raises(plumbrule.PlumbruleError, match=r"pip install '?(plumbrule\[notebook\]|polars)"):
        call()
