"""``plumbrule score``: verdicts for people and machines, and exit codes for pipelines."""

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
import zstandard
from inline_snapshot import snapshot

from plumbrule.rubrics import load_verdict
from plumbrule.support.support_model import load_model

Run = Callable[..., Any]
Write = Callable[..., Path]
Records = list[dict[str, Any]]


def verdicts(done: Any) -> dict[str, str]:
    """Return the verdict of each id."""
    return {record["id"]: record["verdict"] for record in done.records}


EXPECTED = {"wrong": "FAIL", "right": "PASS", "thin": "WARN", "refused": "PASS"}


def test_the_summary(run: Run, dataset: Path) -> None:
    """Counts per verdict with their interval, each score's mean and spread, the worst answers, the rubric."""
    done = run("score", dataset.name)
    assert (done.code, done.err) == (0, "")
    stamp = load_verdict().sha256[:12]
    assert done.out.replace(stamp, "<sha256>") == snapshot("""\

verdict  samples  share  95% interval              \n\
PASS           2    50%     7% to 93%  ████████████
WARN           1    25%     1% to 81%  ██████      \n\
FAIL           1    25%     1% to 81%  ██████      \n\

score          mean  scored  not scored  0 to 1      \n\
relevance      0.54       3           1  │  ▄   █   │
completeness   0.78       3           1  │   ▄     █│
hallucination  0.25       4           0  │█        ▃│

attempted 4 · scored 4 · errored 0 · refused 1 (declared 1, by wording 0) · numbers unsupported 1/3 \n\
· claims unsupported 1/3
support: supported 2 · doubtful 0 · unsupported 1 · not scored 1

 FAIL  wrong  hallucination 1.00 > 0.50  [high_risk] [contradicted]
  │ The wire fee is $30.

 WARN  thin  completeness 0.33 < 0.60
  │ The fee is $25.

look closer: plumbrule score answers.jsonl --explain wrong
rubric: verdict version 2, sha256 <sha256>
""")


def test_how_many_of_the_worst(run: Run, dataset: Path) -> None:
    """--worst says how many are shown, and the summary how many more there are; 0 shows none."""
    assert " WARN  thin " in run("score", dataset).out
    cut = run("score", dataset, "--worst", 1).out
    assert " WARN  thin " not in cut
    assert "and 1 more WARN; --worst N shows more, -o FILE writes all" in cut
    assert " more " not in run("score", dataset).out
    assert " FAIL  wrong " not in run("score", dataset, "--worst", 0).out


def test_json_is_one_result_a_line(run: Run, dataset: Path) -> None:
    """In the order of the dataset, and nothing else on standard output."""
    done = run("score", dataset, "--json")
    assert (done.code, done.err) == (0, "")
    assert verdicts(done) == EXPECTED
    assert list(verdicts(done)) == ["wrong", "right", "thin", "refused"]
    assert done.records[0]["rubric"] == load_verdict().stamp()


def test_the_output_file_is_what_json_prints(run: Run, dataset: Path, tmp_path: Path) -> None:
    """-o writes the same bytes; the terminal gets the summary and the file's name."""
    printed = run("score", dataset, "--json")
    done = run("score", dataset, "-o", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == printed.out
    assert f"results: {tmp_path}/out.jsonl" in done.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.jsonl", "out.jsonl"]


def test_output_and_json_print_the_summary_as_json(run: Run, dataset: Path, tmp_path: Path) -> None:
    """With both, the file has the results and standard output the counts."""
    [summary] = run("score", dataset, "-o", tmp_path / "out.jsonl", "--json").records
    assert summary["counts"] == {"attempted": 4, "scored": 4, "errored": 0, "refused": 1}
    assert summary["verdicts"] == {"PASS": 2, "WARN": 1, "FAIL": 1}
    assert summary["worst"] == ["wrong", "thin"]
    assert summary["rubric"] == load_verdict().stamp()


@pytest.mark.parametrize(
    ("ids", "codes"),
    [
        (["right", "refused"], {"never": 0, "fail": 0, "warn": 0}),
        (["right", "thin"], {"never": 0, "fail": 0, "warn": 1}),
        (["right", "wrong"], {"never": 0, "fail": 1, "warn": 1}),
    ],
)
def test_fail_on(run: Run, write: Write, records: Records, ids: list[str], codes: dict[str, int]) -> None:
    """1 where a verdict is that bad; by default never."""
    path = write("some.jsonl", [record for record in records if record["id"] in ids])
    assert {limit: run("score", path, "--fail-on", limit).code for limit in codes} == codes
    assert run("score", path).code == 0


@pytest.mark.parametrize(
    ("ids", "codes"),
    [
        (["right", "refused"], {"fail,contradicted,unsupported": 0}),
        (["right", "half"], {"fail": 0, "contradicted": 1, "fail,contradicted": 1, "fail, unsupported,fail": 1}),
    ],
)
def test_fail_on_what_the_evidence_is_against(
    run: Run, write: Write, records: Records, ids: list[str], codes: dict[str, int]
) -> None:
    """Several conditions go with commas between; a PASS that a context contradicts can fail a build."""
    half = {
        "id": "half",
        "question": "What fee does the firm charge for a domestic wire?",
        "answer": "The firm charges a fee of $35 for a domestic wire.",
        "contexts": ["The firm charges a fee of $25 for a domestic wire and $45 for an international wire."],
    }
    path = write("some.jsonl", [record for record in [*records, half] if record["id"] in ids])
    assert {limit: run("score", path, "--fail-on", limit).code for limit in codes} == codes
    if "half" in ids:
        done = run("score", path)
        assert "  PASS · contradicted " in done.out
        assert " PASS · contradicted · unsupported  half " in done.out
        assert run("score", path, "--explain", "half", "--fail-on", "contradicted").code == 1
        assert run("score", path, "--rubric", "recommended", "--fail-on", "fail").code == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--fail-on", "fail,bad"), "'bad' is not one of fail, warn, contradicted, unsupported; several go with"),
        (("--fail-on", "never,fail"), "'never' is not one of"),
        (("--fail-on", "unsupported", "--no-support"), "--fail-on unsupported goes by the support score"),
    ],
)
def test_a_condition_that_cannot_be_met_is_an_error(
    run: Run, dataset: Path, options: tuple[str, ...], message: str
) -> None:
    """An unknown word, or the support score where none is given: a build that could never fail helps nobody."""
    done = run("score", dataset, *options)
    assert done.code == 2
    assert message in done.err


def test_a_negative_decision_still_writes_the_results(run: Run, dataset: Path, tmp_path: Path) -> None:
    """Exit code 1 is a decision, not a failure."""
    assert run("score", dataset, "--fail-on", "fail", "-o", tmp_path / "out.jsonl").code == 1
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 4


def test_explain(run: Run, dataset: Path) -> None:
    """One answer: its scores, each anchor with the reason and the evidence, and the contexts."""
    done = run("score", dataset, "--explain", "wrong")
    assert (done.code, done.err) == (0, "")
    out = done.out.replace(load_verdict().sha256[:12], "<sha256>").replace(load_model().sha256[:12], "<model>")
    assert out == snapshot("""\

 FAIL  wrong  hallucination 1.00 > 0.50  [high_risk] [contradicted]
question  What is the wire fee?

╭─ answer ─────────────────────────────────────────────────────────────────────────────────────────╮
│ The wire fee is $30.                                                                             │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
relevance      0.69  cosine 0.71, Jaccard 0.67                                          \n\
completeness   1.00  2 keywords, missing: nothing                                       \n\
hallucination  1.00  2 of 2 anchors unsupported, n-gram overlap 0.67, drift penalty 0.00

   anchor  in the answer            why                         evidence               \n\
✗  claim   The wire fee → is → $30  the context says otherwise  context 0 at 16–19: $25
✗  number  $30                      the context says otherwise  context 0 at 16–19: $25

╭─ context 0 ──────────────────────────────────────────────────────────────────────────────────────╮
│ The wire fee is $25.                                                                             │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯

support  unsupported  all of it is supported with a probability of 0.09
unsupported  0.15  The wire fee is $30.                                           \n\
                   context 0 at 0–20: The wire fee is $25.                        \n\
                ✗  numbers not in the context: '$30' (where the passage has '$25')
support model: plumbrule-support version 10, sha256 <model>
rubric: verdict version 2, sha256 <sha256>
""")


def test_explain_a_refusal(run: Run, dataset: Path) -> None:
    """A refusal has no answer to mark; its code and judgement are shown."""
    out = run("score", dataset, "--explain", "refused").out
    assert "(refused: NO_DOCS)" in out
    assert "unjudged" in out


def test_explain_as_json(run: Run, dataset: Path) -> None:
    """The same line that --json prints for that sample."""
    every = run("score", dataset, "--json").out.splitlines(keepends=True)
    assert run("score", dataset, "--explain", "thin", "--json").out == every[2]


def test_explain_an_unknown_id(run: Run, dataset: Path) -> None:
    """One line that names the file and the id; exit code 2."""
    done = run("score", dataset, "--explain", "nobody")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"plumbrule: {dataset}: there is no sample 'nobody' among 4\n"


def test_map(run: Run, write: Write, records: Records) -> None:
    """--map takes a field from any column, also one inside another."""
    renamed = [
        {"key": r["id"], "q": {"text": r["question"]}, "bot": r["answer"], "docs": r["contexts"]} for r in records[:3]
    ]
    path = write("renamed.jsonl", renamed)
    mapping = ("--map", "id=key", "--map", "question=q.text", "--map", "answer=bot", "--map", "contexts=docs")
    assert verdicts(run("score", path, "--json", *mapping)) == {"wrong": "FAIL", "right": "PASS", "thin": "WARN"}


@pytest.mark.parametrize("mapping", ["answer", "=x", "answer=", "nofield=x"])
def test_a_mapping_that_is_none(run: Run, dataset: Path, mapping: str) -> None:
    """Not FIELD=COLUMN, or no such field: exit code 2, one line that names it."""
    done = run("score", dataset, "--map", mapping)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert mapping in done.err


def test_a_rubric_file(run: Run, dataset: Path, write: Write) -> None:
    """--rubric lays a file over the one that ships; every result says so."""
    path = write("mine.yaml", "version: mine\ncompleteness: {warn_below: 0.1}\n")
    done = run("score", dataset, "--rubric", path, "--json")
    assert verdicts(done) == {**EXPECTED, "thin": "PASS"}
    assert done.records[0]["rubric"] == load_verdict(path).stamp()


def test_one_value_of_the_rubric(run: Run, dataset: Path) -> None:
    """--set changes one value; the last one given counts."""
    done = run("score", dataset, "--set", "completeness.warn_below=0", "--set", "relevance.fail_below=1.0", "--json")
    assert {verdict for name, verdict in verdicts(done).items() if name != "refused"} == {"FAIL"}
    done = run("score", dataset, "--set", "relevance.fail_below=1", "--set", "relevance.fail_below=0.1", "--json")
    assert verdicts(done) == EXPECTED


def test_without_claims(run: Run, dataset: Path) -> None:
    """--no-claims checks numbers and dates only; the rubric's hash tells."""
    done = run("score", dataset, "--no-claims", "--json")
    kinds = {anchor["kind"] for record in done.records for anchor in record["hallucination"]["anchors"]}
    assert kinds == {"number"}
    assert done.records[0]["rubric"] == load_verdict(None, {"hallucination.anchors": ["number", "date"]}).stamp()


def test_without_claims_nothing_is_parsed(run_process: Run, dataset: Path) -> None:
    """--no-claims does not even look for the parser."""
    done = run_process("score", dataset, "--no-claims", "--json", PYTHONPROFILEIMPORTTIME="1")
    assert "plumbrule.verdicts.verdict" in done.err
    assert " spacy" not in done.err


def test_skip_bad(run: Run, write: Write, records: Records) -> None:
    """Bad records are counted, named and left out; the rest is scored."""
    path = write("some.jsonl", [records[0], {"id": "x", "answer": 5}, {"id": "wrong", "answer": "A."}, records[1]])
    assert run("score", path, "--json").code == 3
    done = run("score", path, "--skip-bad")
    assert done.code == 0
    assert "attempted 4 · scored 2 · errored 2" in done.out
    assert done.err.splitlines() == [
        f"skipped {path}:2: answer must be text, not a number",
        f"skipped {path}:3: duplicate id 'wrong', first on line 1",
        "2 bad of 4 records were skipped",
    ]


def test_skip_bad_names_the_first_few(run: Run, write: Write, records: Records, tmp_path: Path) -> None:
    """Many bad records do not flood the terminal; the counts are complete, in the file's summary too."""
    path = write("some.jsonl", [records[0], *[{"id": str(number), "answer": 5} for number in range(20)]])
    done = run("score", path, "--skip-bad", "--json", "-o", tmp_path / "out.jsonl")
    assert done.records[0]["counts"] == {"attempted": 21, "scored": 1, "errored": 20, "refused": 0}
    assert 3 <= len(done.err.splitlines()) <= 10
    assert "20 bad of 21 records were skipped; 'plumbrule validate" in done.err


def test_nothing_left_to_score(run: Run, write: Write, tmp_path: Path) -> None:
    """Where every record is bad there is nothing to sum up: exit code 3, and no file."""
    done = run("score", write("some.jsonl", [{"answer": 5}]), "--skip-bad", "-o", tmp_path / "out.jsonl")
    assert (done.code, done.out) == (3, "")
    assert not (tmp_path / "out.jsonl").exists()


def test_standard_input(run: Run, dataset: Path) -> None:
    """A dash reads JSONL from standard input; the source is named as such."""
    done = run("score", "-", "--json", stdin=dataset.read_bytes())
    assert verdicts(done) == EXPECTED
    done = run("score", "-", stdin=b"{}\n")
    assert done.err.startswith("plumbrule: standard input:1: ")


def test_the_hint_can_be_typed(run: Run, dataset: Path, write: Write, records: Records) -> None:
    """'look closer' is a command that works: quoted where needed, and left out for standard input."""
    assert "standard input --explain" not in run("score", "-", stdin=dataset.read_bytes()).out
    path = write("my answers.jsonl", [{**records[0], "id": "q 1"}])
    assert f"plumbrule score '{path}' --explain 'q 1'" in run("score", path).out.replace("\n", " ")


def as_csv(records: Records) -> bytes:
    """Return the records as CSV, contexts and refusals as JSON in their cells."""
    text = io.StringIO()
    writer = csv.DictWriter(text, ["id", "question", "answer", "contexts", "refusal"])
    writer.writeheader()
    for record in records:
        cells = {
            key: orjson.dumps(value).decode() if isinstance(value, (list, dict)) else value
            for key, value in record.items()
        }
        writer.writerow(cells)
    return text.getvalue().encode()


def as_parquet(records: Records) -> bytes:
    """Return the records as Parquet."""
    import pyarrow as pa  # noqa: PLC0415 - only this test needs it
    import pyarrow.parquet as pq  # noqa: PLC0415 - the same

    buffer = io.BytesIO()
    names = {name for record in records for name in record}
    pq.write_table(pa.table({name: [record.get(name) for record in records] for name in sorted(names)}), buffer)
    return buffer.getvalue()


def as_jsonl(records: Records) -> bytes:
    """Return the records as JSON Lines."""
    return b"".join(orjson.dumps(record) + b"\n" for record in records)


@pytest.mark.parametrize(
    ("name", "encode"),
    [
        ("a.json", orjson.dumps),
        ("a.ndjson", as_jsonl),
        ("a.jsonl.gz", lambda records: gzip.compress(as_jsonl(records))),
        ("a.jsonl.zst", lambda records: zstandard.compress(as_jsonl(records))),
        ("a.csv", as_csv),
        ("a.csv.gz", lambda records: gzip.compress(as_csv(records))),
        ("a.parquet", as_parquet),
    ],
)
def test_every_format_gives_the_same_results(
    run: Run, write: Write, records: Records, dataset: Path, name: str, encode: Callable[[Records], bytes]
) -> None:
    """JSON, JSON Lines, CSV and Parquet, packed or not: the same bytes come out."""
    path = write(name, encode(records))
    done = run("score", path, "--json")
    assert done.err == ""
    assert done.out == run("score", dataset, "--json").out


def test_the_format_can_be_named(run: Run, write: Write, records: Records, dataset: Path) -> None:
    """--format reads a file whose name does not tell."""
    path = write("answers.txt", as_csv(records))
    assert run("score", path, "--format", "csv", "--json").out == run("score", dataset, "--json").out


HOSTILE: dict[str, Any] = {
    "id": "\x1b[31mred\x07",
    "question": "\x1b]0;owned\x07 What is the fee?",
    "answer": "The \x1b[2J fee is $30.\rThe fee is \u202e52$. \x9b31m [bold]x[/bold]",
    "contexts": [{"id": "\x1b[5m", "text": "The \x1b[31m fee is $25. \x1b[0m"}],
}


@pytest.mark.parametrize("arguments", [(), ("--explain", HOSTILE["id"])], ids=["summary", "explain"])
def test_hostile_text_is_shown_not_obeyed(run: Run, write: Write, arguments: tuple[str, ...]) -> None:
    """No escape, bell, carriage return or turning mark of the data reaches the terminal; markup is text."""
    done = run("score", write("hostile.jsonl", [HOSTILE]), *arguments)
    assert done.code == 0
    assert not set(done.out + done.err) & set("\x1b\x07\r\u202e\x9b")
    assert "\\x1b[31mred\\x07" in done.out
    assert "[bold]x[/bold]" in done.out


def test_hostile_text_stays_escaped_in_json(run: Run, write: Write) -> None:
    """JSON escapes control characters: printing it to a terminal is safe too."""
    done = run("score", write("hostile.jsonl", [HOSTILE]), "--json")
    assert not set(done.out) & set("\x1b\x07\r")
    assert done.records[0]["id"] == HOSTILE["id"]


def test_unusual_samples_have_a_summary(run: Run, write: Write) -> None:
    """No question, no contexts, an empty answer, a text of punctuation: all are shown and explained."""
    given: Records = [
        {"id": "a", "answer": ""},
        {"id": "b", "answer": "..."},
        {"id": "c", "answer": "x" * 5000},
        {"id": "d", "question": "🙂", "answer": "日本 " * 100, "contexts": [""]},
    ]
    path = write("odd.jsonl", given)
    assert run("score", path).code == 0
    for record in given:
        assert run("score", path, "--explain", record["id"]).code == 0


def test_the_same_under_any_hash_seed(run_process: Run, dataset: Path) -> None:
    """The order of sets and dicts does not leak into the output."""
    one, two = (run_process("score", dataset, "--json", PYTHONHASHSEED=seed) for seed in ("1", "4242"))
    assert one.out
    assert one.out == two.out


def test_a_mapped_column_that_is_not_there(run: Run, dataset: Path) -> None:
    """A slip in --map is said, and nothing is scored as if it had no contexts."""
    done = run("score", dataset, "--map", "contexts=ctxx", "--no-claims")
    assert done.code == 3
    assert "no record has the 'ctxx' that is mapped to contexts" in done.err


def test_a_dataset_without_contexts_is_a_warning_first(run: Run, tmp_path: Path) -> None:
    """Where nothing could be checked, that is the first line, and no answer is listed as a bad one."""
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "a", "question": "What is the fee?", "answer": "The fee is $25."}\n')
    shown = run("score", path, "--no-claims")

    assert shown.out.lstrip().startswith("WARNING: not one of the 1 records has contexts")
    assert "look closer" not in shown.out
    assert "The fee is $25." not in shown.out
    assert run("score", path, "--no-claims", "--json").err.startswith("WARNING: not one of the 1 records has contexts")


def test_a_folder_gets_chunk_files(run: Run, dataset: Path, tmp_path: Path) -> None:
    """A name with a slash at its end is a folder; its files one after another are what one file would be."""
    whole = run("score", dataset.name, "-o", "whole.jsonl", "--json")
    parts = run("score", dataset.name, "-o", "parts/", "--chunk-size", "3", "--json")
    assert (parts.code, parts.out) == (whole.code, whole.out)
    chunks = sorted((tmp_path / "parts").glob("verdicts-*.jsonl"))
    assert len(chunks) == 2
    assert b"".join(chunk.read_bytes() for chunk in chunks) == (tmp_path / "whole.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "ray"], "--engine ray needs --address HOST:PORT and -o FOLDER/"),
        (["--engine", "ray", "--address", "auto"], "--engine ray needs --address HOST:PORT and -o FOLDER/"),
        (["--engine", "ray", "--address", "auto", "-o", "a.jsonl"], "chunk files go into a folder"),
        (["--engine", "ray", "--address", "auto", "-o", "a/", "--workers", "2"], "leave out --workers"),
        (["--address", "auto", "-o", "a/"], "add --engine ray"),
        (["-o", "a.jsonl", "--chunk-size", "3"], "--chunk-size is for the files of a folder"),
        (["-o", "s3://bucket/a.jsonl"], "chunk files go into a folder"),
    ],
)
def test_options_of_a_folder_that_do_not_go_together(run: Run, dataset: Path, options: list[str], message: str) -> None:
    """Each is told before anything is read."""
    done = run("score", dataset.name, *options)
    assert done.code == 2
    assert message in done.err
