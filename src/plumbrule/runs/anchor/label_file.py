"""Reads and writes people's labels of answers: JSON Lines or CSV, one answer a line, errors with their line.

A label has ``sample_id``, in a run with several repeats ``repeat``, and ``accuracy_score`` and ``faithfulness_score``
on the scales of the benchmark rubric, or only ``pass``. ``answer_sha256`` of a sheet says which answer it is about, so
that the sheet of one run cannot label the answers of another. Other columns are for the reader and are not read. A line
without any label is one that nobody filled in yet.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from plumbrule.codec import json_line, optional_key
from plumbrule.errors import InputError, UsageError
from plumbrule.files import sha256_of_file, written_whole
from plumbrule.hashing import sha256_of
from plumbrule.names import nearest
from plumbrule.rubrics import BenchmarkRubric
from plumbrule.rubrics.benchmark_rubric import Scale
from plumbrule.samples import Refusal, Sample
from plumbrule.samples.byte_streams import STANDARD_INPUT, Flaw, Rows, Source, format_of
from plumbrule.samples.formats.csv import read_csv
from plumbrule.samples.formats.jsonl import read_jsonl
from plumbrule.terminal import cell_text, text_of_cell

Key = tuple[int, str]  # of an answer: the repeat and the sample's id

_SCORES: tuple[Literal["accuracy_score", "faithfulness_score"], ...] = ("accuracy_score", "faithfulness_score")
_PASS = "pass"  # noqa: S105 - a column, no password
_LABELS = (*_SCORES, _PASS)
_ANSWER = "answer_sha256"
_COLUMNS = ("sample_id", "repeat", "question", "reference", "contexts", "answer", *_LABELS, "note", _ANSWER)
_TRUTHS = {
    **dict.fromkeys(("true", "yes", "1", "pass"), True),
    **dict.fromkeys(("false", "no", "0", "fail"), False),
}
_WHOLE = re.compile(r"\d{1,3}(\.0)?")
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What one person says of one answer; ``passes`` alone, or beside scores where it fails for another reason."""

    sample_id: str
    repeat: int = 0
    accuracy_score: int | None = None
    faithfulness_score: int | None = None
    passes: bool | None = None
    answer_sha256: str | None = optional_key()  # of the answer that the sheet showed, where it came from a sheet

    @property
    def key(self) -> Key:
        """The answer that it is about."""
        return self.repeat, self.sample_id

    def check_answer(self, sample: Sample, place: str) -> None:
        """Refuse a label that is about another answer than this one."""
        if self.answer_sha256 is not None and self.answer_sha256 != hash_answer(sample):
            raise InputError(
                f"{place}: the label of '{self.sample_id[:60]}' is about another answer than the run's: its sheet was "
                "written for another run; 'plumbrule label RUN -o FILE' writes one for this"
            )


def hash_answer(sample: Sample) -> str:
    """Return the hash of what a person labels: an answer to a question, with its contexts."""
    contexts = [passage.text for passage in sample.contexts]
    return sha256_of({"question": sample.question, "contexts": contexts, "answer": sample.answer or ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFile:
    """The labels of a file, with its name and the hash of its bytes."""

    name: str
    sha256: str
    labels: tuple[Label, ...]
    places: Mapping[Key, str]  # where each label stands, for messages
    empty: int  # lines that nobody filled in


def read_labels(path: Path | str, rubric: BenchmarkRubric, *, repeats: int = 1) -> LabelFile:
    """Read the labels of a file by the scales of a rubric; an answer stands once, and a file has a label at least."""
    name = str(path)
    if name == STANDARD_INPUT:
        raise UsageError("labels are read from a file, not from standard input: the ledger keeps the file's hash")
    labels: dict[Key, tuple[int, Label]] = {}
    seen: set[str] = set()
    empty = 0
    with Source(name, name) as source:
        for line, row in _rows(source, format_of(name)):
            place = f"{name}:{line}"
            record = _record(row, place)
            seen |= record.keys()
            label = _label(record, rubric, repeats=repeats, place=place)
            if label is None:
                empty += 1
            elif label.key in labels:
                raise InputError(
                    f"{place}: '{label.sample_id[:60]}' has a label on line {labels[label.key][0]} already: keep one "
                    "of them; another person's labels are a file of their own"
                )
            else:
                labels[label.key] = line, label
    if not labels:
        wrong = next((hint for column in sorted(seen) if (hint := nearest(column, _LABELS))), "")
        raise InputError(f"{name}: no line has {', '.join(_SCORES)} or {_PASS}{wrong}")
    digest = sha256_of_file(Path(name))
    return LabelFile(
        name=Path(name).name,
        sha256=digest,
        labels=tuple(label for _, label in labels.values()),
        places={key: f"{name}:{line}" for key, (line, _) in labels.items()},
        empty=empty,
    )


def write_sheet(path: Path, answers: Iterable[tuple[Key, Sample]]) -> None:
    """Write the answers that are to be labelled as a file to fill in; what the judge said is not in it."""
    check_sheet(path)
    rows = [_sheet_row(key, sample) for key, sample in answers]
    if path.suffix.lower() == ".jsonl":
        content = b"".join(json_line(row) for row in rows)
    else:
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _cell(name, row) for name in _COLUMNS} for row in rows)
        content = text.getvalue().encode()
    with written_whole(path) as file:
        file.write(content)


def check_sheet(path: Path) -> None:
    """Refuse a file that cannot be a sheet, or that somebody may have filled in."""
    if path.suffix.lower() not in {".csv", ".jsonl"}:
        raise UsageError(f"{path}: a sheet of labels is a .csv or a .jsonl file")
    if path.exists():
        raise UsageError(f"{path}: is there already, and may hold labels: name another file")


def _rows(source: Source, format_: str) -> Rows:
    if format_ == "jsonl":
        return read_jsonl(source.unpacked())
    if format_ in {"csv", "tsv"}:
        return read_csv(source.unpacked(), source.name, delimiter="\t" if format_ == "tsv" else ",")
    raise UsageError(f"{source.name}: labels are a .jsonl or a .csv file")


def _record(row: object, place: str) -> Mapping[str, object]:
    if isinstance(row, Flaw):
        raise InputError(f"{place}: {row.reason}")
    if not isinstance(row, dict):
        raise InputError(f"{place}: a label must be a JSON object with sample_id")
    return row


def _label(record: Mapping[str, object], rubric: BenchmarkRubric, *, repeats: int, place: str) -> Label | None:
    sample_id = _sample_id(record, place)
    repeat = _whole(record, "repeat", place)
    if repeat is None and repeats > 1:
        raise InputError(f"{place}: 'repeat' is missing: the run has {repeats} answers to '{sample_id[:60]}'")
    accuracy = _score(record, "accuracy_score", rubric.accuracy_score, place)
    faithfulness = _score(record, "faithfulness_score", rubric.faithfulness_score, place)
    passes = _truth(record, place)
    if accuracy is None and faithfulness is None and passes is None:
        return None
    low = [
        name
        for name, score, scale in (
            ("accuracy_score", accuracy, rubric.accuracy_score),
            ("faithfulness_score", faithfulness, rubric.faithfulness_score),
        )
        if score is not None and score < scale.pass_at_least
    ]
    if passes and low:
        raise InputError(f"{place}: '{_PASS}' is true, and {low[0]} {record[low[0]]} does not pass: mend one of them")
    return Label(
        sample_id=sample_id,
        repeat=repeat or 0,
        accuracy_score=accuracy,
        faithfulness_score=faithfulness,
        passes=passes,
        answer_sha256=_answer_hash(record, place),
    )


def _answer_hash(record: Mapping[str, object], place: str) -> str | None:
    value = record.get(_ANSWER)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if not isinstance(value, str) or not _SHA256.fullmatch(value.strip()):
        raise InputError(f"{place}: '{_ANSWER}' must be as the sheet had it, not {str(value)[:40]!r}")
    return value.strip()


def _sample_id(record: Mapping[str, object], place: str) -> str:
    value = record.get("sample_id", record.get("id"))
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value:
        raise InputError(f"{place}: 'sample_id' is missing")
    return text_of_cell(value)


def _score(record: Mapping[str, object], name: str, scale: Scale, place: str) -> int | None:
    score = _whole(record, name, place)
    if score is not None and not scale.lowest <= score <= scale.highest:
        raise InputError(f"{place}: '{name}' {score} is not on the scale of {scale.lowest} to {scale.highest}")
    return score


def _whole(record: Mapping[str, object], name: str, place: str) -> int | None:
    value = record.get(name)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, bool) or not _WHOLE.fullmatch(str(value).strip()):
        raise InputError(f"{place}: '{name}' must be a whole number of 0 or more, not {str(value)[:40]!r}")
    return int(float(str(value)))


def _truth(record: Mapping[str, object], place: str) -> bool | None:
    value = record.get(_PASS)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    word = str(value).strip().casefold()
    if word not in _TRUTHS:
        raise InputError(f"{place}: '{_PASS}' must be true or false, yes or no, 1 or 0, not {str(value)[:40]!r}")
    return _TRUTHS[word]


def _sheet_row(key: Key, sample: Sample) -> dict[str, object]:
    """Return a line of a sheet; it is a response as well, for a review campaign."""
    return {
        "sample_id": sample.id,
        "trace_id": sample.trace_id or sample.id,
        "repeat": key[0],
        "question": sample.question,
        "reference": sample.reference,
        "contexts": [passage.text for passage in sample.contexts],
        "answer": sample.answer,
        **({} if sample.refusal is None else {"refusal": sample.refusal}),
        **dict.fromkeys(_LABELS),
        "note": None,
        _ANSWER: hash_answer(sample),
    }


def _cell(name: str, row: Mapping[str, object]) -> object:
    """Return a cell of a spreadsheet: texts from outside are never formulas."""
    value = row[name]
    refusal = row.get("refusal")
    if name == "answer" and isinstance(refusal, Refusal):
        value = f"(refused: {refusal.code or refusal.reason or 'no reason'})"
    text = "\n\n".join(map(str, value)) if isinstance(value, list) else value
    return cell_text(text) if isinstance(text, str) else text
