"""Labels: whether the contexts support an answer, as people judged it, read beside the sample."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from plumbrule.errors import InputError, RecordError
from plumbrule.samples.dataset_reader import Reading, samples_from
from plumbrule.samples.formats.openinference import dig
from plumbrule.samples.sample_model import Sample
from plumbrule.samples.value_types import Misfit, described

_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_BY_NAME = {"supported": True, "unsupported": False}


class LabelledReading:
    """One pass over a dataset with labels: iterate over it for each sample and its label, if it has one."""

    def __init__(
        self,
        source: str | os.PathLike[str],
        *,
        label: "SupportLabel",
        mapping: Mapping[str, str] | None = None,
        format: str | None = None,  # noqa: A002 -- the word of the command line
        delimiter: str | None = None,
        encoding: str | None = None,
        on_bad: Callable[[RecordError], None] | None = None,
    ) -> None:
        self._label = label
        self._found: dict[str, bool | None] = {}
        self._reading = Reading(
            source,
            mapping=mapping,
            format=format,
            delimiter=delimiter,
            encoding=encoding,
            on_bad=on_bad,
            beside=self._keep,
        )
        self.source = self._reading.source
        self.position = self._reading.position

    @property
    def read(self) -> int:
        """How many records were read."""
        return self._reading.read

    @property
    def bad(self) -> int:
        """How many records were bad."""
        return self._reading.bad

    def __iter__(self) -> Iterator[tuple[Sample, bool | None]]:
        labelled = 0
        for sample in self._reading:
            supported = self._found.pop(sample.id)
            labelled += supported is not None
            yield sample, supported
        if not labelled:
            raise InputError(self._label.missing(self.source))

    def _keep(self, sample: Sample, record: Mapping[str, object]) -> None:
        self._found[sample.id] = self._label.read(record)


class SupportLabel:
    """The field that says whether an answer is supported, or with ``inverted`` that it is not."""

    def __init__(self, field: str, *, inverted: bool = False) -> None:
        self.field = field
        self._inverted = inverted

    def missing(self, source: str) -> str:
        """Say that nothing has the field."""
        return (
            f"{source}: no record has a label under '{self.field}'; "
            "--label FIELD names the field that says whether the answer is supported"
        )

    def read(self, record: Mapping[str, object]) -> bool | None:
        """Return whether a record's answer was found supported; a dotted field reaches inside objects."""
        value = dig(record, self.field)
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        word = str(value).strip().casefold() if isinstance(value, str | bool) else _number(value)
        if word in _TRUTHS:
            return _TRUTHS[word] != self._inverted
        if word in _BY_NAME:
            if self._inverted:
                raise Misfit(f"{self.field} says {described(value)}, which --inverted would turn round: leave it out")
            return _BY_NAME[word]
        shown = repr(value) if isinstance(value, int | float) else described(value)
        raise Misfit(f"{self.field} must be true or false, 1 or 0, yes or no, supported or unsupported, not {shown}")


def _number(value: object) -> str:
    """Return 1 and 0 as text, as a table may hold them with decimals."""
    return str(int(value)) if isinstance(value, int | float) and value in {0, 1} else ""


def labelled_from(records: Iterable[Mapping[str, object]], label: SupportLabel) -> Iterator[tuple[Sample, bool | None]]:
    """Yield each record of Python values as a sample, with its label."""
    given = list(records)
    labelled = 0
    for number, (record, sample) in enumerate(zip(given, samples_from(given), strict=True), 1):
        try:
            supported = label.read(record)
        except Misfit as misfit:
            raise RecordError(str(misfit), source="labels", line=number, unit="record") from None
        labelled += supported is not None
        yield sample, supported
    if not labelled:
        raise InputError(label.missing("labels"))
