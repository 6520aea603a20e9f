"""Draws the sample of a review: reads the interactions, selects those in scope, draws, and pre-scores the draw.

The files are read twice, first for ids and traits alone, so that a log of any length is never held in memory.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from plumbrule.codec import optional_key
from plumbrule.errors import InputError, UsageError
from plumbrule.interactions.answer_register import AnswerRegister
from plumbrule.interactions.corpus import Corpus, read_corpus
from plumbrule.interactions.evidence_files import NamedFile
from plumbrule.interactions.formats.contract import contract_of
from plumbrule.interactions.interaction import Interaction
from plumbrule.interactions.interaction_reader import InteractionReading
from plumbrule.interactions.weeks import week_at
from plumbrule.names import key_of_trace, nearest
from plumbrule.outcomes import DecideOn
from plumbrule.prescores.prescorer import Prescore, prescorer
from plumbrule.reviews.corpus_changes import Affected, Changes, read_changes
from plumbrule.reviews.interaction_archive import name_of, traits_of
from plumbrule.reviews.review_entries import PairedBy, ReleaseMode
from plumbrule.reviews.sampling import Interaction as Drawable
from plumbrule.reviews.sampling import Manifest, ManifestResult, draw_sample
from plumbrule.rubrics import Loaded, PolicyDifference, ScorecardRubric, load_compliance, load_refusals
from plumbrule.rubrics.scorecard_rubric import Trigger

_MOST_REMARKS = 20
_SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be reviewed, and how much of it."""

    trigger: str
    path: str | NamedFile
    passages: str | NamedFile | None = None
    seed: int = 42
    size: int | None = None
    changed: str | NamedFile | None = None  # corpus release
    trace: str | None = None  # incident
    earlier: str | NamedFile | None = None  # model change
    week: str | None = None
    strict: bool = False
    claims: bool = True  # whether the pre-scores parse the answers
    verdict_rubric: Path | None = None  # laid over the verdict rubric, for the pre-scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """An earlier model's answer to an interaction that was drawn, and how the two were paired."""

    prescore: Prescore
    paired_by: PairedBy


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawResult:
    """A draw, as JSON has it: what it is for, its manifest, and the campaign that was opened on it."""

    campaign: str | None
    trigger: str
    scope: str
    depth: str
    draw: str
    in_view: tuple[str, ...]
    evaluators: int
    read: int
    week: str | None
    changed: str | None
    remarks: tuple[str, ...]
    manifest: ManifestResult
    mode: ReleaseMode | None = optional_key()
    decide_on: DecideOn | None = optional_key()
    policy: tuple[PolicyDifference, ...] | None = optional_key()  # how the rubric differs from the one that ships


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A sample, ready to be opened as a campaign."""

    request: Request
    trigger: Trigger
    manifest: Manifest
    prescores: tuple[Prescore, ...]  # of what was drawn, in the order of the manifest
    earlier: dict[str, Earlier]  # by the key of the interaction that it is paired with
    why: dict[str, tuple[str, ...]]
    weeks: dict[str, int]  # how many interactions were read of each week, in scope or not
    read: int
    week: str | None
    remarks: tuple[str, ...]
    in_scope: int  # how many interactions the trigger is about, those that could not be read as well

    def result(self, rubric: ScorecardRubric) -> DrawResult:
        """Return the draw for JSON; no campaign is opened on it yet."""
        return DrawResult(
            campaign=None,
            trigger=self.trigger.key,
            scope=self.trigger.scope,
            depth=self.trigger.depth,
            draw=self.trigger.draw,
            in_view=tuple(rubric.dimensions_of(self.trigger.in_view)),
            evaluators=self.trigger.evaluators,
            read=self.read,
            week=self.week,
            changed=None if self.request.changed is None else str(self.request.changed),
            remarks=self.remarks,
            manifest=self.manifest.result(),
        )


@dataclass(slots=True)
class _Population:
    """The interactions in scope, by the first reading."""

    members: list[Drawable] = field(default_factory=list)
    by_week: Counter[str] = field(default_factory=Counter)
    why: dict[str, tuple[str, ...]] = field(default_factory=dict)
    weeks: set[str | None] = field(default_factory=set)
    read: int = 0
    in_scope: int = 0
    remarks: list[str] = field(default_factory=list)


def draw(request: Request, loaded: Loaded[ScorecardRubric]) -> Drawn:
    """Draw the sample that a trigger asks for."""
    trigger = trigger_of(request.trigger, loaded.rubric)
    _check_options(request, trigger)
    scorer = prescorer(load_compliance(), load_refusals(), claims=request.claims, verdict_rubric=request.verdict_rubric)
    corpus = read_corpus(request.passages) if request.passages is not None else None
    changes = read_changes(request.changed, corpus) if request.changed is not None else None
    population = _survey(request, trigger, loaded.rubric, corpus, changes)
    size = request.size if request.size is not None else trigger.sample_size
    manifest = draw_sample(
        population.members, loaded, seed=request.seed, size=size, representative=trigger.draw != "stratified"
    )
    if not manifest.drawn:
        raise InputError(f"{request.path}: nothing to review: none of {population.read} interactions is in scope")
    population.remarks += _remarks(manifest, trigger, loaded.rubric)
    wanted = {key_of_trace(id_): id_ for id_ in manifest.drawn}
    chosen = {
        id_: interaction
        for interaction in _reading(request, corpus)
        if (id_ := wanted.pop(key_of_trace(name_of(interaction)), None))
    }
    if wanted:
        raise InputError(f"{request.path}: changed while it was read; draw again")
    prescores = tuple(scorer.prescore_many(chosen[id_] for id_ in manifest.drawn))
    earlier: dict[str, Earlier] = {}
    if request.earlier is not None:
        pairs = _paired(request, corpus, [prescore.interaction for prescore in prescores], population.remarks)
        scored = scorer.prescore_many(answer for answer, _ in pairs.values())
        earlier = {
            key: Earlier(prescore=prescore, paired_by=how)
            for (key, (_, how)), prescore in zip(pairs.items(), scored, strict=True)
        }
    weeks = population.weeks - {None}
    return Drawn(
        request=request,
        trigger=trigger,
        manifest=manifest,
        prescores=prescores,
        earlier=earlier,
        why=population.why,
        weeks=dict(sorted(population.by_week.items())),
        read=population.read,
        week=request.week or (next(iter(weeks)) if len(weeks) == 1 and population.weeks == weeks else None),
        remarks=tuple(population.remarks),
        in_scope=population.in_scope,
    )


def trigger_of(key: str, rubric: ScorecardRubric) -> Trigger:
    """Return a trigger by its key."""
    known = [trigger.key for trigger in rubric.triggers]
    for trigger in rubric.triggers:
        if trigger.key == key:
            return trigger
    hint = nearest(key, known) or f"; there are {', '.join(known)}"
    raise UsageError(f"there is no trigger '{key[:_SHOWN]}'{hint}")


def _check_options(request: Request, trigger: Trigger) -> None:
    for option, given, kind in (
        ("--changed", request.changed, "affected"),
        ("--trace", request.trace, "one"),
        ("--earlier", request.earlier, "representative"),
    ):
        if given is not None and trigger.draw != kind:
            raise UsageError(f"{option} does not go with {trigger.key}: leave it out")
    if trigger.draw == "affected" and request.changed is None:
        raise UsageError(f"{trigger.key} reviews what a change touches: name the changed documents with --changed")
    if trigger.draw == "one" and request.size not in {None, 1}:
        raise UsageError(f"{trigger.key} is about one interaction: leave out --size")


def _survey(
    request: Request, trigger: Trigger, rubric: ScorecardRubric, corpus: Corpus | None, changes: Changes | None
) -> _Population:
    """Read everything once: what is in scope, by id and traits."""
    population = _Population()
    affected = Affected(changes) if changes is not None else None
    seen = AnswerRegister()
    twice = 0
    wanted = None if request.trace is None else key_of_trace(request.trace)
    reading = _reading(request, corpus)
    for interaction in reading:
        population.read += 1
        name = name_of(interaction)
        key = key_of_trace(name)
        if not seen.is_new(interaction):
            twice += 1
            if twice <= _MOST_REMARKS:
                population.remarks.append(
                    f"trace_id_twice: '{name[:_SHOWN]}' at {interaction.where}: the same response again; it counts once"
                )
            continue
        week = week_at(interaction.sample.timestamp)
        if week is not None:
            population.by_week[week] += 1
        if (request.week is not None and week != request.week) or (wanted is not None and key != wanted):
            continue
        reasons = affected.reasons(interaction) if affected is not None else ()
        if affected is not None and not reasons:
            continue
        population.members.append(Drawable(id=name, traits=frozenset(traits_of(interaction, rubric))))
        population.weeks.add(week)
        if reasons:
            population.why[name] = reasons
    if twice > _MOST_REMARKS:
        population.remarks.append(f"trace_id_twice: {twice - _MOST_REMARKS} more")
    if affected is not None and changes is not None:
        nowhere = [id_ for id_ in changes.ids if id_ not in affected.met]
        if nowhere and not changes.passages:
            population.remarks.append(
                f"changed_nowhere: {', '.join(nowhere[:5])}: no interaction cites or retrieved it"
            )
    _check_population(request, trigger, population)
    of_trigger = len(seen) if trigger.draw == "all" else len(population.members)
    population.in_scope = of_trigger + reading.counts.bad
    if reading.counts.bad:
        population.remarks.append(
            f"record_bad: {reading.counts.bad} records could not be read: {reading.findings[0].where}"
        )
    return population


def _check_population(request: Request, trigger: Trigger, population: _Population) -> None:
    if request.trace is not None and not population.members:
        raise InputError(f"{request.path}: there is no interaction '{request.trace[:_SHOWN]}' among {population.read}")
    if trigger.draw == "one" and len(population.members) > 1:
        raise UsageError(f"{trigger.key} is about one of {len(population.members)} interactions: name it with --trace")
    if request.week is not None and not population.members:
        raise InputError(f"{request.path}: none of {population.read} interactions is of week {request.week}")


def _remarks(manifest: Manifest, trigger: Trigger, rubric: ScorecardRubric) -> Iterator[str]:
    for stratum in manifest.strata:
        if stratum.shortfall:
            has = f"has {stratum.population}" if stratum.population else "has no population"
            yield f"shortfall: stratum {stratum.key} {has}, {stratum.shortfall} of {stratum.quota} are missing"
    if manifest.unmatched:
        yield f"unmatched: {manifest.unmatched} interactions belong to no stratum"
    available = sum(manifest.population.values())
    if trigger.draw in {"all", "affected"} and len(manifest.drawn) < available:
        yield f"part_of_scope: {len(manifest.drawn)} of {available} were drawn; {trigger.key} asks for all"
    named = {trait for stratum in rubric.strata for trait in stratum.any_of}
    unknown = sorted(named - {trait.key for trait in rubric.traits})
    if unknown:
        yield f"trait_unknown: no rule of the rubric gives the trait {', '.join(unknown)}"


def _paired(
    request: Request, corpus: Corpus | None, drawn: Iterable[Interaction], remarks: list[str]
) -> dict[str, tuple[Interaction, PairedBy]]:
    """Return the earlier model's answer to each question that was drawn, by the key of the new one.

    Each answer is in one pair: two pairs that share one would count as two.
    """
    by_id: dict[str, Interaction] = {}
    by_question: dict[str, list[Interaction]] = {}
    seen = AnswerRegister()
    for interaction in _reading(request, corpus, request.earlier):
        if not seen.is_new(interaction):
            continue
        by_id.setdefault(interaction.sample.id, interaction)
        by_question.setdefault(_folded(interaction.sample.question), []).append(interaction)
    pairs: dict[str, tuple[Interaction, PairedBy]] = {}
    used: set[str] = set()
    missing = 0
    for interaction in drawn:
        same = by_question.get(_folded(interaction.sample.question), [])
        named = by_id.get(interaction.sample.id)
        tried: list[tuple[Interaction, PairedBy]] = [(answer, "question") for answer in same]
        tried.sort(key=lambda pair: pair[0] is not named)  # of several that ask the same, the one with the same id
        if named is not None:
            tried.append((named, "id"))
        pair = next((pair for pair in tried if key_of_trace(name_of(pair[0])) not in used), None)
        if pair is None:
            missing += 1
            continue
        key, earlier_key = key_of_trace(name_of(interaction)), key_of_trace(name_of(pair[0]))
        if earlier_key == key:
            raise InputError(
                f"{request.earlier}: '{name_of(interaction)[:_SHOWN]}' is the trace id of a new answer, too: "
                "each answer has its own"
            )
        used.add(earlier_key)
        pairs[key] = pair
    if missing:
        remarks.append(f"unpaired: {missing} of what was drawn has no earlier answer in {request.earlier}")
    return pairs


def _reading(request: Request, corpus: Corpus | None, path: str | NamedFile | None = None) -> InteractionReading:
    contract = contract_of(load_compliance(), load_refusals())
    return InteractionReading(path or request.path, contract=contract, corpus=corpus, strict=request.strict)


def _folded(question: str) -> str:
    return " ".join(question.casefold().split())
