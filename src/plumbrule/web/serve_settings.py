"""The settings of a served site: a YAML file, and what the command line says beside it."""

import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass

from plumbrule.errors import UsageError
from plumbrule.files import read_file
from plumbrule.rubrics.yaml_reader import read_yaml
from plumbrule.web.access.openid_connect import OpenIdProvider
from plumbrule.web.access.roles import Role

_CLOSED = ConfigDict(extra="forbid")
_LARGEST_SECRET = 10_000

Granted = Literal["viewer", "evaluator", "adjudicator", "release manager", "admin"]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class OpenIdSettings:
    """The OpenID Connect provider; its secret stands in the environment or in a file, never here."""

    issuer: str
    client_id: str
    client_secret_env: str | None = None
    client_secret_file: str | None = None
    title: str = "single sign-on"
    name_claim: str = "name"
    role_claim: str | None = None
    roles: Mapping[str, tuple[Granted, ...]] = field(default_factory=dict)
    allow_private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class ServeSettings:
    """What a served site is set up with; every key has an option of ``plumbrule serve``, but openid_connect."""

    ledger: str | None = None
    host: str | None = None
    port: Annotated[int, Field(ge=0, le=65535)] | None = None
    team: bool = False
    host_names: tuple[str, ...] = ()
    trust_proxy: tuple[str, ...] = ()
    log_format: Literal["text", "json"] | None = None
    openid_connect: OpenIdSettings | None = None


def read_settings(path: Path) -> ServeSettings:
    """Return the settings of a file."""
    document = read_yaml(path, mapping="a settings file", error=UsageError, secrets=True)
    settings = document.validate(TypeAdapter(ServeSettings))
    if settings.openid_connect is not None and not settings.team:
        raise document.error(("openid_connect",), "people sign in only with team: true")
    return settings


def open_provider(settings: OpenIdSettings) -> OpenIdProvider:
    """Return the provider that the settings name, with its secret."""
    if bool(settings.roles) != (settings.role_claim is not None):
        raise UsageError("openid_connect: role_claim and roles go together")
    return OpenIdProvider(
        issuer=settings.issuer,
        client_id=settings.client_id,
        client_secret=_secret(settings),
        title=settings.title,
        name_claim=settings.name_claim,
        role_claim=settings.role_claim,
        roles={value: tuple(Role(role) for role in roles) for value, roles in settings.roles.items()},
        allow_private=settings.allow_private,
    )


def _secret(settings: OpenIdSettings) -> str | None:
    env, file = settings.client_secret_env, settings.client_secret_file
    if env is not None and file is not None:
        raise UsageError("openid_connect: name the secret by client_secret_env or by client_secret_file, not by both")
    if env is not None:
        secret = os.environ.get(env, "").strip()
        if not secret:
            raise UsageError(f"the environment variable {env} is not set: it holds the secret of openid_connect")
        return secret
    if file is None:
        return None
    try:
        secret = read_file(Path(file), most=_LARGEST_SECRET).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise UsageError(f"{file}: the secret of openid_connect cannot be read: {reason}") from None
    if not secret:
        raise UsageError(f"{file}: is empty: it holds the secret of openid_connect")
    return secret
