"""Counts and times requests, and writes figures in Prometheus' text format."""

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

BOUNDS_S = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A figure with its labels and values."""

    name: str
    kind: str  # counter, gauge or histogram
    about: str
    samples: tuple[tuple[str, Mapping[str, str], float], ...]  # what is added to the name, labels, value


class RequestMetrics:
    """The requests of this process, by route, method and status; routes are few, whatever is asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str, int]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}

    def observe(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one request."""
        with self._lock:
            self._counts[route, method, status] += 1
            self._buckets.setdefault(route, [0] * (len(BOUNDS_S) + 1))[bisect_left(BOUNDS_S, seconds)] += 1
            self._seconds[route] = self._seconds.get(route, 0.0) + seconds

    def metrics(self) -> Iterator[Metric]:
        """Yield the figures of the requests."""
        with self._lock:
            counts, seconds = sorted(self._counts.items()), sorted(self._seconds.items())
            buckets = {route: tuple(numbers) for route, numbers in self._buckets.items()}
        yield Metric(
            name="plumbrule_http_requests_total",
            kind="counter",
            about="Requests that were answered.",
            samples=tuple(
                ("", {"route": route, "method": method, "status": str(status)}, float(count))
                for (route, method, status), count in counts
            ),
        )
        samples: list[tuple[str, Mapping[str, str], float]] = []
        for route, total_s in seconds:
            upto = 0
            for bound, number in zip((*(f"{bound:g}" for bound in BOUNDS_S), "+Inf"), buckets[route], strict=True):
                upto += number
                samples.append(("_bucket", {"route": route, "le": bound}, float(upto)))
            samples += [("_sum", {"route": route}, total_s), ("_count", {"route": route}, float(upto))]
        yield Metric(
            name="plumbrule_http_request_duration_seconds",
            kind="histogram",
            about="Time from a request to the end of its answer.",
            samples=tuple(samples),
        )


def gauge(name: str, about: str, value: float) -> Metric:
    """Return a single figure that may go up and down."""
    return Metric(name=name, kind="gauge", about=about, samples=(("", {}, value),))


def metrics_text(metrics: Iterable[Metric]) -> str:
    """Return figures in Prometheus' text format."""
    lines: list[str] = []
    for metric in metrics:
        lines += [f"# HELP {metric.name} {metric.about}", f"# TYPE {metric.name} {metric.kind}"]
        for suffix, labels, value in metric.samples:
            words = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
            lines.append(f"{metric.name}{suffix}{f'{{{words}}}' if words else ''} {_number(value)}")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)
