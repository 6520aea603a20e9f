"""A calibration of the support score: read labels, fit, show reliability before and after, write."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.api.support import (
    MovedCalibration,
    SupportCalibration,
    calibrate,
    calibrate_to_prior,
    describe_support,
    load_for_calibration,
    name_of,
    rubric_text,
)
from plumbrule.cli.progress import progress_over
from plumbrule.cli.terminal_console import plain, print_json, stderr, stdout
from plumbrule.errors import RecordError, UsageError
from plumbrule.files import written_whole
from plumbrule.reports.reliability_chart import reliability_chart
from plumbrule.rubrics import Calibration, load_verdict, parse_override
from plumbrule.samples import parse_mapping
from plumbrule.samples.labels import LabelledReading, SupportLabel
from plumbrule.stats.intervals import wilson
from plumbrule.support.calibration import Bin
from plumbrule.support.calibration_fit import Reliability

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
            print_json(record)
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
            print_json(moved.to_dict())
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
        print_json(description)
    else:
        show_description(stdout(), description)


_BAR = 30


def show_fit(
    console: Console, found: SupportCalibration, *, source: str, bad: int, output: Path | None, plot: Path | None
) -> None:
    """Print what labels say of the probabilities, before and after."""
    counts = [
        f"labels used {found.labels}",
        f"without label {found.without_label}",
        f"could not be scored {found.not_scored}",
        f"bad records {bad}",
    ]
    console.print(plain(f"{source}: {' · '.join(counts)}"), soft_wrap=True)
    interval = wilson(found.unsupported, found.labels)
    between = f" (95% interval {interval.low:.0%} to {interval.high:.0%})" if interval is not None else ""
    console.print(f"unsupported {found.unsupported / found.labels:.0%}{between} · AUROC {found.auroc:.3f}")
    _show_reliability(console, "before, by the calibration in force", found.before)
    _show_reliability(console, "after, by five-fold cross-fitting", found.after)
    console.print()
    if found.after.error >= found.before.error:
        said = f"no better than before: {found.labels} labels tell too little, or nothing new; 200 are good"
        console.print(plain(said, "yellow"), soft_wrap=True)
    if plot is not None:
        console.print(plain(f"picture: {plot}", "dim"), soft_wrap=True)
    _show_stamp(console, found.calibration, output)


def show_move(console: Console, moved: MovedCalibration, *, output: Path | None) -> None:
    """Print by how much a calibration was moved."""
    console.print(
        f"unsupported {moved.before:.1%} before, {float(moved.calibration.unsupported_share):.1%} now: "
        f"{moved.shift:+.3f} to the log-odds of every sentence and answer"
    )
    _show_stamp(console, moved.calibration, output)


def show_description(console: Console, description: dict[str, Any]) -> None:
    """Print the model, measure by measure, and the calibration in force."""
    model, calibration, bands = description["model"], description["calibration"], description["bands"]
    console.print(f"model: {model['name']} version {model['version']}, sha256 {model['sha256']}", soft_wrap=True)
    console.print()
    table = Table(box=None, pad_edge=False)
    table.add_column("measure")
    table.add_column("weight", justify="right")
    table.add_column("what it says of a sentence", overflow="fold")
    for measure in description["measures"]:
        table.add_row(measure["name"], f"{measure['weight']:+.3f}", measure["meaning"])
    console.print(table)
    console.print()
    console.print("A weight is the risk, in log-odds, that one unit of the measure adds.", style="dim")
    own = calibration["labels"] is None
    which = "the model's own" if own else f"{calibration['name']} version {calibration['version']}"
    fitted = "" if own else f", sha256 {calibration['sha256'][:12]}, {calibration['labels']} labels"
    console.print(
        plain(f"calibration: {which}{fitted}, where {calibration['unsupported_share']:.0%} were unsupported"),
        soft_wrap=True,
    )
    console.print(
        f"bands: supported from {bands['supported_from']:.2f}, unsupported below {bands['unsupported_below']:.2f}, "
        "else doubtful",
        soft_wrap=True,
    )
    if description["verifier"] is not None:
        console.print(plain(f"verifier: {description['verifier']}"), soft_wrap=True)


def _show_reliability(console: Console, title: str, reliability: Reliability) -> None:
    console.print()
    console.print(Text.assemble((title, "bold"), f": expected calibration error {reliability.error:.3f}"))
    table = Table(box=None, pad_edge=False)
    table.add_column("probability")
    table.add_column("answers", justify="right")
    table.add_column("foretold", justify="right")
    table.add_column("seen", justify="right")
    table.add_column("█ seen, │ foretold")
    for each in reliability.bins:
        table.add_row(
            f"{each.low:.1f} to {each.high:.1f}", str(each.answers), f"{each.probability:.2f}", f"{each.share:.2f}",
            _bar(each),
        )  # fmt: skip
    console.print(table)


def _bar(each: Bin) -> Text:
    """Draw the share that was supported, with a mark where the probability is."""
    cells = ["█"] * round(each.share * _BAR)
    cells += [" "] * (_BAR - len(cells))
    cells[min(_BAR - 1, int(each.probability * _BAR))] = "│"
    return Text("".join(cells), "cyan")


def _show_stamp(console: Console, calibration: Calibration, output: Path | None) -> None:
    stamp = calibration.stamp()
    text = f"calibration: {stamp['name']} version {stamp['version']}, sha256 {stamp['sha256'][:12]}"
    console.print(plain(text, "dim"), soft_wrap=True)
    if output is not None:
        said = f"written to {output}; score takes it with --rubric, prescore, sample and incident with --verdict-rubric"
        console.print(plain(said, "dim"), soft_wrap=True)
    else:
        console.print("not written: -o FILE makes a rubric file of it", style="dim")
