"""Reads the suite's files and spells every case out: scenarios, variations and near misses, each with all it needs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeVar

import orjson
from pydantic import TypeAdapter

from plumbrule.errors import UsageError
from plumbrule.hashing import sha256_of
from plumbrule.rubrics.yaml_reader import Document, Key, read_yaml
from plumbrule.samples.sample_model import Passage
from plumbrule.suites.suite_schema import (
    Criteria,
    Criterion,
    NearMiss,
    Outcome,
    Passages,
    Scenario,
    SetFile,
    TraceExpectation,
    World,
)

T = TypeVar("T")
Kind = Literal["scenario", "variation", "near_miss"]

_ASIDE = ("criteria.yaml", "world.yaml")
_IMPLIED: dict[Outcome, tuple[str, ...]] = {
    "refuse": ("refuses", "code_is_right"),
    "answer": ("answers",),
    "either": (),
}
_ANSWERED = TraceExpectation()
_SOURCE_PARTS = ("text", "source_id", "title", "collection", "effective_date")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One request and what is expected of its response; ``passages`` of None are for the assistant to find."""

    id: str
    set_name: str
    scenario: str
    kind: Kind
    query: str
    role: str
    passages: tuple[Passage, ...] | None
    outcome: Outcome
    code: str | None
    says: tuple[str, ...]
    never_says: tuple[str, ...]
    status: tuple[str, ...]
    trace: TraceExpectation
    criteria: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSet:
    """One named test case: its scenarios as they are written, and as cases."""

    file: SetFile
    cases: tuple[Case, ...]

    @property
    def name(self) -> str:
        """The name that the scorecard's map knows it by."""
        return self.file.name


@dataclass(frozen=True, kw_only=True)
class Suite:
    """All the test cases, with their criteria and the world that they are set in."""

    sets: tuple[CaseSet, ...]
    criteria: dict[str, Criterion]
    world: World
    sha256: str

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """Every case, in the order in which it is run."""
        return tuple(case for case_set in self.sets for case in case_set.cases)

    def stamp(self) -> dict[str, str]:
        """Return name, version and hash of the suite, for every result."""
        versions = dict.fromkeys(case_set.file.version for case_set in self.sets)
        return {"name": "suite", "version": "+".join(versions), "sha256": self.sha256}

    def scenario(self, id_: str) -> tuple[CaseSet, Scenario]:
        """Return a scenario by its id, or by the id of one of its cases."""
        wanted = id_.partition("/")[0]
        for case_set in self.sets:
            for scenario in case_set.file.scenarios:
                if scenario.id == wanted:
                    return case_set, scenario
        raise UsageError(f"there is no scenario '{id_}'; 'plumbrule suite list' names them")

    def only(self, names: Sequence[str]) -> "Suite":
        """Return the suite with the test cases of these codes, or of these names; with none given, all of it."""
        if not names:
            return self
        known = {name for case_set in self.sets for name in (case_set.file.code, case_set.name) if name is not None}
        for name in names:
            if name not in known:
                raise UsageError(f"there is no test case for '{name}'; there are: {', '.join(sorted(known))}")
        wanted = set(names)
        sets = (case_set for case_set in self.sets if {case_set.file.code, case_set.name} & wanted)
        return replace(self, sets=tuple(sets))


def load_suite(folder: Path | None = None) -> Suite:
    """Return the suite that ships, or that in ``folder``: criteria.yaml, world.yaml and a file for each test case."""
    folder = folder if folder is not None else Path(__file__).parent
    _, criteria = _read(folder / "criteria.yaml", Criteria)
    _, world = _read(folder / "world.yaml", World)
    paths = sorted(path for path in folder.glob("*.yaml") if path.name not in _ASIDE)
    if not paths:
        raise UsageError(f"{folder}: there is no test case in it")
    corpus = _corpus()
    files = [_read(path, SetFile) for path in paths]
    for document, file in files:
        _check(document, file, criteria, world)
    _check_ids(files)
    sets = tuple(CaseSet(file=file, cases=tuple(_cases(document, file, corpus))) for document, file in files)
    parts = (criteria, world, *(file for _, file in files))
    content = [TypeAdapter(type(part)).dump_python(part, mode="json") for part in parts]
    return Suite(sets=sets, criteria=criteria.criteria, world=world, sha256=sha256_of(content))


def _cases(document: Document, file: SetFile, corpus: dict[str, Passage]) -> Iterator[Case]:
    for scenario in file.scenarios:
        key = ("scenarios", scenario.id)
        outcome = scenario.outcome or file.outcome
        base = Case(
            id=scenario.id,
            set_name=file.name,
            scenario=scenario.id,
            kind="scenario",
            query=scenario.query,
            role=scenario.role or file.role,
            passages=_passages(scenario.passages, corpus, document, key),
            outcome=outcome,
            code=(scenario.code or file.code) if outcome == "refuse" else None,
            says=scenario.says,
            never_says=scenario.never_says,
            status=scenario.status,
            trace=scenario.trace or (file.trace if outcome == file.outcome else _ANSWERED),
            criteria=tuple(dict.fromkeys((*_IMPLIED[outcome], *file.criteria, *scenario.criteria))),
        )
        yield base
        for variation in scenario.variations:
            yield replace(base, id=f"{base.id}/{variation.id}", kind="variation", query=variation.query)
        for miss in scenario.near_misses:
            yield _near_miss(base, miss, document, file, corpus)


def _near_miss(base: Case, miss: NearMiss, document: Document, file: SetFile, corpus: dict[str, Passage]) -> Case:
    key = ("scenarios", base.id, "near_misses", miss.id)
    return replace(
        base,
        id=f"{base.id}/{miss.id}",
        kind="near_miss",
        query=miss.query,
        role=miss.role or base.role,
        passages=base.passages if miss.passages is None else _passages(miss.passages, corpus, document, key),
        outcome="answer",
        code=None,
        says=miss.says,
        never_says=(),
        status=(),
        trace=_ANSWERED,
        criteria=tuple(dict.fromkeys((*_IMPLIED["answer"], *file.near_miss_criteria))),
    )


def _passages(given: Passages, corpus: dict[str, Passage], document: Document, key: Key) -> tuple[Passage, ...] | None:
    if given == "corpus":
        return None
    passages = []
    for passage in given:
        place = (*key, "passages", passage.id)
        parts = {name: value for name in _SOURCE_PARTS if (value := getattr(passage, name)) is not None}
        if not parts and passage.id in corpus:
            passages.append(replace(corpus[passage.id], score=passage.score))
        elif passage.id in corpus:
            raise document.error(place, "is a passage of the demo corpus; give its id and score alone")
        elif set(parts) != set(_SOURCE_PARTS):
            missing = ", ".join(name for name in _SOURCE_PARTS if name not in parts)
            raise document.error(place, f"is not a passage of the demo corpus, and has no {missing}")
        else:
            passages.append(Passage(id=passage.id, score=passage.score, **parts))
    return tuple(passages)


def _corpus() -> dict[str, Passage]:
    lines = corpus_path().read_bytes().splitlines()
    return {passage.id: passage for line in lines if (passage := Passage(**orjson.loads(line))).id is not None}


def _check(document: Document, file: SetFile, criteria: Criteria, world: World) -> None:
    """Raise where a file names a criterion or a role that there is not, or a scenario that checks nothing."""
    if file.outcome == "refuse" and file.code is None:
        raise document.error(("code",), "missing: a refusal is expected, and exactly one code applies")
    for scenario in file.scenarios:
        key = ("scenarios", scenario.id)
        if (scenario.outcome or file.outcome) == "refuse" and not (scenario.code or file.code):
            raise document.error(key, "expects a refusal and names no code")
        named = (*file.criteria, *file.near_miss_criteria, *scenario.criteria)
        _must_know(document, key, "criterion", named, criteria.criteria)
        roles = (file.role, scenario.role, *(miss.role for miss in scenario.near_misses))
        _must_know(document, key, "role", [role for role in roles if role is not None], world.roles)
        for criterion, compared in (("says_what_it_must", scenario.says), ("status_as_expected", scenario.status)):
            if criterion in (*file.criteria, *scenario.criteria) and not compared:
                raise document.error(key, f"has the criterion {criterion} and nothing for it")


def _must_know(document: Document, key: Key, what: str, named: Iterable[str], known: Iterable[str]) -> None:
    there = list(known)
    for name in named:
        if name not in there:
            raise document.error(key, f"there is no {what} '{name}'; there are: {', '.join(there)}")


def _check_ids(files: Sequence[tuple[Document, SetFile]]) -> None:
    """Raise where an id is used twice: results are known by it."""
    seen: dict[str, str] = {}
    for document, file in files:
        for scenario in file.scenarios:
            inner = [*(part.id for part in scenario.variations), *(miss.id for miss in scenario.near_misses)]
            for id_ in (scenario.id, *(f"{scenario.id}/{name}" for name in inner)):
                if id_ in seen:
                    problem = f"the id '{id_}' stands twice, first in {Path(seen[id_]).name}"
                    raise document.error(("scenarios", scenario.id), problem)
                seen[id_] = document.where


def _read(path: Path, form: type[T]) -> tuple[Document, T]:
    document = read_yaml(path, mapping="a file of the suite", error=UsageError)
    return document, document.validate(TypeAdapter(form))


def corpus_path() -> Path:
    """Return the file of policy passages, one JSON object per line."""
    return Path(__file__).parent / "corpus.jsonl"
