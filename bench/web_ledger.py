"""A large ledger to measure the web application on: one real run and real reviews, copied in bulk under other names."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from plumbrule.api import reviews
from plumbrule.api.runs import run
from plumbrule.ledger import Draft, Entry, Ledger, ResultKey, open_ledger
from plumbrule.ledger.entry import utc_text
from plumbrule.names import key_of_trace
from plumbrule.reviews.campaigns.campaign_store import load_campaign
from plumbrule.reviews.interaction_archive import read_interaction
from plumbrule.reviews.sample_draw import Request as Drawing
from plumbrule.reviews.submission import submit_records
from plumbrule.rubrics import load_scorecard

AT = datetime(2025, 1, 6, 9, tzinfo=UTC)
LARGE, SMALL, REPEATS = 10_000, 1_000, 5  # samples of a large run, of a small one, and the repeats of that
ITEMS, RATERS = 500, ("Ada", "Ben")  # of a campaign
_OTHER = 10  # of so many samples one has another result in another run
_AT_ONCE = 20_000
_TRACE = re.compile(r"(00000000-?0000-?4000-?8000-?)(\d{12})")
_HASH = re.compile("[0-9a-f]{64}")

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeLedger:
    """Where it is, and what pages are asked for of it."""

    address: str
    runs: tuple[str, ...]  # those with the most samples
    campaigns: tuple[str, ...]  # the first is whole, the last is open
    trace_ids: tuple[str, ...]  # of the items of the last one


def make_ledger(folder: Path, *, results: int, records: int) -> LargeLedger:
    """Make a ledger with so many results and records, in whole runs and campaigns."""
    address = f"sqlite:///{folder}/ledger.db"
    with open_ledger(address, at=AT) as ledger:
        campaigns = [f"reviews-{number}" for number in range(max(1, records // (ITEMS * len(RATERS))))]
        _review(ledger, folder, campaigns[0])
        reviewed = list(ledger.entries())
        for number, name in enumerate(campaigns[1:], 1):
            _append(ledger, _copied_reviews(reviewed, campaigns[0], name, number))
        for name in campaigns[:-1]:
            reviews.close_campaign(name, second="Second", author="Lead", ledger=ledger, at=AT + timedelta(days=90))
        large = max(2, results // LARGE // 5)
        small = max(0, results - large * LARGE) // (SMALL * REPEATS)
        template = Template.read(ledger, run_once(ledger, folder))
        sizes = [(SMALL, REPEATS)] * small + [(LARGE, 1)] * large
        for number, (samples, repeats) in enumerate(sizes):
            _append(ledger, template.copies(number, samples=samples, repeats=repeats))
        trace_ids = tuple(item.trace_id for item in load_campaign(ledger, campaigns[-1]).campaign.items.values())
    named = tuple(_run_name(number, samples) for number, (samples, _) in enumerate(sizes) if samples == LARGE)
    return LargeLedger(address=address, runs=named, campaigns=tuple(campaigns), trace_ids=trace_ids)


def make_run(ledger: Ledger, folder: Path, *, samples: int) -> str:
    """Make one run with so many samples, each with the texts and the result of an answer of the demo; return its id."""
    with open_ledger(f"sqlite:///{folder}/demo.db", at=AT) as demo:  # whose entries are younger than those of the copy
        template = Template.read(demo, run_once(demo, folder))
    _append(ledger, template.copies(0, samples=samples, repeats=1))
    return _run_name(0, samples)


def response(number: int, *, day: datetime) -> dict[str, Any]:
    """Return a response of an assistant, with four passages."""
    text = (
        f"The fee of wire {number} is $25. "
        + "It is charged once for each wire, and no fee is charged for a recall. " * 6
    )
    return {
        "trace_id": f"00000000-0000-4000-8000-{number:012}",
        "timestamp": day.isoformat(),
        "query": f"What is the fee of wire {number}?",
        "answer": f"The fee of wire {number} is $25 [1].",
        "grounding_status": "FULLY_GROUNDED",
        "contexts": [{"id": f"p{number}-{place}", "text": text, "source_id": "S1"} for place in range(4)],
        "citations": [{"citation_id": "1", "source_id": "S1", "passage": f"The fee of wire {number} is $25."}],
    }


def write_responses(path: Path, numbers: range, *, day: datetime) -> None:
    """Write responses to a file, as an assistant's log has them."""
    lines = (json.dumps(response(number, day=day)) + "\n" for number in numbers)
    path.write_text("".join(lines), encoding="utf-8")


def _review(ledger: Ledger, folder: Path, name: str) -> None:
    """Open a campaign on the responses of one week, and let every rater rate all of it."""
    path = folder / f"{name}.jsonl"
    write_responses(path, range(ITEMS), day=AT)
    request = Drawing(trigger="pre-deployment", path=str(path), claims=False)
    reviews.open_campaign(request, name=name, author="Lead", ledger=ledger, at=AT)
    named = [item.trace_id for item in load_campaign(ledger, name).campaign.items.values()]
    dimensions = [dimension.key for dimension in load_scorecard().rubric.dimensions]
    for place, who in enumerate(RATERS):
        ledger.append_many(_claim(name, trace_id, who) for trace_id in named)
        cards = [
            ("", {"trace_id": trace_id, "scores": dict.fromkeys(dimensions, 3 + (item * 7 + place) % 2)})
            for item, trace_id in enumerate(named)
        ]
        submit_records(ledger, name, cards, evaluator=who, at=AT)


def _copied_reviews(reviewed: Sequence[Entry], name: str, other: str, number: int) -> Iterator[Draft]:
    """Yield the entries of a campaign as those of another one, in another week and on other interactions."""
    versions: dict[str, str] = {}
    at = AT + timedelta(weeks=number)

    def renamed(text: str) -> str:
        text = _TRACE.sub(lambda match: f"{match[1]}{int(match[2]) + number * ITEMS:012}", text)
        text = text.replace(f"{AT:%G-W%V}", f"{at:%G-W%V}").replace(f"{AT:%Y-%m-%d}", f"{at:%Y-%m-%d}")
        return _HASH.sub(lambda match: versions.get(match[0], match[0]), text.replace(name, other))

    for entry in reviewed:
        copy = replace(entry, subject=renamed(entry.subject), body=renamed(entry.body))
        if entry.kind == "interaction":
            versions[read_interaction(entry).version] = read_interaction(copy).version
        yield Draft(kind=copy.kind, subject=copy.subject, body=copy.value, author=copy.author, at=at)


def _claim(campaign: str, trace_id: str, who: str) -> Draft:
    until = utc_text(AT + timedelta(hours=1))
    body = {"event": "claimed", "evaluator": who, "role": "evaluator", "until": until, "trace_id": trace_id}
    return Draft(kind="claim", subject=f"campaigns/{campaign}/{key_of_trace(trace_id)}", body=body, author=who, at=AT)


def run_once(ledger: Ledger, folder: Path) -> str:
    """Run the answers of the demo, judged by the rules; return the run's id."""
    (folder / "demo.jsonl").write_bytes((files("plumbrule.demo") / "samples.jsonl").read_bytes())
    config = {
        "name": "demo",
        "dataset": {"path": "demo.jsonl", "id": "demo"},
        "candidate": {"kind": "recorded"},
        "judge": {"kind": "rules"},
    }
    (folder / "demo.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    return run(folder / "demo.yaml", ledger).run_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The entries of a run, from which larger ones are made."""

    begun: Entry
    rubrics: tuple[Entry, ...]
    samples: tuple[Body, ...]
    results: tuple[Body, ...]  # in the same order
    decision: Entry

    @classmethod
    def read(cls, ledger: Ledger, name: str) -> "Template":
        """Return the template that a run of a ledger is."""
        by_kind: dict[str, list[Entry]] = {}
        for entry in ledger.entries(run=name):
            by_kind.setdefault(entry.kind, []).append(entry)
        results = {ResultKey.read(entry.subject).sample: entry.value for entry in by_kind["result"]}
        samples = [entry.value for entry in by_kind["sample"]]
        return cls(
            begun=by_kind["run"][0],
            rubrics=tuple(by_kind["rubric"]),
            samples=tuple(samples),
            results=tuple(results[sample["id"]] for sample in samples),
            decision=by_kind["decision"][0],
        )

    def copies(self, number: int, *, samples: int, repeats: int) -> Iterator[Draft]:
        """Yield the drafts of a run with so many samples; one in ten results is another one in each run."""
        name, at = _run_name(number, samples), AT + timedelta(hours=number)

        def draft(kind: str, subject: str, body: object) -> Draft:
            return Draft(kind=kind, subject=subject, body=body, author=self.begun.author, at=at)

        begun = self.begun.value
        summary = {**begun["summary"], "name": f"run {number}", "samples": samples, "repeats": repeats}
        metadata = {**begun["metadata"], "dataset_version_or_hash": f"{samples:064}"}
        yield draft("run", name, {**begun, "summary": summary, "metadata": metadata})
        for rubric in self.rubrics:
            yield draft("rubric", rubric.subject.replace(self.begun.subject, name), rubric.value)
        for place in range(samples):
            body = self._pick(self.samples, place)
            yield draft("sample", f"{name}/samples/{_sample_id(place)}", {**body, "id": _sample_id(place)})
        for repeat in range(repeats):
            for place in range(samples):
                body = self._pick(self.results, place + (number + repeat if place % _OTHER == 0 else 0))
                result = {
                    **body["result"],
                    "sample_id": _sample_id(place),
                    "repeat": repeat,
                    "latency_e2e_ms": 500.0 + (place * 7919 + number * 104_729 + repeat * 1_299_709) % 9_000,
                }
                key = ResultKey(run=name, repeat=repeat, sample=_sample_id(place))
                yield draft("result", key.subject, {**body, "result": result})
        yield draft("decision", name, self.decision.value)

    @staticmethod
    def _pick(bodies: Sequence[Body], place: int) -> Body:
        return bodies[place % len(bodies)]


def _run_name(number: int, samples: int) -> str:
    return f"run-{AT + timedelta(hours=number):%Y%m%dT%H%M%S}-{samples:06}"


def _sample_id(place: int) -> str:
    return f"sample-{place:05}"


def _append(ledger: Ledger, drafts: Iterator[Draft]) -> None:
    some: list[Draft] = []
    for draft in drafts:
        some.append(draft)
        if len(some) == _AT_ONCE:
            ledger.append_many(some)
            some = []
    ledger.append_many(some)
