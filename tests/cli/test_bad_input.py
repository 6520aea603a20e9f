"""Bad input: one clear line, the right exit code, and nothing left behind."""

import gzip
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import orjson
import pytest
import zstandard

from plumbrule import cli

Run = Callable[..., Any]
Write = Callable[..., Path]

GOOD = b'{"id":"1","question":"What?","answer":"A."}\n'
LATENCY = '{"id":"1","answer":"A.","latency_e2e_ms":%s}\n'


def parquet(**columns: Any) -> bytes:
    """Return a Parquet file with these columns."""
    import pyarrow as pa  # noqa: PLC0415 - only these cases need it
    import pyarrow.parquet as pq  # noqa: PLC0415 - the same

    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def overflowing() -> bytes:
    """Return a Parquet file with a time beyond the calendar."""
    import pyarrow as pa  # noqa: PLC0415 - only these cases need it

    return parquet(id=["1"], answer=["A."], at=pa.array([2**62], pa.timestamp("us")))


def assert_refused(done: Any, code: int, *said: str) -> None:
    """Check for exit code, one line on standard error with these words, and nothing on standard output."""
    assert done.code == code, done.err
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert done.err.endswith("\n")
    assert done.err.startswith("plumbrule: ")
    assert "Traceback" not in done.err
    assert "internal error" not in done.err
    for words in said:
        assert words in done.err


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.jsonl", b"", ["there are no records"]),
        ("a.jsonl", b"\n \n", ["there are no records"]),
        ("a.json", b"[]", ["there are no records"]),
        ("a.csv", b"", ["there are no records"]),
        ("a.csv", b"id,answer\n", ["there are no records"]),
        ("a.parquet", b"", ["there are no records"]),
        ("a.jsonl.gz", b"", ["there are no records"]),
        ("a.jsonl", GOOD + b'{"id":"2","question":"What?"}\n', [":2: ", "answer"]),
        ("a.csv", b"id,question\n1,What?\n", [":2: ", "answer"]),
        ("a.parquet", parquet(id=["1"], question=["What?"]), ["record 1", "answer"]),
        ("a.jsonl", GOOD + b'{"id":"2","answer":null}\n', [":2: ", "answer is null and there is no refusal"]),
        ("a.jsonl", GOOD + b'{"id":"2","answer":["A."]}\n', [":2: ", "answer must be text, not a list"]),
        ("a.jsonl", b'{"answer":"A.","contexts":[1]}\n', [":1: ", "contexts[0] must be text"]),
        ("a.jsonl", b'{"answer":"A.","input_tokens":"many"}\n', [":1: ", "input_tokens"]),
        ("a.jsonl", GOOD + b"not json\n", [":2: ", "not valid JSON"]),
        ("a.jsonl", GOOD + b'{"id":"2","answer":"A."', [":2: ", "not valid JSON"]),
        ("a.jsonl", b"[1, 2]\n", [":1: ", "must be a JSON object, not a list"]),
        ("a.jsonl", GOOD + b'{"id":"2","answer":"\xff"}\n', [":2: ", "not valid UTF-8"]),
        ("a.csv", b"id,answer\n1,\xff\n", [":2: ", "not valid UTF-8"]),
        ("a.jsonl", '{"answer":"A."}'.encode("utf-16")[:-1], ["not utf-16 text"]),
        ("a.jsonl.gz", gzip.compress(GOOD, mtime=0)[:-10], ["the file is cut off"]),
        ("a.jsonl.zst", zstandard.compress(GOOD)[:-6], ["the file is cut off"]),
        ("a.jsonl.gz", gzip.compress(GOOD, mtime=0)[:-8] + b"damaged!", ["damaged"]),
        ("a.jsonl", GOOD + GOOD, [":2: ", "duplicate id '1'", "line 1"]),
        ("a.csv", b"id,answer\n1,A.\n2,B.\n1,C.\n", [":4: ", "duplicate id '1'", "line 2"]),
        ("a.jsonl", GOOD + b'{"answer":"' + b"x" * 50_000_000 + b'"}\n', [":2: ", "longer than"]),
        ("a.jsonl", LATENCY % "NaN", [":1: ", "NaN"]),
        ("a.jsonl", LATENCY % "Infinity", [":1: ", "Infinity"]),
        ("a.jsonl", LATENCY % "-Infinity", [":1: ", "Infinity"]),
        ("a.jsonl", LATENCY % "1e999", [":1: ", "too large"]),
        ("a.json", f"[{LATENCY % 'NaN'}]", ["NaN"]),
        ("a.csv", "id,answer,latency_e2e_ms\n1,A.,NaN\n", [":2: ", "latency_e2e_ms is not a finite number"]),
        ("a.csv", "id,answer,latency_e2e_ms\n1,A.,-inf\n", [":2: ", "latency_e2e_ms is not a finite number"]),
        (
            "a.parquet",
            parquet(id=["1"], answer=["A."], latency_e2e_ms=[float("nan")]),
            ["record 1", "latency_e2e_ms is not a finite number"],
        ),
        (
            "a.parquet",
            parquet(id=["1"], answer=["A."], latency_e2e_ms=[float("-inf")]),
            ["record 1", "latency_e2e_ms is not a finite number"],
        ),
        ("a.parquet", b"PAR1 not really", ["Parquet"]),
        ("a.csv", b'id,answer\n1,"never closed\n', [":2: ", "quote"]),
        ("a.csv", b"id,answer\n1,A.,B.\n", [":2: ", "3 cells"]),
        ("a.json", b'{"answer": "A."', ["a.json"]),
        ("a.json", b'{"answer":"A.","metadata":{"a":"\\udfff"}}', ["half of a character"]),
        ("a.jsonl", b'{"answer":"\\ud800"}\n', [":1: ", "surrogate"]),
        ("a.parquet", overflowing(), ["Parquet", "after record 0"]),
        ("a.parquet", parquet(id=["1"], answer=["x" * 17_000_000]), ["record 1 is longer than 16 MB"]),
        ("a.csv", b'id,answer\n1,"' + b"a line\n" * 2_500_000 + b'"\n', ["starts on line 2 is longer than 16 MB"]),
        ("a.jsonl", GOOD + b'{"input_tokens":18446744073709551615,"answer":"A."}\n', [":2: ", "input_tokens"]),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("a.") else "",
)
def test_bad_data_is_one_line(
    run: Run, write: Write, tmp_path: Path, name: str, content: bytes | str, said: list[str]
) -> None:
    """Exit code 3; file and line are named; no output file and no part of one is left."""
    path = write(name, content)
    assert_refused(run("score", path, "-o", "out.jsonl"), 3, str(path), *said)
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["folder.jsonl", "folder"])
def test_a_folder_is_no_dataset(run: Run, tmp_path: Path, name: str) -> None:
    """Exit code 3, and it says that this is a directory."""
    (tmp_path / name).mkdir()
    assert_refused(run("score", name), 3, name, "directory")


def test_a_file_that_is_not_there(run: Run) -> None:
    """Exit code 3."""
    assert_refused(run("score", "missing.jsonl"), 3, "missing.jsonl: no such file")


def test_a_name_that_tells_no_format(run: Run, write: Write) -> None:
    """Exit code 2: the call has to say more."""
    assert_refused(run("score", write("answers.doc", b"x")), 2, "answers.doc", "format")


def test_a_column_that_is_not_there(run: Run, write: Write) -> None:
    """A dataset without any answer, or a mapping to a column that it lacks, names what to do."""
    path = write("a.csv", b"id,question,reply\n1,What?,A.\n")
    assert_refused(run("score", path), 3, str(path), "answer", "--map")
    assert_refused(run("score", path, "--map", "answer=replies"), 3, str(path), "answer", "--map")


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("relevanz.fail_below=0.1", "the rubric has no key 'relevanz.fail_below'"),
        ("relevance.fail_below=2", "must be between 0 and 1, not 2"),
        ("relevance.fail_below=-1", "must be between 0 and 1, not -1"),
        ("relevance.fail_below=.nan", "must be a finite number"),
        ("relevance.fail_below=low", "must be a number"),
        ("relevance.fail_below", "is not of the form key=value"),
        ("relevance.fail_below=[", "relevance.fail_below"),
        ("relevance=1", "override relevance: must be a mapping of keys to values"),
    ],
)
def test_a_setting_that_cannot_be(run: Run, dataset: Path, tmp_path: Path, setting: str, said: str) -> None:
    """Exit code 2; the key is named."""
    assert_refused(run("score", dataset, "--set", setting, "-o", "out.jsonl"), 2, said)
    assert list(tmp_path.iterdir()) == [dataset]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"relevanz: 1\n", "mine.yaml:1: relevanz: unknown key; did you mean 'relevance'?"),
        (b"relevance: {fail_below: 3}\n", "mine.yaml:1: relevance.fail_below: must be between 0 and 1, not 3"),
        (b"relevance: [\n", "mine.yaml:1: not YAML: "),
        (b"\xff", "not a text file in UTF-8"),
        (b"", "a rubric is a mapping"),
    ],
)
def test_a_rubric_that_is_none(run: Run, dataset: Path, write: Write, content: bytes, said: str) -> None:
    """Exit code 2; the file is named, and the key or line where there is one."""
    path = write("mine.yaml", content)
    assert_refused(run("score", dataset, "--rubric", path), 2, str(path), said)


@pytest.mark.parametrize(
    ("place", "said"), [("missing/out.jsonl", "No such file or directory"), ("folder.jsonl", "it is a directory")]
)
def test_an_output_that_cannot_be_written(run: Run, dataset: Path, tmp_path: Path, place: str, said: str) -> None:
    """Exit code 2; said before the work is done."""
    (tmp_path / "folder.jsonl").mkdir()
    assert_refused(run("score", dataset, "-o", place), 2, place, said)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [dataset.name, "folder.jsonl"]
    assert not list((tmp_path / "folder.jsonl").iterdir())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(run: Run, dataset: Path, tmp_path: Path) -> None:
    """Exit code 2; the reason is the system's."""
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    assert_refused(run("score", dataset, "-o", folder / "out.jsonl"), 2, "Permission denied")


def test_the_output_is_not_the_input(run: Run, dataset: Path, tmp_path: Path) -> None:
    """A dataset is never overwritten by its results, by whatever name it is called."""
    before = dataset.read_bytes()
    assert_refused(run("score", dataset, "-o", dataset), 2, "is the dataset itself")
    link = tmp_path / "link.jsonl"
    link.symlink_to(dataset)
    assert_refused(run("score", dataset, "-o", link), 2, "is the dataset itself")
    assert_refused(run("score", dataset, "-o", f"./{dataset.name}"), 2, "is the dataset itself")
    assert dataset.read_bytes() == before


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failure_midway_leaves_the_old_results(run: Run, write: Write, tmp_path: Path, workers: int) -> None:
    """An existing output file stays as it was when a record far down is bad."""
    good = [orjson.dumps({"id": str(number), "answer": "A."}) for number in range(400)]
    path = write("a.jsonl", b"\n".join([*good, b"broken"]))
    old = write("out.jsonl", b"old results\n")
    done = run("score", path, "--no-claims", "-o", old, "--workers", workers)
    assert_refused(done, 3, f"{path}:401: ")
    assert old.read_bytes() == b"old results\n"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.jsonl", "out.jsonl"]


def test_a_bad_line_after_good_ones_ends_json_with_the_same_line(run: Run, write: Write) -> None:
    """What was printed stays printed; the exit code tells that it is not all."""
    path = write("a.jsonl", GOOD * 1 + b"broken\n")
    done = run("score", path, "--json", "--no-claims")
    assert done.code == 3
    assert done.err.count("\n") == 1


def test_validate_lists_what_score_refuses(run: Run, write: Write) -> None:
    """Validation goes on after each bad record, names its line, and exits with 3."""
    path = write("a.jsonl", GOOD + b'broken\n{"id":"1","answer":"B."}\n{"answer":"\xff"}\n{"answer":5}\n')
    done = run("validate", path, "--json")
    assert done.code == 3
    assert [bad["line"] for bad in done.records[0]["bad"]] == [2, 3, 4, 5]


@pytest.mark.parametrize("option", [["-o", "{}.jsonl"], ["--rubric", "{}.yaml"], ["--verifier", "{}"]])
def test_a_name_that_is_too_long(run: Run, dataset: Path, option: list[str]) -> None:
    """Exit code 2, with the system's reason."""
    arguments = [part.format("x" * 300) for part in option]
    assert_refused(run("score", dataset, *arguments), 2, "File name too long")


def test_a_dataset_whose_name_is_too_long(run: Run) -> None:
    """Exit code 3 or 2, with the system's reason."""
    done = run("score", "x" * 300 + ".jsonl")
    assert_refused(done, done.code, "File name too long")
    assert done.code in {2, 3}


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such devices here")
@pytest.mark.parametrize("kind", ["jsonl", "json", "csv", "parquet"])
def test_a_device_is_no_dataset(run: Run, kind: str) -> None:
    """It may have no end."""
    assert_refused(run("score", "/dev/zero", "--format", kind), 3, "not a regular file")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
@pytest.mark.parametrize("option", [["--json"], []])
def test_a_full_disk_behind_standard_output(dataset: Path, option: list[str]) -> None:
    """Exit code 4 and one line: what was printed is not all."""
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "plumbrule", "score", str(dataset), "--no-claims", *option]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)
    assert "the output could not be written: No space left on device" in done.stderr


def test_a_file_without_an_end_of_line_is_given_up(run: Run, write: Write) -> None:
    """A packed file of a few kilobytes may hold one line of gigabytes: it is not read to its end."""
    bomb = zstandard.compress(b"x" * (300 << 20))
    assert len(bomb) < 100_000
    assert_refused(run("score", write("a.jsonl.zst", bomb), "--skip-bad"), 3, "no end")


def commands(group: click.Group, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command that comes to an end by itself."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)
        elif command is not None and name not in {"serve", "demo"}:
            yield (*path, name), command


def calls(path: tuple[str, ...], command: click.Command, value: str) -> Iterator[list[str]]:
    """Yield a call with the value for each parameter in turn, and something plain for those that must be given."""
    for given in command.params:
        if isinstance(given, click.Option) and given.is_flag:
            continue
        options, arguments = [], []
        for parameter in command.params:
            if parameter is given or parameter.required:
                choices = parameter.type.choices if isinstance(parameter.type, click.Choice) else ("answers.jsonl",)
                word = value if parameter is given else str(choices[0])
                if isinstance(parameter, click.Option):
                    options += [parameter.opts[-1], *[word] * parameter.nargs]
                else:
                    arguments.append(word)
        yield [*path, *options, "--", *arguments]


COMMANDS = [pytest.param(*found, id="-".join(found[0])) for found in commands(cli.cli)]


@pytest.mark.filterwarnings("ignore::getpass.GetPassWarning")  # there may be no terminal to ask for a password
@pytest.mark.parametrize(("path", "command"), COMMANDS)
def test_no_value_of_a_parameter_is_an_internal_error(
    run: Run, dataset: Path, path: tuple[str, ...], command: click.Command
) -> None:
    """A name that is too long, a folder and a device are refused or taken, by every command in its own words."""
    assert dataset.exists()
    for value in ("x" * 10_000, ".", "/dev/zero"):
        for call in calls(path, command, value):
            done = run(*call)
            assert "internal error" not in done.err, call
            assert "Traceback" not in done.err, call


@pytest.mark.parametrize(("path", "command"), COMMANDS)
def test_an_argument_that_is_no_text(run: Run, path: tuple[str, ...], command: click.Command) -> None:
    """Exit code 2, whatever the command and the parameter: bytes that are no UTF-8, half a character, a zero."""
    for value in ("\udcff", "a\ud800b", "a\0b"):
        for call in calls(path, command, value):
            assert_refused(run(*call), 2, "is not text in UTF-8")


def test_an_address_of_a_ledger_that_is_no_text(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 2, also where the environment gives it."""
    monkeypatch.setenv("PLUMBRULE_LEDGER", "sqlite:///\udcff.db")
    assert_refused(run("runs"), 2, "the ledger's address is not a URL")
