"""The process of one job: ``python -m plumbrule.web.jobs.run_worker JOB CONFIG`` carries its run out.

It writes to the store of the ledger that ``PLUMBRULE_LEDGER`` names, and stops as Ctrl+C would when the store says so.
"""

import argparse
import os
import signal
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from plumbrule.api.ledger_access import now
from plumbrule.api.runs import run
from plumbrule.errors import InterruptedRunError, PlumbruleError
from plumbrule.runs.execution import Progress
from plumbrule.runs.plan import Plan
from plumbrule.settings import ledger_address
from plumbrule.terminal import shortened
from plumbrule.web.jobs.run_jobs import HEARTBEAT_S, update_job
from plumbrule.web.web_store import Store, store_address

_LONGEST_MESSAGE = 1000


@dataclass(slots=True)
class _Report:
    """What the job has to say; the heartbeat writes it down."""

    values: dict[str, object] = field(default_factory=dict)
    ended: threading.Event = field(default_factory=threading.Event)

    def begin(self, run_id: str, plan: Plan) -> None:
        self.values |= {"run_id": run_id, "total": plan.tasks}

    def follow(self, progress: Progress) -> None:
        self.values |= {
            "total": progress.total,
            "finished": progress.finished,
            "errors": progress.errors,
            "cost_usd": progress.spent.cost_usd,
        }


def main() -> None:
    """Carry out the run of a job."""
    parser = argparse.ArgumentParser(prog="run_worker")
    parser.add_argument("job")
    parser.add_argument("config")
    parser.add_argument("--resume")
    parser.add_argument("--decide-on", choices=("point", "bound"))
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    address = ledger_address()
    store = Store(store_address(address))
    report = _Report()
    heart = threading.Thread(target=_beat, args=(store, given.job, report), daemon=True)
    heart.start()
    try:
        outcome = run(
            given.config,
            address,
            resume=given.resume,
            decide_on=given.decide_on,
            begun=report.begin,
            watch=report.follow,
        )
        progress = outcome.progress
        if progress.finished == progress.total:
            ending = {"state": "finished", "message": None}
        else:
            ending = {"state": "failed", "message": progress.stopped_by or progress.last_failure}
    except (KeyboardInterrupt, InterruptedRunError):
        ending = {"state": "stopped", "message": "It was asked to stop."}
    except PlumbruleError as error:
        ending = {"state": "failed", "message": str(error)}
    except Exception as error:  # noqa: BLE001 - the job must say that it failed, whatever it was
        ending = {"state": "failed", "message": f"an internal error: {type(error).__name__}"}
    report.ended.set()
    heart.join()
    _write(store, given.job, {**report.values, **ending})
    store.close()


def _beat(store: Store, job: str, report: _Report) -> None:
    """Say every few seconds how far the run is, and pass on the wish to stop."""
    asked = False
    while not report.ended.wait(HEARTBEAT_S):
        stop = _write(store, job, dict(report.values))
        if stop and not asked:
            asked = True
            os.kill(os.getpid(), signal.SIGINT)


def _write(store: Store, job: str, values: Mapping[str, object]) -> bool:
    message = values.get("message")
    short = {"message": shortened(message, _LONGEST_MESSAGE)} if isinstance(message, str) else {}
    return update_job(store, job, heard_at=now().isoformat(), **{**values, **short})


if __name__ == "__main__":
    main()
