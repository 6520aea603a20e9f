"""Campaigns for the tests of the web application: open ones, a model change, one with every warning."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
from fastapi.testclient import TestClient

from plumbrule.api import reviews
from plumbrule.reviews.campaigns.campaign_store import ReleaseTerms
from plumbrule.reviews.sample_draw import Request
from plumbrule.rubrics import load_scorecard
from plumbrule.web.site import Site

KEYS = [dimension.key for dimension in load_scorecard().rubric.dimensions]
HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)>"

WEAKER = """version: "5-ours"
recommendation: {fail_below: 2.0}
"""


def response(number: int, *, prefix: str = "new", **changes: Any) -> dict[str, Any]:
    """Return one response, each with a question of its own."""
    passage = f"The fee of wire {number} is $25 for a domestic transfer and $45 for a foreign one."
    return {
        "trace_id": f"{prefix}-{number:03}",
        "timestamp": "2026-01-26T10:00:00Z",
        "query": f"What is the fee of wire {number}?",
        "answer": f"The fee of wire {number} is $25 for a domestic transfer [1].",
        "grounding_status": "FULLY_GROUNDED",
        "contexts": [{"id": f"p{number}", "text": passage, "source_id": f"S{number % 3}"}],
        "citations": [
            {
                "citation_id": "1",
                "source_id": f"S{number % 3}",
                "source_title": "Fees",
                "effective_date": "2025-01-01",
                "passage": passage,
                "collection": "fees",
            }
        ],
        "metadata": {"corpus_release_id": "r1", "sources_consulted": 1, "model_provider": "m"},
        **changes,
    }


def lines(answers: Sequence[dict[str, Any]]) -> bytes:
    """Return answers as JSON Lines."""
    return b"\n".join(map(orjson.dumps, answers))


def open_one(
    site: Site,
    folder: Path,
    name: str,
    answers: Sequence[dict[str, Any]],
    *,
    trigger: str = "pre-deployment",
    author: str = "Lena Lead",
    terms: ReleaseTerms | None = None,
    rubric: Path | None = None,
    earlier: Sequence[dict[str, Any]] | None = None,
    size: int | None = None,
) -> list[str]:
    """Open a campaign on these answers; return the trace ids in their order."""
    path = folder / f"{name}.jsonl"
    path.write_bytes(lines(answers))
    old = None
    if earlier is not None:
        old = folder / f"{name}-earlier.jsonl"
        old.write_bytes(lines(earlier))
    request = Request(
        trigger=trigger, path=str(path), claims=False, earlier=None if old is None else str(old), size=size
    )
    reviews.open_campaign(request, name=name, author=author, terms=terms, rubric=rubric, ledger=site.ledger)
    return [item.trace_id for item in reviews.items(name, ledger=site.ledger).items]


def rate(
    site: Site,
    campaign: str,
    trace_id: str,
    who: str,
    *levels: int,
    notes: str = "looked at",
    reason: str | None = None,
    at: datetime | None = None,
) -> None:
    """Rate an item as somebody, or revise the rating; the last level is for the rest of the dimensions."""
    given = [*levels, *[levels[-1] if levels else 4] * len(KEYS)][: len(KEYS)]
    record = {"trace_id": trace_id, "scores": dict(zip(KEYS, given, strict=True)), "notes": notes}
    if reason is None:
        reviews.claim_items(who, [trace_id], campaign=campaign, ledger=site.ledger, at=at)
    reviews.submit_record(record, evaluator=who, reason=reason, campaign=campaign, ledger=site.ledger, at=at)


def open_with_every_warning(site: Site, folder: Path) -> list[str]:
    """Leave a campaign that has every warning when it is closed as it is: Lena Lead opens it and rates in it."""
    rubric = folder / "weaker.yaml"
    rubric.write_text(WEAKER)
    answers = [response(number) for number in range(6)]
    open_one(site, folder, "before", answers[:2])
    terms = ReleaseTerms(accept_weaker_policy=True)
    items = open_one(site, folder, "warned", answers, terms=terms, rubric=rubric, size=5)
    for number, trace_id in enumerate(items[:4]):
        rate(site, "warned", trace_id, "Lena Lead", *((2, 4) if number == 0 else (4,)), notes=HOSTILE)
        rate(site, "warned", trace_id, "Ben", 4)
    rate(site, "warned", items[1], "Ben", 3, 4, reason="Lena's note persuaded me")
    rate(site, "warned", items[4], "Ben", 4)
    return items


def open_model_change(site: Site, folder: Path, *, closed: bool) -> list[str]:
    """Leave a model change on twelve pairs, of which some became worse; both sides are rated where it is closed."""
    new = [
        response(number, answer=f"Wire {number} costs $35 for a domestic transfer and more abroad [1].")
        for number in range(12)
    ]
    old = [response(number, prefix="old") for number in range(12)]
    items = open_one(site, folder, "model-2", new, trigger="model-change", earlier=old)
    if closed:
        open_one(site, folder, "model-1", old)
        for number, answer in enumerate(old):
            for who in ("Ada", "Ben"):
                rate(site, "model-1", answer["trace_id"], who, 4 if number % 4 else 3, 4)
        reviews.close_campaign("model-1", author="Gus", ledger=site.ledger)
        for number, trace_id in enumerate(items):
            rate(site, "model-2", trace_id, "Ada", 3, 4, 3 if number % 3 else 4, 4)
        reviews.close_campaign("model-2", author="Gus", ledger=site.ledger)
    return items


def token(client: TestClient, address: str) -> str:
    """Return the token that a form of a page carries."""
    found = client.get(address).text.partition('name="csrf" content="')[2].partition('"')[0]
    assert found
    return found
