"""A model's name tells its release, where it states one."""

import pytest

from plumbrule.models.model_names import version_in


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("openai:gpt-4.1-2025-04-14", "2025-04-14"),
        ("anthropic:claude-sonnet-4-20250514", "20250514"),
        ("openai:gpt-4-0613", "0613"),
        ("assistant@2025-01-01", "2025-01-01"),
        ("provider/model-name@v1.2", "v1.2"),
        ("local:my-model", None),
        ("assistant@", None),
    ],
)
def test_the_release_in_a_name(name: str, version: str | None) -> None:
    """A date, or what follows an @."""
    assert version_in(name) == version
