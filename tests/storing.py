"""Writes reviews into a ledger as they stand there: interactions, campaigns, records with their revisions."""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plumbrule.codec import to_json
from plumbrule.interactions.weeks import week_of
from plumbrule.ledger import Draft, Ledger, open_ledger
from plumbrule.ledger.entry import escaped
from plumbrule.reviews import interaction_archive, record_store
from plumbrule.reviews.evaluation_record import read_record
from plumbrule.reviews.record_decision import decide
from plumbrule.rubrics import load_scorecard

AT = dt.datetime(2026, 2, 20, 12, tzinfo=dt.UTC)
LOADED = load_scorecard()
KEYS = [dimension.key for dimension in LOADED.rubric.dimensions]
MONDAY = dt.date(2026, 1, 5)  # of 2026-W02


def card(trace_id: str | None, *levels: object, **fields: Any) -> dict[str, Any]:
    """Return a record; levels left out are Strong."""
    scores = dict(zip(KEYS, [*levels, 4, 4, 4, 4, 4, 4], strict=False))
    about = {"query": "What is the fee?", "trigger": "monitoring", "evaluator": "Ada", "notes": "looked at"}
    return {**about, "trace_id": trace_id, "date": str(MONDAY), **fields, "scores": scores}


def response(trace_id: str, **fields: Any) -> dict[str, Any]:
    """Return a response, by default an answer."""
    return {
        "trace_id": trace_id,
        "timestamp": f"{MONDAY}T10:00:00Z",
        "query": "What is the wire fee?",
        "grounding_status": "FULLY_GROUNDED",
        "answer": "The wire fee is $25 [1].",
        "citations": [{"citation_id": "1", "source_id": "FEE-1", "passage": "The wire fee is $25."}],
        "refusal": None,
        "metadata": {"corpus_release_id": "r1", "sources_consulted": 1, "model_provider": "demo"},
        **fields,
    }


def refusal(trace_id: str, code: str = "NO_ELIGIBLE_DOCS", **fields: Any) -> dict[str, Any]:
    """Return a response that refuses."""
    said = {"code": code, "reason": "nothing was found", "user_guidance": "ask the desk"}
    return response(
        trace_id, **{"answer": None, "refusal": said, "citations": [], "grounding_status": "REFUSED", **fields}
    )


class Store:
    """A ledger that tests write reviews into."""

    def __init__(self, path: Path) -> None:
        self.url = f"sqlite:///{path}"
        self._opened: set[str | None] = set()
        with open_ledger(self.url, at=AT, ledger_id="ledger-test"):
            pass

    def open(self) -> Ledger:
        """Open the ledger."""
        return open_ledger(self.url)

    def keep(self, *drafts: tuple[str, str, Any]) -> None:
        """Append entries, each given by kind, subject and body."""
        with self.open() as ledger:
            ledger.append_many(
                Draft(kind=kind, subject=subject, body=body, author="test", at=AT) for kind, subject, body in drafts
            )

    def interaction(self, answer: dict[str, Any], **body: Any) -> None:
        """Keep an interaction."""
        day = dt.date.fromisoformat(str(answer["timestamp"])[:10])
        content = {
            "trace_id": answer["trace_id"],
            "response": answer,
            "trace": None,
            "passages": [{"id": "fee-1-1", "source_id": "FEE-1", "text": "The wire fee is $25."}],
            "findings": [],
            "prescore": None,
            "traits": ["refused"] if answer["refusal"] else [],
            "week": week_of(day),
            "passages_from": "trace",
            "unresolved": [],
            "where": "log.jsonl:1",
        }
        self.keep(("interaction", interaction_archive.subject_of(answer["trace_id"]), {**content, **body}))

    def record(self, record: dict[str, Any], **body: Any) -> None:
        """Keep a record."""
        read = read_record(record, LOADED.rubric, complete=False)
        content = {
            "record": to_json(read.written(LOADED.rubric)),
            "decision": to_json(decide(read.scores, LOADED).result()),
            "revision": 0,
            "reason": None,
            "campaign": None,
            "role": "evaluator",
            "rubric": LOADED.stamp(),
            **body,
        }
        campaign, trace_id, evaluator = content["campaign"], read.trace_id or "", read.evaluator or ""
        if campaign in self._opened and not content["revision"]:
            claim = {
                "event": "claimed",
                "trace_id": trace_id,
                "evaluator": evaluator,
                "role": content["role"],
                "until": str(AT + dt.timedelta(hours=1)),
            }
            self.keep(("claim", f"campaigns/{campaign}/{escaped(trace_id, part=True)}", claim))
        self.keep(("record", record_store.subject_of(campaign, trace_id, evaluator), content))

    def close(self, name: str) -> None:
        """Keep the closing of a campaign."""
        self.keep(("campaign", f"campaigns/{name}", {"event": "closed", "as_is": True}))

    def campaign(self, name: str, strata: Sequence[tuple[str, int, Sequence[str]]], **more: object) -> None:
        """Keep the opening of a campaign with the manifest of its draw, and ``more`` keys of its plan."""
        manifest = {
            "seed": 42,
            "method": "",
            "size": 0,
            "population": sum(count for _, count, _ in strata),
            "unmatched": 0,
            "drawn": 0,
            "shortfall": 0,
            "strata": [
                {"key": key, "share": 0.0, "quota": 0, "population": count, "drawn": list(ids), "shortfall": 0}
                for key, count, ids in strata
            ],
            "rubric": LOADED.stamp(),
        }
        items: list[dict[str, Any]] = [
            {"trace_id": trace_id, "query": "", "stratum": key, "earlier": None, "why": []}
            for key, _, ids in strata
            for trace_id in ids
        ]
        plan: dict[str, Any] = {"trigger": "monitoring", "scope": "", "depth": "", "in_view": [], "week": None}
        plan |= {"changed": None, "read": 0, "evaluators": 2, "claim_minutes": 120, "remarks": []} | more
        opened = {"event": "opened", **plan, "manifest": manifest, "items": items, "rubric": LOADED.stamp()}
        self._opened.add(name)
        self.keep(("campaign", f"campaigns/{name}", opened))
