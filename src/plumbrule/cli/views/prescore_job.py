"""One pre-scoring from the command line: read, join, check, show progress, write, sum up."""

import shlex
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from plumbrule.cli.progress import progress_over
from plumbrule.cli.terminal_console import print_json, stderr, stdout
from plumbrule.cli.views.prescore_tables import show_explanation, show_summary
from plumbrule.codec import json_line
from plumbrule.engines.local_processes import map_chunks
from plumbrule.errors import UsageError
from plumbrule.files import written_whole
from plumbrule.interactions.interaction import Interaction
from plumbrule.interactions.interaction_reader import InteractionReading, read_interactions
from plumbrule.names import pick
from plumbrule.prescores.prescore_tally import PrescoreTally
from plumbrule.prescores.prescorer import Prescore, PreScorer, rules_of_evidence
from plumbrule.rubrics import (
    ComplianceRubric,
    Loaded,
    RefusalTaxonomy,
    VerdictRubric,
    load_compliance,
    load_refusals,
    parse_override,
)
from plumbrule.settings import usable_cores


class _ChunkPrescorer:
    """Pre-scores interactions to the lines of JSON that are written and the tally that is shown.

    Both are made where the work is done: handing evidence from process to process costs more than making it.
    """

    def __init__(
        self,
        compliance: Loaded[ComplianceRubric],
        refusals: Loaded[RefusalTaxonomy],
        verdict: Loaded[VerdictRubric],
        *,
        written: bool,
    ) -> None:
        self._scorer = PreScorer(compliance, refusals, verdict)
        self._pattern = float(compliance.rubric.refusal.over_refusal_pattern)
        self._written = written

    def __call__(self, chunk: list[Interaction]) -> tuple[bytes, PrescoreTally]:
        tally = PrescoreTally(pattern=self._pattern)
        lines = []
        for prescore in self._scorer.prescore_many(chunk):
            tally.add(prescore)
            if self._written:
                lines.append(json_line(prescore.to_dict()))
        return b"".join(lines), tally


@dataclass(kw_only=True)
class PrescoreJob:
    """What the command line asked for."""

    path: str
    passages: str | None = None
    strict: bool = False
    rubric: Path | None = None
    settings: tuple[str, ...] = ()
    refusals: Path | None = None
    verdict_rubric: Path | None = None
    claims: bool = True
    workers: int | None = None

    def __post_init__(self) -> None:
        self._compliance = load_compliance(self.rubric, dict(parse_override(setting) for setting in self.settings))
        self._taxonomy = load_refusals(self.refusals)
        self._verdict = rules_of_evidence(self.verdict_rubric, claims=self.claims)

    def run(self, *, output: Path | None, as_json: bool) -> PrescoreTally:
        """Pre-score everything; results go to ``output`` or, as JSON, to standard output."""
        self._check_output(output)
        reading = self._reading()
        tally = PrescoreTally(pattern=float(self._compliance.rubric.refusal.over_refusal_pattern))
        with ExitStack() as stack:
            lines: Any = stack.enter_context(written_whole(output)) if output is not None else None
            if lines is None and as_json:
                lines = sys.stdout.buffer
            interactions = stack.enter_context(progress_over(reading, stderr(), unit="interactions"))
            make_task = partial(
                _ChunkPrescorer, self._compliance, self._taxonomy, self._verdict, written=lines is not None
            )
            # What an interaction was read from is of no use to a pre-score, and need not go to another process.
            bare = (replace(each, given=None) for each in interactions)
            for text, part in map_chunks(make_task, bare, workers=self.workers or usable_cores()):
                tally.merge(part)
                if lines is not None:
                    lines.write(text)
        tally.add_findings(reading.findings)
        stamps = [loaded.stamp() for loaded in (self._compliance, self._taxonomy, self._verdict)]
        if not as_json:
            closer = self._closer_look(tally)
            show_summary(stdout(), tally, reading.counts, rubrics=stamps, output=output, closer=closer)
        elif output is not None:
            summary = {"counts": reading.counts.to_dict(), **tally.to_dict(), "rubrics": stamps}
            print_json(summary)
        return tally

    def explain(self, wanted: str, *, as_json: bool) -> Prescore:
        """Pre-score and show one interaction, by its trace id, its own id, or the start of either."""
        prescore = self._scorer().prescore(self._find(wanted))
        if as_json:
            print_json(prescore.to_dict())
        else:
            show_explanation(stdout(), prescore)
        return prescore

    def _find(self, wanted: str) -> Interaction:
        reading = self._reading()
        found = pick(wanted, reading, _names_of, where=reading.source, what="interactions")
        if found is None:
            raise UsageError(f"{reading.source}: there is no interaction '{wanted}' among {reading.counts.responses}")
        return found

    def _reading(self) -> InteractionReading:
        return read_interactions(
            self.path, self.passages, self.strict, compliance=self._compliance, refusals=self._taxonomy
        )

    def _scorer(self) -> PreScorer:
        return PreScorer(self._compliance, self._taxonomy, self._verdict)

    def _closer_look(self, tally: PrescoreTally) -> str | None:
        """Return the command that explains the first interaction with the lowest cap, to be copied."""
        rules = tally.most_frequent()
        if not rules:
            return None
        words = ["plumbrule", "prescore", self.path, "--explain", rules[0].example]
        words += ["--passages", self.passages] if self.passages else []
        words += ["--rubric", str(self.rubric)] if self.rubric else []
        words += [word for setting in self.settings for word in ("--set", setting)]
        words += ["--refusals", str(self.refusals)] if self.refusals else []
        words += ["--verdict-rubric", str(self.verdict_rubric)] if self.verdict_rubric else []
        words += [] if self.claims else ["--no-claims"]
        return shlex.join(words)

    def _check_output(self, output: Path | None) -> None:
        if output is None:
            return
        for name in (self.path, self.passages):
            if name is not None and output.exists() and Path(name).exists() and output.samefile(name):
                raise UsageError(f"{output}: this is what is read; write the results to another file")


def _names_of(interaction: Interaction) -> list[str]:
    sample = interaction.sample
    return [name for name in (sample.trace_id, sample.id) if name]
