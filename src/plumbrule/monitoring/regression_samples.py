"""The feedback loop for Python callers: patterns over what was reviewed, and an interaction as a regression sample."""

from pathlib import Path
from typing import Any

import orjson

from plumbrule.errors import InputError, RecordError, UsageError
from plumbrule.files import written_whole
from plumbrule.monitoring.feedback_patterns import By, Feedback, Observation, find_patterns
from plumbrule.monitoring.interaction_lookup import plain_sample
from plumbrule.monitoring.reviewed_interactions import Case, Cases, Known
from plumbrule.rubrics import ScorecardRubric
from plumbrule.samples import Reading

TAG = "regression"
_SUFFIXES = (".jsonl", ".ndjson")


def patterns_in(cases: Cases, rubric: ScorecardRubric) -> Feedback:
    """Return the patterns in what was reviewed."""
    return find_patterns(
        [
            Observation(
                trace_id=case.trace_id or f"(record {number})",
                scores=case.settlement.scores,
                groups={} if case.known is None else _groups(case.known),
            )
            for number, case in enumerate(cases.cases, 1)
        ],
        rubric,
    )


def regression_sample(known: Known, cases: list[Case], rubric: ScorecardRubric) -> dict[str, Any]:
    """Return an interaction as a sample of a dataset, with what should have been where a card or the log says so."""
    shown = plain_sample(known.interaction.sample)
    expected = shown.get("expected", {})
    if expected.get("refuse") is None:
        expected |= _expected_by(known, cases, rubric)
    shown["tags"] = sorted({*known.interaction.sample.tags, TAG})
    return {**shown, "expected": expected} if expected else shown


def append_sample(path: Path, sample: dict[str, Any]) -> int:
    """Append a sample to a dataset of JSON Lines and return how many it has now; a duplicate is refused."""
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
    return count + 1


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None


def _groups(known: Known) -> dict[By, tuple[str, ...]]:
    interaction = known.interaction
    sample, trace = interaction.sample, interaction.trace
    topic = sample.category or sample.metadata.get("topic")
    model = (
        sample.model_id
        or (trace.model_id if trace is not None else None)
        or sample.metadata.get("model_provider")
        or (trace.model_provider if trace is not None else None)
    )
    sources = [passage.source_id for passage in interaction.passages]
    sources += [citation.source_id for citation in sample.citations]
    code = sample.refusal.code if sample.refusal is not None else None
    return {
        "refusal_code": (code,) if code else (),
        "category": (topic,) if isinstance(topic, str) and topic else (),
        "source": tuple(dict.fromkeys(filter(None, sources))),
        "model": (model,) if isinstance(model, str) and model else (),
    }


def _expected_by(known: Known, cases: list[Case], rubric: ScorecardRubric) -> dict[str, Any]:
    """Return what the cards say should have been; nothing where they wait for an adjudicator or disagree."""
    needs = rubric.not_applicable.needs
    settled = [case for case in cases if needs is not None and needs.dimension not in case.settlement.open]
    said = {case.refusal.should_refuse for case in settled} - {None}
    if len(said) != 1 or needs is None:
        return {}
    refuse = said == {True}
    code = known.interaction.sample.refusal.code if known.interaction.sample.refusal is not None else None
    best = rubric.levels[0].score  # the one level that also says that the code is right
    sure = refuse and known.refused and all(case.settlement.scores[needs.dimension] == best for case in settled)
    return {"refuse": refuse, **({"refusal_code": code} if sure and code else {})}
