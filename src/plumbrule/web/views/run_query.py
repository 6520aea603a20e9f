"""What a list of runs or of samples is asked for in its address."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends, Request

from plumbrule.runs.report.sample_rows import ORDERS, SampleFilter, SampleRow, sort_rows
from plumbrule.runs.run_results import RunLine

NOT_COMPLETE = "not complete"
_TRUTHS = {"yes": True, "no": False}
_FIRST_ORDER = "score"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunQuery:
    """Which runs are shown; an empty text asks for nothing."""

    outcome: str = ""
    name: str = ""
    candidate: str = ""
    model: str = ""
    dataset: str = ""
    complete: str = ""
    text: str = ""
    page: int = 1

    @property
    def query(self) -> dict[str, object]:
        """The query of the address, without the page."""
        named = ("outcome", "name", "candidate", "model", "dataset", "complete")
        return {**{name: getattr(self, name) for name in named if getattr(self, name)}, **_text_query(self.text)}

    def select(self, runs: Iterable[RunLine]) -> list[RunLine]:
        """Return the runs that are asked for."""
        return [run for run in runs if self._holds(run)]

    def _holds(self, run: RunLine) -> bool:
        exact = ("name", "candidate", "model", "dataset")
        complete = "yes" if run.outcome is not None else "no"
        return (
            all(getattr(self, name) in ("", getattr(run, name) or "") for name in exact)
            and self.outcome in ("", run.outcome or NOT_COMPLETE)
            and self.complete in ("", complete)
            and self.text.casefold() in _searched(run)
        )


def run_choices(runs: Iterable[RunLine]) -> dict[str, dict[str, int]]:
    """Return what runs can be filtered by: the values of each field, with how many runs have them."""
    fields = ("outcome", "name", "candidate", "model", "dataset")
    lines = list(runs)
    return {
        name: dict(sorted(Counter(_value(run, name) for run in lines if _value(run, name)).items())) for name in fields
    }


def _value(run: RunLine, name: str) -> str:
    return (run.outcome or NOT_COMPLETE) if name == "outcome" else getattr(run, name) or ""


def _searched(run: RunLine) -> str:
    parts = run.run_id, run.name, run.candidate, run.model, run.dataset, run.judge, run.at
    return "\n".join(part or "" for part in parts).casefold()


def _run_query(request: Request) -> RunQuery:
    given = request.query_params
    named = ("outcome", "name", "candidate", "model", "dataset", "complete")
    fields = {name: given.get(name, "") for name in named}
    return RunQuery(**fields, text=given.get("q", "").strip(), page=_number(given.get("page")) or 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleQuery:
    """Which samples of a run are shown, in which order."""

    filter: SampleFilter
    sort: str = _FIRST_ORDER
    page: int = 1

    @property
    def query(self) -> dict[str, object]:
        """The query of the address, without the page."""
        asked = self.filter
        truths = {True: "yes", False: "no", None: None}
        query: dict[str, object] = {
            "verdict": asked.verdict,
            "passed": truths[asked.passed],
            "cause": asked.cause,
            "category": asked.category,
            "band": asked.band,
            "flag": asked.flag,
            "error": asked.error,
            "refused": truths[asked.refused],
            "only": asked.repeat,
            **_text_query(asked.text or ""),
            "sort": self.sort if self.sort != _FIRST_ORDER else None,
        }
        return {name: value for name, value in query.items() if value is not None}

    def without(self, name: str) -> "SampleQuery":
        """Return the query without one of its conditions."""
        return replace(self, filter=replace(self.filter, **{name: None}), page=1)

    def sorted_by(self, order: str) -> "SampleQuery":
        """Return the query in another order; the order that it has is turned round."""
        return replace(self, sort=f"-{order}" if self.sort == order else order, page=1)

    def select(self, rows: Sequence[SampleRow]) -> list[SampleRow]:
        """Return the rows that are asked for, in their order."""
        return sort_rows(self.filter.select(rows), self.sort)


def _sample_query(request: Request) -> SampleQuery:
    given = request.query_params
    asked = SampleFilter(
        **{name: given.get(name) or None for name in ("verdict", "cause", "category", "band", "flag", "error")},
        passed=_TRUTHS.get(given.get("passed", "")),
        refused=_TRUTHS.get(given.get("refused", "")),
        repeat=_number(given.get("only")),
        text=given.get("q", "").strip() or None,
    )
    sort = given.get("sort", "")
    known = sort if sort.removeprefix("-") in ORDERS else _FIRST_ORDER
    return SampleQuery(filter=asked, sort=known, page=_number(given.get("page")) or 1)


def _number(text: str | None) -> int | None:
    """Return a number of an address; what is none asks for nothing."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 10 else None


def _text_query(text: str) -> Mapping[str, object]:
    return {"q": text} if text else {}


AskedRuns = Annotated[RunQuery, Depends(_run_query)]
AskedSamples = Annotated[SampleQuery, Depends(_sample_query)]
