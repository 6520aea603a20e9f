"""``plumbrule suite``: the test suite that ships, and what an assistant comes to on it."""

from pathlib import Path

import click

from plumbrule.cli.options import json_option


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
@click.option(
    "--code", "codes", multiple=True, metavar="CODE", help="Only this refusal code, or test case; repeatable."
)
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
    from plumbrule.cli.views.suite_tables import run_and_show

    return run_and_show(
        candidate,
        codes=codes,
        output=output,
        timeout_s=timeout,
        concurrency=concurrency,
        api_key_env=api_key_env,
        allow_private=allow_private,
        as_json=as_json,
    )


@command.command("list")
@click.option(
    "--code", "codes", multiple=True, metavar="CODE", help="Only this refusal code, or test case; repeatable."
)
@json_option
def list_(codes: tuple[str, ...], as_json: bool) -> None:
    """List the scenarios of every test case.

    \b
    Examples:
      plumbrule suite list
      plumbrule suite list --code CONFLICTING_SOURCES
    """
    from plumbrule.cli.views.suite_tables import list_scenarios

    list_scenarios(codes, as_json=as_json)


@command.command("show")
@click.argument("id_", metavar="ID")
@json_option
def show(id_: str, as_json: bool) -> None:
    """Show one scenario: its request, what is expected, its criteria, variations and near misses.

    \b
    Example:
      plumbrule suite show cs-holding-period
    """
    from plumbrule.cli.views.suite_tables import show_scenario

    show_scenario(id_, as_json=as_json)


@command.command("coverage")
@json_option
def coverage(as_json: bool) -> None:
    """Show which test cases each scorecard dimension has, and how the holes of the map are filled.

    \b
    Example:
      plumbrule suite coverage
    """
    from plumbrule.cli.views.suite_tables import show_coverage

    show_coverage(as_json=as_json)
