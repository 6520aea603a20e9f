"""An interaction as a regression sample: in the fields of a dataset, with what should have been, added to a file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import orjson

from plumbrule.errors import InputError, RecordError, UsageError
from plumbrule.files import read_file, written_whole
from plumbrule.monitoring.reviewed_interactions import Known, ReviewedInteraction
from plumbrule.rubrics import ScorecardRubric
from plumbrule.samples import Reading, Sample

TAG = "regression"
_LARGEST = 1 << 28  # bytes of a file of samples that is added to
_SUFFIXES = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenSample:
    """A sample that was added to a dataset, and how many samples the dataset has now."""

    file: str
    id: str
    trace_id: str | None
    expected: Mapping[str, Any] | None
    samples: int

    @property
    def expects_refusal(self) -> bool | None:
        """Whether the assistant should have refused; None where nobody said."""
        refuse: bool | None = (self.expected or {}).get("refuse")
        return refuse


def plain_sample(sample: Sample) -> dict[str, Any]:
    """Return a sample by its canonical fields, ready for JSON, without the fields that it does not have."""
    content = {part.name: _plain(getattr(sample, part.name)) for part in fields(Sample)}
    return {name: value for name, value in content.items() if value not in (None, [], {}) or name == "answer"}


def regression_sample(known: Known, reviews: Sequence[ReviewedInteraction], rubric: ScorecardRubric) -> dict[str, Any]:
    """Return an interaction as a sample of a dataset, with what should have been where the log or a record says so."""
    content = plain_sample(known.interaction.sample)
    expected = content.get("expected", {})
    if expected.get("refuse") is None:
        expected |= _expected_by(known, reviews, rubric)
    content["tags"] = sorted({*known.interaction.sample.tags, TAG})
    return {**content, "expected": expected} if expected else content


def append_sample(path: Path, sample: Mapping[str, Any]) -> TakenSample:
    """Append a sample to a dataset of JSON Lines; a duplicate is refused."""
    if path.suffix.lower() not in _SUFFIXES:
        raise UsageError(f"{path}: samples are taken into a dataset of JSON Lines: name it .jsonl")
    count = 0
    before = b""
    if path.exists():
        before = _read(path)
        try:
            for held in Reading(path) if before.strip() else ():
                count += 1
                if held.id == sample["id"] or (held.trace_id is not None and held.trace_id == sample.get("trace_id")):
                    raise UsageError(f"{path}: holds '{held.id}' already; it was not taken again")
        except RecordError as error:
            raise InputError(f"{error}: mend the dataset before something is added to it") from None
    with written_whole(path) as file:
        file.write(before)
        if before and not before.endswith(b"\n"):
            file.write(b"\n")
        file.write(orjson.dumps(sample, option=orjson.OPT_APPEND_NEWLINE))
    return TakenSample(
        file=str(path),
        id=sample["id"],
        trace_id=sample.get("trace_id"),
        expected=sample.get("expected"),
        samples=count + 1,
    )


def _read(path: Path) -> bytes:
    try:
        return read_file(path, most=_LARGEST)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None


def _expected_by(known: Known, reviews: Sequence[ReviewedInteraction], rubric: ScorecardRubric) -> dict[str, Any]:
    """Return what the reviews say should have been; nothing where they wait for an adjudicator or disagree."""
    needs = rubric.not_applicable.needs
    settled = [review for review in reviews if needs is not None and needs.dimension not in review.settlement.open]
    opinions = {review.refusal.should_refuse for review in settled} - {None}
    if len(opinions) != 1 or needs is None:
        return {}
    refuse = opinions == {True}
    code = known.interaction.sample.refusal.code if known.interaction.sample.refusal is not None else None
    best = rubric.levels[0].score  # the one level that also says that the code is right
    sure = refuse and known.refused and all(review.settlement.scores[needs.dimension] == best for review in settled)
    return {"refuse": refuse, **({"refusal_code": code} if sure and code else {})}


def _plain(value: object) -> Any:  # noqa: ANN401 - any JSON value
    """Return a part of a sample ready for JSON, without what is not there."""
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if hasattr(value, "__dataclass_fields__"):
        return dict(_parts(value))
    return dict(value) if isinstance(value, dict) else value


def _parts(value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any of the sample's own dataclasses
    for name, part in asdict(value).items():
        if part is not None and part != ():
            yield name, list(part) if isinstance(part, tuple) else part
