"""A run as a Python caller holds it once it was carried out: a sequence of its samples, shown in a notebook."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, overload

from plumbrule.rubrics import Loaded, VerdictRubric
from plumbrule.runs.execution import Progress
from plumbrule.runs.run_results import RunSummary, SampleSummary
from plumbrule.runs.session import RunOutcome
from plumbrule.samples import Sample
from plumbrule.verdicts import VerdictScorer

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import polars as pl


class RunResults(Sequence[SampleSummary]):
    """A run that was carried out, as far as it got: its samples in each repeat, its summary, and its failures."""

    def __init__(
        self,
        outcome: RunOutcome,
        *,
        texts: Mapping[tuple[str, int], Sample] | None = None,
        rules: Loaded[VerdictRubric] | None = None,
    ) -> None:
        self._outcome = outcome
        self._texts = texts or {}  # of the first failures, by sample and repeat
        self._rules = rules

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self._outcome.run_id

    @property
    def progress(self) -> Progress:
        """How far the run got."""
        return self._outcome.progress

    @property
    def judged(self) -> int:
        """How many results have a score by a judge, of either kind."""
        return self._outcome.judged

    @property
    def failures(self) -> tuple[SampleSummary, ...]:
        """The samples that did not pass, each in its repeat."""
        return tuple(sample for sample in self if not sample.passed)

    def summary(self) -> RunSummary:
        """Return the summary of what is finished; ``complete`` says whether that is all."""
        return self._outcome.summary()

    def to_pandas(self) -> "pd.DataFrame":
        """Return one row for each sample in each repeat."""
        from plumbrule.reports.notebook.result_columns import sample_columns, to_pandas  # noqa: PLC0415 - heavy

        return to_pandas(sample_columns(self._outcome.samples))

    def to_polars(self) -> "pl.DataFrame":
        """Return one row for each sample in each repeat."""
        from plumbrule.reports.notebook.result_columns import sample_columns, to_polars  # noqa: PLC0415 - heavy

        return to_polars(sample_columns(self._outcome.samples))

    def plot(self) -> "alt.HConcatChart":
        """Return a chart of the gates with their intervals, and of how the scores of the samples spread."""
        from plumbrule.reports.notebook.altair_charts import run_chart  # noqa: PLC0415 - heavy

        return run_chart(self._outcome.samples, self.summary().gates)

    def __len__(self) -> int:
        return len(self._outcome.samples)

    @overload
    def __getitem__(self, place: int) -> SampleSummary: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[SampleSummary]: ...

    def __getitem__(self, place: int | slice) -> SampleSummary | Sequence[SampleSummary]:
        return self._outcome.samples[place]

    def __repr__(self) -> str:
        if not self._outcome.samples:
            return f"RunResults({self.run_id}, nothing is finished)"
        summary = self.summary()
        counts = summary.aggregates.counts
        parts = [f"{name} {getattr(counts, name)}" for name in ("attempted", "scored", "errored", "refused")]
        return f"RunResults({self.run_id}, {summary.headline}, {', '.join(parts)}, failures {len(self.failures)})"

    def _repr_html_(self) -> str | None:
        if not self._outcome.samples:
            return None
        from plumbrule.reports.notebook.verdict_html import MOST_ANSWERS, run_html, show_answer  # noqa: PLC0415 - heavy

        failures = self.failures
        scorer = VerdictScorer(self._rules) if self._rules is not None and self._texts else None
        shown = []
        for failure in failures[:MOST_ANSWERS]:
            text = self._texts.get((failure.sample_id, failure.repeat))
            marked = None if scorer is None or text is None else show_answer(text, scorer.score(text))
            shown.append((failure, marked))
        return run_html(self.summary(), shown, failed=len(failures))
