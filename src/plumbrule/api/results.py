"""Verdicts on many answers as a Python caller holds them: a sequence that shows itself in a notebook."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from plumbrule.errors import RecordError, UsageError
from plumbrule.samples import Sample
from plumbrule.verdicts import FailOn, StampJson, Verdict, VerdictSummary, VerdictTally

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import polars as pl


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSample:
    """A sample and its verdict."""

    sample: Sample
    verdict: Verdict

    def fails_on(self, conditions: Iterable[FailOn]) -> bool:
        """Tell whether the sample meets one of the conditions, as that of a whole dataset would."""
        tally = VerdictTally()
        tally.add(self.sample, self.verdict)
        return tally.summary().fails_on(conditions)

    def _repr_html_(self) -> str | None:
        return Results([self])._repr_html_()


class Results(Sequence[Verdict]):
    """The verdicts on many answers, in their order: iterate over them, index them, slice them.

    Those on a stream, such as a generator, are made while they are taken, and are not kept: a summary, a table or a
    second pass needs all of them, so ask for that first.
    """

    def __init__(
        self,
        rows: Iterable[ScoredSample],
        *,
        skipped: Sequence[RecordError] = (),
        labels: Sequence[Hashable] | None = None,
        stream: bool = False,
    ) -> None:
        self._skipped = skipped
        self._labels = labels
        self._taken = 0
        self._pending = iter(rows) if stream else None
        self._kept = [] if stream else list(rows)
        self._next: Iterator[Verdict] | None = None

    @property
    def rows(self) -> Sequence[ScoredSample]:
        """Each sample with its verdict."""
        if self._pending is not None:
            if self._taken:
                raise UsageError(
                    f"{self._taken} verdicts of this stream were taken already and are not kept: give score_many a "
                    "list, or ask for this first"
                )
            self._kept, self._pending = list(self._pending), None
        return self._kept

    @property
    def skipped(self) -> tuple[RecordError, ...]:
        """The bad records that have no verdict, where they were to be skipped."""
        return tuple(self._skipped)

    @property
    def failures(self) -> "Results":
        """Those whose verdict is FAIL."""
        return self._those([place for place, row in enumerate(self.rows) if row.verdict.verdict == "FAIL"])

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is odd about the samples as a whole: all of them lack their contexts, or their questions."""
        missing = {
            "contexts": not any(row.sample.contexts for row in self.rows),
            "question": not any(row.sample.question for row in self.rows),
        }
        remarks = [
            f"no sample has {name}: map={{'{name}': COLUMN}} says which column holds it"
            for name, lacks in missing.items()
            if lacks and self.rows
        ]
        if self._skipped:
            bad = "1 bad record was" if len(self._skipped) == 1 else f"{len(self._skipped)} bad records were"
            remarks.append(f"{bad} skipped; the first: {self._skipped[0]}")
        return tuple(remarks)

    def summary(self) -> VerdictSummary:
        """Return the verdicts in figures, with the counts behind every mean."""
        return self._tally().summary(bad_records=len(self._skipped), rubric=self._rubric())

    def to_pandas(self) -> "pd.DataFrame":
        """Return one row for each answer; the index is that of the DataFrame that was scored, where it was one."""
        from plumbrule.reports.notebook.result_columns import to_pandas, verdict_columns  # noqa: PLC0415 - heavy

        return to_pandas(verdict_columns(self._pairs()), labels=self._labels)

    def to_polars(self) -> "pl.DataFrame":
        """Return one row for each answer."""
        from plumbrule.reports.notebook.result_columns import to_polars, verdict_columns  # noqa: PLC0415 - heavy

        return to_polars(verdict_columns(self._pairs()))

    def plot(self) -> "alt.HConcatChart":
        """Return a chart of the verdicts and of how each score spreads."""
        from plumbrule.reports.notebook.altair_charts import verdict_chart  # noqa: PLC0415 - heavy

        return verdict_chart(list(self))

    def __iter__(self) -> Iterator[Verdict]:
        if self._pending is None:
            return (row.verdict for row in self._kept)
        return self._stream(self._pending)

    def __next__(self) -> Verdict:
        """Return the next verdict, as an iterator does."""
        if self._next is None:
            self._next = iter(self)
        return next(self._next)

    def __len__(self) -> int:
        if self._pending is not None and self._taken:
            raise TypeError("the length of a stream is not known")  # what list() goes on after
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Verdict: ...

    @overload
    def __getitem__(self, place: slice) -> "Results": ...

    def __getitem__(self, place: int | slice) -> "Verdict | Results":
        if isinstance(place, slice):
            return self._those(range(len(self))[place])
        return self.rows[place].verdict

    def __repr__(self) -> str:
        if self._pending is not None:
            return f"Results(a stream, {self._taken} taken)"
        summary = self.summary()
        parts = [f"{count} {outcome}" for outcome, count in summary.verdicts.items()]
        parts += [f"{name} {getattr(summary.counts, name)}" for name in ("attempted", "scored", "errored", "refused")]
        return f"Results({', '.join((*parts, *self.remarks))})"

    def _repr_html_(self) -> str | None:
        if self._pending is not None:
            return None
        from plumbrule.reports.notebook.verdict_html import MOST_ANSWERS, results_html  # noqa: PLC0415 - heavy

        tally = self._tally(MOST_ANSWERS)
        worst = tally.worst()
        shown = {id(verdict) for _, verdict in worst}
        others = (pair for pair in self._pairs() if id(pair[1]) not in shown)
        rows = [*worst, *(pair for pair, _ in zip(others, range(MOST_ANSWERS - len(worst)), strict=False))]
        return results_html(self.summary(), rows, remarks=self.remarks)

    def _stream(self, pending: Iterator[ScoredSample]) -> Iterator[Verdict]:
        for row in pending:
            self._taken += 1
            yield row.verdict

    def _those(self, places: Iterable[int]) -> "Results":
        chosen, labels = list(places), self._labels
        return Results(
            [self.rows[place] for place in chosen],
            labels=None if labels is None else [labels[place] for place in chosen],
        )

    def _pairs(self) -> list[tuple[Sample, Verdict]]:
        return [(row.sample, row.verdict) for row in self.rows]

    def _tally(self, worst: int = 5) -> VerdictTally[Verdict]:
        tally = VerdictTally(worst)
        for row in self.rows:
            tally.add(row.sample, row.verdict)
        return tally

    def _rubric(self) -> StampJson | None:
        return StampJson(**self.rows[0].verdict.rubric) if self.rows else None
