"""``plumbrule monitor``: figures by week from the ledger or a file, alerts kept once, written and posted."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.clock import LONG_S, MovableTime
from tests.servers.scripted import Request, ScriptedServer, Step
from tests.storing import MONDAY, Store, card, refusal, response

from plumbrule.cli.views.monitoring_tables import state_text
from plumbrule.monitoring.monitoring_report import FigureResult
from plumbrule.rubrics import load_scorecard
from plumbrule.stats.intervals import Interval

Run = Callable[..., Any]
Write = Callable[..., Path]

SECRET = "sentinel-8c1f4e0b7a29"  # noqa: S105 - no secret, but it must show up nowhere
TAKEN = Step(status=204, body=b"", content_type=None)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return an empty ledger."""
    return Store(tmp_path / "ledger.db")


@pytest.fixture
def alarmed(store: Store) -> Store:
    """Return a ledger with one card at Unsafe."""
    store.interaction(response("t1"))
    store.record(card("t1", 4, 4, 4, 4, 4, 1))
    return store


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of the variable that holds the secret."""
    monkeypatch.setenv("ALERT_SECRET", SECRET)
    return "ALERT_SECRET"


def figures(week: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of a week by key."""
    return {figure["key"]: figure for figure in week["figures"]}


def alert_entries(store: Store) -> list[Any]:
    """Return the alerts that were kept."""
    with store.open() as ledger:
        return list(ledger.entries(kind="alert"))


def posting(server: ScriptedServer, secret: str) -> tuple[str, ...]:
    """Return the options that post to a server."""
    return ("--webhook", f"http://127.0.0.1:{server.port}/hook", "--webhook-secret-env", secret)


def test_the_six_figures_of_the_ledger(run: Run, store: Store) -> None:
    """Each week has them, with target, status, interval; refusing is judged by the card where nobody stated it."""
    store.interaction(response("t1"))
    store.interaction(refusal("t2"))
    store.interaction(response("t3"))
    store.record(card("t1", 3, 4, 4, 4, 4, 4))
    store.record(card("t2", None, None, None, None, 4, 4))
    store.record(card("t3", 4, 4, 4, 4, 1, 4))
    done = run("monitor", "--ledger", store.url, "--json")
    assert (done.code, done.err) == (1, "")
    [shown] = done.records
    [week] = shown["weeks"]
    assert (week["week"], week["reviewed"], week["interactions"]) == ("2026-W02", 3, 3)
    found = figures(week)
    assert found["attribution_accuracy_average"]["value"] == 3.5
    assert found["attribution_accuracy_average"]["status"] == "WATCH"
    assert (found["unsafe_share"]["value"], found["unsafe_share"]["status"]) == (1 / 3, "ALERT")
    assert (found["refusal_precision"]["value"], found["refusal_precision"]["total"]) == (1.0, 1)
    assert (found["refusal_recall"]["value"], found["refusal_recall"]["total"]) == (0.5, 2)
    assert all(figure["interval_95"] for figure in found.values())
    assert [rule["target"] for rule in shown["figures"]][:2] == ["above 3.5", "at most 0"]
    assert {alert["figure"] for alert in shown["alerts"]} == {"unsafe_share", "refusal_recall"}


@pytest.mark.parametrize("plan", [{"weeks": {"2026-W02": 480}}, {"week": "2026-W02"}])
def test_all_interactions_are_counted(run: Run, store: Store, plan: dict[str, Any]) -> None:
    """D12: the ledger keeps what was drawn, but the draw counted all that there were; an older one of one week, too."""
    for name in ("t1", "t2"):
        store.interaction(response(name))
    store.campaign("week-2", [("random", 480, ["t1", "t2"])], **plan)
    store.record(card("t1", 3), campaign="week-2")
    store.record(card("t2", 4), campaign="week-2")
    store.close("week-2")
    done = run("monitor", "--ledger", store.url)
    assert "2 reviewed of 480 interactions" in done.out


def test_reviews_outside_campaigns_are_of_the_same_interactions(run: Run, store: Store) -> None:
    """D10: four interactions with a campaign's card and one of their own are four."""
    names = [f"t{number}" for number in range(4)]
    for name in names:
        store.interaction(response(name))
    store.campaign("week-2", [("random", 4, names)])
    for name in names:
        store.record(card(name, 4), campaign="week-2")
        store.record(card(name, 3, evaluator="Cy"))
    store.close("week-2")
    done = run("monitor", "--ledger", store.url)
    assert "4 reviewed of 4 interactions" in done.out
    assert "remark: reviewed more than once, counted once by the worst review: 4 interactions" in done.out


def test_a_narrow_terminal(run: Run, alarmed: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 80 columns a long name breaks at its underscores, and no figure is cut short."""
    monkeypatch.setenv("COLUMNS", "80")
    done = run("monitor", "--ledger", alarmed.url)
    table = done.out.partition("\n\n")[2].partition("\n\n")[0].splitlines()
    assert "…" not in done.out
    assert max(map(len, table)) <= 80
    assert table[0].split() == ["figure", "weeks", "last", "95%", "weighed", "target", "alert"]
    place = next(number for number, line in enumerate(table) if line.startswith("3 attribution_"))
    assert table[place + 1].split()[:2] == ["accuracy_average", "open"]
    row = table[place].split()
    assert [*row[2:4], *row[5:]] == ["█", "4", "none", ">", "3.5", "≤", "3", "ON_TARGET"]


def test_twelve_weeks_on_a_narrow_terminal(run: Run, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every week and every column no figure is cut short, at 80 columns or at 112."""
    for number in range(12):
        store.record(card(f"t{number}", 3, date=str(MONDAY + timedelta(weeks=number))))
    for width in ("80", "111", "112"):
        monkeypatch.setenv("COLUMNS", width)
        done = run("monitor", "--ledger", store.url)
        assert "…" not in done.out
        assert ("95% says" in done.out) == (width == "112")


def test_what_was_expected_goes_before_the_card(run: Run, store: Store) -> None:
    """A stated expectation decides, and its code fills the matrix."""
    expected = {"refuse": True, "refusal_code": "POLICY_BLOCKED"}
    store.interaction(refusal("t1", expected=expected))
    store.record(card("t1", None, None, None, None, 2, 4))
    [shown] = run("monitor", "--ledger", store.url, "--json").records
    counts = shown["refusals"]
    assert (counts["correct"], counts["code_accuracy"]) == (1, 0.0)
    labels = counts["confusion"]["labels"]
    assert counts["confusion"]["counts"][labels.index("POLICY_BLOCKED")][labels.index("NO_ELIGIBLE_DOCS")] == 1


def test_a_code_that_nobody_knows_does_not_stop_the_figures(run: Run, store: Store) -> None:
    """It counts as none, and that is said."""
    store.interaction(refusal("t1", code="\x1b[31mWHATEVER"))
    store.record(card("t1", None, None, None, None, 4, 4))
    done = run("monitor", "--ledger", store.url)
    assert (done.code, done.err) == (0, "")
    assert "\\x1b[31mWHATEVER' is not in the rubric" in done.out
    assert "\x1b" not in done.out


def test_reweighted_by_the_manifest_of_the_campaign(run: Run, store: Store) -> None:
    """G15: what was drawn from a stratum counts for its share of the population, beside the raw figure."""
    traces = [f"t{number}" for number in range(4)]
    for trace in traces:
        store.interaction(response(trace))
    store.campaign("week-2", [("refusals", 10, traces[:2]), ("random", 90, traces[2:])])
    for trace in traces[:2]:
        store.record(card(trace, 2), campaign="week-2")
    for trace in traces[2:]:
        store.record(card(trace, 4), campaign="week-2")
    store.close("week-2")
    [shown] = run("monitor", "--ledger", store.url, "--json").records
    found = figures(shown["weeks"][0])["attribution_accuracy_average"]
    assert (found["value"], found["reweighted"]["value"]) == (3.0, 3.8)
    assert (found["status"], found["reweighted"]["status"]) == ("ALERT", "ON_TARGET")


def test_several_ratings_are_one(run: Run, store: Store) -> None:
    """G13: the lower level counts until an adjudicator decides; a revision replaces what it revises."""
    store.interaction(response("t1"))
    store.record(card("t1", 4, evaluator="Ada"), campaign="c")
    store.record(card("t1", 1, evaluator="Bea"), campaign="c")
    assert self_figure(run, store) == (1.0, 1)
    store.record(card("t1", 3, evaluator="Cy"), campaign="c", role="adjudicator")
    assert self_figure(run, store) == (3.0, 1)
    store.record(card("t1", 2, evaluator="Cy"), campaign="c", role="adjudicator", revision=1, reason="again")
    assert self_figure(run, store) == (2.0, 1)


def self_figure(run: Run, store: Store) -> tuple[float, int]:
    """Return the attribution average and how many it is about."""
    [shown] = run("monitor", "--ledger", store.url, "--json").records
    found = figures(shown["weeks"][0])["attribution_accuracy_average"]
    return found["value"], found["total"]


def test_the_week_is_that_of_the_interaction(run: Run, store: Store) -> None:
    """A card written a week later speaks of the week in which the assistant answered."""
    store.interaction(response("t1"))
    store.record(card("t1", date=str(MONDAY + timedelta(weeks=1))))
    store.record(card("t2", date=str(MONDAY + timedelta(weeks=1))))
    [shown] = run("monitor", "--ledger", store.url, "--json").records
    assert [(week["week"], week["reviewed"]) for week in shown["weeks"]] == [("2026-W02", 1), ("2026-W03", 1)]


def test_not_applicable_on_an_answer_is_said(run: Run, write: Write) -> None:
    """A file of records may have it, where no ledger takes it: the figures leave it out, and a remark counts it."""
    cards = write("cards.jsonl", [card("t1", None), card("t2", None, None, None, None, 4, 4)])
    data = write("data.jsonl", [response("t1"), refusal("t2")])
    [shown] = run("monitor", "--records", cards, "--interactions", data, "--json").records
    assert "Not Applicable, which is for refusals, on answered interactions: 1 times" in shown["remarks"]


def test_weeks_without_records(run: Run, store: Store) -> None:
    """They are shown, their figures are null and nothing is alerted."""
    store.record(card("t1"))
    store.record(card("t2", date=str(MONDAY + timedelta(weeks=2))))
    done = run("monitor", "--ledger", store.url, "--json", "--to", "2026-W06")
    assert done.code == 0
    weeks = done.records[0]["weeks"]
    assert [week["reviewed"] for week in weeks] == [1, 0, 1, 0, 0]
    assert {figure["value"] for figure in weeks[1]["figures"]} == {None}
    assert {figure["status"] for figure in weeks[1]["figures"]} == {None}


def test_a_table_for_people(run: Run, store: Store) -> None:
    """A bar for each week of each figure, a row for each week, no bar where there is no figure."""
    store.record(card("t1", 3))
    store.record(card("t2", date=str(MONDAY + timedelta(weeks=2))))
    out = run("monitor", "--ledger", store.url).out
    [line] = [line for line in out.splitlines() if line.split()[:1] == ["3"]]
    assert line.split()[2] == "▁·█"
    assert any(line.split() == ["2026-W03", "0", *["none"] * 6] for line in out.splitlines())
    assert "ALERT 2026-W02 attribution_accuracy_average 3 (alert at 3), new" in out


def test_an_alert_is_kept_once(run: Run, alarmed: Store) -> None:
    """A second look raises nothing new; the exit code still tells."""
    first = run("monitor", "--ledger", alarmed.url, "--json")
    second = run("monitor", "--ledger", alarmed.url, "--json")
    assert (first.code, second.code) == (1, 1)
    assert len(first.records[0]["new"]) == 1
    assert (second.records[0]["new"], len(second.records[0]["alerts"])) == ([], 1)
    [entry] = alert_entries(alarmed)
    assert entry.subject == "monitor/2026-W02/unsafe_share"
    assert entry.value == first.records[0]["alerts"][0]
    with alarmed.open() as ledger:
        assert ledger.verify().whole


def test_bounds_decide_on_request(run: Run, store: Store) -> None:
    """Three perfect cards raise no alert and settle nothing: exit code 5 on bounds, 0 on points; an alert stays 1."""
    for number in range(3):
        store.record(card(f"t{number}", 4))
    assert run("monitor", "--ledger", store.url).code == 0
    done = run("monitor", "--ledger", store.url, "--decide-on", "bound")
    assert done.code == 5
    assert "INCONCLUSIVE: no alert, and not settled: average_overall_score" in done.out
    assert "open +" in done.out
    [shown] = run("monitor", "--ledger", store.url, "--decide-on", "bound", "--json").records
    assert (shown["decide_on"], shown["state"], shown["alerts"]) == ("bound", "inconclusive", [])
    assert figures(shown["weeks"][0])["average_overall_score"]["state"] == "inconclusive"
    for more in ([], ["--decide-on", "point"]):  # a rubric that asks for bounds is not asked for less
        assert run("monitor", "--ledger", store.url, "--set", "decide_on=bound", *more).code == 5
    store.record(card("t9", 1))
    assert run("monitor", "--ledger", store.url, "--decide-on", "bound").code == 1


def test_drift_is_an_alert(run: Run, store: Store) -> None:
    """Small moves that add up are raised under a name of their own."""
    number = 0
    for week in range(12):
        for level in [*([3] * (1 if week < 4 else 7)), *([4] * (9 if week < 4 else 3))]:
            number += 1
            store.record(card(f"t{number}", level, date=str(MONDAY + timedelta(weeks=week))))
    [shown] = run("monitor", "--ledger", store.url, "--json").records
    drifting = [alert for alert in shown["alerts"] if alert["kind"] == "drift"]
    assert {alert["figure"] for alert in drifting} >= {"attribution_accuracy_average drift"}
    assert f"monitor/{drifting[0]['week']}/{drifting[0]['figure']}" in {each.subject for each in alert_entries(store)}


def test_records_from_a_file(run: Run, write: Write) -> None:
    """No ledger is needed, and none is made; refusals are known from the interactions beside them."""
    cards = write("cards.jsonl", [card("t1", 3), card(None, 4), card("t2", None, None, None, None, 4, 4)])
    answers = write("answers.jsonl", [response("t1"), refusal("t2")])
    [shown] = run("monitor", "--records", cards, "--json").records
    assert figures(shown["weeks"][0])["refusal_precision"]["value"] is None
    assert shown["weeks"][0]["interactions"] is None
    [shown] = run("monitor", "--records", cards, "--interactions", answers, "--json").records
    assert figures(shown["weeks"][0])["refusal_precision"]["value"] == 1.0
    assert figures(shown["weeks"][0])["attribution_accuracy_average"]["value"] == 3.5
    assert not (cards.parent / ".plumbrule").exists()


def test_one_trigger(run: Run, write: Write) -> None:
    """The others are left out."""
    cards = write("cards.jsonl", [card("t1"), card("t2", 1, trigger="incident")])
    done = run("monitor", "--records", cards, "--trigger", "monitoring", "--json")
    assert (done.code, done.records[0]["weeks"][0]["reviewed"]) == (0, 1)


def test_the_alert_file(run: Run, alarmed: Store, tmp_path: Path) -> None:
    """It holds the alerts shown, the same bytes each time, and an empty list where there are none."""
    file = tmp_path / "alerts.json"
    assert run("monitor", "--ledger", alarmed.url, "--alert-file", file).code == 1
    before = file.read_bytes()
    run("monitor", "--ledger", alarmed.url, "--alert-file", file)
    assert file.read_bytes() == before
    [alert] = json.loads(before)["alerts"]
    assert (alert["week"], alert["figure"], alert["value"]) == ("2026-W02", "unsafe_share", 1.0)
    assert (
        run("monitor", "--ledger", alarmed.url, "--alert-file", file, "--from", "2026-W03", "--to", "2026-W03").code
        == 5
    )
    assert json.loads(file.read_bytes())["alerts"] == []


def check_signature(request: Request) -> None:
    """Check a delivery as a receiver does."""
    timestamp = request.headers["x-plumbrule-timestamp"]
    wanted = hmac.new(SECRET.encode(), f"{timestamp}.".encode() + request.body, hashlib.sha256).hexdigest()
    assert request.headers["x-plumbrule-signature"] == f"v1={wanted}"
    assert request.headers["x-plumbrule-delivery"] == request.json["delivery"]
    assert request.headers["content-type"] == "application/json"


def test_the_webhook_gets_each_alert_once(run: Run, alarmed: Store, secret: str) -> None:
    """Signed over time and body; an alert that was seen before without a webhook is posted all the same."""
    assert run("monitor", "--ledger", alarmed.url).code == 1
    with ScriptedServer([TAKEN]) as server:
        first = run("monitor", "--ledger", alarmed.url, "--json", *posting(server, secret))
        second = run("monitor", "--ledger", alarmed.url, "--json", *posting(server, secret))
    assert (first.code, first.err, second.code) == (1, "", 1)
    [request] = server.requests
    check_signature(request)
    assert request.path == "/hook"
    assert [alert["figure"] for alert in request.json["alerts"]] == ["unsafe_share"]
    assert first.records[0]["posted"] == [request.json["alerts"][0]["id"]]
    assert second.records[0]["posted"] == []


def test_a_receiver_that_stumbles_is_asked_again(run: Run, alarmed: Store, secret: str) -> None:
    """500, then good: one delivery, its number the same in both attempts."""
    with ScriptedServer([Step(status=500, body=b""), TAKEN]) as server:
        done = run("monitor", "--ledger", alarmed.url, *posting(server, secret))
    assert (done.code, done.err) == (1, "")
    assert "posted to 127.0.0.1: 1" in done.out
    assert len({request.json["delivery"] for request in server.requests}) == 1
    assert len(server.requests) == 2
    check_signature(server.requests[1])


@pytest.mark.parametrize(
    ("step", "timeout", "said"),
    [
        (Step(delay_s=3 * LONG_S), str(LONG_S), f"no whole answer within {LONG_S:g} s"),
        (Step(status=403, body=b"{}"), str(LONG_S), "status 403"),
        (Step(status=302, headers={"location": "http://127.0.0.1:1/"}, body=b""), str(LONG_S), "status 302"),
        (Step(reset=True), str(LONG_S), "the connection failed"),
    ],
    ids=["time-out", "refused", "redirect", "reset"],
)
def test_what_was_not_taken_is_posted_again(
    run: Run, alarmed: Store, secret: str, step: Step, timeout: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The figures are shown, one line says what failed, and the next call brings the alert, which is no longer new."""
    run("monitor", "--ledger", alarmed.url)
    moved = MovableTime()
    monkeypatch.setattr(asyncio, "run", moved.run)

    def script(_: Request) -> Step:
        moved.move(step.delay_s)
        return step

    with ScriptedServer(script) as server:
        done = run("monitor", "--ledger", alarmed.url, *posting(server, secret), "--webhook-timeout", timeout)
    assert done.code == 4
    assert said in done.err
    assert done.err.count("\n") == 1
    assert "unsafe_share" in done.out
    assert "raised before" in done.out
    with ScriptedServer([TAKEN]) as server:
        address = ("--webhook", f"http://127.0.0.1:{server.port}/hook", "--webhook-secret-env", secret)
        run("monitor", "--ledger", alarmed.url, *address)
    assert len(server.requests) == 1


def test_the_secret_shows_up_nowhere(run: Run, alarmed: Store, secret: str, tmp_path: Path) -> None:
    """Not in what is printed, sent or kept, whether it goes well or not; nor does the path of the address."""
    alerts = tmp_path / "alerts.json"
    with ScriptedServer([Step(status=400, body=b"{}"), TAKEN]) as server:
        address = f"http://127.0.0.1:{server.port}/T0KEN-IN-PATH"
        said = [
            run(
                "monitor",
                "--ledger",
                alarmed.url,
                "--webhook",
                address,
                "--webhook-secret-env",
                secret,
                "--alert-file",
                alerts,
            )
            for _ in range(2)
        ]
    texts = [done.out + done.err for done in said] + [alerts.read_text()]
    texts += [str(dict(request.headers)) + request.body.decode() for request in server.requests]
    with alarmed.open() as ledger:
        texts += [entry.body + entry.subject for entry in ledger.entries()]
    assert len(server.requests) == 2
    assert [text for text in texts if SECRET in text] == []
    assert [text for text in texts[:3] + texts[5:] if "T0KEN" in text] == []


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://10.0.0.7/hook", "10.0.0.7 is a private address; give --allow-private"),
        ("http://169.254.169.254/latest", "169.254.169.254 is a private address"),
        ("https://[::ffff:192.168.0.1]/hook", "is a private address"),
        ("http://alerts.example.org/hook", "in the clear"),
        ("ftp://alerts.example.org/", "must begin with http:// or https://"),
        ("https://user:pw@alerts.example.org/", "a query or a fragment\n"),
    ],
)
def test_addresses_that_are_not_posted_to(run: Run, alarmed: Store, secret: str, url: str, said: str) -> None:
    """They are refused before anything is read or sent."""
    done = run("monitor", "--ledger", alarmed.url, "--webhook", url, "--webhook-secret-env", secret)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("plumbrule: --webhook")
    assert said in done.err
    assert "pw" not in done.err.replace("password", "")
    assert alert_entries(alarmed) == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--from", "2026-5"], 2, "'2026-5' is no ISO week, such as 2026-W05"),
        (["--from", "2026-W09", "--to", "2026-W08"], 2, "--from 2026-W09 is after --to 2026-W08"),
        (["--trigger", "monitorin"], 2, "there is no trigger 'monitorin'; did you mean 'monitoring'?"),
        (["--webhook", "https://a.example"], 2, "--webhook and --webhook-secret-env go together"),
        (["--webhook", "https://a.example", "--webhook-secret-env", "NOPE"], 2, "variable NOPE is not set"),
        (["--webhook", "https://a.example", "--webhook-secret-env", "SHORT"], 2, "fewer than 16 characters"),
        (["--alert-file", "no/such/folder/a.json"], 2, "cannot be written"),
        (["--interactions", "x.jsonl"], 2, "--interactions goes with --records"),
        (["--records", "no.jsonl"], 3, "no.jsonl"),
    ],
)
def test_bad_arguments(
    run: Run, alarmed: Store, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, said: str
) -> None:
    """One line that says what and what to do."""
    monkeypatch.setenv("PLUMBRULE_LEDGER", alarmed.url)
    monkeypatch.setenv("SHORT", "abc")
    done = run("monitor", *arguments)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"scores": {}}\n', "cards.jsonl:1: scores: 'attribution_accuracy' is missing"),
        ("{nonsense\n", "cards.jsonl:1: not valid JSON"),
        (json.dumps(card("t", date=None)) + "\n", "cards.jsonl:1: 'date' is missing: figures go by the week"),
        (json.dumps(card("t", date="2026-02-30")) + "\n", "cards.jsonl:1: 'date': must be a date as YYYY-MM-DD"),
        ("", "there are no records in it"),
        (
            json.dumps(card("t", date="0026-01-05")) + "\n" + json.dumps(card("u")) + "\n",
            "look for a mistyped date",
        ),
    ],
)
def test_a_malformed_record_file(run: Run, write: Write, content: str, said: str) -> None:
    """The place and the field are named."""
    done = run("monitor", "--records", write("cards.jsonl", content))
    assert (done.code, done.out) == (3, "")
    assert said in done.err


def test_an_empty_ledger(run: Run, store: Store) -> None:
    """Nothing was reviewed: no figure, no alert, and nothing that would be well."""
    done = run("monitor", "--ledger", store.url)
    assert (done.code, done.out) == (5, "INCONCLUSIVE: there are no records; review some interactions first\n")


def test_a_period_without_reviews_is_inconclusive(run: Run, alarmed: Store) -> None:
    """A week that nobody reviewed has no alert because nothing is known of it: exit code 5, on points as well."""
    period = ["--from", "2026-W20", "--to", "2026-W21"]
    done = run("monitor", "--ledger", alarmed.url, *period)
    assert done.code == 5
    assert "INCONCLUSIVE: nothing was reviewed in this period, so that no figure is known" in done.out
    [shown] = run("monitor", "--ledger", alarmed.url, *period, "--json").records
    assert (shown["state"], shown["decide_on"], shown["alerts"]) == ("inconclusive", "point", [])
    assert run("monitor", "--ledger", alarmed.url, "--trigger", "pre-deployment").code == 5


def test_two_at_once(run: Run, alarmed: Store) -> None:
    """While one raises alerts, another shows the figures and is refused the rest: no alert is kept twice."""
    with alarmed.open() as ledger, ledger.hold("monitor"):
        done = run("monitor", "--ledger", alarmed.url)
    assert done.code == 2
    assert "another process is carrying it out" in done.err
    assert "unsafe_share" in done.out
    assert alert_entries(alarmed) == []


def test_a_threshold_that_no_interval_can_exclude_is_kept_so_far() -> None:
    """None of eight reviews is Unsafe: the interval reaches to 0.37, so nobody may read that the share is settled."""
    [rule] = [each for each in load_scorecard().rubric.figures if each.key == "unsafe_share"]
    figure = FigureResult(
        key=rule.key,
        total=8,
        value=0.0,
        interval_95=Interval(0.0, 0.369),
        status="ON_TARGET",
        reweighted=None,
        state="ok",
        reviews_to_settle=None,
    )
    assert state_text(figure, rule).plain == "ok so far"
    other = replace(figure, interval_95=Interval(0.1, 0.369))
    assert state_text(other, rule).plain == "ok"
