"""Measures fifty people who rate a thousand items on the pages at the same time, and what is lost or rated twice."""

import argparse
import asyncio
import random
import re
import socket
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from bench.web_ledger import write_responses
from fastapi import Request

from plumbrule.api import reviews
from plumbrule.ledger import open_ledger
from plumbrule.reviews.sample_draw import Request as Drawing
from plumbrule.web.access.roles import EVERY_ROLE, Person
from plumbrule.web.application import create_app
from plumbrule.web.site import Site
from plumbrule.web.view_preparation import prepare_once
from plumbrule.web.visit import Visit, begin_visit
from plumbrule.web.web_store import Store, store_address

_PERSON = "x-bench-person"  # who makes a request: this server takes it at its word
_RATED = re.compile(r'data-key="(\w+)"')
_TOKEN = re.compile(r'name="csrf" content="(\w+)"')


@dataclass(slots=True)
class Tally:
    """What the reviewers did and how long each step took."""

    times: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    submitted: list[tuple[str, str]] = field(default_factory=list)  # who, which item
    refused: Counter[str] = field(default_factory=Counter)


def main() -> None:
    """Print the times of each step, and what is in the ledger afterwards."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300, help="stop after this long, finished or not")
    parser.add_argument("--think", type=float, default=2.0, help="mean seconds between two steps of one person")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        site = _site(Path(folder), given.items)
        with site.ledgers.use(site.ledger):  # opened and made ready first, as by ``serve``
            prepare_once(site)
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(128)
            app = _application(site)  # a connection lives longer than anybody thinks
            config = uvicorn.Config(app, log_level="error", lifespan="off", timeout_keep_alive=300)
            server = uvicorn.Server(config)
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
            thread.start()
            address = f"http://127.0.0.1:{listener.getsockname()[1]}"
            begun = time.process_time()
            tally = asyncio.run(_review(address, given.people, seconds=given.seconds, think=given.think))
            spent = (time.process_time() - begun) / sum(map(len, tally.times.values()))
            server.should_exit = True
            thread.join()
        _report(site, tally, given.items)
        print(f"processor time of a step, of server and client together: {spent * 1000:.0f} ms")
        site.close()


def _site(folder: Path, items: int) -> Site:
    path = folder / "answers.jsonl"
    write_responses(path, range(items), day=datetime.now(UTC))
    address = f"sqlite:///{folder}/ledger.db"
    with open_ledger(address, at=datetime.now(UTC)) as ledger:
        request = Drawing(trigger="pre-deployment", path=str(path), claims=False)
        reviews.open_campaign(request, name="big", author="Lead", ledger=ledger)
    return Site(ledger=address, store=Store(store_address(address)), hosts=("127.0.0.1",))


def _application(site: Site) -> Any:  # noqa: ANN401 - FastAPI's own
    """Return the application, whose visitor is whoever the request names."""
    app = create_app(site)

    async def visit_of(request: Request) -> Visit:
        visit = await begin_visit(request)
        return replace(visit, person=Person(name=request.headers.get(_PERSON), roles=EVERY_ROLE))

    app.dependency_overrides[begin_visit] = visit_of
    return app


async def _review(address: str, people: int, *, seconds: float, think: float) -> Tally:
    tally, until = Tally(), time.monotonic() + seconds
    names = [f"Reviewer {number}" for number in range(people)]
    await asyncio.gather(*(_person(address, name, tally, until=until, think=think) for name in names))
    return tally


async def _person(address: str, name: str, tally: Tally, *, until: float, think: float) -> None:
    """Rate item after item: two drafts, then the whole record, as the page sends them."""
    choose = random.Random(name)  # noqa: S311 - no secret
    async with httpx.AsyncClient(base_url=address, headers={_PERSON: name}, timeout=60) as client:

        async def step(kind: str, send: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
            await asyncio.sleep(choose.expovariate(1 / think) if think else 0)
            begun = time.perf_counter()
            answer = await send()
            tally.times[kind].append(time.perf_counter() - begun)
            return answer

        queue = await step("the queue", lambda: client.get("/rate"))
        token = _TOKEN.search(queue.text)
        csrf = {"csrf": "" if token is None else token[1]}
        answer = await step("take the first", lambda: client.post("/rate", data={**csrf, "campaign": "big"}))
        while (
            time.monotonic() < until
            and answer.status_code == 303
            and answer.headers["location"].startswith("/rate/big")
        ):
            place = answer.headers["location"]
            page = await step("show an item", partial(client.get, place))
            keys = _RATED.findall(page.text)
            item = place.partition("?")[0]
            filled = {f"level_{key}": str(choose.choice((4, 4, 3))) for key in keys}
            form = {**csrf, "holds": "yes", "notes": f"seen by {name}"}
            for count in (2, 4):
                some = {**form, "do": "draft", **dict(list(filled.items())[:count])}
                await step("save a draft", partial(client.post, item, data=some))
            whole = {**form, "do": "submit", **filled}
            answer = await step("submit", partial(client.post, item, data=whole))
            if answer.status_code == 303:
                tally.submitted.append((name, item.rpartition("/")[2]))
            else:
                tally.refused[f"{answer.status_code}"] += 1


def _report(site: Site, tally: Tally, items: int) -> None:
    with open_ledger(site.ledger) as ledger:
        kept = [
            (record.record.evaluator or "", record.record.trace_id or "")
            for record in reviews.stored_records(ledger=ledger)
        ]
        raters = Counter(trace_id for _, trace_id in kept)
        verified = ledger.verify().broken is None
    lost, twice = set(tally.submitted) - set(kept), len(kept) - len(set(kept))
    print(f"{items} items; {len(tally.submitted)} records submitted, {len(kept)} kept; the chain is whole: {verified}")
    print(
        f"lost: {len(lost)}; kept and not answered: {len(set(kept) - set(tally.submitted))}; refused: {tally.refused}"
    )
    print(f"rated twice by one person: {twice}; items with a third rating: {sum(n > 2 for n in raters.values())}")
    for kind, times in tally.times.items():
        ordered = sorted(round(each * 1000) for each in times)
        middle, p95 = ordered[len(ordered) // 2], ordered[int(0.95 * len(ordered))]
        print(f"{kind:16} {len(times):6} times, median {middle:5} ms, p95 {p95:5} ms")


if __name__ == "__main__":
    main()
