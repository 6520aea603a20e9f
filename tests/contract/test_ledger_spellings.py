"""A ledger on a server is known by the server, the database and the schema, however its address is written."""

from datetime import UTC, datetime

import psycopg
import pytest
from sqlalchemy.engine import make_url
from tests.contract.conftest import Backend, plain

from plumbrule.ledger import open_ledger
from plumbrule.ledger.ledger_errors import LedgerBrokenError

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_another_spelling_of_a_servers_address_is_no_first_use(backend: Backend) -> None:
    """An older state of the database is refused through an address that nobody used before."""
    with open_ledger(backend.url, at=AT) as ledger:
        for number in range(3):
            ledger.append("note", "n", number, "Ada", at=AT)
    with psycopg.connect(plain(backend.url), autocommit=True) as connection:
        connection.execute("ALTER TABLE entries DISABLE TRIGGER ALL")
        connection.execute("DELETE FROM entries WHERE sequence = 3")
        connection.execute("ALTER TABLE entries ENABLE TRIGGER ALL")
    other = make_url(backend.url).update_query_dict({"application_name": "somebody"})
    for address in (other, make_url(backend.url)):
        with pytest.raises(LedgerBrokenError, match="entry 3: it is missing"):
            open_ledger(address)
