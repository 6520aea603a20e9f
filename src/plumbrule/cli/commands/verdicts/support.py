"""``plumbrule support``: the model of the support score, and a calibration to your own labels."""

from pathlib import Path

import click

from plumbrule.cli.options import dataset_options, json_option, output_option, verdict_options


@click.group("support")
def command() -> None:
    """Look into the support score: how likely it is that the contexts support each sentence of an answer.

    \b
    Examples:
      plumbrule support show
      plumbrule support calibrate labels.jsonl -o calibration.yaml
      plumbrule score answers.jsonl --rubric calibration.yaml
    """


@command.command("calibrate")
@click.argument("labels", required=False)
@click.option("--label", default="supported", show_default=True, metavar="FIELD", help="The field with the label.")
@click.option("--inverted", is_flag=True, help="The label is true where the answer is NOT supported.")
@click.option(
    "--prior",
    type=float,
    metavar="SHARE",
    help="Without LABELS: the share of unsupported answers to move the calibration to, such as 0.2.",
)
@output_option("Write it as a rubric file.", required=False)
@click.option(
    "--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw the reliability diagram as an SVG picture."
)
@click.option("--name", metavar="NAME", help="What results call the calibration; by default as the file of LABELS.")
@click.option("--version", default="1", show_default=True, metavar="VERSION", help="Its version, in every result.")
@dataset_options
@verdict_options
@click.option("--skip-bad", is_flag=True, help="Go on without bad records, and count them.")
@json_option
def calibrate(
    labels: str | None,
    label: str,
    inverted: bool,
    prior: float | None,
    output: Path | None,
    plot: Path | None,
    name: str | None,
    version: str,
    mapping: tuple[str, ...],
    format_: str | None,
    delimiter: str | None,
    encoding: str | None,
    rubric: Path | None,
    settings: tuple[str, ...],
    skip_bad: bool,
    as_json: bool,
) -> None:
    """Fit the support score's probabilities to LABELS: answers of which people said whether they are supported.

    LABELS is a dataset as for score, whose records also have a label: true or false, 1 or 0, yes or no, supported
    or unsupported. 20 are needed, 200 are good.

    \b
    Examples:
      plumbrule support calibrate labels.jsonl -o calibration.yaml --plot reliability.svg
      plumbrule support calibrate labels.csv --label hallucinated --inverted
      plumbrule support calibrate --prior 0.1 -o calibration.yaml
    """
    from plumbrule.api import support
    from plumbrule.cli.progress import progress_over
    from plumbrule.cli.terminal_console import print_json, stderr, stdout
    from plumbrule.cli.views.calibration_tables import show_fit, show_move, show_skipped
    from plumbrule.rubrics import load_verdict, parse_override
    from plumbrule.samples import parse_mapping
    from plumbrule.samples.labels import SupportLabel

    if (labels is None) == (prior is None):
        raise click.UsageError("give either LABELS or --prior SHARE")
    if prior is not None and plot is not None:
        raise click.UsageError("--plot draws what LABELS show; --prior has none")
    overrides = dict(parse_override(setting) for setting in settings)
    if labels is None:
        assert prior is not None  # noqa: S101 - one of the two was given
        moved = support.calibrate_to_prior(prior, load_verdict(rubric, overrides), name=name, version=version)
        if output is not None:
            support.write_calibration(moved.calibration, output)
        if as_json:
            print_json(moved.result())
        else:
            show_move(stdout(), moved, output=output)
        return
    calibrated = support.calibrate_file(
        support.LabelledFile(
            path=labels,
            label=SupportLabel(label, inverted=inverted),
            mapping=parse_mapping(mapping),
            format=format_,
            delimiter=delimiter,
            encoding=encoding,
            skip_bad=skip_bad,
        ),
        support.load_for_calibration(rubric, overrides),
        name=name,
        version=version,
        output=output,
        plot=plot,
        progress=lambda reading: progress_over(reading, stderr()),
    )
    if as_json:
        print_json(calibrated.result())
    else:
        show_fit(stdout(), calibrated, output=output, plot=plot)
    show_skipped(stderr(), calibrated.skipped)


@command.command("show")
@verdict_options
@json_option
def show(rubric: Path | None, settings: tuple[str, ...], as_json: bool) -> None:
    """Print the model: its measures with their weights, and the calibration in force.

    \b
    Examples:
      plumbrule support show
      plumbrule support show --rubric calibration.yaml --json
    """
    from plumbrule.cli.terminal_console import print_result
    from plumbrule.cli.views.calibration_tables import show_description
    from plumbrule.rubrics import load_verdict, parse_override
    from plumbrule.support.calibration_results import describe_support

    description = describe_support(load_verdict(rubric, dict(parse_override(setting) for setting in settings)))
    print_result(description, show_description, as_json=as_json)
