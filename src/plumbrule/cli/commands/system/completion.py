"""``plumbrule completion``: the shell's completion script."""

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    Examples:
      plumbrule completion bash > ~/.local/share/bash-completion/completions/plumbrule
      plumbrule completion zsh > "${fpath[1]}/_plumbrule"
      plumbrule completion fish > ~/.config/fish/completions/plumbrule.fish
    """
    from plumbrule.cli import COMPLETION_VARIABLE, cli

    completion = get_completion_class(shell)
    if completion is None:
        raise click.UsageError(f"no completion for '{shell}'")
    click.echo(completion(cli, {}, "plumbrule", COMPLETION_VARIABLE).source())
