"""Labels in a file: one reader for JSON Lines and CSV, and errors that name the line."""

import hashlib
from pathlib import Path

import pytest

from plumbrule.errors import InputError, UsageError
from plumbrule.rubrics import load_benchmark
from plumbrule.runs.anchor.label_file import Label, read_labels, write_sheet
from plumbrule.samples import Passage, Refusal, Sample

RUBRIC = load_benchmark().rubric


def write(folder: Path, text: str, name: str = "labels.jsonl") -> Path:
    """Write a file of labels."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_json_lines_and_csv_say_the_same(tmp_path: Path) -> None:
    """Scores, a pass alone, another spelling of the id, and lines that nobody filled in."""
    lines = write(
        tmp_path,
        '{"sample_id": "q1", "accuracy_score": 2, "faithfulness_score": 1}\n'
        '{"id": "q2", "pass": true}\n{"sample_id": "q3", "pass": null, "note": "later"}\n',
    )
    table = write(
        tmp_path,
        "sample_id,question,accuracy_score,faithfulness_score,pass,note\nq1,Fee?,2,1.0,,\nq2,,,,Yes,\nq3,,,,,later\n",
        "labels.csv",
    )
    expected = (Label(sample_id="q1", accuracy_score=2, faithfulness_score=1), Label(sample_id="q2", passes=True))
    for path in (lines, table):
        read = read_labels(path, RUBRIC)
        assert (read.labels, read.empty, read.name) == (expected, 1, path.name)
        assert read.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert read_labels(table, RUBRIC).places[0, "q2"] == f"{table}:3"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"accuracy_score": 2}', "'sample_id' is missing"),
        ('{"sample_id": "q2", "accuracy_score": 3}', "'accuracy_score' 3 is not on the scale of 0 to 2"),
        ('{"sample_id": "q2", "faithfulness_score": 1.5}', "must be a whole number of 0 or more, not '1.5'"),
        ('{"sample_id": "q2", "accuracy_score": true}', "must be a whole number of 0 or more, not 'True'"),
        ('{"sample_id": "q2", "pass": "maybe"}', "'pass' must be true or false, yes or no, 1 or 0, not 'maybe'"),
        (
            '{"sample_id": "q2", "pass": true, "accuracy_score": 0}',
            "'pass' is true, and accuracy_score 0 does not pass",
        ),
        ('{"sample_id": "q1", "pass": false}', "'q1' has a label on line 1 already"),
        ("[1]", "a label must be a JSON object"),
        ('{"sample_id":', "not valid JSON"),
    ],
)
def test_an_error_names_the_line(tmp_path: Path, line: str, complaint: str) -> None:
    """One line with file, line number and what is wrong."""
    path = write(tmp_path, f'{{"sample_id": "q1", "pass": true}}\n{line}\n')
    with pytest.raises(InputError) as caught:
        read_labels(path, RUBRIC)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert complaint in str(caught.value)


def test_a_fail_beside_good_scores_is_kept(tmp_path: Path) -> None:
    """An answer may fail for a reason that no score has."""
    path = write(tmp_path, '{"sample_id": "q1", "accuracy_score": 2, "faithfulness_score": 2, "pass": false}\n')
    assert read_labels(path, RUBRIC).labels[0].passes is False


def test_a_run_with_repeats_needs_to_know_which_answer(tmp_path: Path) -> None:
    """A label is of one answer: sample and repeat."""
    with pytest.raises(InputError, match="'repeat' is missing: the run has 3 answers to 'q1'"):
        read_labels(write(tmp_path, '{"sample_id": "q1", "pass": true}\n'), RUBRIC, repeats=3)
    read = read_labels(write(tmp_path, '{"sample_id": "q1", "repeat": 2, "pass": true}\n'), RUBRIC, repeats=3)
    assert read.labels[0].key == (2, "q1")


def test_a_file_without_labels_is_refused(tmp_path: Path) -> None:
    """A column with a wrong name is not silently an empty label."""
    with pytest.raises(InputError, match=r"no line has .* did you mean 'accuracy_score'"):
        read_labels(write(tmp_path, '{"sample_id": "q1", "acuracy_score": 2}\n'), RUBRIC)
    with pytest.raises(UsageError, match=r"a \.jsonl or a .csv file"):
        read_labels(write(tmp_path, "[]", "labels.json"), RUBRIC)
    with pytest.raises(UsageError, match="not from standard input"):
        read_labels("-", RUBRIC)


@pytest.mark.parametrize("name", ["sheet.csv", "sheet.jsonl"])
def test_a_sheet_is_filled_in_and_read_back(tmp_path: Path, name: str) -> None:
    """It shows question, contexts and answer, never what the judge said, and no cell is a formula."""
    samples = [
        Sample(id="=q1", question="Fee?", answer="=HYPERLINK(1)", contexts=(Passage(text="It is $25."),)),
        Sample(id="q2", question="Rate?", refusal=Refusal(code="POLICY_BLOCKED")),
    ]
    path = tmp_path / name
    write_sheet(path, [((0, sample.id), sample) for sample in samples])
    text = path.read_text(encoding="utf-8")
    assert "It is $25." in text
    assert "POLICY_BLOCKED" in text
    if name.endswith("csv"):
        assert ",'=HYPERLINK(1)," in text
        path.write_text(text.replace(",,,,,", ",2,2,,,"), encoding="utf-8")
    else:
        path.write_text(text.replace('"pass":null', '"pass":true'), encoding="utf-8")
    assert [label.key for label in read_labels(path, RUBRIC).labels] == [(0, "=q1"), (0, "q2")]


def test_a_sheet_is_a_table_or_lines(tmp_path: Path) -> None:
    """What cannot be filled in is refused before anything is written."""
    with pytest.raises(UsageError, match=r"is a \.csv or a \.jsonl file"):
        write_sheet(tmp_path / "sheet.parquet", [])
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "sheet.csv").write_text("filled in")
    with pytest.raises(UsageError, match="may hold labels: name another file"):
        write_sheet(tmp_path / "sheet.csv", [])
