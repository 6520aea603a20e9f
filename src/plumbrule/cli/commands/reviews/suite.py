"""``plumbrule suite``: the test suite that ships, and the results of an assistant on it."""

from pathlib import Path

import click

from plumbrule.cli.options import json_option

_FAILED = 1
_INCOMPLETE = 4
_codes_option = click.option(
    "--code", "codes", multiple=True, metavar="CODE", help="Only this refusal code, or test case; repeatable."
)


@click.group("suite")
def command() -> None:
    """Run an assistant against the test suite that ships: refusals, compliance, completeness.

    \b
    Examples:
      plumbrule suite list
      plumbrule suite run --candidate http://127.0.0.1:8080/ask
    """


@command.command("run")
@click.option("--candidate", required=True, metavar="URL|MODULE:FUNCTION", help="The assistant to ask.")
@_codes_option
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write every case as JSONL.")
@click.option("--timeout", type=click.FloatRange(min=0.01), default=60.0, metavar="S", help="Seconds for one answer.")
@click.option("--concurrency", type=click.IntRange(1, 256), default=4, metavar="N", help="Cases asked at once.")
@click.option("--api-key-env", metavar="NAME", help="The environment variable with the key for an HTTP candidate.")
@click.option("--allow-private", is_flag=True, help="Let an HTTP candidate be inside the network.")
@json_option
def run(
    candidate: str,
    codes: tuple[str, ...],
    output: Path | None,
    timeout: float,
    concurrency: int,
    api_key_env: str | None,
    allow_private: bool,
    as_json: bool,
) -> int:
    """Ask an assistant every case, and judge each response by the case's pass criteria.

    The exit code is 1 if a case fails, near misses among them; 4 if none fails and one could not be run.

    \b
    Examples:
      plumbrule suite run --candidate http://127.0.0.1:8080/ask
      plumbrule suite run --candidate my_app:answer --code POLICY_BLOCKED -o cases.jsonl
    """
    from plumbrule.api.suites import run_suite
    from plumbrule.cli.terminal_console import print_json, stderr, stdout
    from plumbrule.cli.views.suite_tables import case_progress, show_outcome

    with case_progress(candidate, stderr()) as watch:
        outcome = run_suite(
            candidate,
            codes=codes,
            output=output,
            timeout_s=timeout,
            concurrency=concurrency,
            api_key_env=api_key_env,
            allow_private=allow_private,
            watch=watch,
        )
    summary = outcome.summary()
    if as_json:
        print_json(summary)
    else:
        show_outcome(stdout(), outcome, output)
    return _FAILED if summary.counts.failed else _INCOMPLETE if summary.counts.errored else 0


@command.command("list")
@_codes_option
@json_option
def list_(codes: tuple[str, ...], as_json: bool) -> None:
    """List the scenarios of every test case.

    \b
    Examples:
      plumbrule suite list
      plumbrule suite list --code CONFLICTING_SOURCES
    """
    from plumbrule.cli.terminal_console import print_result
    from plumbrule.cli.views.suite_tables import show_listing
    from plumbrule.suites import load_suite
    from plumbrule.suites.suite_tally import list_scenarios

    print_result(list_scenarios(load_suite().only(codes)), show_listing, as_json=as_json)


@command.command("show")
@click.argument("id_", metavar="ID")
@json_option
def show(id_: str, as_json: bool) -> None:
    """Show one scenario: its request, what is expected, its criteria, variations and near misses.

    \b
    Example:
      plumbrule suite show cs-holding-period
    """
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.suite_tables import show_scenario
    from plumbrule.suites import load_suite
    from plumbrule.suites.suite_tally import describe_scenario

    suite = load_suite()
    if as_json:
        print_json(describe_scenario(suite, id_))
    else:
        show_scenario(stdout(), suite, id_)


@command.command("coverage")
@json_option
def coverage(as_json: bool) -> None:
    """Show which test cases each scorecard dimension has, and how the holes of the map are filled.

    \b
    Example:
      plumbrule suite coverage
    """
    from plumbrule.api.suites import suite_coverage
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.suite_tables import show_coverage
    from plumbrule.rubrics import load_scorecard
    from plumbrule.suites import load_suite

    suite = load_suite()
    covered = suite_coverage(suite)
    if as_json:
        print_json(covered)
        return
    titles = {dimension.key: dimension.title for dimension in load_scorecard().rubric.dimensions}
    show_coverage(stdout(), covered, titles=titles, test_cases=[case_set.name for case_set in suite.sets])
