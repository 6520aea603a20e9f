"""The files for deployment name commands, options, paths and settings that exist."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest
import yaml

from plumbrule.cli import cli
from plumbrule.web.serve_settings import open_provider, read_settings
from plumbrule.web.traffic.proxy_headers import read_network

DEPLOY = Path(__file__).parents[2] / "deploy"
SOURCE = DEPLOY.parent


def check_command(words: list[str]) -> click.Context:
    """Parse a call of the command line without carrying it out; an option that is not there is an error."""
    context = click.Context(cli)
    name, command, rest = cli.resolve_command(context, words)
    assert command is not None
    while isinstance(command, click.Group):
        name, command, rest = command.resolve_command(context, rest)
        assert command is not None
    return command.make_context(name, rest, parent=context)


def compose() -> dict[str, object]:
    """Return the compose file."""
    content: dict[str, object] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return content


def service(name: str) -> dict[str, object]:
    """Return one service of the compose file."""
    services = compose()["services"]
    assert isinstance(services, dict)
    found: dict[str, object] = services[name]
    return found


def test_the_container_starts_a_command_that_exists() -> None:
    """The command of the container serves a team on every address of the container, with its options as they are."""
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    [entry] = re.findall(r"^ENTRYPOINT (\[.*\])$", text, re.MULTILINE)
    [command] = re.findall(r"^CMD (\[.*\])$", text, re.MULTILINE)
    assert yaml.safe_load(entry) == ["plumbrule"]
    context = check_command(yaml.safe_load(command))
    assert context.params["team"] is True
    assert (context.params["host"], context.params["port"], context.params["log_format"]) == ("0.0.0.0", 8321, "json")  # noqa: S104 - of a container
    assert "EXPOSE 8321" in text
    assert re.search(r"^USER 10001$", text, re.MULTILINE)


def test_the_container_copies_what_is_there() -> None:
    """Each file that the container is built from is in the source, and the dependencies are pinned by their hashes."""
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE):
        for name in line.split()[:-1]:
            assert (SOURCE / name).exists(), name
    lock = (DEPLOY / "requirements-deploy.lock").read_text(encoding="utf-8")
    pinned = re.findall(r"^([a-z0-9-]+)(?:\[[a-z,]+\])?==", lock, re.MULTILINE)
    assert {"argon2-cffi", "fastapi", "hatchling", "httpx", "joserfc", "psycopg-binary", "uvicorn"} <= set(pinned)
    assert lock.count("--hash=sha256:") >= len(pinned)
    assert "http" not in re.sub(r"#.*|^http[a-z0-9-]*==.*", "", lock, flags=re.MULTILINE)


def test_compose_serves_a_team_behind_the_proxy() -> None:
    """The application believes the proxy's network, the database is out of reach, and no secret is written down."""
    context = check_command([str(word) for word in service("plumbrule")["command"]])  # type: ignore[attr-defined]
    assert context.params["team"] is True
    networks = compose()["networks"]
    assert isinstance(networks, dict)
    assert networks["inside"]["internal"] is True
    assert context.params["trust_proxy"] == (networks["front"]["ipam"]["config"][0]["subnet"],)
    assert [read_network(text) for text in context.params["trust_proxy"]]
    assert "ports" not in service("database")
    assert "ports" not in service("plumbrule")
    assert service("database")["networks"] == ["inside"]
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    assert re.findall(r"PASSWORD: (?!\$\{)", text) == []
    build = service("plumbrule")["build"]
    assert isinstance(build, dict)
    assert (DEPLOY / build["context"] / build["dockerfile"]).resolve() == DEPLOY / "Containerfile"


def test_the_settings_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example has the form that the application reads, also with what is commented out."""
    assert read_settings(DEPLOY / "serve.yaml").team
    text = (DEPLOY / "serve.yaml").read_text(encoding="utf-8")
    (tmp_path / "serve.yaml").write_text(re.sub(r"^# (?=openid_connect| )", "", text, flags=re.MULTILINE))
    settings = read_settings(tmp_path / "serve.yaml")
    monkeypatch.setenv("PLUMBRULE_OIDC_SECRET", "hidden")
    assert settings.openid_connect is not None
    assert open_provider(settings.openid_connect).title == "Example Bank"


def test_the_unit_starts_a_command_that_exists(tmp_path: Path) -> None:
    """Systemd accepts the unit, and finds it well shut off; its command and the path of its settings are ours."""
    text = (DEPLOY / "plumbrule.service").read_text(encoding="utf-8")
    [command] = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)
    program, *words = shlex.split(command)
    assert program.endswith("/plumbrule")
    assert check_command(words).params["config"] == Path("/etc/plumbrule/serve.yaml")
    tool = shutil.which("systemd-analyze")
    if tool is None:
        return  # not a system with systemd
    unit = tmp_path / "plumbrule.service"
    unit.write_text(text.replace(program, "/bin/true"))
    verified = subprocess.run([tool, "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stderr) == (0, "")
    security = [tool, "security", "--offline=true", "--threshold=20", str(unit)]
    assert subprocess.run(security, capture_output=True, check=False).returncode == 0


def test_the_proxy_tells_what_the_application_believes() -> None:
    """Nginx sets every header that is believed, so that none comes from a browser, and hides what is for the inside."""
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    set_headers = set(re.findall(r"proxy_set_header (\S+) \$", text))
    assert set_headers == {"Host", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host"}
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in text  # not what the browser says besides
    assert "location = /metrics" in text
    assert text.count("{") == text.count("}")
