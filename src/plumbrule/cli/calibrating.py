"""A calibration of the support score from the command line: read labels, fit, show, write."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from plumbrule.api.support import (
    calibrate,
    calibrate_to_prior,
    describe_support,
    load_for_calibration,
    name_of,
    rubric_text,
)
from plumbrule.cli.calibration_views import show_description, show_fit, show_move
from plumbrule.cli.console import plain, stderr, stdout
from plumbrule.cli.progress import progress_over
from plumbrule.errors import RecordError, UsageError
from plumbrule.reports.reliability import reliability_chart
from plumbrule.rubrics import Calibration, load_verdict, parse_override
from plumbrule.samples import parse_mapping
from plumbrule.samples.labels import LabelledReading, SupportLabel
from plumbrule.writing import written_whole

_SHOWN_BAD = 5


@dataclass(kw_only=True)
class CalibrateJob:
    """What the command line asked for."""

    rubric: Path | None
    settings: tuple[str, ...]
    name: str | None
    version: str
    output: Path | None

    def fit(
        self,
        labels: str,
        *,
        label: str,
        inverted: bool,
        mapping: tuple[str, ...],
        format: str | None,  # noqa: A002 -- the word of the command line
        skip_bad: bool,
        plot: Path | None,
        as_json: bool,
    ) -> None:
        """Fit the calibration to labels."""
        loaded = load_for_calibration(self.rubric, self._overrides())
        bad: list[RecordError] = []
        reading = LabelledReading(
            labels,
            label=SupportLabel(label, inverted=inverted),
            mapping=parse_mapping(mapping),
            format=format,
            on_bad=bad.append if skip_bad else None,
        )
        self._check_outputs(labels, plot)
        name = name_of(labels) if self.name is None else self.name
        with progress_over(reading, stderr()) as pairs:
            found = calibrate(pairs, loaded, name=name, version=self.version)
        self._write(found.calibration)
        if plot is not None:
            with written_whole(plot) as file:
                file.write(reliability_chart(found.before, found.after).encode())
        if as_json:
            record = found.to_dict()
            record["labels"]["bad_records"] = reading.bad
            _print_json(record)
        else:
            show_fit(stdout(), found, source=reading.source, bad=reading.bad, output=self.output, plot=plot)
        for error in bad[:_SHOWN_BAD]:
            stderr().print(plain(f"skipped {error}", "yellow"), soft_wrap=True)
        if len(bad) > _SHOWN_BAD:
            stderr().print(plain(f"and {len(bad) - _SHOWN_BAD} more bad records", "yellow"), soft_wrap=True)

    def move(self, prior: float, *, as_json: bool) -> None:
        """Move the calibration in force to another share of unsupported answers."""
        moved = calibrate_to_prior(
            prior, load_verdict(self.rubric, self._overrides()), name=self.name, version=self.version
        )
        self._write(moved.calibration)
        if as_json:
            _print_json(moved.to_dict())
        else:
            show_move(stdout(), moved, output=self.output)

    def _overrides(self) -> dict[str, object]:
        return dict(parse_override(setting) for setting in self.settings)

    def _check_outputs(self, labels: str, plot: Path | None) -> None:
        for path in (self.output, plot):
            if path is not None and path.exists() and Path(labels).exists() and path.samefile(labels):
                raise UsageError(f"{path}: is the file of labels itself; write to another file")

    def _write(self, calibration: Calibration) -> None:
        if self.output is not None:
            with written_whole(self.output) as file:
                file.write(rubric_text(calibration).encode())


def show_model(rubric: Path | None, settings: tuple[str, ...], *, as_json: bool) -> None:
    """Show the model of the support score and the calibration in force."""
    loaded = load_verdict(rubric, dict(parse_override(setting) for setting in settings))
    description = describe_support(loaded)
    if as_json:
        _print_json(description)
    else:
        show_description(stdout(), description)


def _print_json(value: dict[str, Any]) -> None:
    sys.stdout.buffer.write(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE))
