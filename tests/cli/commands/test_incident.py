"""``plumbrule incident``: everything known of one interaction in one file, the same bytes each time."""

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.reports.page import parse
from tests.reports.test_hostile_reports import SNIPPETS
from tests.storing import Store, card, refusal, response

from plumbrule.rubrics import load_verdict
from plumbrule.support.support_model import load_model
from plumbrule.terminal import safe

Run = Callable[..., Any]
Write = Callable[..., Path]

TRACE = {"trace_id": "t1", "input": {"query": "What is the wire fee?"}, "retrieval": {"passage_ids": ["fee-1-1"]}}


def full(store: Store, text: str = "calm") -> None:
    """Fill a ledger with something of everything on t1, this text in every field that may hold text."""
    store.interaction(
        response(
            "t1",
            query=f"What is the wire fee? {text}",
            answer=f"The wire fee is $30 [1]. {text}",
            citations=[{"citation_id": text, "source_id": text, "source_title": text, "passage": text}],
            metadata={"model_provider": text, "corpus_release_id": text, "sources_consulted": 1},
        ),
        trace={**TRACE, "decision": {"refusal_code": text, "rationale_codes": [text]}},
        passages=[{"id": "fee-1-1", "source_id": text, "title": text, "text": f"The wire fee is $25. {text}"}],
        findings=[{"code": text, "where": text, "message": text, "severity": "error"}],
    )
    store.interaction(response("t2", answer=f"The wire fee is $25. {text}"))
    store.interaction(refusal("t3", query=f"Who may see it? {text}"))
    campaign = "week-2"
    store.campaign(campaign, [("random", 9, ["t1"])])
    store.record(card("t1", evaluator=f"Ada {text}".strip(), notes=text), campaign=campaign)
    store.record(
        card("t1", 4, 4, 1, evaluator=f"Ada {text}".strip(), notes=text),
        campaign=campaign,
        revision=1,
        reason=text,
    )
    store.close(campaign)
    store.record(card("t2", 4, 4, 4))
    store.keep(
        ("alert", "monitor/2026-W02/unsafe_share", alert("2026-W02", text)),
        ("alert", "monitor/2026-W03/unsafe_share", alert("2026-W03", "another week")),
        ("run", "run-1", {"summary": {"name": text, "repeats": 2}}),
        ("sample", "run-1/samples/s", {"id": "s", "trace_id": "t1", "answer": "a"}),
        ("sample", "run-1/samples/other", {"id": "other", "trace_id": "t1-not", "answer": "t1"}),
        ("result", "run-1/0/s", {"result": result(text), "judgement": {}}),
        ("result", "run-1/1/s", {"result": result(text), "judgement": {}}),
        ("result", "run-1/0/other", {"result": result("no"), "judgement": {}}),
    )


def alert(week: str, figure: str) -> dict[str, Any]:
    """Return the body of an alert."""
    known = {"id": "a1", "week": week, "figure": figure, "kind": "drift", "title": figure}
    return {**known, "alert": 0.1, "value": 0.5, "rubric": {"name": figure}}


def result(rationale: str) -> dict[str, Any]:
    """Return what a run found."""
    return {"accuracy_score": 0, "faithfulness_score": None, "rationale": rationale, "evaluator_error": None}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a ledger with something of everything."""
    store = Store(tmp_path / "ledger.db")
    full(store)
    return store


def test_everything_is_gathered(run: Run, store: Store, tmp_path: Path) -> None:
    """Response, trace, passages, findings, checks, verdict, records, campaign, alerts, runs, neighbours."""
    file = tmp_path / "incident.json"
    done = run("incident", "t1", "-o", file, "--ledger", store.url)
    assert (done.code, done.err) == (0, "")
    assert "t1, PROBLEMS FOUND, 1 records, 2 similar" in done.out
    found = json.loads(file.read_bytes())
    assert (found["trace_id"], found["week"], found["refused"]) == ("t1", "2026-W02", False)
    assert found["response"]["answer"].startswith("The wire fee is $30")
    assert found["trace"]["retrieval"] == {"passage_ids": ["fee-1-1"]}
    assert [passage["id"] for passage in found["passages"]] == ["fee-1-1"]
    assert found["findings"][0]["severity"] == "error"
    assert set(found["prescore"]["dimensions"]) >= {"grounding_integrity", "compliance_alignment"}
    assert found["verdict"]["verdict"] == "FAIL"
    support = found["support"]
    assert (support["score"], support["band"]) == (
        found["verdict"]["support"]["score"],
        found["verdict"]["support"]["band"],
    )
    wrong = support["sentences"][0]
    assert (wrong["text"], wrong["passage"]) == ("The wire fee is $30 [1]. calm", 1)
    assert "The wire fee is $25." in wrong["evidence"]
    assert wrong["reasons"]
    assert [each["part"] for each in support["stamps"]] == ["model"]
    [history] = found["records"]
    assert [(each["revision"], each["reason"]) for each in history["revisions"]] == [(0, None), (1, "calm")]
    assert found["settled"][0]["decision"]["recommendation"] == "Fail"
    [involved] = found["campaigns"]
    assert (involved["campaign"], involved["taken_as"], involved["stratum"]) == ("week-2", "item", "random")
    assert (involved["rubric"]["name"], involved["opened_by"], involved["closed_by"]) == ("scorecard", "test", "test")
    assert [(event["kind"], event["body"]["evaluator"]) for event in involved["work"]] == [("claim", "Ada calm")]
    assert [event["body"]["week"] for event in found["alerts"]] == ["2026-W02"]
    assert [(each["run_id"], each["sample_id"], each["repeat"]) for each in found["runs"]] == [
        ("run-1", "s", 0),
        ("run-1", "s", 1),
    ]
    assert [(each["trace_id"], each["recommendations"]) for each in found["similar"]] == [("t2", ["Pass"]), ("t3", [])]
    assert found["ledger"]["ledger_id"] == "ledger-test"
    told = " ".join(remark["text"] for remark in found["remarks"])
    assert "any_unsafe blocks (grounding_integrity)" in told
    assert "Verdict FAIL" in told


def test_json_for_machines(run: Run, store: Store, tmp_path: Path) -> None:
    """On standard output it is what the file holds, in one line; with a file, what was written."""
    done = run("incident", "t1", "-o", "incident.json", "--ledger", store.url, "--json")
    assert (done.code, done.err) == (0, "")
    assert done.records == [
        {"file": "incident.json", "trace_id": "t1", "finding": "PROBLEMS FOUND", "records": 1, "similar": 2}
    ]
    printed = run("incident", "t1", "--ledger", store.url, "--json")
    assert (printed.code, printed.err) == (0, "")
    assert printed.records == [json.loads((tmp_path / "incident.json").read_bytes())]
    neither = run("incident", "t1", "--ledger", store.url)
    assert (neither.code, neither.out) == (2, "")
    assert "name the file to write with -o, or print with --json" in neither.err


def test_the_same_ledger_gives_the_same_bytes(run: Run, store: Store, tmp_path: Path) -> None:
    """In both formats, in another process of the same day or year."""
    for suffix in ("html", "json"):
        first, second = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
        for file in (first, second):
            assert run("incident", "t1", "-o", file, "--ledger", store.url).code == 0
        assert first.read_bytes() == second.read_bytes()


def test_the_page_stands_alone(run: Run, store: Store, tmp_path: Path) -> None:
    """The policy, the style and the form of the run report: no script, nothing loaded, links into the page."""
    file = tmp_path / "incident.html"
    run("incident", "t1", "-o", file, "--ledger", store.url)
    page = parse(file.read_bytes())
    assert page.unbalanced == []
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    [policy] = [meta for meta in page.all("meta") if meta.attributes.get("http-equiv") == "Content-Security-Policy"]
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in (policy.attributes["content"] or "")
    model = load_model()
    assert f"{model.name} version {model.version}, sha256 {model.sha256}" in page.text
    assert "✗ unsupported" in page.text
    ids = [element.attributes["id"] for element in page.elements if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    assert all((link.attributes["href"] or "")[1:] in ids for link in page.all("a"))
    for element in page.elements:
        assert not [name for name in element.attributes if name.startswith("on") or name in {"src", "style"}]
    for landmark in ("header", "nav", "main", "footer", "h1"):
        assert len(page.all(landmark)) == 1


def test_a_refusal_has_no_support(run: Run, store: Store, tmp_path: Path) -> None:
    """There is nothing to support: the page says so, and shows no figure."""
    page, data = tmp_path / "incident.html", tmp_path / "incident.json"
    for file in (page, data):
        assert run("incident", "t3", "-o", file, "--ledger", store.url).code == 0
    assert json.loads(data.read_bytes())["support"] is None
    assert "Not given: there is no answer that the passages should support." in parse(page.read_bytes()).text


def test_hostile_text_changes_no_structure(run: Run, tmp_path: Path) -> None:
    """In every field that holds text from outside; what was written can be read."""
    hostile = "".join(snippet for snippet in SNIPPETS if "\x00" not in snippet)
    pages, remarks = [], []
    for name, text in (("calm", "calm"), ("hostile", hostile)):
        store = Store(tmp_path / f"{name}.db")
        full(store, text)
        file = tmp_path / f"{name}.html"
        assert run("incident", "t1", "-o", file, "--ledger", store.url).code == 0
        pages.append(parse(file.read_bytes()))
        remarks.append(len(json.loads(run("incident", "t1", "--json", "--ledger", store.url).out)["remarks"]))
        assert safe(file.read_text()) == file.read_text()
    calm, found = pages
    kept = ("html", "head", "style", "script", "section", "details", "nav", "img", "form", "iframe")
    assert [len(found.all(tag)) for tag in kept] == [len(calm.all(tag)) for tag in kept]
    # every remark is a link, and what the rules remark depends on the text
    assert len(found.all("a")) - remarks[1] == len(calm.all("a")) - remarks[0]
    assert (found.unbalanced, found.style) == ([], calm.style)
    assert found.text.count(safe(hostile)) > 10


def test_from_files_without_a_ledger(run: Run, write: Write) -> None:
    """The interaction is taken from the files, its passages from the corpus; no ledger is made."""
    answers = write("answers.jsonl", [response("t1"), TRACE, refusal("t2")])
    corpus = write("corpus.jsonl", [{"passage_id": "fee-1-1", "source_id": "FEE-1", "text": "The wire fee is $25."}])
    done = run("incident", "t1", "-o", "incident.json", "--from", answers, "--passages", corpus)
    assert (done.code, done.err) == (0, "")
    found = json.loads((answers.parent / "incident.json").read_bytes())
    assert [passage["text"] for passage in found["passages"]] == ["The wire fee is $25."]
    assert (found["ledger"], found["records"], found["prescore_kept"]) == (None, [], False)
    assert found["trace"]["retrieval"]["passage_ids"] == ["fee-1-1"]
    assert not (answers.parent / ".plumbrule").exists()


def test_a_verdict_rubric_of_ones_own(run: Run, write: Write) -> None:
    """The page, the file and the JSON go by it and name its hash."""
    answers = write("answers.jsonl", [response("t1"), TRACE])
    (answers.parent / "own.yaml").write_text("support: {supported_from: 0.9}\n")
    done = run("incident", "t1", "-o", "incident.json", "--from", answers, "--verdict-rubric", "own.yaml")
    assert (done.code, done.err) == (0, "")
    printed = run("incident", "t1", "--json", "--from", answers, "--verdict-rubric", "own.yaml")
    stamp = load_verdict(answers.parent / "own.yaml").stamp()
    for found in (json.loads((answers.parent / "incident.json").read_bytes()), json.loads(printed.out)):
        assert found["verdict"]["rubric"] == stamp
    assert stamp != load_verdict().stamp()


def test_a_verdict_that_the_evidence_is_against(run: Run, write: Write) -> None:
    """It passes, and page, remarks and JSON say in one glance that a context contradicts it."""
    text = "The firm charges a fee of {} for a domestic wire."
    retrieval = {"passage_ids": ["fee-1-1"], "passages": [{"id": "fee-1-1", "text": text.format("$25")}]}
    answer = response("t1", query="What fee does the firm charge for a domestic wire?", answer=text.format("$35"))
    answers = write("answers.jsonl", [answer, {**TRACE, "retrieval": retrieval}])
    found = json.loads(run("incident", "t1", "--json", "--from", answers).out)
    assert found["verdict"]["verdict"] == "PASS"
    assert found["verdict"]["headline"].startswith("PASS · contradicted")
    assert f"Verdict {found['verdict']['headline']}" in [remark["text"] for remark in found["remarks"]]
    run("incident", "t1", "-o", "incident.html", "--from", answers)
    assert f"{found['verdict']['headline']}</strong>" in (answers.parent / "incident.html").read_text()


def test_ratings_of_an_open_campaign_stay_blind(run: Run, tmp_path: Path) -> None:
    """They are told once it is closed."""
    store = Store(tmp_path / "blind.db")
    store.interaction(response("t1"))
    store.campaign("week-3", [("random", 9, ["t1"])])
    store.record(card("t1", 1, notes="a note that nobody may see"), campaign="week-3")
    shown = []
    for _ in range(2):
        run("incident", "t1", "-o", "incident.json", "--ledger", store.url)
        shown.append((tmp_path / "incident.json").read_text())
        store.close("week-3")
    found = [json.loads(text) for text in shown]
    assert [(len(each["records"]), len(each["settled"])) for each in found] == [(0, 0), (1, 1)]
    assert "a note that nobody may see" not in shown[0]


@pytest.mark.parametrize("trigger", ["pre-deployment", "model-change"])
def test_nothing_of_the_other_items_is_told(run: Run, write: Write, tmp_path: Path, trigger: str) -> None:
    """Of a campaign its name, purpose, rubric, dates and decision; no other question, answer or note, in any format."""
    words = [[f"{part}zx{number}" for part in ("asked", "answered", "earlier", "noted")] for number in range(3)]
    new, old = (
        write(name, [asking(f"{name[0]}{number}", said[0], said[place]) for number, said in enumerate(words)])
        for name, place in (("new.jsonl", 1), ("old.jsonl", 2))
    )
    Store(tmp_path / "campaign.db")
    ledger = ("--ledger", f"sqlite:///{tmp_path / 'campaign.db'}")
    pairs = ("--earlier", old) if trigger == "model-change" else ()
    opened = ("--trigger", trigger, "--name", "release-7", "--no-claims", "--as", "Lead")
    assert run("sample", new, *opened, *pairs, *ledger).code == 0
    for who in ("Ada", "Ben"):
        scores = card(None)["scores"]
        cards = [{"trace_id": f"n{n}", "scores": scores, "notes": said[3]} for n, said in enumerate(words)]
        if run("review", "claim", "--count", "3", "--as", who, "--json", *ledger).records[0]["claims"]:
            assert run("review", "submit", write("cards.jsonl", cards), "--as", who, *ledger).code == 0
    shown = []
    for closes in (False, True):
        if closes:
            assert run("review", "close", "--as", "Lead", *ledger).code == 0
        for file in ("incident.html", "incident.json"):
            assert run("incident", "n0", "-o", file, *ledger).code == 0
            shown.append((tmp_path / file).read_text())
        shown.append(run("incident", "n0", "--json", *ledger).out)
    assert all(words[0][0] in text and words[0][1] in text and "release-7" in text for text in shown)
    assert [word for other in words[1:] for word in other if any(word in text for text in shown)] == []
    [involved] = json.loads(shown[-1])["campaigns"]
    assert (involved["campaign"], involved["trigger"], involved["opened_by"]) == ("release-7", trigger, "Lead")
    assert (involved["closed_by"], involved["decision"]["recommendation"]) == ("Lead", "Pass")
    assert {"cards", "paired", "manifest", "items"}.isdisjoint({*involved, *involved["decision"]})
    assert len(json.loads(shown[-1])["similar"]) == (5 if pairs else 2)
    if pairs:
        [beside] = run("incident", "o0", "--json", *ledger).records[0]["campaigns"]
        assert (beside["campaign"], beside["taken_as"], beside["work"]) == ("release-7", "earlier", [])


def asking(trace_id: str, asked: str, said: str) -> dict[str, Any]:
    """Return a response whose question and answer can be told from the others'."""
    return response(trace_id, query=f"What is the wire fee of {asked}?", answer=f"The wire fee of {said} is $25 [1].")


def test_a_uuid_in_any_form(run: Run, tmp_path: Path) -> None:
    """With or without hyphens it is the same interaction, with its records."""
    name = "0b7e4a52-6f0e-4f43-9a51-3a1f0f2c9d11"
    store = Store(tmp_path / "uuid.db")
    store.interaction(response(name))
    store.record(card(name, 4, 2))
    run("incident", name.replace("-", ""), "-o", "incident.json", "--ledger", store.url)
    found = json.loads((tmp_path / "incident.json").read_bytes())
    assert (found["trace_id"], len(found["records"]), len(found["settled"])) == (name, 1, 1)


def test_the_start_of_an_id_will_do(run: Run, write: Write, tmp_path: Path) -> None:
    """Of what the ledger holds and of what stands in a file, where only one interaction begins so."""
    store = Store(tmp_path / "start.db")
    for name in ("0b7e4a52-6f0e-4f43-9a51-3a1f0f2c9d11", "0b7e9c00-6f0e-4f43-9a51-3a1f0f2c9d12", "t-1", "t-11"):
        store.interaction(response(name))
    answers = write("answers.jsonl", [response("96d0cc5f-d4c2"), response("t-1")])
    for wanted, meant in (("0b7e4", "0b7e4a52-6f0e-4f43-9a51-3a1f0f2c9d11"), ("t-1", "t-1"), ("96d", "96d0cc5f-d4c2")):
        done = run("incident", wanted, "-o", "a.json", "--ledger", store.url, "--from", answers)
        assert (done.code, done.err) == (0, "")
        assert json.loads((tmp_path / "a.json").read_bytes())["trace_id"] == meant
    done = run("incident", "t", "-o", "b.json", "--ledger", store.url, "--from", answers)
    assert (done.code, done.out) == (2, "")
    assert "2 interactions begin with 't': t-1, t-11; write more of it" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["t11", "-o", "a.html"], 2, "there is no interaction 't11'; there is t1"),
        (["t", "-o", "a.html"], 2, "3 interactions begin with 't': t1, t2, t3; write more of it"),
        (["zzz", "-o", "a.html"], 2, "there is no interaction 'zzz'"),
        (["\x1b[31m", "-o", "a.html"], 2, "there is no interaction '\\x1b[31m'"),
        (["t1", "-o", "a.pdf"], 2, "an incident is written to .html or .json: name the file so"),
        (["t1", "-o", "no/folder/a.html"], 2, "cannot be written"),
        (["t1", "-o", "a.html", "--from", "missing.jsonl"], 3, "missing.jsonl"),
    ],
)
def test_bad_arguments(run: Run, store: Store, tmp_path: Path, arguments: list[str], code: int, said: str) -> None:
    """One line with what there is instead, and no file."""
    done = run("incident", *arguments, "--ledger", store.url)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "a.html").exists()
