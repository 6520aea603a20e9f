"""The web application on a copy of the demo's ledger: by a client in the process, and in a real browser."""

import os
import re
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from argon2 import PasswordHasher
from axe_playwright_python.sync_playwright import Axe
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright
from tests.clock import LONG_S
from tests.conftest import MadeDemo

from plumbrule.api import trial
from plumbrule.ledger import open_ledger
from plumbrule.web.access import openid_connect, passwords
from plumbrule.web.access.roles import Role
from plumbrule.web.application import create_app
from plumbrule.web.jobs import run_jobs
from plumbrule.web.jobs.run_jobs import Configurations
from plumbrule.web.site import Site
from plumbrule.web.web_store import Store, store_address

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SCREENSHOTS = os.environ.get("PLUMBRULE_SCREENSHOTS")  # the folder that pictures of the pages go to
LONG_MS = LONG_S * 1000
CONTRAST = {"type": "rule", "values": ["color-contrast"]}
WIDE, NARROW = ViewportSize(width=1280, height=800), ViewportSize(width=390, height=844)
PAPER = ViewportSize(width=688, height=1000)  # A4 between its margins


@pytest.fixture(scope="session")
def demo_folder(made_demo: MadeDemo) -> Path:
    """Give the folder of the demo, to look at only."""
    return made_demo.folder


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be given up because the machine is busy."""
    monkeypatch.setattr(trial, "LONGEST_S", LONG_S)
    monkeypatch.setattr(openid_connect, "_TIMEOUT_S", LONG_S)
    monkeypatch.setattr(run_jobs, "SILENT_AFTER", timedelta(seconds=LONG_S))


@pytest.fixture
def site(demo_folder: Path, tmp_path: Path) -> Iterator[Site]:
    """Give the site of a copy of the demo's ledger, used by one local person."""
    folder = tmp_path / "site"
    shutil.copytree(demo_folder, folder)
    ledger = f"sqlite:///{folder / '.plumbrule' / 'ledger.db'}"
    store = Store(store_address(ledger))
    made = Site(
        ledger=ledger,
        store=store,
        local_person="Robin Reader",
        hosts=("testserver", "127.0.0.1"),
        configurations=Configurations(folder=folder),
        demo=True,
    )
    yield made
    made.close()


@pytest.fixture
def client(site: Site) -> Iterator[TestClient]:
    """Give a client of the site that follows no redirect."""
    with TestClient(create_app(site), follow_redirects=False, raise_server_exceptions=False) as client:
        yield client


class MovedClock:
    """A clock that a test moves on."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now

    def move(self, **by: float) -> None:
        """Let time pass."""
        self.now += timedelta(**by)


@pytest.fixture
def clock() -> MovedClock:
    """Give the clock of the team's site."""
    return MovedClock()


@pytest.fixture
def team_site(tmp_path: Path, clock: MovedClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Give the site of an empty ledger that a team signs in to; its passwords are hashed with less work."""
    monkeypatch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    ledger = f"sqlite:///{tmp_path / 'team' / 'ledger.db'}"
    open_ledger(ledger, at=clock()).close()
    store = Store(store_address(ledger))
    made = Site(ledger=ledger, store=store, team=True, hosts=("testserver", "127.0.0.1"), clock=clock)
    yield made
    made.close()


PASSWORD = "correct horse battery"  # noqa: S105 - of accounts that only tests have
Enter = Callable[..., TestClient]


@pytest.fixture
def enter(team_site: Site) -> Iterator[Enter]:
    """Give what signs somebody with these roles in to the team's site, and returns their client; None: a stranger."""
    app = create_app(team_site)
    with ExitStack() as stack:

        def sign_in(name: str | None, *roles: Role, address: str = "203.0.113.7") -> TestClient:
            client = TestClient(app, follow_redirects=False, raise_server_exceptions=False, client=(address, 4711))
            stack.enter_context(client)
            if name is not None:
                if name not in {account.name for account in team_site.accounts.all()}:
                    team_site.accounts.add(
                        name, roles=roles, password=PASSWORD, author="the test", at=team_site.clock()
                    )
                response = client.post(
                    "/sign-in", data={"name": name, "password": PASSWORD, "csrf": csrf_of(client, "/sign-in")}
                )
                assert response.status_code == 303, response.text
            return client

        yield sign_in


def csrf_of(client: TestClient, path: str) -> str:
    """Return the token of the forms on a page."""
    return client.get(path).text.partition('name="csrf" content="')[2].partition('"')[0]


@pytest.fixture
def send(client: TestClient) -> Callable[..., Any]:
    """Send a form as a page of the site would: with the token of the session."""

    def send_form(path: str, **fields: object) -> Any:
        token = re.search(r'name="csrf" content="([0-9a-f]+)"', client.get("/runs").text)
        assert token is not None
        return client.post(path, data={"csrf": token[1], **fields})

    return send_form


@contextmanager
def served(site: Site) -> Iterator[str]:
    """Serve a site on a free port of this machine, and give its address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        app = create_app(site)
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


@pytest.fixture
def address(site: Site) -> Iterator[str]:
    """Give the address of the site, served for a browser."""
    with served(site) as where:
        yield where


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start a real Chromium; it ends with its module, since no other event loop can run beside it in this process."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: install the package chromium")
    expect.set_options(timeout=LONG_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """Give a page of the browser whose addresses start at the site; no error may reach its console."""
    context = browser.new_context(base_url=address, viewport=WIDE, reduced_motion="reduce")
    context.set_default_timeout(LONG_MS)
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    context.close()
    assert faults == []


Look = Callable[[Page, str], None]


@pytest.fixture
def look() -> Look:
    """Look at a page in light, dark and narrow: nothing scrolls sideways, axe finds nothing; take pictures."""

    def look_at(page: Page, name: str) -> None:
        for scheme, size, suffix in (("light", WIDE, ""), ("dark", WIDE, "-dark"), ("light", NARROW, "-390")):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.set_viewport_size(size)
            sideways = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert sideways <= 0, f"{name}{suffix} scrolls sideways by {sideways} px"
            rules = {"runOnly": CONTRAST} if scheme == "dark" else {}  # another scheme has other colours, no other page
            found: Any = Axe().run(page, options={"resultTypes": ["violations"], **rules}).response["violations"]
            problems = [(each["id"], each["help"], [node["html"][:200] for node in each["nodes"]]) for each in found]
            assert problems == [], f"{name}{suffix}"
            if SCREENSHOTS:
                Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
                page.screenshot(path=f"{SCREENSHOTS}/{name}{suffix}.png", full_page=True)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(WIDE)

    return look_at
