"""A ledger, interactions and campaigns to work with."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from plumbrule.api.campaigns import open_campaign
from plumbrule.api.drawing import Request, draw
from plumbrule.ledger import Ledger, open_ledger
from plumbrule.rubrics import Loaded, ScorecardRubric, load_scorecard
from plumbrule.scorecards.campaigns import Campaign

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
KEYS = [dimension.key for dimension in load_scorecard().rubric.dimensions]

Opens = Callable[..., Campaign]


def response(number: int, **changes: Any) -> dict[str, Any]:
    """Return one response, each with a question of its own."""
    return {
        "trace_id": f"00000000-0000-4000-8000-{number:012}",
        "timestamp": "2026-01-26T10:00:00Z",
        "query": f"What is the fee of wire {number}?",
        "answer": f"The fee of wire {number} is $25 [1].",
        "grounding_status": "FULLY_GROUNDED",
        "contexts": [{"id": f"p{number}", "text": f"The fee of wire {number} is $25.", "source_id": f"S{number % 3}"}],
        "citations": [
            {
                "citation_id": "1",
                "source_id": f"S{number % 3}",
                "source_title": "Fees",
                "effective_date": "2025-01-01",
                "passage": f"The fee of wire {number} is $25.",
                "collection": "fees",
            }
        ],
        "metadata": {"corpus_release_id": "r1", "sources_consulted": 1, "model_provider": "m"},
        **changes,
    }


def card(trace_id: str, *levels: object, **fields: object) -> dict[str, Any]:
    """Return a record; all Strong where no level is given, the last level for the rest."""
    given = [*levels, *[levels[-1] if levels else 4] * 6][:6]
    return {"trace_id": trace_id, "notes": "seen", "scores": dict(zip(KEYS, given, strict=True)), **fields}


def later(minutes: float) -> datetime:
    """Return a moment after the beginning."""
    return AT + timedelta(minutes=minutes)


@pytest.fixture(scope="session")
def loaded() -> Loaded[ScorecardRubric]:
    """Return the rubric that ships."""
    return load_scorecard()


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """Give a new ledger."""
    with open_ledger(f"sqlite:///{tmp_path}/ledger.db", at=AT) as opened:
        yield opened


@pytest.fixture
def opens(ledger: Ledger, tmp_path: Path, loaded: Loaded[ScorecardRubric]) -> Opens:
    """Return a function that opens a campaign on so many new interactions."""

    def open_one(count: int = 2, *, trigger: str = "pre-deployment", name: str = "c", **more: Any) -> Campaign:
        path = tmp_path / "responses.jsonl"
        path.write_bytes(b"\n".join(orjson.dumps(response(number)) for number in range(count)))
        drawn = draw(Request(trigger=trigger, path=str(path), claims=False, **more), loaded)
        return open_campaign(ledger, drawn, loaded, name=name, author="Lead", at=AT)

    return open_one
