"""Reviewed interactions: the scores that count for each, with what is known of the interaction itself."""

import datetime as dt
import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar
from urllib.parse import unquote

from plumbrule.errors import InputError, UsageError
from plumbrule.interactions.answer_register import AnswerRegister
from plumbrule.interactions.formats.contract import Contract, contract_of
from plumbrule.interactions.interaction import Interaction, interaction_from
from plumbrule.interactions.interaction_reader import Source, read_interactions
from plumbrule.interactions.weeks import monday_of, week_at
from plumbrule.ledger import Entry, Ledger
from plumbrule.monitoring.refusal_counts import RefusalFacts, should_have_refused
from plumbrule.names import key_of_trace
from plumbrule.person_names import plain_key
from plumbrule.reviews.adjudication import Rating, Settlement, settle
from plumbrule.reviews.evaluation_record import EvaluationRecord, read_record
from plumbrule.reviews.interaction_archive import Wanted, find_versions, is_refusal, stored_interactions
from plumbrule.reviews.levels import objection_to_levels
from plumbrule.reviews.record_decision import Decision, decide
from plumbrule.reviews.record_files import read_records
from plumbrule.reviews.record_store import StoredRecord, stored_records
from plumbrule.rubrics import Loaded, ScorecardRubric, load_compliance, load_refusals
from plumbrule.samples.value_types import Misfit

REFUSED = "refused"  # the trait of an interaction that was answered with a refusal
_ADJUDICATOR = "adjudicator"
_CAMPAIGNS = "campaigns/"

_Raw = TypeVar("_Raw")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """An interaction with its week and whether it was refused, as noted when it was kept."""

    interaction: Interaction
    week: str | None
    refused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedRecord:
    """A record with the campaign it belongs to and the day it counts for."""

    record: EvaluationRecord
    date: dt.date
    campaign: str | None = None
    adjudicates: bool = False
    about: Wanted | None = None  # the version of the interaction that was rated, where it comes from the ledger
    rating: Rating | None = None  # its blind levels and those of later revisions, where it comes from the ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedInteraction:
    """One interaction in one campaign: all its ratings settled into one, and the decision by the rubric in force."""

    trace_id: str | None
    interaction: str | None  # the hash of the version that was rated
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
class _Interactions:
    """What the figures need of the interactions: those that somebody rated, and the week of every one, by its key."""

    known: dict[str, Known]
    weeks: dict[str, str | None]
    earlier: dict[Wanted, Known] = field(default_factory=dict)  # versions that were rated and are not the latest


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedInteractions:
    """All that was reviewed, with the populations of the draws and the traffic of the weeks, where they are known."""

    reviewed: tuple[ReviewedInteraction, ...]
    populations: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    traffic: Mapping[str, int] | None = None  # how many interactions there were in each week
    remarks: tuple[str, ...] = ()

    @property
    def strata(self) -> tuple[str, ...]:
        """The strata that anything was drawn from."""
        return tuple(sorted({stratum for counts in self.populations.values() for stratum in counts}))

    def within(self, strata: tuple[str, ...]) -> "ReviewedInteractions":
        """Return what was drawn from these strata alone, or all where none is named; a week's traffic is of all."""
        if not strata:
            return self
        unknown = next((stratum for stratum in strata if stratum not in self.strata), None)
        if unknown is not None:
            raise UsageError(f"nothing was drawn from a stratum '{unknown[:40]}'; there are {', '.join(self.strata)}")
        return replace(
            self,
            reviewed=tuple(review for review in self.reviewed if review.stratum in strata),
            populations={
                draw: {stratum: count for stratum, count in counts.items() if stratum in strata}
                for draw, counts in self.populations.items()
            },
        )


def reviewed_in_ledger(
    ledger: Ledger, loaded: Loaded[ScorecardRubric], *, triggers: tuple[str, ...] = ()
) -> ReviewedInteractions:
    """Return what the ledger holds, decided by the rubric in force; records of other scorecards are left out.

    Records of open campaigns are left out as well, because their evaluators rate blind. Remarks count what is left out.
    """
    rated = []
    others: Counter[str] = Counter()
    blind: Counter[str] = Counter()
    for record in stored_records(ledger):
        if record.blind:
            blind[record.campaign or ""] += 1
        elif _form(record.rubric.rubric) == _form(loaded.rubric):
            rated.append(_rated(record, loaded))
        else:
            others[f"version {record.rubric.version}, sha256 {record.rubric.sha256[:12]}"] += 1
    if others and not rated:
        raise InputError(
            f"{ledger.name}: its records are of another scorecard ({next(iter(others))}): name its file with --rubric"
        )
    strata, populations = _draws(ledger.entries(kind="campaign"))
    known = _interactions_in(ledger, rated)
    counted = _counted(ledger.entries(kind="campaign"))
    gathered = _gathered(rated, known, loaded, triggers=triggers, strata=strata, populations=populations)
    left_out = [f"records of another scorecard ({name}), left out: {count}" for name, count in sorted(others.items())]
    if blind:
        left_out.append(
            "left out until their campaign is closed, because its evaluators rate blind: "
            f"{blind.total()} records of {', '.join(blind)}"
        )
    traffic = {week: max(count, counted.get(week, 0)) for week, count in (gathered.traffic or {}).items()}
    return replace(gathered, traffic={**counted, **traffic}, remarks=(*gathered.remarks, *left_out))


def reviewed_by_own_rubric(ledger: Ledger) -> tuple[ReviewedInteraction, ...]:
    """Return what was reviewed outside open campaigns, each record by the rubric that it was made with."""
    strata, _ = _draws(ledger.entries(kind="campaign"))
    by_rubric: dict[str, list[StoredRecord]] = {}
    for record in stored_records(ledger):
        if not record.blind:
            by_rubric.setdefault(record.rubric.sha256, []).append(record)
    rated = {sha256: [_rated(record, records[0].rubric) for record in records] for sha256, records in by_rubric.items()}
    known = _interactions_in(ledger, [record for records in rated.values() for record in records])
    return tuple(
        interaction
        for sha256, records in rated.items()
        for interaction in _gathered(records, known, by_rubric[sha256][0].rubric, triggers=(), strata=strata).reviewed
    )


def reviews_of(
    trace_id: str, reviewed: Iterable[ReviewedInteraction], *, version: str | None = None
) -> list[ReviewedInteraction]:
    """Return the reviews of one interaction, one for each campaign; with a ``version``, those of that one alone."""
    key = key_of_trace(trace_id)
    return [
        review
        for review in reviewed
        if review.trace_id is not None
        and key_of_trace(review.trace_id) == key
        and (version is None or review.interaction in (None, version))
    ]


def _interactions_in(ledger: Ledger, rated: list[RatedRecord]) -> _Interactions:
    stored = stored_interactions(ledger)
    joined = _join(((key_of_trace(one.trace_id), one.week, one.entry) for one in stored), rated, known_of)
    found = find_versions(ledger, {rating.about for rating in rated if rating.about is not None})
    joined.earlier.update(
        (about, known_of(version.meant.entry)) for about, version in found.items() if version.newer is not None
    )
    return joined


def reviewed_in_files(
    records: str, interactions: Source | None, loaded: Loaded[ScorecardRubric], *, triggers: tuple[str, ...] = ()
) -> ReviewedInteractions:
    """Return what a file of records holds, joined with the interactions at a path where one is given."""
    rated = []
    for place, record in read_records(records, loaded.rubric):
        if record.date is None:
            raise InputError(f"{place}: 'date' is missing: figures go by the week")
        rated.append(RatedRecord(record=record, date=record.date))
    known = None if interactions is None else _join(_read(interactions), rated, _known_as_read)
    return _gathered(rated, known, loaded, triggers=triggers)


def _form(rubric: ScorecardRubric) -> tuple[object, ...]:
    """Return what two rubrics share where a record of one can be decided by the other."""
    return frozenset(dimension.key for dimension in rubric.dimensions), rubric.levels


def _rated(stored: StoredRecord, loaded: Loaded[ScorecardRubric]) -> RatedRecord:
    return RatedRecord(
        record=read_record(stored.entry.value["record"], loaded.rubric, complete=False),
        date=stored.record.date or dt.date.fromisoformat(stored.entry.recorded_at_utc[:10]),
        campaign=stored.campaign,
        adjudicates=stored.role == _ADJUDICATOR,
        about=stored.about,
        rating=stored.rating,
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


def _join(
    read: Iterable[tuple[str, str | None, _Raw]], rated: list[RatedRecord], known: Callable[[_Raw], Known]
) -> _Interactions:
    """Join interactions with what was rated: all are counted, and only those that somebody rated are kept."""
    wanted = {key_of_trace(rating.record.trace_id) for rating in rated if rating.record.trace_id is not None}
    joined = _Interactions(known={}, weeks={})
    for key, week, raw in read:
        if key in wanted:
            joined.known[key] = known(raw)
        joined.weeks[key] = week or known(raw).week
    return joined


def _read(path: Source) -> Iterator[tuple[str, str | None, Interaction]]:
    seen = AnswerRegister()
    for interaction in read_interactions(path):
        sample = interaction.sample
        if seen.is_new(interaction):
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


def _counted(campaigns: Iterable[Entry]) -> dict[str, int]:
    """Return how many interactions there were in each week, by what was read for the draws.

    The ledger keeps those that were drawn alone. Of several draws of one week, mostly from the same log, the one that
    read most counts. A draw of an older version that is of one week has the population of its strata.
    """
    counted: dict[str, int] = {}
    for entry in campaigns:
        body = entry.value
        if body.get("event") != "opened":
            continue
        weeks = body.get("weeks")
        if weeks is None and body.get("week") is not None:
            weeks = {body["week"]: body["manifest"]["population"]}
        for week, count in (weeks or {}).items():
            counted[week] = max(count, counted.get(week, 0))
    return counted


def _gathered(
    rated: list[RatedRecord],
    known: _Interactions | None,
    loaded: Loaded[ScorecardRubric],
    *,
    triggers: tuple[str, ...],
    strata: Mapping[str, Mapping[str, str]] | None = None,
    populations: Mapping[str, Mapping[str, int]] | None = None,
) -> ReviewedInteractions:
    groups: dict[tuple[str | None, str, str | None], list[RatedRecord]] = {}  # each version is rated by itself
    for number, rating in enumerate(rated):
        if triggers and rating.record.trigger not in triggers:
            continue
        trace_id = rating.record.trace_id
        key = f"record {number}" if trace_id is None else key_of_trace(trace_id)  # no key of a trace holds a space
        version = None if rating.about is None else rating.about.version
        groups.setdefault((rating.campaign, key, version), []).append(rating)
    codes = _Codes(loaded.rubric)
    reviewed = []
    for (campaign, key, _), members in groups.items():
        about = members[0].about
        interaction = None if known is None else known.known.get(key)
        if known is not None and about is not None:
            interaction = known.earlier.get(about, interaction)
        stratum = (strata or {}).get(campaign or "", {}).get(key)
        reviewed.append(_reviewed(members, interaction, loaded, draw=campaign, stratum=stratum, codes=codes.known))
    traffic = None if known is None else Counter(week for week in known.weeks.values() if week is not None)
    return ReviewedInteractions(
        reviewed=tuple(reviewed),
        populations=populations or {},
        traffic=traffic,
        remarks=(*codes.remarks(), *_excused(reviewed, loaded.rubric)),
    )


def _excused(reviewed: Iterable[ReviewedInteraction], rubric: ScorecardRubric) -> Iterator[str]:
    """Yield a remark where answered interactions lack a level in a dimension, as in files and old ledgers."""
    count = sum(
        review.known is not None
        and None in review.settlement.scores.values()
        and objection_to_levels(review.settlement.scores, rubric, answered=not is_refusal(review.known.interaction))
        is not None
        for review in reviewed
    )
    if count:
        yield f"{rubric.not_applicable.name}, which is for refusals, on answered interactions: {count} times"


def _reviewed(
    members: list[RatedRecord],
    known: Known | None,
    loaded: Loaded[ScorecardRubric],
    *,
    draw: str | None,
    stratum: str | None,
    codes: Callable[[str | None], str | None],
) -> ReviewedInteraction:
    settlement = _settled(members, loaded.rubric)
    last = members[-1]
    day = last.date if known is None or known.week is None else monday_of(known.week)
    sample = None if known is None else known.interaction.sample
    expected = None if sample is None else sample.expected
    did_refuse = None if known is None else known.refused
    stated = None if expected is None else expected.refuse
    return ReviewedInteraction(
        trace_id=last.record.trace_id,
        interaction=None if last.about is None else last.about.version,
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


def _settled(members: list[RatedRecord], rubric: ScorecardRubric) -> Settlement:
    """Settle the ratings; of two by the same person the later counts, and of several adjudicators the last."""
    ratings: list[Rating] = []
    adjudication: Rating | None = None
    for number, member in enumerate(members, 1):
        rating = member.rating or Rating(
            evaluator=member.record.evaluator or f"record {number}", scores=member.record.scores
        )
        if member.adjudicates:
            adjudication = rating
        else:
            ratings = [other for other in ratings if plain_key(other.evaluator) != plain_key(rating.evaluator)]
            ratings.append(rating)
    if not ratings and adjudication is not None:
        return settle([adjudication], rubric, key_of=plain_key)
    return settle(ratings, rubric, adjudication, key_of=plain_key)


class _Codes:
    """Passes on the refusal codes that the rubric has, and counts the others: a bad one must not stop the figures."""

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
