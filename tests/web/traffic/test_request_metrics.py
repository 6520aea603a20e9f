"""Figures for Prometheus: requests by route, and nothing that was asked for."""

import re

from tests.web.conftest import Enter

from plumbrule.web.access.roles import Role, Scope
from plumbrule.web.site import Site
from plumbrule.web.traffic.request_metrics import RequestMetrics, gauge, metrics_text

LINE = re.compile(r'[a-z_]+(?:\{[a-z]+="(?:[^"\\\n]|\\.)*"(?:,[a-z]+="(?:[^"\\\n]|\\.)*")*\})? [0-9.e+-]+')


def test_requests_are_counted_and_timed() -> None:
    """Counts are by route, method and status; a histogram's buckets add up, and a bound belongs to its bucket."""
    metrics = RequestMetrics()
    for seconds in (0.004, 0.05, 0.06, 30.0):
        metrics.observe("/runs/{run_id}", "GET", 200, seconds)
    metrics.observe("/runs/{run_id}", "GET", 404, 0.004)
    text = metrics_text(metrics.metrics())
    assert 'plumbrule_http_requests_total{route="/runs/{run_id}",method="GET",status="200"} 4\n' in text
    assert 'plumbrule_http_requests_total{route="/runs/{run_id}",method="GET",status="404"} 1\n' in text
    buckets = dict(re.findall(r'_bucket\{route="[^"]+",le="([^"]+)"\} (\d+)', text))
    assert (buckets["0.01"], buckets["0.05"], buckets["0.1"], buckets["10"], buckets["+Inf"]) == (
        "2",
        "3",
        "4",
        "4",
        "5",
    )
    assert 'plumbrule_http_request_duration_seconds_count{route="/runs/{run_id}"} 5\n' in text


def test_a_label_is_escaped() -> None:
    """Quotes, backslashes and line ends do not break a line."""
    metrics = RequestMetrics()
    metrics.observe('/"\\\n', "GET", 200, 0.1)
    assert all(line.startswith("#") or LINE.fullmatch(line) for line in metrics_text(metrics.metrics()).splitlines())
    assert metrics_text([gauge("x", "About.", 1.5)]) == "# HELP x About.\n# TYPE x gauge\nx 1.5\n"


def test_the_page_is_for_prometheus(enter: Enter, team_site: Site) -> None:
    """An administrator's token with the scope read sees routes and the size of the ledger, and no address."""
    client = enter("Ada Admin", Role.ADMIN)
    client.get("/runs?secret=1")
    client.get("/no/such/secret")
    client.request("BREW", "/runs")
    made = {"title": "Prometheus", "scopes": [Scope.READ], "days": 9, "author": "Ada Admin", "at": team_site.clock()}
    token = team_site.accounts.make_token("Ada Admin", **made)  # type: ignore[arg-type]
    response = enter(None).get("/metrics", headers={"authorization": f"Bearer {token}"})
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    text = response.text
    assert 'plumbrule_http_requests_total{route="/runs",method="GET",status="200"} 1\n' in text
    assert 'route="none",method="GET",status="404"' in text
    assert 'method="other"' in text
    assert "plumbrule_ledger_entries 3\n" in text
    assert 'plumbrule_jobs{state="running"} 0\n' in text
    assert "secret" not in text
    assert all(line.startswith("#") or LINE.fullmatch(line) for line in text.splitlines())
    assert enter("Robin Reader").get("/metrics").status_code == 403
