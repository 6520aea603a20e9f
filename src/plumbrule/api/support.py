"""The support score for Python callers and the command line: its model, and a calibration to somebody's own labels."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from plumbrule.errors import UsageError
from plumbrule.rubrics import Calibration, Loaded, SupportRules, VerdictRubric, load_verdict
from plumbrule.samples import Sample
from plumbrule.samples.labels import LabelledReading, SupportLabel, labelled_from
from plumbrule.support.calibration_fit import Judged, Reliability, fit, shift_to
from plumbrule.support.finding_reasons import MEANINGS
from plumbrule.support.measures import MEASURES
from plumbrule.support.support_model import SupportModel, load_model
from plumbrule.support.support_scorer import curves_of
from plumbrule.verdicts.verdict import VerdictScorer

LABEL = "supported"
VERSION = "1"
_BATCH = 128
# A calibration needs the support score alone: no parser.
_SUPPORT_ONLY = {"support.when": "always", "hallucination.anchors": ["number", "date"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportCalibration:
    """A calibration fitted to labels: how reliable the support score was before and is now, and what was left out."""

    calibration: Calibration
    labels: int
    unsupported: int
    without_label: int
    not_scored: int  # refusals, and answers that claim nothing
    auroc: float
    before: Reliability
    after: Reliability  # by five-fold cross-fitting: no answer is told by a curve that was fitted to it

    @property
    def overrides(self) -> dict[str, object]:
        """The calibration as ``score`` and ``score_many`` take it."""
        return {"support.calibration": plain_calibration(self.calibration)}

    def rubric_text(self) -> str:
        """Return the calibration as a rubric file."""
        return rubric_text(self.calibration)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as it is written to JSON."""
        return {
            "labels": {"used": self.labels, "without_label": self.without_label, "not_scored": self.not_scored},
            "unsupported_share": self.unsupported / self.labels,
            "auroc": self.auroc,
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "calibration": {**plain_calibration(self.calibration), "sha256": self.calibration.stamp()["sha256"]},
        }


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
        pairs: Iterable[tuple[Sample, bool | None]] = LabelledReading(labels, label=field, mapping=mapping)
    else:
        pairs = labelled_from(labels, field)
    loaded = load_for_calibration(Path(rubric) if rubric is not None else None, overrides or {})
    return calibrate(pairs, loaded, name=name or name_of(labels), version=version)


def calibrate(
    pairs: Iterable[tuple[Sample, bool | None]], loaded: Loaded[VerdictRubric], *, name: str, version: str
) -> SupportCalibration:
    """Score the labelled samples by a rubric that gives the support score, and fit its calibration to them."""
    _check_names(name, version)
    model = load_model()
    curves = curves_of(loaded.rubric.support, model)
    counts = {"without_label": 0, "not_scored": 0}
    judged = list(_judged(pairs, VerdictScorer(loaded), counts))
    found = fit(judged, *curves)
    unsupported = sum(not each.supported for each in judged)
    return SupportCalibration(
        calibration=Calibration(
            name=name,
            version=version,
            model=model.sha256,
            labels=len(judged),
            unsupported_share=_share(unsupported / len(judged)),
            answers=found.answers.knots,
            sentences=found.sentences.knots,
        ),
        labels=len(judged),
        unsupported=unsupported,
        auroc=found.auroc,
        before=found.before,
        after=found.after,
        **counts,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedCalibration:
    """A calibration moved to another share of unsupported answers."""

    calibration: Calibration
    before: float  # the share that it was fitted on
    shift: float  # what is added to every log-odds of support

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as it is written to JSON."""
        return {
            "unsupported_share": {"before": self.before, "after": float(self.calibration.unsupported_share)},
            "shift": self.shift,
            "calibration": {**plain_calibration(self.calibration), "sha256": self.calibration.stamp()["sha256"]},
        }


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
    before = _unsupported_share(rules, model)
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


def describe_support(loaded: Loaded[VerdictRubric]) -> dict[str, Any]:
    """Return what is known of the support score that a rubric asks for: model, measures, calibration, bands."""
    rules, model = loaded.rubric.support, load_model()
    answers, sentences = curves_of(rules, model)
    return {
        "model": model.stamp,
        "measures": [
            {"name": name, "weight": weight, "meaning": MEANINGS[name]}
            for name, weight in zip(MEASURES, model.weights, strict=True)
        ],
        "intercept": model.intercept,
        "length_power": model.length_power,
        "calibration": {
            **(rules.calibration.stamp() if rules.calibration is not None else model.stamp),
            "labels": None if rules.calibration is None else rules.calibration.labels,
            "unsupported_share": _unsupported_share(rules, model),
            "answers": [list(knot) for knot in answers.knots],
            "sentences": [list(knot) for knot in sentences.knots],
        },
        "bands": {
            "supported_from": float(rules.supported_from),
            "unsupported_below": float(rules.unsupported_below),
        },
        "verifier": rules.verifier,
        "rubric": loaded.stamp(),
    }


def name_of(labels: object) -> str:
    """Return the name that a calibration gets where nobody gives one: that of its labels' file."""
    name = Path(labels).name.split(".")[0] if isinstance(labels, str | Path) else ""
    return name.strip() if name.strip(" -") else "labels"


def rubric_text(calibration: Calibration) -> str:
    """Return a rubric file that says nothing but a calibration."""
    content = {"support": {"calibration": plain_calibration(calibration)}}
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, default_flow_style=None, width=110)
    return f"# A calibration of the support score; give it with --rubric, or copy it into a rubric file.\n{text}"


def plain_calibration(calibration: Calibration) -> dict[str, Any]:
    """Return a calibration as plain values."""
    return {
        "name": calibration.name,
        "version": calibration.version,
        "model": calibration.model,
        "labels": calibration.labels,
        "unsupported_share": float(calibration.unsupported_share),
        "answers": [list(knot) for knot in calibration.answers],
        "sentences": [list(knot) for knot in calibration.sentences],
    }


def _judged(
    pairs: Iterable[tuple[Sample, bool | None]], scorer: VerdictScorer, counts: dict[str, int]
) -> Iterator[Judged]:
    """Yield each labelled answer with its log-odds; count those that have no label or none."""
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


def _unsupported_share(rules: SupportRules, model: SupportModel) -> float:
    """Return the share of unsupported answers that the calibration in force was fitted on."""
    return model.unsupported_share if rules.calibration is None else float(rules.calibration.unsupported_share)


def _share(share: float) -> Any:  # noqa: ANN401 - the rubric's form makes a fraction of it
    return round(share, 6)


def _check_names(name: str, version: str) -> None:
    for what, given in (("name", name), ("version", version)):
        if not given.strip():
            raise UsageError(f"a calibration needs a {what}")
