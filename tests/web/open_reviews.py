"""Open campaigns on the demo's interactions, and what people do in them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
from fastapi.testclient import TestClient

from plumbrule.api import reviews
from plumbrule.api.ledger_access import now
from plumbrule.ledger import open_ledger
from plumbrule.reviews.campaigns.campaign_store import ReleaseTerms
from plumbrule.reviews.sample_draw import Request
from plumbrule.rubrics import load_scorecard
from plumbrule.web.application import create_app
from plumbrule.web.site import Site

NAME = "release-7"
KEYS = [dimension.key for dimension in load_scorecard().rubric.dimensions]


def interactions(folder: Path, lines: int = 4) -> list[dict[str, Any]]:
    """Return the first of the demo's interactions."""
    return [orjson.loads(line) for line in (folder / "interactions.jsonl").read_bytes().splitlines()[:lines]]


def open_campaign(
    site: Site,
    folder: Path,
    given: list[dict[str, Any]] | None = None,
    *,
    name: str = NAME,
    terms: ReleaseTerms | None = None,
    **more: Any,
) -> list[str]:
    """Open a campaign on interactions, by default on four of the demo's; return the trace ids in their order."""
    path = folder / "reviewed.jsonl"
    path.write_bytes(b"\n".join(map(orjson.dumps, given if given is not None else interactions(folder))))
    fields = {"trigger": "pre-deployment", "passages": str(folder / "corpus.jsonl"), "claims": False, **more}
    with open_ledger(site.ledger, at=now()) as ledger:
        request = Request(path=str(path), **fields)
        reviews.open_campaign(request, name=name, author="Lena Lead", terms=terms, ledger=ledger)
        return [item.trace_id for item in reviews.items(name, ledger=ledger).items]


def rate(site: Site, trace_id: str, who: str, *levels: int | None, at: datetime | None = None) -> None:
    """Rate an item as somebody; the last level is for the rest of the dimensions."""
    given = [*levels, *[levels[-1] if levels else 4] * len(KEYS)][: len(KEYS)]
    record = {"trace_id": trace_id, "scores": dict(zip(KEYS, given, strict=True)), "notes": f"{who} looked at it"}
    reviews.claim_items(who, [trace_id], campaign=NAME, ledger=site.ledger, at=at)
    reviews.submit_record(record, evaluator=who, campaign=NAME, ledger=site.ledger, at=at)


@contextmanager
def client_of(site: Site, person: str, at: datetime | None = None) -> Iterator[TestClient]:
    """Give a client that somebody uses, at a moment where one is given."""
    someone = replace(site, local_person=person)
    if at is not None:
        someone = replace(someone, clock=lambda: at)
    with TestClient(create_app(someone), follow_redirects=False, raise_server_exceptions=False) as client:
        yield client


def send(client: TestClient, address: str, **fields: str | list[str]) -> Any:
    """Send a form, with the token of the session."""
    token = re.search(r'name="csrf" content="(\w+)"', client.get("/rate").text)
    assert token is not None
    return client.post(address, data={"csrf": token[1], **fields})


def levels(*given: object) -> dict[str, str]:
    """Return the fields of the levels; the last one is for the rest of the dimensions."""
    filled = [*given, *[given[-1]] * len(KEYS)][: len(KEYS)]
    return {f"level_{key}": str(level) for key, level in zip(KEYS, filled, strict=True)}
