"""One scoring of a dataset from the command line: read, score, show progress, write, sum up."""

import shlex
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from plumbrule.cli.progress import progress_over
from plumbrule.cli.terminal_console import print_json, stderr, stdout
from plumbrule.cli.views.verdict_tables import show_explanation, show_summary
from plumbrule.codec import json_line
from plumbrule.engines.local_processes import map_chunks
from plumbrule.errors import InputError, RecordError, UsageError
from plumbrule.files import written_whole
from plumbrule.rubrics import Loaded, VerdictRubric, load_verdict, parse_override
from plumbrule.samples import Reading, Sample, parse_mapping
from plumbrule.settings import usable_cores
from plumbrule.support.support_scorer import gives_support
from plumbrule.terminal import safe
from plumbrule.verdicts.verdict import Verdict, VerdictScorer
from plumbrule.verdicts.verdict_tally import Tally

_SHOWN_BAD = 5


class _ChunkScorer:
    """Scores samples to the lines of JSON that are written and the tally that is shown.

    Both are made where the scoring is done: handing verdicts from process to process costs more than making them.
    """

    def __init__(self, loaded: Loaded[VerdictRubric], *, worst: int, written: bool) -> None:
        self._scorer = VerdictScorer(loaded)
        self._worst = worst
        self._written = written

    def __call__(self, chunk: list[Sample]) -> tuple[bytes, Tally]:
        tally = Tally(self._worst)
        lines = []
        for sample, verdict in zip(chunk, self._scorer.score_many(chunk), strict=True):
            tally.add(sample, verdict)
            if self._written:
                lines.append(json_line(verdict.to_dict()))
        return b"".join(lines), tally


@dataclass(kw_only=True)
class ScoreJob:
    """What the command line asked for."""

    dataset: str
    mapping: tuple[str, ...] = ()
    format: str | None = None
    rubric: Path | None = None
    settings: tuple[str, ...] = ()
    claims: bool = True
    support: bool | None = None
    verifier: Path | None = None
    skip_bad: bool = False
    workers: int | None = None

    def run(self, *, output: Path | None, worst: int, as_json: bool, quiet: bool = False) -> Tally:
        """Score the whole dataset; results go to ``output`` or, as JSON, to standard output.

        ``quiet`` leaves the summary to the caller.
        """
        loaded = self._load_rubric()
        if output is not None:
            self._check_output(output)
        reading = self._reading()
        tally = Tally(worst)
        with ExitStack() as stack:
            lines = stack.enter_context(written_whole(output)) if output is not None else None
            if lines is None and as_json:
                lines = sys.stdout.buffer
            samples = stack.enter_context(progress_over(reading, stderr()))
            make_task = partial(_ChunkScorer, loaded, worst=worst, written=lines is not None)
            for text, part in map_chunks(make_task, samples, workers=self.workers or usable_cores()):
                tally.merge(part)
                if lines is not None:
                    lines.write(text)
            if not tally.attempted:
                raise InputError(
                    f"{reading.source}: not one of its {reading.bad} records could be read, so none was scored"
                )
        if not as_json and not quiet:
            closer = self._closer_look(tally)
            show_summary(stdout(), tally, bad=reading.bad, rubric=loaded.stamp(), output=output, closer=closer)
        elif output is not None and not quiet:
            summary = {**tally.to_dict(bad_records=reading.bad), "rubric": loaded.stamp()}
            print_json(summary)
        if self.skip_bad and reading.bad:
            self._say_skipped(reading)
        unread = [name for name in ("question", "contexts") if name not in reading.fields]
        if unread:
            said = f"nothing was read as {' or '.join(unread)}; --map FIELD=COLUMN names the column"
            stderr().print(safe(said), style="yellow", markup=False, soft_wrap=True)
        return tally

    def explain(self, wanted: str, *, as_json: bool) -> Verdict:
        """Score and show one sample."""
        loaded = self._load_rubric()
        sample = self._find(wanted)
        verdict = VerdictScorer(loaded).score(sample)
        if as_json:
            print_json(verdict.to_dict())
        else:
            show_explanation(stdout(), sample, verdict)
        return verdict

    def _closer_look(self, tally: Tally) -> str | None:
        """Return the command that explains the worst sample, to be copied; None where nothing can be read again."""
        if not tally.worst() or self.dataset == "-":
            return None
        words = ["plumbrule", "score", self.dataset, "--explain", tally.worst()[0][1].id]
        words += [word for pair in self.mapping for word in ("--map", pair)]
        words += ["--format", self.format] if self.format else []
        words += ["--rubric", str(self.rubric)] if self.rubric else []
        words += [word for setting in self.settings for word in ("--set", setting)]
        words += [] if self.claims else ["--no-claims"]
        words += [] if self.support is None else ["--support" if self.support else "--no-support"]
        words += ["--verifier", str(self.verifier)] if self.verifier else []
        words += ["--skip-bad"] if self.skip_bad else []
        return shlex.join(words)

    def _find(self, wanted: str) -> Sample:
        reading = self._reading()
        for sample in reading:
            if sample.id == wanted:
                return sample
        raise UsageError(f"{reading.source}: there is no sample '{wanted}' among {reading.read}")

    def _reading(self) -> Reading:
        self._bad: list[RecordError] = []
        return Reading(
            self.dataset,
            mapping=parse_mapping(self.mapping),
            format=self.format,
            on_bad=self._remember_bad if self.skip_bad else None,
        )

    def _remember_bad(self, error: RecordError) -> None:
        if len(self._bad) < _SHOWN_BAD:
            self._bad.append(error)

    def _say_skipped(self, reading: Reading) -> None:
        console = stderr()
        for error in self._bad:
            console.print(safe(f"skipped {error}"), style="yellow", markup=False, soft_wrap=True)
        rest = f"; 'plumbrule validate {reading.source}' lists all" if reading.bad > len(self._bad) else ""
        console.print(
            safe(f"{reading.bad} bad of {reading.bad + reading.read} records were skipped{rest}"),
            style="yellow",
            markup=False,
            soft_wrap=True,
        )

    def _load_rubric(self) -> Loaded[VerdictRubric]:
        overrides = dict(parse_override(setting) for setting in self.settings)
        loaded = load_verdict(self.rubric, overrides)
        if self.support is not None:
            overrides["support.when"] = "always" if self.support else "never"
        if self.verifier is not None:
            overrides["support.verifier"] = str(self.verifier)
        if not self.claims and "claim" in loaded.rubric.hallucination.anchors:
            overrides["hallucination.anchors"] = [
                kind for kind in loaded.rubric.hallucination.anchors if kind != "claim"
            ]
        loaded = load_verdict(self.rubric, overrides)
        if self.verifier is not None and not gives_support(loaded.rubric):
            raise UsageError("--verifier has a part in the support score, which is not given here: add --support")
        return loaded

    def _check_output(self, output: Path) -> None:
        if str(output) == "-":
            raise UsageError("-o -: --json prints the results to standard output")
        if output.suffix in {".gz", ".zst"}:
            raise UsageError(f"{output}: results are written as plain JSONL; leave out {output.suffix}")
        if output.exists() and Path(self.dataset).exists() and output.samefile(self.dataset):
            raise UsageError(f"{output}: is the dataset itself; write the results to another file")
