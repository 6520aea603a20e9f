"""Calibrations of the support score on a terminal: reliability before and after, and the model."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from plumbrule.api.support import CalibratedFile, MovedCalibration
from plumbrule.cli.terminal_console import plain, stamp_line, table
from plumbrule.errors import RecordError
from plumbrule.rubrics import Calibration
from plumbrule.stats.intervals import Interval
from plumbrule.support.calibration import Bin
from plumbrule.support.calibration_fit import Reliability
from plumbrule.support.calibration_results import Better, SupportDescription

_BAR = 30
_SHOWN_BAD = 5
_NO_RANKING = (
    "the labels do not agree with the ranking: the score ranks these answers no better than chance, "
    "and a curve cannot mend that"
)
_DECISIONS: dict[Better, tuple[str, str]] = {
    "after": ("better than the calibration in force", "green"),
    "before": ("worse than the calibration in force: keep that", "bold yellow"),
    "no clear difference": (
        "no better than before: {labels} labels tell too little, or nothing new; 200 are good",
        "yellow",
    ),
}


def show_fit(console: Console, calibrated: CalibratedFile, *, output: Path | None, plot: Path | None) -> None:
    """Print how the probabilities compare with the labels, before and after."""
    fitted = calibrated.fitted
    counts = [
        f"labels used {fitted.labels}",
        f"without label {fitted.without_label}",
        f"could not be scored {fitted.not_scored}",
        f"bad records {calibrated.bad}",
    ]
    console.print(plain(f"{calibrated.source}: {' · '.join(counts)}"), soft_wrap=True)
    interval = fitted.unsupported_interval
    between = f" (95% interval {interval.low:.0%} to {interval.high:.0%})" if interval is not None else ""
    area = f"AUROC {fitted.auroc:.3f}{_between(fitted.auroc_interval)}"
    console.print(f"unsupported {fitted.unsupported_share:.0%}{between} · {area}", soft_wrap=True)
    _show_reliability(console, "before, by the calibration in force", fitted.before)
    _show_reliability(console, "after, by five-fold cross-fitting", fitted.after)
    console.print()
    loss = fitted.log_loss
    change = f"log loss {loss.before:.3f} before, {loss.after:.3f} after: {loss.difference:+.3f}"
    console.print(plain(f"{change}{_between(loss.interval_95)}"), soft_wrap=True)
    text, style = _DECISIONS[fitted.better]
    console.print(plain(text.format(labels=fitted.labels), style), soft_wrap=True)
    if not fitted.ranks:
        console.print(plain(_NO_RANKING, "bold yellow"), soft_wrap=True)
    if plot is not None:
        console.print(plain(f"picture: {plot}", "dim"), soft_wrap=True)
    _show_stamp(console, fitted.calibration, output)


def show_skipped(console: Console, skipped: Sequence[RecordError]) -> None:
    """Print the first records that were skipped, and how many more there are."""
    for error in skipped[:_SHOWN_BAD]:
        console.print(plain(f"skipped {error}", "yellow"), soft_wrap=True)
    if len(skipped) > _SHOWN_BAD:
        console.print(plain(f"and {len(skipped) - _SHOWN_BAD} more bad records", "yellow"), soft_wrap=True)


def show_move(console: Console, moved: MovedCalibration, *, output: Path | None) -> None:
    """Print by how much a calibration was moved."""
    console.print(
        f"unsupported {moved.before:.1%} before, {float(moved.calibration.unsupported_share):.1%} now: "
        f"{moved.shift:+.3f} to the log-odds of every sentence and answer"
    )
    _show_stamp(console, moved.calibration, output)


def show_description(console: Console, description: SupportDescription) -> None:
    """Print the model, measure by measure, and the calibration in force."""
    model, calibration, bands = description.model, description.calibration, description.bands
    console.print(f"model: {model['name']} version {model['version']}, sha256 {model['sha256']}", soft_wrap=True)
    console.print()
    rows = table("measure", ">weight", "what it says of a sentence", fold=["what it says of a sentence"])
    for measure in description.measures:
        rows.add_row(measure.name, f"{measure.weight:+.3f}", measure.meaning)
    console.print(rows)
    console.print()
    console.print("A weight is the risk, in log-odds, that one unit of the measure adds.", style="dim")
    own = calibration.labels is None
    which = "the model's own" if own else f"{calibration.name} version {calibration.version}"
    fitted = "" if own else f", sha256 {calibration.sha256[:12]}, {calibration.labels} labels"
    console.print(
        plain(f"calibration: {which}{fitted}, where {calibration.unsupported_share:.0%} were unsupported"),
        soft_wrap=True,
    )
    console.print(
        f"bands: supported from {bands.supported_from:.2f} (without a question "
        f"from {bands.supported_unasked_from:.2f}), unsupported below {bands.unsupported_below:.2f}, else doubtful",
        soft_wrap=True,
    )
    if description.verifier is not None:
        console.print(plain(f"verifier: {description.verifier}"), soft_wrap=True)


def _show_reliability(console: Console, title: str, reliability: Reliability) -> None:
    console.print()
    error = f": expected calibration error {reliability.error:.3f}{_between(reliability.interval_95)}"
    console.print(Text.assemble((title, "bold"), error))
    rows = table("probability", ">answers", ">predicted", ">seen", "█ seen, │ predicted")
    for bin_ in reliability.bins:
        bounds = f"{bin_.low:.1f} to {bin_.high:.1f}"
        rows.add_row(bounds, str(bin_.answers), f"{bin_.probability:.2f}", f"{bin_.share:.2f}", _bar(bin_))
    console.print(rows)


def _between(interval: Interval | None) -> str:
    return "" if interval is None else f" (95% {interval.low:.3f} to {interval.high:.3f})"


def _bar(bin_: Bin) -> Text:
    """Draw the share that was supported, with a mark where the probability is."""
    cells = ["█"] * round(bin_.share * _BAR)
    cells += [" "] * (_BAR - len(cells))
    cells[min(_BAR - 1, int(bin_.probability * _BAR))] = "│"
    return Text("".join(cells), "cyan")


def _show_stamp(console: Console, calibration: Calibration, output: Path | None) -> None:
    console.print(stamp_line(calibration.stamp(), "calibration: "), soft_wrap=True)
    if output is not None:
        text = f"written to {output}; score takes it with --rubric, prescore, sample and incident with --verdict-rubric"
        console.print(plain(text, "dim"), soft_wrap=True)
    else:
        console.print("not written: -o FILE makes a rubric file of it", style="dim")
