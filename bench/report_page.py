"""Measures the HTML report of a large run in a real Chromium: its size, and how long opening it and searching it take.

``python -m bench.report_page [--samples 10000]``. The run is the demo's, copied under other names. ``open`` is until
the whole page is laid out; ``find`` is the browser's own search (``window.find``) from the top of the page to the last
sample of the list, and for a text that is nowhere. Each is the median of five, in milliseconds: by the clock, and the
processor time of the page's main thread, which neighbours on the machine do not change.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.web_ledger import AT, make_run
from playwright.sync_api import CDPSession, Page, sync_playwright

from plumbrule.api.reports import write_report
from plumbrule.ledger import open_ledger
from plumbrule.runs.run_entries import find_run

MOST_MB, MOST_FIND_MS = 5.0, 2_000.0
_TIMES = 5
_FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
_FIND = (
    "text => { getSelection().removeAllRanges(); const found = find(text); document.body.offsetHeight; return found; }"
)


def main() -> None:
    """Make the run and its report, open and search it, and print the figures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--samples", type=int, default=10_000)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page = folder / "report.html"
        with open_ledger(f"sqlite:///{folder}/ledger.db", at=AT) as ledger:
            run = make_run(ledger, folder, samples=chosen.samples)
            before = time.perf_counter()
            report = write_report(ledger, find_run(ledger, run), page)
        megabytes = page.stat().st_size / 1e6
        last = [sample for sample in report.samples if sample.passed][-1].sample_id
        print(f"{chosen.samples:,} samples, {report.failed:,} failed; written in {time.perf_counter() - before:.1f} s")
        opened, found, sought = _browse(page, last)
    print(f"size {megabytes:.2f} MB; open {opened}; find the last {found}; find nothing {sought}")
    sys.exit(megabytes >= MOST_MB or max(found.cpu_ms, sought.cpu_ms) >= MOST_FIND_MS)


class Took(NamedTuple):
    """What a step took, in milliseconds."""

    wall_ms: float
    cpu_ms: float

    def __str__(self) -> str:
        return f"{self.wall_ms:.0f} ms (CPU {self.cpu_ms:.0f})"


def _browse(path: Path, last: str) -> tuple[Took, Took, Took]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    steps: dict[str, list[Took]] = {"open": [], "find": [], "nothing": []}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
        for _ in range(_TIMES):
            page = browser.new_page()
            page.set_default_timeout(0)
            session = page.context.new_cdp_session(page)
            session.send("Performance.enable", {"timeDomain": "threadTicks"})
            steps["open"].append(_timed(session, partial(_open, page, path)))
            steps["find"].append(_timed(session, partial(_find, page, last, there=True)))
            sought = "a text that is nowhere"
            steps["nothing"].append(_timed(session, partial(_find, page, sought, there=False)))
            page.close()
        browser.close()
    opened, found, nothing = (
        Took(median(took.wall_ms for took in some), median(took.cpu_ms for took in some)) for some in steps.values()
    )
    return opened, found, nothing


def _timed(session: CDPSession, step: Callable[[], None]) -> Took:
    before, cpu = time.perf_counter(), _task_ms(session)
    step()
    return Took(1000 * (time.perf_counter() - before), _task_ms(session) - cpu)


def _task_ms(session: CDPSession) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(1000 * float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration")


def _open(page: Page, path: Path) -> None:
    page.goto(path.as_uri())
    page.evaluate("document.body.offsetHeight")


def _find(page: Page, text: str, *, there: bool) -> None:
    if page.evaluate(_FIND, text) is not there:
        raise SystemExit(f"the search for {text!r} found {'nothing' if there else 'something'}")


if __name__ == "__main__":
    main()
