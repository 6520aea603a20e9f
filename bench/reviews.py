"""Measures what one step of an evaluator costs in a large campaign: claiming an item and submitting its record."""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from plumbrule.ledger import Draft, open_ledger
from plumbrule.ledger.entry import utc_text
from plumbrule.names import key_of_trace
from plumbrule.reviews.campaigns.campaign_store import claim_next, load_campaign, open_campaign
from plumbrule.reviews.sample_draw import Request, draw
from plumbrule.reviews.submission import submit_records
from plumbrule.rubrics import load_scorecard

_AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
_PEOPLE = ("Ada", "Ben", "Cy", "Di")
_STEPS = 15


def main() -> None:
    """Print the processor time of each step after all but the last evaluator have rated everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=2_000)
    items = parser.parse_args().items
    loaded = load_scorecard()
    scores = {dimension.key: 4 for dimension in loaded.rubric.dimensions}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.jsonl"
        path.write_text("".join(json.dumps(_response(number)) + "\n" for number in range(items)), encoding="utf-8")
        with open_ledger(f"sqlite:///{folder}/ledger.db", at=_AT) as ledger:
            drawn = draw(Request(trigger="pre-deployment", path=str(path), claims=False), loaded)
            campaign = open_campaign(ledger, drawn, loaded, name="c", author="Lead", at=_AT, evaluators=len(_PEOPLE))
            named = [item.trace_id for item in campaign.items.values()]
            for who in _PEOPLE[:-1]:
                ledger.append_many(_claim(trace_id, who) for trace_id in named)
                cards = [("", {"trace_id": trace_id, "scores": scores}) for trace_id in named]
                submit_records(ledger, "c", cards, evaluator=who, at=_AT)
            claims, submits = [], []
            for _ in range(_STEPS):
                taken, cost = _timed(lambda: claim_next(ledger, "c", _PEOPLE[-1], at=_AT))
                claims.append(cost)
                card = ("", {"trace_id": taken[0].trace_id, "scores": scores})
                _, cost = _timed(partial(submit_records, ledger, "c", [card], evaluator=_PEOPLE[-1], at=_AT))
                submits.append(cost)
            _, whole = _timed(lambda: load_campaign(ledger, "c"))
    print(f"{items} items, {len(_PEOPLE)} evaluators, {items * (len(_PEOPLE) - 1)} ratings; processor time")
    for name, costs in (("claim the next item", claims), ("submit its record", submits), ("read it whole", [whole])):
        print(f"{name:20} {median(costs) * 1000:7.0f} ms, at most {max(costs) * 1000:.0f} ms")


def _timed(step: Callable[[], Any]) -> tuple[Any, float]:
    begun = time.process_time()
    found = step()
    return found, time.process_time() - begun


def _claim(trace_id: str, who: str) -> Draft:
    until = utc_text(_AT + timedelta(hours=1))
    body = {"event": "claimed", "evaluator": who, "role": "evaluator", "until": until, "trace_id": trace_id}
    return Draft(kind="claim", subject=f"campaigns/c/{key_of_trace(trace_id)}", body=body, author=who, at=_AT)


def _response(number: int) -> dict[str, Any]:
    return {
        "trace_id": f"00000000-0000-4000-8000-{number:012}",
        "timestamp": "2026-01-26T10:00:00Z",
        "query": f"What is the fee of wire {number}?",
        "answer": f"The fee of wire {number} is $25 [1].",
        "grounding_status": "FULLY_GROUNDED",
        "contexts": [{"id": f"p{number}", "text": f"The fee of wire {number} is $25."}],
        "citations": [{"citation_id": "1", "source_id": "S1", "passage": f"The fee of wire {number} is $25."}],
    }


if __name__ == "__main__":
    main()
