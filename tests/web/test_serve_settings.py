"""The settings file of a served site, and the secrets that it names."""

from pathlib import Path
from typing import Any

import pytest

from plumbrule.errors import UsageError
from plumbrule.web.access.roles import Role
from plumbrule.web.serve_settings import OpenIdSettings, open_provider, read_settings

FILE = """
ledger: postgresql+psycopg://plumbrule@db/plumbrule
host: 0.0.0.0
port: 8000
team: true
host_names: [plumbrule.example.com]
trust_proxy: [10.0.0.0/8]
log_format: json
openid_connect:
  issuer: https://id.example.com/realms/bank
  client_id: plumbrule
  client_secret_env: PLUMBRULE_OIDC_SECRET
  title: Example Bank
  role_claim: groups
  roles:
    compliance-leads: [admin, release manager]
    reviewers: [evaluator]
"""


def test_every_setting_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file says what the options say, and the provider; its secret comes from the environment."""
    monkeypatch.setenv("PLUMBRULE_OIDC_SECRET", "hidden")
    (tmp_path / "serve.yaml").write_text(FILE)
    settings = read_settings(tmp_path / "serve.yaml")
    assert (settings.port, settings.team, settings.host_names) == (8000, True, ("plumbrule.example.com",))
    assert settings.openid_connect is not None
    provider = open_provider(settings.openid_connect)
    assert provider.client_secret == "hidden"  # noqa: S105 - of a test
    assert provider.roles["compliance-leads"] == (Role.ADMIN, Role.RELEASE_MANAGER)
    assert "hidden" not in repr(provider)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("tema: true", r"serve.yaml:1: tema: unknown key"),
        ("team: true\nport: 70000", r"serve.yaml:2: port"),
        ("openid_connect: {issuer: 'https://x.example', client_id: x}", "people sign in only with team: true"),
        ("team: true\nopenid_connect: {issuer: 'https://x.example', client_id: x, secret: hush}", "secret"),
        ("- team", "a settings file is a mapping"),
        ("team: true\nopenid_connect: {issuer: x, client_id: x, role_claim: g, roles: {a: [owner]}}", "roles"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    """An unknown key, a wrong value, or what cannot go together is refused; no secret is quoted."""
    (tmp_path / "serve.yaml").write_text(text)
    with pytest.raises(UsageError, match=problem) as caught:
        read_settings(tmp_path / "serve.yaml")
    assert "hush" not in str(caught.value)


def test_the_secret_comes_from_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the environment or from a file, and it must be there."""
    monkeypatch.delenv("NO_SUCH", raising=False)
    secret, empty = tmp_path / "secret", tmp_path / "empty"
    secret.write_text("hidden\n")
    empty.touch()
    base: dict[str, Any] = {"issuer": "https://x.example", "client_id": "x"}
    assert open_provider(OpenIdSettings(**base, client_secret_file=str(secret))).client_secret == "hidden"  # noqa: S105
    assert open_provider(OpenIdSettings(**base)).client_secret is None
    wrong: tuple[tuple[dict[str, Any], str], ...] = (
        ({"client_secret_env": "NO_SUCH"}, "NO_SUCH is not set"),
        ({"client_secret_file": str(empty)}, "is empty"),
        ({"client_secret_file": str(tmp_path / "none")}, "cannot be read"),
        ({"client_secret_env": "A", "client_secret_file": "b"}, "not by both"),
        ({"role_claim": "groups"}, "role_claim and roles go together"),
    )
    for given, problem in wrong:
        with pytest.raises(UsageError, match=problem):
            open_provider(OpenIdSettings(**base, **given))
