"""``plumbrule rubric``: show the rubrics that ship, and check one of your own."""

from pathlib import Path

import click

from plumbrule.cli.options import json_option, rubric_options


@click.group("rubric")
def command() -> None:
    """Show the policy that decides, as data: thresholds, windows, word lists.

    \b
    Examples:
      plumbrule rubric list
      plumbrule rubric show verdict > my-verdict.yaml
      plumbrule rubric check verdict --rubric my-verdict.yaml
      plumbrule rubric show recommended
      plumbrule rubric show refusals
    """


@command.command("list")
@json_option
def list_rubrics(as_json: bool) -> None:
    """List the rubrics that ship, with version and hash; recommended is laid over verdict.

    \b
    Example:
      plumbrule rubric list --json
    """
    from plumbrule.cli.terminal_console import print_json
    from plumbrule.rubrics import RUBRICS, load_rubric

    stamps = {name: load_rubric(name, None, {}).stamp() for name in RUBRICS}
    if as_json:
        print_json(list(stamps.values()))
    else:
        for name, stamp in stamps.items():
            click.echo(f"{name}  version {stamp['version']}  sha256 {stamp['sha256']}")


@command.command("show")
@click.argument("name")
@rubric_options
@json_option
def show(name: str, rubric: Path | None, settings: tuple[str, ...], as_json: bool) -> None:
    """Print the rubric NAME as a file to copy and change; with --json, what is in force and its hash.

    \b
    Examples:
      plumbrule rubric show verdict
      plumbrule rubric show recommended
      plumbrule rubric show verdict --set relevance.fail_below=0.05 --json
    """
    from plumbrule.cli.terminal_console import print_json
    from plumbrule.rubrics import shipped_text

    text = shipped_text(name)
    if as_json or rubric is not None or settings:
        loaded, content = _loaded(name, rubric, settings)
        if as_json:
            print_json({**loaded, "content": content})
        else:
            import yaml

            click.echo(f"# in force, sha256 {loaded['sha256']}")
            click.echo(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=110), nl=False)
    else:
        click.echo(text, nl=False)


@command.command("check")
@click.argument("name")
@rubric_options
@json_option
def check(name: str, rubric: Path | None, settings: tuple[str, ...], as_json: bool) -> None:
    """Check a rubric file against its form, print the hash that results will carry, and how it differs in policy.

    A scorecard that differs from the one that ships needs a version of its own.

    \b
    Example:
      plumbrule rubric check verdict --rubric my-verdict.yaml
    """
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.policy_lines import show_policy
    from plumbrule.rubrics import load_rubric, parse_override, policy_differences

    loaded = load_rubric(name, rubric, dict(parse_override(setting) for setting in settings))
    stamp, policy = loaded.stamp(), policy_differences(loaded)
    if as_json:
        print_json({**stamp, **({"policy": policy} if policy else {})})
    else:
        click.echo(f"good: {stamp['name']} version {stamp['version']}, sha256 {stamp['sha256']}")
        show_policy(stdout(), policy)


def _loaded(name: str, rubric: Path | None, settings: tuple[str, ...]) -> tuple[dict[str, str], object]:
    from plumbrule.rubrics import content_of, load_rubric, parse_override

    loaded = load_rubric(name, rubric, dict(parse_override(setting) for setting in settings))
    return loaded.stamp(), content_of(loaded)
