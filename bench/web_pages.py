"""Measures every page of the web application on a large ledger: server time and size.

``python -m bench.web_pages [--results 1000000] [--records 10000] [--ledger FOLDER]``. Scorers are loaded, templates
compiled and the open campaigns replayed, as when the application starts, but no view is made ready. ``first`` is the
answer to whoever looks first, in milliseconds, ``ready`` the seconds until the page was worked out, ``cpu`` the
processor time of that answer and of what it set off meanwhile; the next three are the same after a restart, which finds
in the store what took long; then the median and the longest of later views, and the processor time of one, which
neighbours on the machine do not change. A folder that is named keeps the ledger for the next time.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import orjson
from bench.web_ledger import LargeLedger, make_ledger
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from plumbrule.codec import from_json, json_line
from plumbrule.web.application import all_routes, create_app
from plumbrule.web.routes import API
from plumbrule.web.site import PATIENCE_S, Site
from plumbrule.web.view_preparation import load_parts, replay_open
from plumbrule.web.web_store import Store

MOST_MS, MOST_KB = 300, 300
_TIMES = 5
_LOOK_AGAIN_S = 0.25
_HEADS = "".join(f"{head:>7}" for head in (*("first", "ready", "cpu") * 2, "later", "most", "cpu")) + f"{'kB':>6}"
_LEFT_OUT = {  # with the reason
    "/account": "nobody signs in without a team",
    "/accounts": "nobody signs in without a team",
    "/accounts/{number}": "nobody signs in without a team",
    "/adjudicate/{campaign}/{trace_id:path}": "nobody disagrees too far",
    "/campaigns/new/{draft}": "there is no draft",
    "/campaigns/{name}/pairs": "there is no campaign on a model change",
    "/campaigns/{name}/pairs/{trace_id:path}": "there is no campaign on a model change",
    "/jobs/{job_id}": "there is no job",
    "/jobs/{job_id}/events": "there is no job",
    "/sign-in/callback": "there is no provider",
    "/sign-in/provider": "there is no provider",
}


@dataclass(slots=True, kw_only=True)
class Measured:
    """One page: milliseconds of answers, seconds until it was ready, before and after a restart."""

    path: str
    first_ms: float
    ready_s: float
    first_cpu_ms: float
    again_ms: float = 0.0
    again_s: float = 0.0
    again_cpu_ms: float = 0.0
    later_ms: tuple[float, ...] = ()
    cpu_ms: float = 0.0
    size: int = 0

    def within(self) -> bool:
        """Whether every answer was quick enough, and the page small enough."""
        slowest = max(self.first_ms, self.again_ms, *self.later_ms)
        return slowest <= MOST_MS and self.size <= MOST_KB * 1000


def main() -> None:
    """Print a line for each page, and those that are too slow or too large."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--results", type=int, default=1_000_000)
    options.add_argument("--records", type=int, default=10_000)
    options.add_argument("--ledger", type=Path, help="a folder that keeps the ledger")
    options.add_argument("pages", nargs="*", help="measure these only, such as /runs")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.ledger or Path(temporary)
        made = _ledger(folder, results=chosen.results, records=chosen.records)
        store = Path(temporary) / "pages.web.db"
        measured = _measure(made, f"sqlite:///{store}", chosen.pages)
    print(f"{'page':<46}{_HEADS}")
    for page in measured:
        times = f"{page.first_ms:7.0f}{page.ready_s:7.1f}{page.first_cpu_ms:7.0f}"
        times += f"{page.again_ms:7.0f}{page.again_s:7.1f}{page.again_cpu_ms:7.0f}"
        later = f"{median(page.later_ms):7.0f}{max(page.later_ms):7.0f}{page.cpu_ms:7.0f}"
        print(f"{page.path:<46}{times}{later}{page.size / 1000:6.0f}{'' if page.within() else '  over'}")
    over = [page.path for page in measured if not page.within()]
    print(f"{len(measured)} pages, {len(over)} of them over {MOST_MS} ms or {MOST_KB} kB: {', '.join(over) or 'none'}")
    busy = [page.path for page in measured if max(page.first_cpu_ms, page.again_cpu_ms, page.cpu_ms) > MOST_MS]
    print(f"by processor time alone {len(busy)} of them over {MOST_MS} ms: {', '.join(busy) or 'none'}")


def _ledger(folder: Path, *, results: int, records: int) -> LargeLedger:
    """Return the ledger of a folder; make it where there is none."""
    known = folder / "made.json"
    if not known.exists():
        folder.mkdir(parents=True, exist_ok=True)
        begun = time.perf_counter()
        known.write_bytes(json_line(make_ledger(folder, results=results, records=records)))
        print(f"the ledger was made in {time.perf_counter() - begun:.0f} s", flush=True)
    return from_json(LargeLedger, orjson.loads(known.read_bytes()), where=str(known))


def _measure(made: LargeLedger, store: str, only: Sequence[str]) -> list[Measured]:
    pages: list[Measured] = []
    addresses = {path: address for path, address in _addresses(made).items() if not only or path in only}
    with _client(made, store) as client:
        for path, address in addresses.items():
            try:
                first, ready, spent = _first(client, address)
            except LookupError as error:
                print(error, file=sys.stderr)
                continue
            pages.append(Measured(path=path, first_ms=first, ready_s=ready, first_cpu_ms=spent))
            print(".", end="", file=sys.stderr, flush=True)
    with _client(made, store) as client:
        for page in pages:
            page.again_ms, page.again_s, page.again_cpu_ms = _first(client, addresses[page.path])
            begun = time.process_time()
            timed = [_timed(client, addresses[page.path]) for _ in range(_TIMES)]
            page.cpu_ms = (time.process_time() - begun) * 1000 / _TIMES
            page.later_ms, page.size = tuple(spent for spent, _, _ in timed), timed[-1][2]
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return pages


@contextmanager
def _client(made: LargeLedger, store: str) -> Iterator[TestClient]:
    """Give a client of an application that was just started: its ledger is open, and nothing else is ready."""
    site = Site(
        ledger=made.address,
        store=Store(store),
        local_person="Robin Reader",
        hosts=("testserver",),
        patience_s=PATIENCE_S,
    )
    app = create_app(site)
    load_parts(app, site)
    replay_open(site)
    with TestClient(app, follow_redirects=False) as client:
        client.get("/try")  # the client itself is ready
        yield client
    site.close()


def _addresses(made: LargeLedger) -> dict[str, str]:
    """Return an address for every page of the application, by its path; downloads and the JSON API are no pages."""
    run, campaign, item = made.runs[-1], made.campaigns[0], made.trace_ids[-1]
    opened = made.campaigns[-1]
    addresses = {
        "/campaigns/{campaign}/items/{trace_id:path}": f"/campaigns/{opened}/items/{item}",
        "/campaigns/{name}": f"/campaigns/{campaign}",
        "/campaigns/{name}/agreement": f"/campaigns/{campaign}/agreement",
        "/campaigns/{name}/close": f"/campaigns/{opened}/close",
        "/campaigns/{name}/decision": f"/campaigns/{campaign}/decision",
        "/campaigns/{name}/print": f"/campaigns/{campaign}/print",
        "/compare": f"/compare?runs={made.runs[-2]}&runs={run}",
        "/incidents/{trace_id:path}": f"/incidents/{item}",
        "/monitoring/{week}": "/monitoring/2025-W03",
        "/rate/{campaign}/{trace_id:path}": f"/rate/{opened}/{item}",
        "/runs/{run_id:run}": f"/runs/{run}",
        "/runs/{run_id:run}/samples": f"/runs/{run}/samples?verdict=FAIL&sort=-latency&page=3",
        "/runs/{run_id:run}/samples/{sample_id:path}": f"/runs/{run}/samples/sample-00010?verdict=FAIL",
    }
    paths = [
        route.path
        for routes in all_routes()
        for route in routes.routes
        if isinstance(route, APIRoute) and "GET" in (route.methods or ()) and not route.path.startswith(API)
    ]
    pages = [path for path in paths if path not in _LEFT_OUT and "{suffix}" not in path and "records." not in path]
    return {path: addresses.get(path, path) for path in pages}


def _first(client: TestClient, address: str) -> tuple[float, float, float]:
    """Return the milliseconds of the first answer, the seconds until the page is there, its processor time."""
    begun, used = time.perf_counter(), time.process_time()
    first, status, _ = _timed(client, address)
    spent = (time.process_time() - used) * 1000
    while status == 202:
        time.sleep(_LOOK_AGAIN_S)
        _, status, _ = _timed(client, address)
    if status != 200:
        raise LookupError(f"{address} answers {status}, and is not measured")
    return first, time.perf_counter() - begun, spent


def _timed(client: TestClient, address: str) -> tuple[float, int, int]:
    """Return the milliseconds, the status and the size of one answer."""
    begun = time.perf_counter()
    answer = client.get(address)
    return (time.perf_counter() - begun) * 1000, answer.status_code, len(answer.content)


if __name__ == "__main__":
    main()
