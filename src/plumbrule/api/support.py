"""The support score for Python callers: its model, and a calibration to somebody's own labels."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from plumbrule.codec import take_fields, to_json
from plumbrule.errors import RecordError, UsageError
from plumbrule.files import written_whole
from plumbrule.reports.reliability_chart import reliability_chart
from plumbrule.rubrics import Calibration, Loaded, VerdictRubric, load_verdict
from plumbrule.samples import Sample
from plumbrule.samples.labels import LabelledReading, SupportLabel, labelled_from
from plumbrule.stats.intervals import Interval
from plumbrule.stats.mean_intervals import clopper_pearson
from plumbrule.support.calibration_fit import Judged, Reliability, fit, shift_to
from plumbrule.support.calibration_results import (
    BETTER,
    Better,
    FittedCalibration,
    LabelCounts,
    LogLossChange,
    ShareMove,
    ShiftedCalibration,
    content_of_calibration,
    unsupported_share,
)
from plumbrule.support.support_model import load_model
from plumbrule.support.support_scorer import curves_of
from plumbrule.verdicts.verdict import VerdictScorer

LABEL = "supported"
VERSION = "1"
_BATCH = 128
# A calibration needs the support score alone: no parser.
_SUPPORT_ONLY = {"support.when": "always", "hallucination.anchors": ["number", "date"]}

Labelled = tuple[Sample, bool | None]
Progress = Callable[[LabelledReading], AbstractContextManager[Iterator[Labelled]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportCalibration:
    """A calibration fitted to labels: how reliable the support score was before and is now, and what was left out."""

    calibration: Calibration
    labels: int
    unsupported: int
    without_label: int
    not_scored: int  # refusals, and answers that claim nothing
    auroc: float
    auroc_interval: Interval | None
    ranks: bool  # better than chance
    log_loss: LogLossChange
    better: Better
    before: Reliability
    after: Reliability  # by five-fold cross-fitting: no answer is predicted by a curve that was fitted to it

    @property
    def overrides(self) -> dict[str, object]:
        """The calibration as ``score`` and ``score_many`` take it."""
        return {"support.calibration": to_json(content_of_calibration(self.calibration))}

    @property
    def unsupported_share(self) -> float:
        """The share of unsupported answers among the labels."""
        return self.unsupported / self.labels

    @property
    def unsupported_interval(self) -> Interval | None:
        """The exact 95% interval of that share."""
        return clopper_pearson(self.unsupported, self.labels)

    @property
    def improved(self) -> bool:
        """Whether the probabilities are clearly better than before, by their log loss on the same answers."""
        return self.better == "after"

    def rubric_text(self) -> str:
        """Return the calibration as a rubric file."""
        return rubric_text(self.calibration)

    def result(self, *, bad_records: int | None = None) -> FittedCalibration:
        """Return the calibration in the form that is written to JSON."""
        return take_fields(
            FittedCalibration,
            self,
            labels=take_fields(LabelCounts, self, used=self.labels, bad_records=bad_records),
            auroc_interval_95=self.auroc_interval,
            calibration=content_of_calibration(self.calibration, hashed=True),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedFile:
    """A calibration fitted to the labels of a file, with the records that were skipped."""

    source: str
    fitted: SupportCalibration
    skipped: tuple[RecordError, ...]
    bad: int

    def result(self) -> FittedCalibration:
        """Return the calibration in the form that is written to JSON."""
        return self.fitted.result(bad_records=self.bad)


def calibrate_support(
    labels: str | Path | Iterable[Mapping[str, object]],
    *,
    label: str = LABEL,
    inverted: bool = False,
    mapping: Mapping[str, str] | None = None,
    rubric: str | Path | None = None,
    overrides: Mapping[str, object] | None = None,
    name: str | None = None,
    version: str = VERSION,
) -> SupportCalibration:
    """Fit the support score's calibration to labelled answers: a dataset file, or records.

    ``label`` is the field that says whether an answer is supported; with ``inverted`` it says that it is not.
    """
    field = SupportLabel(label, inverted=inverted)
    if isinstance(labels, str | Path):
        pairs: Iterable[Labelled] = LabelledReading(labels, label=field, mapping=mapping)
    else:
        pairs = labelled_from(labels, field)
    loaded = load_for_calibration(Path(rubric) if rubric is not None else None, overrides or {})
    return calibrate(pairs, loaded, name=name or name_of(labels), version=version)


def calibrate(
    pairs: Iterable[Labelled], loaded: Loaded[VerdictRubric], *, name: str, version: str
) -> SupportCalibration:
    """Score the labelled samples by a rubric that gives the support score, and fit its calibration to them."""
    _check_names(name, version)
    model = load_model()
    curves = curves_of(loaded.rubric.support, model)
    counts = {"without_label": 0, "not_scored": 0}
    judged = list(_judged(pairs, VerdictScorer(loaded), counts))
    fitted = fit(judged, *curves)
    unsupported = sum(not answer.supported for answer in judged)
    return SupportCalibration(
        calibration=Calibration(
            name=name,
            version=version,
            model=model.sha256,
            labels=len(judged),
            unsupported_share=_share(unsupported / len(judged)),
            answers=fitted.answers.knots,
            sentences=fitted.sentences.knots,
        ),
        labels=len(judged),
        unsupported=unsupported,
        auroc=fitted.auroc,
        auroc_interval=fitted.auroc_interval,
        ranks=fitted.ranks,
        log_loss=LogLossChange(
            before=fitted.log_loss.first,
            after=fitted.log_loss.second,
            difference=fitted.log_loss.difference,
            interval_95=fitted.log_loss.interval,
            p_value=fitted.log_loss.p_value,
        ),
        better=BETTER[fitted.log_loss.better],
        before=fitted.before,
        after=fitted.after,
        **counts,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledFile:
    """A dataset with labels, and how it is read; with ``skip_bad`` bad records are left out and counted."""

    path: str
    label: SupportLabel
    mapping: Mapping[str, str] | None = None
    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    skip_bad: bool = False


def calibrate_file(
    labels: LabelledFile,
    loaded: Loaded[VerdictRubric],
    *,
    name: str | None = None,
    version: str = VERSION,
    output: Path | None = None,
    plot: Path | None = None,
    progress: Progress = lambda reading: nullcontext(iter(reading)),
) -> CalibratedFile:
    """Fit the calibration to the labels of a dataset; ``output`` gets the rubric file, ``plot`` the reliability chart.

    ``loaded`` is what ``load_for_calibration`` gives. ``progress`` gives the labelled samples of the reading that it is
    called with, one by one.
    """
    skipped: list[RecordError] = []
    reading = LabelledReading(
        labels.path,
        label=labels.label,
        mapping=labels.mapping,
        format=labels.format,
        delimiter=labels.delimiter,
        encoding=labels.encoding,
        on_bad=skipped.append if labels.skip_bad else None,
    )
    for path in (output, plot):
        if path is not None and path.exists() and Path(labels.path).exists() and path.samefile(labels.path):
            raise UsageError(f"{path}: is the file of labels itself; write to another file")
    with progress(reading) as pairs:
        fitted = calibrate(pairs, loaded, name=name_of(labels.path) if name is None else name, version=version)
    if output is not None:
        write_calibration(fitted.calibration, output)
    if plot is not None:
        with written_whole(plot) as file:
            file.write(reliability_chart(fitted.before, fitted.after).encode())
    return CalibratedFile(source=reading.source, fitted=fitted, skipped=tuple(skipped), bad=reading.bad)


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedCalibration:
    """A calibration moved to another share of unsupported answers."""

    calibration: Calibration
    before: float  # the share that it was fitted on
    shift: float  # what is added to every log-odds of support

    def result(self) -> ShiftedCalibration:
        """Return the calibration in the form that is written to JSON."""
        return ShiftedCalibration(
            unsupported_share=ShareMove(before=self.before, after=float(self.calibration.unsupported_share)),
            shift=self.shift,
            calibration=content_of_calibration(self.calibration, hashed=True),
        )


def calibrate_to_prior(
    share: float, loaded: Loaded[VerdictRubric] | None = None, *, name: str | None = None, version: str = VERSION
) -> MovedCalibration:
    """Move the calibration in force to another share of unsupported answers, where there are no labels to fit."""
    if not 0 < share < 1:
        raise UsageError(f"the share of unsupported answers is more than 0 and less than 1, not {share:g}")
    name = name or f"prior-{share:g}"
    _check_names(name, version)
    rules = (loaded or load_verdict()).rubric.support
    model = load_model()
    answers, sentences = curves_of(rules, model)
    before = unsupported_share(rules, model)
    shift = shift_to(share, before)
    calibration = Calibration(
        name=name,
        version=version,
        model=model.sha256,
        labels=0 if rules.calibration is None else rules.calibration.labels,
        unsupported_share=_share(share),
        answers=answers.moved(shift).knots,
        sentences=sentences.moved(shift).knots,
    )
    return MovedCalibration(calibration=calibration, before=before, shift=shift)


def load_for_calibration(rubric: Path | None, overrides: Mapping[str, object]) -> Loaded[VerdictRubric]:
    """Return the verdict rubric with the support score and without claims."""
    return load_verdict(rubric, {**overrides, **_SUPPORT_ONLY})


def name_of(labels: object) -> str:
    """Return the name that a calibration gets where nobody gives one: that of its labels' file."""
    name = Path(labels).name.split(".")[0] if isinstance(labels, str | Path) else ""
    return name.strip() if name.strip(" -") else "labels"


def rubric_text(calibration: Calibration) -> str:
    """Return the text of a rubric file that holds a calibration only."""
    content = {"support": {"calibration": to_json(content_of_calibration(calibration))}}
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, default_flow_style=None, width=110)
    return f"# A calibration of the support score; give it with --rubric, or copy it into a rubric file.\n{text}"


def write_calibration(calibration: Calibration, path: Path) -> None:
    """Write a calibration as a rubric file."""
    with written_whole(path) as file:
        file.write(rubric_text(calibration).encode())


def _judged(pairs: Iterable[Labelled], scorer: VerdictScorer, counts: dict[str, int]) -> Iterator[Judged]:
    """Yield each labelled answer with its log-odds; count those without a label and those without log-odds."""
    pending = iter(pairs)
    while batch := list(islice(pending, _BATCH)):
        labelled = [(sample, supported) for sample, supported in batch if supported is not None]
        counts["without_label"] += len(batch) - len(labelled)
        verdicts = scorer.score_many([sample for sample, _ in labelled])
        for (sample, supported), verdict in zip(labelled, verdicts, strict=True):
            if verdict.support is None or verdict.support.log_odds is None:
                counts["not_scored"] += 1
            else:
                yield Judged(sample.id, verdict.support.log_odds, supported)


def _share(share: float) -> Any:  # noqa: ANN401 - the rubric's form makes a fraction of it
    return round(share, 6)


def _check_names(name: str, version: str) -> None:
    for what, given in (("name", name), ("version", version)):
        if not given.strip():
            raise UsageError(f"a calibration needs a {what}")
