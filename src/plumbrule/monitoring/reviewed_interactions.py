"""Reviewed interactions: the card that counts for each, with what is known of the interaction it is about."""

import datetime as dt
import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar
from urllib.parse import unquote

from plumbrule.errors import InputError
from plumbrule.interactions.formats.contract import Contract, contract_of
from plumbrule.interactions.interaction import Interaction, interaction_from
from plumbrule.interactions.interaction_reader import Source, read_interactions
from plumbrule.ledger import Entry, Ledger
from plumbrule.monitoring.refusal_counts import RefusalFacts, should_have_refused
from plumbrule.names import key_of_trace
from plumbrule.reviews.adjudication import Rating, Settlement, same_person, settle
from plumbrule.reviews.evaluation_record import EvaluationRecord, read_record
from plumbrule.reviews.interaction_archive import stored_interactions
from plumbrule.reviews.record_decision import Decision, decide
from plumbrule.reviews.record_files import read_given
from plumbrule.reviews.record_store import StoredRecord, stored_records
from plumbrule.reviews.weeks import monday_of, week_at
from plumbrule.rubrics import Loaded, ScorecardRubric, load_compliance, load_refusals
from plumbrule.samples.value_types import Misfit

REFUSED = "refused"  # the trait of an interaction that was answered with a refusal
_ADJUDICATOR = "adjudicator"
_CAMPAIGNS = "campaigns/"

_Raw = TypeVar("_Raw")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """An interaction with what was noted when it was kept."""

    interaction: Interaction
    week: str | None
    refused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """A record with where it belongs and the day it counts for."""

    record: EvaluationRecord
    date: dt.date
    campaign: str | None = None
    adjudicates: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One interaction in one campaign: all its ratings made one, and what they come to by the rubric in force."""

    trace_id: str | None
    campaign: str | None
    date: dt.date
    settlement: Settlement
    decision: Decision
    refusal: RefusalFacts
    draw: str | None
    stratum: str | None
    known: Known | None
    rubric: Loaded[ScorecardRubric]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Met:
    """What the figures need of the interactions: those that somebody rated, and the week of every one, by its key."""

    known: dict[str, Known]
    weeks: dict[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """All that was reviewed, with the populations of the draws and the traffic of the weeks, where they are known."""

    cases: tuple[Case, ...]
    populations: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    interactions: Mapping[str, int] | None = None
    remarks: tuple[str, ...] = ()


def cases_of_ledger(ledger: Ledger, loaded: Loaded[ScorecardRubric], *, triggers: tuple[str, ...] = ()) -> Cases:
    """Return what the ledger holds; cards are decided anew, by the rubric in force, and other scorecards left out.

    Records of open campaigns are left out, too: their evaluators rate blind. Remarks count all that is left out.
    """
    stored = stored_records(ledger)
    rated = []
    others: Counter[str] = Counter()
    blind: Counter[str] = Counter()
    for each in stored:
        if each.blind:
            blind[each.campaign or ""] += 1
        elif _form(each.rubric.rubric) == _form(loaded.rubric):
            rated.append(_rated(each, loaded))
        else:
            others[f"version {each.rubric.version}, sha256 {each.rubric.sha256[:12]}"] += 1
    if others and not rated:
        raise InputError(
            f"{ledger.name}: its records are of another scorecard ({next(iter(others))}): name its file with --rubric"
        )
    strata, populations = _draws(ledger.entries(kind="campaign"))
    found = _gathered(rated, _met_in(ledger, rated), loaded, triggers=triggers, strata=strata, populations=populations)
    left = [f"records of another scorecard ({name}), left out: {count}" for name, count in sorted(others.items())]
    if blind:
        left.append(
            "left out until their campaign is closed, because its evaluators rate blind: "
            f"{blind.total()} records of {', '.join(blind)}"
        )
    return replace(found, remarks=(*found.remarks, *left))


def own_cases(ledger: Ledger) -> tuple[Case, ...]:
    """Return what the ledger holds of closed campaigns and of none, each card by the rubric that it was made with."""
    strata, _ = _draws(ledger.entries(kind="campaign"))
    by_rubric: dict[str, list[StoredRecord]] = {}
    for each in stored_records(ledger):
        if not each.blind:
            by_rubric.setdefault(each.rubric.sha256, []).append(each)
    rated = {sha256: [_rated(each, records[0].rubric) for each in records] for sha256, records in by_rubric.items()}
    met = _met_in(ledger, [each for cards in rated.values() for each in cards])
    return tuple(
        case
        for sha256, cards in rated.items()
        for case in _gathered(cards, met, by_rubric[sha256][0].rubric, triggers=(), strata=strata).cases
    )


def _met_in(ledger: Ledger, rated: list[Rated]) -> _Met:
    stored = stored_interactions(ledger)
    return _met(((key_of_trace(each.trace_id), each.week, each.entry) for each in stored), rated, known_of)


def cases_of_files(
    records: str, interactions: Source | None, loaded: Loaded[ScorecardRubric], *, triggers: tuple[str, ...] = ()
) -> Cases:
    """Return what a file of records holds, joined with the interactions at a path where one is given."""
    rated = []
    for place, given in read_given(records):
        try:
            record = read_record(given, loaded.rubric, complete=False)
        except InputError as error:
            raise InputError(f"{place}: {error}") from None
        if record.date is None:
            raise InputError(f"{place}: 'date' is missing: figures go by the week")
        rated.append(Rated(record=record, date=record.date))
    found = None if interactions is None else _met(_read(interactions), rated, _known_as_read)
    return _gathered(rated, found, loaded, triggers=triggers)


def _form(rubric: ScorecardRubric) -> tuple[object, ...]:
    """Return what two rubrics share where a card of one can be decided by the other."""
    return frozenset(each.key for each in rubric.dimensions), rubric.levels


def _rated(stored: StoredRecord, loaded: Loaded[ScorecardRubric]) -> Rated:
    return Rated(
        record=read_record(stored.entry.value["record"], loaded.rubric, complete=False),
        date=stored.record.date or dt.date.fromisoformat(stored.entry.recorded_at_utc[:10]),
        campaign=stored.campaign,
        adjudicates=stored.role == _ADJUDICATOR,
    )


def trace_of(entry: Entry) -> str:
    """Return the trace id of an interaction's entry."""
    trace_id: str = entry.value["trace_id"]
    return trace_id


def interaction_of(entry: Entry) -> Interaction:
    """Return the interaction that an entry holds."""
    body = entry.value
    bundle = {name: body.get(name) for name in ("response", "trace", "passages") if body.get(name) is not None}
    try:
        return interaction_from(bundle, _contract(), where=entry.subject)
    except Misfit as misfit:
        raise InputError(f"entry {entry.sequence}, {entry.subject}: {misfit}") from None


@functools.cache
def _contract() -> Contract:
    return contract_of(load_compliance(), load_refusals())


def known_of(entry: Entry) -> Known:
    """Return the interaction that an entry holds, with what was noted of it."""
    interaction, body = interaction_of(entry), entry.value
    refused = REFUSED in body.get("traits", ()) or interaction.sample.refused
    week = body.get("week") or week_at(interaction.sample.timestamp)
    return Known(interaction=interaction, week=week, refused=refused)


def _met(found: Iterable[tuple[str, str | None, _Raw]], rated: list[Rated], known: Callable[[_Raw], Known]) -> _Met:
    """Join interactions with what was rated: all are counted, and only those that somebody rated are kept."""
    wanted = {key_of_trace(each.record.trace_id) for each in rated if each.record.trace_id is not None}
    met = _Met(known={}, weeks={})
    for key, noted, raw in found:
        if key in wanted:
            met.known[key] = known(raw)
        met.weeks[key] = noted or known(raw).week
    return met


def _read(path: Source) -> Iterator[tuple[str, str | None, Interaction]]:
    for interaction in read_interactions(path):
        sample = interaction.sample
        yield key_of_trace(sample.trace_id or sample.id), week_at(sample.timestamp), interaction


def _known_as_read(interaction: Interaction) -> Known:
    sample = interaction.sample
    return Known(interaction=interaction, week=week_at(sample.timestamp), refused=sample.refused)


def _draws(campaigns: Iterable[Entry]) -> tuple[dict[str, dict[str, str]], dict[str, dict[str, int]]]:
    """Return for each stratified campaign the stratum of every trace drawn, and the population of each stratum."""
    strata: dict[str, dict[str, str]] = {}
    populations: dict[str, dict[str, int]] = {}
    for entry in campaigns:
        manifest = entry.value.get("manifest")
        if not isinstance(manifest, Mapping) or not manifest.get("strata"):
            continue
        campaign = unquote(entry.subject.removeprefix(_CAMPAIGNS))
        strata[campaign] = {
            key_of_trace(drawn): stratum["key"] for stratum in manifest["strata"] for drawn in stratum["drawn"]
        }
        populations[campaign] = {stratum["key"]: stratum["population"] for stratum in manifest["strata"]}
    return strata, populations


def _gathered(
    rated: list[Rated],
    met: _Met | None,
    loaded: Loaded[ScorecardRubric],
    *,
    triggers: tuple[str, ...],
    strata: Mapping[str, Mapping[str, str]] | None = None,
    populations: Mapping[str, Mapping[str, int]] | None = None,
) -> Cases:
    groups: dict[tuple[str | None, str], list[Rated]] = {}
    for number, each in enumerate(rated):
        if triggers and each.record.trigger not in triggers:
            continue
        trace_id = each.record.trace_id
        key = f"record {number}" if trace_id is None else key_of_trace(trace_id)  # no key of a trace holds a space
        groups.setdefault((each.campaign, key), []).append(each)
    codes = _Codes(loaded.rubric)
    cases = []
    for (campaign, key), members in groups.items():
        found = None if met is None else met.known.get(key)
        stratum = (strata or {}).get(campaign or "", {}).get(key)
        cases.append(_case(members, found, loaded, draw=campaign, stratum=stratum, codes=codes.known))
    traffic = None if met is None else Counter(week for week in met.weeks.values() if week is not None)
    return Cases(
        cases=tuple(cases), populations=populations or {}, interactions=traffic, remarks=tuple(codes.remarks())
    )


def _case(
    members: list[Rated],
    known: Known | None,
    loaded: Loaded[ScorecardRubric],
    *,
    draw: str | None,
    stratum: str | None,
    codes: Callable[[str | None], str | None],
) -> Case:
    settlement = _settled(members, loaded.rubric)
    last = members[-1]
    day = last.date if known is None or known.week is None else monday_of(known.week)
    sample = None if known is None else known.interaction.sample
    expected = None if sample is None else sample.expected
    did_refuse = None if known is None else known.refused
    stated = None if expected is None else expected.refuse
    return Case(
        trace_id=last.record.trace_id,
        campaign=last.campaign,
        date=day,
        settlement=settlement,
        decision=decide(settlement.scores, loaded),
        refusal=RefusalFacts(
            did_refuse=did_refuse,
            should_refuse=should_have_refused(settlement.scores, loaded.rubric, did_refuse=did_refuse)
            if stated is None
            else stated,
            code=codes(sample.refusal.code if sample is not None and sample.refusal is not None else None),
            expected_code=codes(None if expected is None else expected.refusal_code),
        ),
        draw=draw if stratum is not None else None,
        stratum=stratum,
        known=known,
        rubric=loaded,
    )


def _settled(members: list[Rated], rubric: ScorecardRubric) -> Settlement:
    """Make the ratings one; of two by the same person the later counts, and of several adjudicators the last."""
    ratings: list[Rating] = []
    adjudication: Rating | None = None
    for number, each in enumerate(members, 1):
        rating = Rating(evaluator=each.record.evaluator or f"record {number}", scores=each.record.scores)
        if each.adjudicates:
            adjudication = rating
        else:
            ratings = [other for other in ratings if not same_person(other.evaluator, rating.evaluator)] + [rating]
    if not ratings and adjudication is not None:
        return settle([adjudication], rubric)
    return settle(ratings, rubric, adjudication)


class _Codes:
    """Lets the refusal codes pass that the rubric knows, and counts the others: a bad one must not stop the figures."""

    def __init__(self, rubric: ScorecardRubric) -> None:
        self._codes = frozenset(code.key for code in rubric.refusal_codes)
        self._unknown: Counter[str] = Counter()

    def known(self, code: str | None) -> str | None:
        if code is None or code in self._codes:
            return code
        self._unknown[code] += 1
        return None

    def remarks(self) -> Iterator[str]:
        for code, count in sorted(self._unknown.items()):
            yield f"refusal code '{code[:40]}' is not in the rubric; it counts as none, {count} times"
