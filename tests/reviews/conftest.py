"""A ledger, interactions and campaigns to work with."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from plumbrule.ledger import Ledger, open_ledger
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.campaigns.campaign_store import ReleaseTerms, open_campaign
from plumbrule.reviews.sample_draw import Request, draw
from plumbrule.rubrics import Loaded, ScorecardRubric, load_scorecard

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

    def open_one(
        count: int = 2,
        *,
        trigger: str = "pre-deployment",
        name: str = "c",
        terms: ReleaseTerms | None = None,
        rubric: Loaded[ScorecardRubric] = loaded,
        author: str | None = None,
        **more: Any,
    ) -> Campaign:
        path = tmp_path / "responses.jsonl"
        named = {} if author is None else {"author": author}
        path.write_bytes(b"\n".join(orjson.dumps(response(number, **named)) for number in range(count)))
        drawn = draw(Request(trigger=trigger, path=str(path), claims=False, **more), rubric)
        return open_campaign(ledger, drawn, rubric, name=name, author="Lead", at=AT, terms=terms)

    return open_one


@pytest.fixture
def own(tmp_path: Path) -> Loaded[ScorecardRubric]:
    """Return a scorecard of two dimensions and three levels, in the same form."""

    def dimension(key: str, weight: float, *, excusable: bool) -> dict[str, object]:
        return {
            "key": key,
            "title": key.title(),
            "measures": "?",
            "asks": "?",
            "weight": weight,
            "may_be_not_applicable": excusable,
            "key_questions": ["?"],
            "descriptors": {"Good": "a", "Fair": "b", "Bad": "c"},
            "artifacts": ["x"],
            "test_cases": {"patterns": [], "text": None},
        }

    bad = {"rule": "any_bad", "title": "any Bad", "dimensions": "all", "levels": ["Bad"], "more_than": 0}
    content = {
        "version": "mine",
        "levels": [{"name": "Good", "score": 10}, {"name": "Fair", "score": 5}, {"name": "Bad", "score": 0}],
        "dimensions": [dimension("speed", 0.25, excusable=True), dimension("tone", 0.75, excusable=False)],
        "bands": [
            {"key": "fine", "title": "Fine", "at_least": 7, "action": "Go"},
            {"key": "poor", "title": "Poor", "at_least": 0, "action": "Stop"},
        ],
        "blockers": [{**bad, "run_mean": False}],
        "recommendation": {"fail_below": 5, "pass_at_least": 7, "pass_with_none_at": ["Fair"]},
        "not_applicable": {"needs": None},
        "note_required_at": ["Bad"],
        "adjudication": {"any_at": ["Bad"]},
        "triggers": [
            {
                "key": "always",
                "title": "Always",
                "scope": "all",
                "depth": "all",
                "in_view": ["tone"],
                "evaluators": 1,
                "sample_size": None,
            }
        ],
        "figures": [],
        "feedback": [],
        "judged": [],
    }
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(content))
    return load_scorecard(path)
