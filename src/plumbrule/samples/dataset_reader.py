"""The one entry for samples from outside: a dataset file, or records from Python."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from plumbrule.errors import InputError, RecordError, UsageError
from plumbrule.samples.aliases import Mapped, Mapper
from plumbrule.samples.byte_streams import (
    NOT_STREAMED,
    STANDARD_INPUT,
    Flaw,
    Rows,
    Source,
    check_encoding,
    format_of,
)
from plumbrule.samples.formats.arrow import read_arrow
from plumbrule.samples.formats.csv import delimiter_of, read_csv, sniff_delimiter
from plumbrule.samples.formats.json import read_json, sniff_lines
from plumbrule.samples.formats.jsonl import read_jsonl
from plumbrule.samples.formats.parquet import read_parquet
from plumbrule.samples.formats.traces import join_traces
from plumbrule.samples.formats.xlsx import read_xlsx
from plumbrule.samples.id_index import Seen
from plumbrule.samples.python_values import plain_value
from plumbrule.samples.sample_fields import MADE_ID, sample_of
from plumbrule.samples.sample_model import Sample
from plumbrule.samples.value_types import Misfit, described, key_of

OTHER_KEYS = "(other keys)"
REPEATED = "repeats another record; its id has a number behind it"

# Formats whose cells hold text where JSON would hold lists, objects and numbers.
_FLAT = frozenset({"arrow", "csv", "tsv", "parquet", "xlsx"})
_TABLES = frozenset({"csv", "tsv"})
_BY_LINE = frozenset({"jsonl", "csv", "tsv"})
_NAMES = {"arrow": "Arrow", "parquet": "Parquet", "xlsx": "XLSX"}
_MAX_NAMES = 1000


@dataclass(frozen=True, slots=True)
class DatasetFile:
    """A dataset on disk, or standard input as ``-``, and how it is read."""

    path: str | os.PathLike[str]
    mapping: Mapping[str, str] = field(default_factory=dict)
    format: str | None = None
    delimiter: str | None = None  # of CSV; None is for the one that its header shows
    encoding: str | None = None  # None is for UTF-8, or UTF-16 where the file says so

    @property
    def source(self) -> str:
        """The name of the dataset, for messages."""
        return source_name(self.path)

    def open(self, *, on_bad: Callable[[RecordError], None] | None = None, answered: bool = True) -> "Reading":
        """Return one pass over the dataset; where it need not be ``answered``, a question alone is a sample."""
        return Reading(
            self.path,
            mapping=self.mapping,
            format=self.format,
            delimiter=self.delimiter,
            encoding=self.encoding,
            on_bad=on_bad,
            answered=answered,
        )


def source_name(path: str | os.PathLike[str]) -> str:
    """Return how messages call a dataset."""
    name = os.fspath(path)
    return "standard input" if name == STANDARD_INPUT else name


class Reading:
    """One pass over a dataset: iterate over it for the samples; the counts grow as it goes.

    Without ``on_bad`` the first bad record is raised; with it, each is handed over and reading goes on. ``beside`` is
    shown each sample with its record as it came, and may refuse it with a Misfit. Where samples need not be
    ``answered``, a question alone is one.
    """

    def __init__(
        self,
        source: str | os.PathLike[str],
        *,
        mapping: Mapping[str, str] | None = None,
        format: str | None = None,  # noqa: A002 -- the word of the command line
        delimiter: str | None = None,
        encoding: str | None = None,
        on_bad: Callable[[RecordError], None] | None = None,
        beside: Callable[[Sample, Mapping[str, object]], None] | None = None,
        answered: bool = True,
    ) -> None:
        self._path = os.fspath(source)
        self.source = source_name(self._path)
        self.format = format_of(self._path, format)
        if self.format in NOT_STREAMED and self._path == STANDARD_INPUT:
            raise UsageError(f"{_NAMES[self.format]} cannot be read from standard input; name the file")
        self._delimiter, self._encoding = self._checked(delimiter, encoding)
        self.read = 0
        self.bad = 0
        self.with_contexts = 0  # samples that have a passage
        self.fields: dict[str, dict[str, int]] = {}
        self.ignored: dict[str, int] = {}
        self.notes: dict[str, int] = {}
        self._flat = self.format in _FLAT
        self._mapping = dict(mapping or {})
        self._mapper = Mapper(mapping, flat=self._flat)
        self._on_bad = on_bad
        self._beside = beside
        self._answered = answered
        self._seen = Seen()
        self._repeats: dict[str, int] = {}
        self._opened: Source | None = None
        self._begun = False

    def __iter__(self) -> Iterator[Sample]:
        if self._begun:
            raise RuntimeError("a Reading can be iterated over once; make another to read again")
        self._begun = True
        return self._samples()

    def position(self) -> tuple[int, int | None]:
        """Return the bytes of the file consumed so far, as they lie on disk, and its size where known."""
        return (0, None) if self._opened is None else (self._opened.consumed, self._opened.size)

    def _samples(self) -> Iterator[Sample]:
        with Source(self._path, self.source, encoding=self._encoding) as opened:
            self._opened = opened
            for place, record in join_traces(self._rows(opened), self.source, flat=self._flat):
                try:
                    mapped, sample = self._understand(record)
                    sample = self._told_apart(mapped, sample, place)
                    if self._beside is not None and isinstance(record, dict):
                        self._beside(sample, record)
                except Misfit as misfit:
                    self._complain(str(misfit), place)
                    continue
                self._tally(mapped)
                self.read += 1
                self.with_contexts += bool(sample.contexts)
                yield sample
        if not self.read and not self.bad:
            raise InputError(f"{self.source}: there are no records in it")
        for name, path in self._mapping.items():
            if self.read and path not in self.fields.get(name, {}):
                raise InputError(f"{self.source}: no record has the '{path}' that is mapped to {name}")

    def _rows(self, opened: Source) -> Rows:
        if self.format == "parquet":
            return read_parquet(opened.handle, opened.name, opened.mark_share)
        if self.format == "arrow":
            return read_arrow(opened.handle, opened.name, opened.mark_share)
        if self.format == "xlsx":
            return read_xlsx(opened.handle, opened.name, opened.mark_share)
        stream = opened.unpacked()
        if self.format == "json":
            stream, lines = sniff_lines(stream)
            if not lines:
                return read_json(stream, opened.name)
            self.format = "jsonl"
        if self.format == "jsonl":
            return read_jsonl(stream)
        delimiter = self._delimiter or ("\t" if self.format == "tsv" else None)
        if delimiter is None:
            stream, delimiter = sniff_delimiter(stream)
        return read_csv(stream, opened.name, delimiter=delimiter)

    def _checked(self, delimiter: str | None, encoding: str | None) -> tuple[str | None, str | None]:
        """Refuse what the format has no use for."""
        if delimiter is not None and self.format not in _TABLES:
            raise UsageError(f"--delimiter is for CSV, and {self.source} is {self.format}")
        if encoding is not None and self.format in NOT_STREAMED:
            raise UsageError(f"--encoding is for text, and {self.source} is {self.format}")
        check_encoding(encoding)
        return delimiter_of(delimiter), encoding

    def _understand(self, record: object) -> tuple[Mapped, Sample]:
        if isinstance(record, Flaw):
            raise Misfit(record.reason)
        if not isinstance(record, dict):
            raise Misfit(f"a sample must be a JSON object, not {described(record)}")
        mapped = self._mapper.map(record)
        return mapped, sample_of(mapped, flat=self._flat, answered=self._answered)

    def _told_apart(self, mapped: Mapped, sample: Sample, place: int) -> Sample:
        """Refuse an id that was there before; a repeated row without an id of its own gets a number behind it."""
        first = self._seen.first_place(sample.id, place)
        if first is None:
            return sample
        if MADE_ID not in mapped.notes:
            where = f"on line {first}" if self.format in _BY_LINE else f"as record {first}"
            raise Misfit(f"duplicate id {described(sample.id)}, first {where}")
        mapped.notes.append(REPEATED)
        while True:
            count = self._repeats.get(sample.id, 1) + 1
            self._repeats[sample.id] = count
            numbered = f"{sample.id}-{count}"
            if self._seen.first_place(numbered, place) is None:
                return replace(sample, id=numbered)

    def _complain(self, reason: str, place: int) -> None:
        self.bad += 1
        unit: Literal["line", "record"] = "line" if self.format in _BY_LINE else "record"
        error = RecordError(reason, source=self.source, line=place, unit=unit)
        if self._on_bad is None:
            raise error from None
        self._on_bad(error)

    def _tally(self, mapped: Mapped) -> None:
        fields = self.fields
        for name, origin in mapped.origins.items():
            try:
                fields[name][origin] += 1
            except KeyError:
                _count(fields.setdefault(name, {}), origin)
        for key in mapped.ignored:
            _count(self.ignored, key)
        for note in mapped.notes:
            _count(self.notes, note)


def sample_from(record: Mapping[str, object] | Sample) -> Sample:
    """Return one record of Python values as a sample, read by the same names and rules as a file's."""
    return next(samples_from([record]))


def samples_from(
    records: Iterable[Mapping[str, object] | Sample],
    *,
    mapping: Mapping[str, str] | None = None,
    flat: bool = False,
    on_bad: Callable[[RecordError], None] | None = None,
) -> Iterator[Sample]:
    """Yield each record as a sample; a bad one is a RecordError that tells its number, or is handed to ``on_bad``.

    Values are read as tables of Python hold them: NaN is missing, an array is a list. Ids are not compared: the same
    question and answer may be scored twice.
    """
    mapper = Mapper(mapping, flat=flat)
    unmet = dict(mapping or {})
    read = 0
    for number, record in enumerate(records, 1):
        if isinstance(record, Sample):
            yield record
            continue
        try:
            mapped = mapper.map(_checked(record))
            sample = sample_of(mapped, flat=flat)
        except Misfit as misfit:
            error = RecordError(str(misfit), source="samples", line=number, unit="record")
            if on_bad is None:
                raise error from None
            on_bad(error)
            continue
        read += 1
        if unmet:
            unmet = {name: path for name, path in unmet.items() if name in mapped.unmet}
        yield sample
    for name, path in unmet.items():
        if read:
            raise InputError(f"samples: no record has the '{path}' that is mapped to {name}")


def _checked(record: object) -> dict[str, object]:
    if not isinstance(record, Mapping):
        raise Misfit(f"a sample must be a mapping, not {described(record)}")
    return {key_of("the record", key): plain_value(value) for key, value in record.items()}


def _count(counts: dict[str, int], name: str) -> None:
    # A file may have a new key in every record; the first thousand tell enough.
    if name not in counts and len(counts) >= _MAX_NAMES:
        name = OTHER_KEYS
    counts[name] = counts.get(name, 0) + 1
