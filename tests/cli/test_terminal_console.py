"""Text from outside is printed as it is, never read as markup."""

from plumbrule.cli.terminal_console import plain


def test_brackets_are_no_markup() -> None:
    """What looks like markup is printed as it is."""
    assert plain("[bold]x[/bold]").plain == "[bold]x[/bold]"
