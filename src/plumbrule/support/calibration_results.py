"""The results of a calibration of the support score, and the description of its model, as they are written to JSON."""

from dataclasses import dataclass
from typing import Literal

from plumbrule.codec import optional_key
from plumbrule.rubrics import Calibration, Loaded, Stamp, SupportRules, VerdictRubric
from plumbrule.stats.intervals import Interval
from plumbrule.stats.log_loss import Preference
from plumbrule.support.calibration_fit import Reliability
from plumbrule.support.finding_reasons import MEANINGS
from plumbrule.support.measures import MEASURES
from plumbrule.support.support_model import SupportModel, load_model
from plumbrule.support.support_scorer import curves_of, supported_unasked_from
from plumbrule.support.verifier import verifier_folder

Better = Literal["before", "after", "no clear difference"]
BETTER: dict[Preference, Better] = {
    "first": "before",
    "second": "after",
    "no clear difference": "no clear difference",
}
Knots = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationContent:
    """A calibration in plain values, as a rubric file holds it; results give its hash as well."""

    name: str
    version: str
    model: str
    labels: int
    unsupported_share: float
    answers: Knots
    sentences: Knots
    sha256: str | None = optional_key()


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCounts:
    """How many labels were used, and how many records could not be."""

    used: int
    without_label: int
    not_scored: int  # refusals, and answers that claim nothing
    bad_records: int | None = optional_key()  # of a file


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLossChange:
    """The mean log loss of the answers before and after, lower being better, and their paired difference."""

    before: float
    after: float
    difference: float
    interval_95: Interval | None
    p_value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedCalibration:
    """A calibration fitted to labels: how reliable the support score was before and is now.

    It is better where the interval of the log loss difference lies below 0. The score ranks where the interval of the
    AUROC lies above 0.5.
    """

    labels: LabelCounts
    unsupported_share: float
    auroc: float
    auroc_interval_95: Interval | None
    ranks: bool
    before: Reliability
    after: Reliability
    log_loss: LogLossChange
    better: Better
    calibration: CalibrationContent


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareMove:
    """The share of unsupported answers that a calibration is for."""

    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftedCalibration:
    """A calibration moved to another share of unsupported answers."""

    unsupported_share: ShareMove
    shift: float  # what is added to every log-odds of support
    calibration: CalibrationContent


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureWeight:
    """One measure of the model: the risk, in log-odds, that one unit of it adds."""

    name: str
    weight: float
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationInForce:
    """The calibration that a rubric asks for; ``labels`` is None for the model's own."""

    name: str
    version: str
    sha256: str
    labels: int | None
    unsupported_share: float
    answers: Knots
    sentences: Knots


@dataclass(frozen=True, slots=True, kw_only=True)
class Bands:
    """The limits of the bands; between them the support is doubtful."""

    supported_from: float
    supported_unasked_from: float  # where no question is given, if the answer repeats no passage
    unsupported_below: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportDescription:
    """The support score that a rubric asks for: model, measures, calibration, bands."""

    model: Stamp
    measures: tuple[MeasureWeight, ...]
    intercept: float
    length_power: float
    calibration: CalibrationInForce
    bands: Bands
    verifier: str | None
    rubric: Stamp


def describe_support(loaded: Loaded[VerdictRubric]) -> SupportDescription:
    """Return the description of the support score that a rubric asks for."""
    rules, model = loaded.rubric.support, load_model()
    answers, sentences = curves_of(rules, model)
    stamp = model.stamp if rules.calibration is None else rules.calibration.stamp()
    return SupportDescription(
        model=model.stamp,
        measures=tuple(
            MeasureWeight(name=name, weight=weight, meaning=MEANINGS[name])
            for name, weight in zip(MEASURES, model.weights, strict=True)
        ),
        intercept=model.intercept,
        length_power=model.length_power,
        calibration=CalibrationInForce(
            name=stamp["name"],
            version=stamp["version"],
            sha256=stamp["sha256"],
            labels=None if rules.calibration is None else rules.calibration.labels,
            unsupported_share=unsupported_share(rules, model),
            answers=answers.knots,
            sentences=sentences.knots,
        ),
        bands=Bands(
            supported_from=float(rules.supported_from),
            supported_unasked_from=supported_unasked_from(rules, model),
            unsupported_below=float(rules.unsupported_below),
        ),
        verifier=str(folder) if (folder := verifier_folder(rules.verifier)) is not None else None,
        rubric=loaded.stamp(),
    )


def unsupported_share(rules: SupportRules, model: SupportModel) -> float:
    """Return the share of unsupported answers that the calibration in force was fitted on."""
    return model.unsupported_share if rules.calibration is None else float(rules.calibration.unsupported_share)


def content_of_calibration(calibration: Calibration, *, hashed: bool = False) -> CalibrationContent:
    """Return a calibration in plain values, with its hash where it is asked for."""
    return CalibrationContent(
        name=calibration.name,
        version=calibration.version,
        model=calibration.model,
        labels=calibration.labels,
        unsupported_share=float(calibration.unsupported_share),
        answers=calibration.answers,
        sentences=calibration.sentences,
        sha256=calibration.stamp()["sha256"] if hashed else None,
    )
