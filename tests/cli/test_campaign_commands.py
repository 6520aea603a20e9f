"""``plumbrule sample`` and ``plumbrule review`` from the draw to the decision, on a real ledger."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from plumbrule.demo import samples_path
from plumbrule.rubrics import load_scorecard, load_verdict
from plumbrule.suites import corpus_path

Run = Callable[..., Any]
Write = Callable[..., Path]

KEYS = [dimension.key for dimension in load_scorecard().rubric.dimensions]
DEMO = str(samples_path())
TRACE = "f3fe39c0-5190-48f5-90fb-bd119c1caaf7"


@pytest.fixture
def sample(run: Run) -> Run:
    """Return a function that opens a campaign on the demo data and returns its manifest."""

    def open_one(trigger: str, *more: object, data: object = DEMO) -> Any:
        done = run("sample", data, "--as", "Lead", "--trigger", trigger, "--no-claims", "--json", *more)
        assert (done.code, done.err) == (0, "")
        return done.records[0]

    return open_one


def card(trace_id: str, *levels: object, **fields: object) -> bytes:
    """Return a record as JSON; the last level stands for the rest."""
    given = [*levels, *[levels[-1]] * 6][:6]
    return orjson.dumps(
        {"trace_id": trace_id, "notes": "seen", "scores": dict(zip(KEYS, given, strict=True)), **fields}
    )


def drawn(shown: Any) -> list[str]:
    """Return the ids of a manifest."""
    return [id_ for stratum in shown["manifest"]["strata"] for id_ in stratum["drawn"]]


def rate(run: Run, who: str, trace_id: str, *levels: object) -> None:
    """Claim and rate one item."""
    assert run("review", "claim", trace_id, "--as", who).code == 0
    done = run("review", "submit", "-", "--as", who, stdin=card(trace_id, *levels))
    assert (done.code, done.err) == (0, "")


def test_the_weekly_sample(run: Run, sample: Run) -> None:
    """By strata, with what is missing said; the same seed draws the same; a dry run opens nothing."""
    shown = sample("monitoring", "--name", "week")
    assert (shown["campaign"], shown["evaluators"], shown["read"]) == ("week", 1, 56)
    strata = {stratum["key"]: (stratum["quota"], len(stratum["drawn"])) for stratum in shown["manifest"]["strata"]}
    assert strata == {"refusals": (10, 10), "partial_grounding": (8, 5), "edge_cases": (7, 4), "random": (25, 25)}
    assert [remark.split(":")[0] for remark in shown["remarks"]] == ["shortfall", "shortfall"]
    again = sample("monitoring", "--dry-run")
    assert (again["campaign"], drawn(again)) == (None, drawn(shown))
    assert drawn(sample("monitoring", "--dry-run", "--seed", "7")) != drawn(shown)
    assert len(run("review", "list", "--json").records[0]) == 1


def test_the_pre_scores_of_a_sample_by_a_calibration(run: Run, write: Write, calibration: Path) -> None:
    """What is kept names the calibration; the same draw by another rubric is another entry under another identity."""
    answer = {"answer": "The wire fee is $25.", "query": "What is the wire fee?", "grounding_status": "FULLY_GROUNDED"}
    write("e.jsonl", [{"trace_id": "t1", **answer, "contexts": ["The wire fee is $25."]}])
    found = []
    for number, chosen in enumerate(((), ("--verdict-rubric", calibration), ("--verdict-rubric", calibration))):
        opened = run(
            "sample", "e.jsonl", "--as", "Lead", "--trigger", "pre-deployment", "--name", f"c{number}", *chosen
        )
        assert (opened.code, opened.err) == (0, "")
        [sheet] = run("review", "next", "--as", "Ada", "--campaign", f"c{number}", "--json").records
        found.append(sheet["prescore"])
    shipped, own, again = found
    assert "calibration" not in shipped["support"]
    stamp = load_verdict(calibration).rubric.support.calibration.stamp()  # type: ignore[union-attr]  # it has one
    assert own["support"]["calibration"] == stamp
    assert f"calibration desk 3, sha256 {stamp['sha256'][:12]}" in orjson.dumps(own["dimensions"]).decode()
    assert own["rubrics"][2] == load_verdict(calibration).stamp() != shipped["rubrics"][2]
    assert again == own
    run("ledger", "export", "all.jsonl")
    kinds = [orjson.loads(line)["kind"] for line in (calibration.parent / "all.jsonl").read_bytes().splitlines()]
    assert kinds.count("interaction") == 2


def test_a_bad_verdict_rubric_is_told_before_anything_is_read(run: Run, write: Write) -> None:
    """One line, exit code 2, and no ledger."""
    bad = write("bad.yaml", "support: {when: sometimes}\n")
    done = run("sample", "none.jsonl", "--as", "Lead", "--trigger", "pre-deployment", "--verdict-rubric", bad)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "support.when" in done.err
    assert not (bad.parent / ".plumbrule").exists()


def test_one_week(sample: Run, run: Run) -> None:
    """Only what was asked in it; a week with nothing is an error."""
    shown = sample("monitoring", "--week", "2025-W02", "--dry-run")
    assert (shown["week"], shown["manifest"]["population"]) == ("2025-W02", 5)
    assert (
        "none of 56 interactions is of week 2019-W01"
        in run("sample", DEMO, "--as", "Lead", "--trigger", "monitoring", "--week", "2019-W01").err
    )


def test_before_a_deployment(sample: Run) -> None:
    """The full suite, two evaluators; a part of it is said to be one."""
    shown = sample("pre-deployment", "--dry-run")
    assert (len(drawn(shown)), shown["evaluators"], shown["remarks"]) == (56, 2, [])
    assert sample("pre-deployment", "--size", "9", "--dry-run")["remarks"] == [
        "part_of_scope: 9 of 56 were drawn; pre-deployment asks for all"
    ]


def test_after_a_change_of_model(sample: Run, run: Run, write: Write) -> None:
    """A representative sample in the population's own proportions, with the earlier answers beside the new ones."""
    old = [orjson.loads(line) for line in samples_path().read_bytes().splitlines()]
    for number, record in enumerate(old):
        record.update(trace_id=f"old-{number}", id=f"old-{number}", answer="An earlier answer [1].", refusal=None)
    path = write("old.jsonl", old[:50])
    shown = sample("model-change", "--size", "14", "--earlier", path, "--name", "m")
    assert {s["key"]: len(s["drawn"]) for s in shown["manifest"]["strata"]} == {
        "refusals": 3,
        "partial_grounding": 1,
        "edge_cases": 1,
        "random": 9,
    }
    sheet = run("review", "next", "--as", "Ada", "--json").records[0]
    assert sheet["earlier"]["answer"] == "An earlier answer [1]."
    assert sheet["earlier"]["query"] == sheet["query"]
    assert "the earlier model's answer" in run("review", "next", "--as", "Ada").out
    assert "  of the earlier answer: " in run("review", "next", "--as", "Ada").out
    shown = run("review", "progress", "--json").records[0]["paired"]
    assert (shown["items"], shown["people"]) == (14, None)
    assert shown["paired"] + len(shown["unpaired"]) == 14
    assert f"beside the earlier model: {shown['paired']} of 14 items paired" in run("review", "progress").out
    earlier = {"trigger": "monitoring", "query": sheet["query"], "evaluator": "Cy"}
    past = card(sheet["earlier"]["trace_id"], 4, **earlier)
    assert run("review", "submit", "-", "--adhoc", stdin=past).code == 0
    rate(run, "Ada", sheet["trace_id"], 3)
    closed = run("review", "close", "--as", "Lead", "--as-is", "--json").records[0]
    assert (closed["paired"]["people"]["pairs"], closed["paired"]["people"]["figures"][0]["difference"]) == (1, -1.0)
    assert "people's cards" in run("review", "progress").out
    assert "left out: " in run("review", "progress").out
    after = run("review", "show", sheet["trace_id"], "--as", "Zoe").out
    assert "overall, new less earlier: people's cards -1" in after
    same = run("sample", DEMO, "--as", "Lead", "--trigger", "model-change", "--earlier", DEMO, "--no-claims")
    assert (same.code, "each answer has its own" in same.err) == (3, True)


def test_after_a_release_of_the_corpus(sample: Run, run: Run, write: Write) -> None:
    """What cites, retrieved or asks about what changed, by ids, by a list of them, or by the passages themselves."""
    shown = sample("corpus-release", "--changed", "OPS-014", "--name", "r")
    assert shown["in_view"] == ["retrieval_relevance", "grounding_integrity"]
    by_id = set(drawn(shown))
    assert 0 < len(by_id) < 56
    assert set(drawn(sample("corpus-release", "--changed", write("ids.txt", "OPS-014\n"), "--dry-run"))) == by_id
    assert set(drawn(sample("corpus-release", "--changed", write("ids.json", '["OPS-014"]'), "--dry-run"))) == by_id
    texts = [line for line in corpus_path().read_text().splitlines() if "OPS-014" in line]
    wider = set(drawn(sample("corpus-release", "--changed", write("new.jsonl", "\n".join(texts)), "--dry-run")))
    assert wider > by_id
    given = sample("corpus-release", "--changed", "OPS-014", "--passages", corpus_path(), "--dry-run")
    assert set(drawn(given)) == wider
    sheet = run("review", "next", "--as", "Ada", "--json").records[0]
    assert "OPS-014" in " ".join(sheet["why"])
    assert [each["key"] for each in sheet["dimensions"] if each["in_view"]] == shown["in_view"]
    nothing = run("sample", DEMO, "--as", "Lead", "--trigger", "corpus-release", "--changed", "NEW-1")
    assert (nothing.code, "none of 56 interactions is in scope" in nothing.err) == (3, True)


def test_an_incident(sample: Run) -> None:
    """One interaction, by its trace id."""
    shown = sample("incident", "--trace", "f3fe39c0-5190-48f5-90fb-bd119c1caaf7")
    assert drawn(shown) == ["f3fe39c0-5190-48f5-90fb-bd119c1caaf7"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--trigger", "monitorin"], 2, "there is no trigger 'monitorin'; did you mean 'monitoring'?"),
        (["--trigger", "incident"], 2, "incident is about one of 56 interactions: name it with --trace"),
        (["--trigger", "incident", "--trace", "x"], 3, "there is no interaction 'x' among 56"),
        (["--trigger", "corpus-release"], 2, "name the changed documents with --changed"),
        (["--trigger", "corpus-release", "--changed", ","], 2, "names nothing"),
        (["--trigger", "corpus-release", "--changed", "gone.txt"], 2, "there is no such file"),
        (["--trigger", "monitoring", "--changed", "OPS-014"], 2, "--changed does not go with monitoring"),
        (["--trigger", "monitoring", "--size", "0"], 2, "0 is not in the range"),
        (["--trigger", "monitoring", "--seed", "-1"], 2, "a seed is a whole number from 0"),
        (["--trigger", "monitoring", "--name", "a/b"], 2, "is no name for a campaign"),
        (["--trigger", "monitoring", "--rubric", "gone.yaml"], 2, "gone.yaml: cannot be read"),
    ],
)
def test_what_cannot_be_drawn(run: Run, arguments: list[str], code: int, said: str) -> None:
    """One line that says what to do, and no campaign."""
    done = run("sample", DEMO, "--as", "Lead", "--no-claims", *arguments)
    assert (done.code, said in done.err, done.err.count("\n")) == (code, True, 1), done.err
    assert run("review", "list").code == 2 or run("review", "list", "--json").records == [[]]


def test_a_trace_id_twice(sample: Run, write: Write) -> None:
    """The same response again counts once, and the manifest says where the other stands."""
    records = [orjson.loads(line) for line in samples_path().read_bytes().splitlines()][:4]
    shown = sample("pre-deployment", "--dry-run", data=write("in.jsonl", [*records, records[0]]))
    assert (shown["read"], len(drawn(shown))) == (5, 4)
    assert shown["remarks"][0].startswith(f"trace_id_twice: '{records[0]['trace_id']}' at ")


def test_from_the_draw_to_the_decision(run: Run, sample: Run, tmp_path: Path) -> None:
    """Two blind evaluators, an adjudicator, a revision, figures, a decision, an export with every field."""
    one, two = drawn(sample("pre-deployment", "--size", "2", "--name", "release"))
    rate(run, "Ada", one, 4)
    rate(run, "Ben", one, 4, 4, 2, 4)
    rate(run, "Ada", two, 4)
    rate(run, "Ben", two, 3)
    refused = run("review", "close", "--as", "Lead")
    assert (refused.code, "1 of 2 items are still open" in refused.err) == (2, True)
    waiting = run("review", "adjudicate", "--as", "Cy", "--json").records[0]
    assert waiting["trace_id"] == one
    assert [rating["evaluator"] for rating in waiting["ratings"]] == ["Ada", "Ben"]
    given = orjson.dumps({"scores": {"grounding_integrity": 3}, "notes": "one claim is framing"})
    done = run("review", "adjudicate", one, "--as", "Cy", "--record", "-", "--json", stdin=given)
    assert (done.code, done.records[0]["role"]) == (0, "adjudicator")
    change = orjson.dumps({"trace_id": two, "scores": {"retrieval_relevance": 4}})
    revised = run("review", "revise", "-", "--as", "Ben", "--reason", "missed a passage", "--json", stdin=change)
    assert revised.records[0]["revision"] == 1
    figures = run("review", "agreement", "--as", "Ada", "--json").records[0]
    assert (figures["items"], figures["dimensions"][2]["pairable"]) == (2, 2)
    assert run("review", "agreement", "--as", "Ada").out.count("people down") > 0
    closed = run("review", "close", "--as", "Lead", "--second", "Max", "--json")  # 2 of 56: a part of the scope
    assert closed.code == 0
    decision = closed.records[0]
    assert (decision["release"], decision["recommendation"], decision["blockers"]) == (True, "Pass with notes", [])
    assert len(decision["reasons"]) > 0
    assert decision["cards"][0]["adjudicator"] == "Cy"
    assert run("review", "progress", "--json").records[0]["decision"] == decision
    assert "RELEASE" in run("review", "progress").out
    assert run("review", "export", "out.jsonl").code == 0
    records = [orjson.loads(line) for line in (tmp_path / "out.jsonl").read_bytes().splitlines()]
    assert [(record["evaluator"], record["role"], record["revision"]) for record in records] == [
        ("Ada", "evaluator", 0),
        ("Ben", "evaluator", 0),
        ("Cy", "adjudicator", 0),
        ("Ada", "evaluator", 0),
        ("Ben", "evaluator", 1),
    ]
    template = ("evaluation_id", "date", "evaluator", "trigger", "query", "trace_id", "scores", "overall_score")
    for record in records:
        assert all(record[field] for field in (*template, "recommendation", "notes"))
    assert run("ledger", "verify").code == 0


def test_a_negative_decision_is_exit_code_1(run: Run, sample: Run) -> None:
    """Any Unsafe blocks, in both modes."""
    [one] = drawn(sample("incident", "--trace", "f3fe39c0-5190-48f5-90fb-bd119c1caaf7", "--mode", "run_mean"))
    rate(run, "Ada", one, 4, 4, 4, 4, 4, 1)
    done = run("review", "close", "--as", "Lead", "--as-is")
    assert done.code == 1
    assert "NO RELEASE: Fail" in done.out
    assert "any_unsafe: compliance_alignment (record 1)" in done.out


def test_nothing_is_shown_before_ones_own_rating(run: Run, sample: Run) -> None:
    """No command tells Ben how Ada rated until his own rating is in."""
    [one] = drawn(sample("pre-deployment", "--size", "1"))
    marked = card(one, 4, 4, 4, 4, 4, 2, notes="XYZZY")
    run("review", "claim", one, "--as", "Ada")
    run("review", "submit", "-", "--as", "Ada", stdin=marked)

    def all_that_ben_sees() -> str:
        commands = [
            ("next", "--as", "Ben"),
            ("show", one, "--as", "Ben"),
            ("list",),
            ("list", "last", "--as", "Ben"),
            ("progress",),
            ("agreement",),
            ("export", "-", "--as", "Ben"),
            ("export", "-"),
            ("adjudicate", one, "--as", "Ben"),
        ]
        seen = [run("review", *command, *more) for command in commands for more in ((), ("--json",))]
        return "".join(done.out + done.err for done in seen)

    assert "XYZZY" not in all_that_ben_sees()
    figures = run("review", "agreement", "--as", "Ben", "--json").records[0]
    assert (figures["items"], figures["left_out"], figures["evaluators"]) == (0, 1, [])
    rate(run, "Ben", one, 4)
    assert "XYZZY" in all_that_ben_sees()
    assert "XYZZY" not in run("review", "show", one, "--as", "Cy").out
    assert "XYZZY" in run("review", "export", "-", "--as", "Ada").out


def test_rating_by_keys(run: Run, sample: Run) -> None:
    """Enter takes the proposal, 0 is not applicable where allowed, b goes back, a note is insisted on, q stops."""
    one, two = drawn(sample("monitoring", "--size", "10"))[:2]  # refusals
    run("review", "assign", "--as", "Lead", one, two, "--to", "Ada")
    keys = ["4", "x", "3", "b", "2", "4", "0", "0", "4", "3", "", "thin retrieval", "y", "q"]
    done = run("review", "rate", "--as", "Ada", stdin="\n".join(keys).encode())
    assert done.code == 0
    assert "that is none of the keys" in done.out
    assert "needed for retrieval_relevance Needs Review" in done.out
    assert "stopped; 1 kept" in done.out
    run("review", "close", "--as", "Lead", "--as-is")
    record = run("review", "export", "-").records[0]
    assert list(record["scores"].values()) == [
        "Strong",
        "Needs Review",
        "Strong",
        "Not Applicable",
        "Strong",
        "Adequate",
    ]
    assert record["notes"] == "thin retrieval"


def test_the_end_of_input_loses_nothing_that_was_kept(run: Run, sample: Run) -> None:
    """A rating cut off is not kept, the one before it is, and the item is still held."""
    sample("monitoring", "--size", "4")
    done = run("review", "rate", "--as", "Ada", stdin=b"4\n4\n4\n4\n4\n4\n\ny\n4\n")
    assert (done.code, "stopped; 1 kept" in done.out) == (0, True)
    mine = run("review", "list", "last", "--as", "Ada", "--mine", "--json").records[0]["items"]
    assert [item["mine"] for item in mine] == ["rated", "claimed"]


def test_bytes_that_are_no_text_are_not_a_note(run: Run, sample: Run) -> None:
    """They are asked for again, and end no program."""
    sample("monitoring", "--size", "4")
    done = run("review", "rate", "--as", "Ada", stdin=b"4\n4\n\xff\n")
    assert (done.code, done.err, "stopped; 0 kept" in done.out) == (0, "", True)


def test_adjudicating_by_keys(run: Run, sample: Run) -> None:
    """Only the open dimensions are asked for."""
    [one] = drawn(sample("pre-deployment", "--size", "1"))
    rate(run, "Ada", one, 4)
    rate(run, "Ben", one, 2, 4)
    done = run("review", "rate", "--adjudicate", "--as", "Cy", "--json", stdin=b"3\nread it\ny\n")
    assert (done.code, done.records[0]["scores"]["attribution_accuracy"]) == (0, "Adequate")
    assert "rated by Ada" in done.err


def test_what_waits_for_others_is_told(run: Run, sample: Run) -> None:
    """How many, and why they are not for the one who asks; no rating is told, and nobody is told that all is done."""
    one, two, three = drawn(sample("pre-deployment", "--size", "3", "--name", "c"))

    def said(who: str, *command: str) -> str:
        text = run("review", *command, "--as", who).out.strip()
        assert text.startswith(f"c: nothing is left for {who}: ")
        return str(text.partition(f"for {who}: ")[2])

    assert said("Cy", "adjudicate") == "no item waits for an adjudicator, and 3 items still to be rated"
    for item in (one, two, three):
        rate(run, "Ada", item, 4)
    assert said("Ada", "next") == "3 items wait for other evaluators; Ada rated 3 of them"
    run("review", "assign", "--as", "Lead", one, "--to", "Ben")
    run("review", "claim", two, "--as", "Ben")
    run("review", "claim", three, "--as", "Di")
    assert said("Eve", "next") == "3 items wait for other evaluators; 3 with Ben, Di"
    assert said("Eve", "claim", "--count", "1") == said("Eve", "rate") == said("Eve", "next")
    rate(run, "Ben", one, 1)
    rate(run, "Ben", two, 1)
    rate(run, "Di", three, 1)
    assert said("Ada", "adjudicate") == "3 items wait for another adjudicator; Ada rated 3 of them"
    assert said("Eve", "next") == "every item has its ratings"
    assert run("review", "adjudicate", three, "--as", "Cy").code == 0
    assert three in run("review", "adjudicate", "--as", "Ben").out  # looking took nothing: Ben may look at it, too
    assert run("review", "adjudicate", three, "--take", "--as", "Cy").code == 0
    assert said("Ben", "adjudicate") == "3 items wait for another adjudicator; Ben rated 2 of them; 1 with Cy"
    assert said("Ben", "rate", "--adjudicate") == said("Ben", "adjudicate")
    told = run("review", "adjudicate", "--as", "Ben", "--json").records[0]
    assert (told["campaign"], told["trace_id"]) == ("c", None)
    assert told["waiting"] == {
        "role": "adjudicator",
        "closed": False,
        "items": 3,
        "rated": 2,
        "held": 1,
        "holders": ["Cy"],
        "shown": False,
        "unrated": 0,
        "written": 0,
    }
    run("review", "close", "--as", "Lead", "--as-is")
    assert said("Ben", "adjudicate") == "the campaign is closed"


def test_an_adjudication_is_taken_and_given_back_in_so_many_words(run: Run, sample: Run) -> None:
    """Looking takes nothing, a decision that cannot be kept takes nothing, --take does, release gives it back."""
    [one] = drawn(sample("pre-deployment", "--size", "1", "--name", "c"))
    rate(run, "Ada", one, 4)
    rate(run, "Ben", one, 1)

    def held() -> bool:
        [line] = run("review", "list", "c", "--as", "Cy", "--json").records[0]["items"]
        return bool(line["mine"] == "adjudicating")

    looked = run("review", "adjudicate", "--as", "Cy", "--json").records[0]
    assert ([rating["evaluator"] for rating in looked["ratings"]], looked["claimed_until"]) == (["Ada", "Ben"], None)
    bad = run("review", "adjudicate", one, "--as", "Cy", "--record", "-", stdin=b'{"scores": {}}')
    assert (bad.code, held()) == (3, False)
    assert "nothing is left" not in run("review", "adjudicate", "--as", "Di").out
    taken = run("review", "adjudicate", "--take", "--as", "Cy", "--json").records[0]
    assert (taken["claimed_until"] is not None, held()) == (True, True)
    assert "1 with Cy" in run("review", "adjudicate", "--as", "Di").out
    stopped = run("review", "rate", "--adjudicate", "--as", "Cy", stdin=b"q\n")
    assert ("This item stays yours" in stopped.out, held()) == (True, True)
    released = run("review", "release", one, "--as", "Cy")
    assert (released.code, released.err, held()) == (0, "", False)
    stopped = run("review", "rate", "--adjudicate", "--as", "Cy", stdin=b"q\n")
    assert ("This item is given back" in stopped.out, held()) == (True, False)
    assert run("review", "adjudicate", one, "--take", "--record", "x", "--as", "Cy").code == 2
    assert "does not adjudicate it" in run("review", "adjudicate", one, "--as", "Ben").err


def test_people_beside_the_judge_of_a_run(run: Run, sample: Run, write: Write) -> None:
    """The judge's scores against people's levels, on the judge's scale."""
    run("demo", "--keep", "answers.jsonl")
    config = "name: x\ndataset: {path: answers.jsonl, id: demo}\ncandidate: {kind: recorded}\njudge: {kind: rules}\n"
    assert run("run", write("run.yaml", config)).code == 0
    ids = drawn(sample("model-change", "--size", "8"))
    lines = b"\n".join(card(id_, 4, 4, 4 - number % 4, 4) for number, id_ in enumerate(ids))
    assert run("review", "claim", "--count", "8", "--as", "Ada").code == 0
    assert run("review", "submit", "-", "--as", "Ada", stdin=lines).code == 0
    found = run("review", "agreement", "--as", "Ada", "--run", "last", "--json").records[0]["judge"]
    [accuracy, faithfulness] = found["scores"]
    assert (accuracy["score"], accuracy["dimension"]) == ("accuracy_score", "response_completeness")
    assert faithfulness["pairs"] == sum(map(sum, faithfulness["confusion"])) > 4
    assert faithfulness["labels"] == ["0", "1", "2"]
    assert "people with the judge of run-" in run("review", "agreement", "--as", "Ada", "--run", "last").out
    assert "there is no run 'x'" in run("review", "agreement", "--as", "Ada", "--run", "x").err
    changed = [orjson.loads(line) for line in Path("answers.jsonl").read_bytes().splitlines()]
    write("answers.jsonl", [{**one, "answer": "Something else [1]."} if one["answer"] else one for one in changed])
    assert run("run", "run.yaml").code == 0
    other = run("review", "agreement", "--as", "Ada", "--run", "last", "--json").records[0]["judge"]["scores"]
    same = sum(not one["answer"] for one in changed if one["trace_id"] in ids)  # else the judge saw other answers
    assert {score["pairs"] for score in other} == {same}
    assert same < faithfulness["pairs"]


def test_a_newer_version_and_a_late_revision_are_said(run: Run, sample: Run, write: Write) -> None:
    """On the sheet, in the progress and in the decision, in words; what to look at stands beside each dimension."""
    [one] = drawn(sample("pre-deployment", "--size", "1", "--name", "rel"))
    [given] = [
        record for line in samples_path().read_bytes().splitlines() if (record := orjson.loads(line))["trace_id"] == one
    ]
    path = write("other.jsonl", [{**given, "answer": "Something else altogether [1]."}])
    sample("incident", "--trace", one, "--name", "other", data=path)
    shown = run("review", "next", "--campaign", "rel", "--as", "Ada").out
    assert given["answer"].split()[0] in shown
    assert "Something else altogether" not in shown
    assert f"a newer version of {one} was kept later" in shown
    assert "look at: Citation validation logic; passage matching" in shown
    for who, levels in (("Ada", (4,)), ("Ben", (4, 4, 1, 4))):
        run("review", "claim", one, "--campaign", "rel", "--as", who)
        run("review", "submit", "-", "--campaign", "rel", "--as", who, stdin=card(one, *levels))
    change = orjson.dumps({"trace_id": one, "scores": {"grounding_integrity": 4}})
    assert run("review", "revise", "-", "--campaign", "rel", "--as", "Ben", "--reason", "well", stdin=change).code == 0
    progress = run("review", "progress", "--campaign", "rel").out
    assert "a newer version was kept later of 1 item" in progress
    assert "revised after others' ratings became visible: Ben on" in progress
    shown = run("review", "show", one, "--campaign", "rel", "--as", "Ben").out
    assert "reason for the revision: well" in shown
    assert (
        "the blind rating decides: grounding_integrity was Unsafe"
        in run("review", "adjudicate", one, "--campaign", "rel", "--as", "Cy").out
    )
    closed = run("review", "close", "--campaign", "rel", "--as-is", "--as", "Lead")
    assert (closed.code, "NO RELEASE" in closed.out) == (1, True)
    assert "grounding_integrity Unsafe to Strong" in " ".join(closed.out.split())


def test_records_outside_of_campaigns(run: Run, write: Write) -> None:
    """Kept whole, once each."""
    given = card("t-1", 4, trigger="incident", query="Fee?", evaluator="Ada")
    path = write("card.json", given)
    unknown = run("review", "submit", path, "--adhoc")
    assert (unknown.code, "there is no interaction 't-1'" in unknown.err) == (3, True)
    source = write("t-1.jsonl", [{"trace_id": "t-1", "query": "Fee?", "answer": "It is $25."}])
    assert run("review", "submit", path, "--from", source).code == 2
    assert run("review", "submit", path, "--adhoc", "--from", source).code == 0
    again = run("review", "submit", path, "--adhoc")
    assert (again.code, "rated 't-1' already" in again.err) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["next", "--as", " "], 2, "names nobody"),
        (["next", "--campaign", "x", "--as", "Ada"], 2, "there is no campaign 'x'"),
        (["show", "x", "--as", "Ada"], 3, "there is no item 'x' among 3"),
        (["claim", "x", "--as", "Ada"], 3, "there is no item 'x' among 3"),
        (["claim", "--as", "Ada"], 2, "name the items, or how many with --count"),
        (["list", "--mine"], 2, "--mine needs --as NAME"),
        (["submit", "gone.json", "--as", "Ada"], 3, "gone.json"),
        (["export", "out.jsonl"], 2, "its evaluators rate blind"),
        (["export", "gone/out.jsonl", "--as", "Ada"], 2, "cannot be written"),
        (["adjudicate", "--as", "Ada", "--record", "two.jsonl"], 2, "an adjudication is one record, not 2"),
    ],
)
def test_mistakes(run: Run, sample: Run, write: Write, arguments: list[str], code: int, said: str) -> None:
    """One line that says what to do."""
    sample("monitoring", "--size", "3")
    write("two.jsonl", [{}, {}])
    done = run("review", *arguments)
    assert (done.code, said in done.err, done.err.count("\n")) == (code, True, 1), done.err


def test_with_no_ledger(run: Run) -> None:
    """The error says how one comes about."""
    done = run("review", "list")
    assert (done.code, "there is no ledger here yet" in done.err) == (2, True)


def test_names_cannot_steer_the_terminal(run: Run, sample: Run) -> None:
    """An evaluator's name, a note and a query are shown as text."""
    [one] = drawn(sample("incident", "--trace", "f3fe39c0-5190-48f5-90fb-bd119c1caaf7"))
    name = "A\u202eda\u009b31m"
    run("review", "claim", one, "--as", name)
    run("review", "submit", "-", "--as", name, stdin=card(one, 4, notes="\u009b31m[red]"))
    out = run("review", "show", one, "--as", name).out + run("review", "progress").out
    assert "\u009b" not in out
    assert "\u202e" not in out
    assert "[red]" in out


def test_an_interaction_cannot_steer_the_terminal(run: Run, sample: Run, write: Write) -> None:
    """Whatever field of a response or trace it stands in, an escape, a turn of direction or markup is text."""
    evil = "\u001b[31m\u202e[bold]x[/nope]"
    cited = {"citation_id": evil, "source_id": evil, "source_title": evil, "passage": evil, "effective_date": evil}
    said = {"code": evil, "reason": evil, "user_guidance": evil, "next_steps": [evil], "conflict_summary": evil}
    about = {"trace_id": "t1", "query": evil, "grounding_status": evil, "category": evil, "model_id": evil}
    passage = {"id": evil, "text": evil, "source_id": evil, "title": evil, "collection": evil}
    responses = [
        {**about, "answer": f"{evil} [1]", "citations": [cited], "contexts": [passage]},
        {**about, "trace_id": "t2", "answer": None, "refusal": said, "contexts": [passage]},
    ]
    data = write("evil.jsonl", responses)
    sample("pre-deployment", data=data)
    shown = [run("prescore", data, "--no-claims", *more) for more in ([], ["--explain", "t1"], ["--explain", "t2"])]
    shown += [run("review", "show", trace, "--as", "Ada") for trace in ("t1", "t2")]
    shown += [run("review", "next", "--as", "Ada"), run("review", "list", "last")]
    for done in shown:
        assert (done.code, done.err) == (0, "")
        assert "\u001b" not in done.out
        assert "\u202e" not in done.out
    assert "answer, \\x1b[31m\\x202e[bold]x[/nope]" in shown[3].out
    assert "refusal, \\x1b[31m\\x202e[bold]x[/nope]" in shown[4].out


@pytest.mark.parametrize(
    "command",
    [
        ["sample", str(DEMO), "--trigger", "pre-deployment", "--no-claims"],
        ["review", "close"],
        ["review", "assign", "x", "--to", "Ada"],
        ["review", "next"],
        ["review", "rate"],
    ],
)
def test_every_change_has_somebody_who_answers_for_it(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    """By --as, or by the settings; the message says both ways, and where the settings are."""
    settings = write("settings.toml", "")
    monkeypatch.setenv("PLUMBRULE_SETTINGS", str(settings))
    done = run(*command)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"say who does this: --as NAME, or user.name in {settings}" in done.err
    assert "names nobody" in run(*command, "--as", "...").err
    settings.write_text('[user]\nname = "Fay"\n')
    assert "say who does this" not in run(*command).err


def test_the_user_of_the_settings_is_the_author(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the campaign, of a record that names nobody, and of the decision."""
    monkeypatch.setenv("PLUMBRULE_SETTINGS", str(write("settings.toml", '[user]\nname = "Fay"\n')))
    assert run("sample", DEMO, "--trigger", "incident", "--trace", TRACE, "--no-claims").code == 0
    assert run("review", "claim", TRACE).code == 0
    assert run("review", "submit", "-", stdin=card(TRACE, 4)).code == 0
    [decision] = run("review", "close", "--json").records
    assert (decision["closed_by"], decision["cards"][0]["evaluators"]) == ("Fay", ["Fay"])
    assert "roles: Fay opened it, rated and closed it" in decision["remarks"]


def test_the_mode_is_not_chosen_at_the_close(run: Run, sample: Run) -> None:
    """The option says where it is chosen now."""
    sample("incident", "--trace", TRACE)
    rate(run, "Ada", TRACE, 2)
    done = run("review", "close", "--as", "Lead", "--mode", "run_mean")
    assert (done.code, "choose it with 'plumbrule sample --mode'" in done.err) == (2, True)
    assert run("review", "close", "--as", "Lead").code == 1


def test_an_inconclusive_decision_is_exit_code_5(run: Run, sample: Run) -> None:
    """The line has the interval and what would settle it."""
    shown = sample("incident", "--trace", TRACE, "--decide-on", "bound")
    assert (shown["mode"], shown["decide_on"]) == ("any_record", "bound")
    rate(run, "Ada", TRACE, 4)
    done = run("review", "close", "--as", "Lead")
    assert done.code == 5
    assert (
        "INCONCLUSIVE: 1 item, and the interval of the average overall score, 1.07 to 4.00, does not settle" in done.out
    )
    assert "average overall 4.00, production_ready; 95% interval 1.07 to 4.00, on both sides of 3: about " in done.out
    assert "INCONCLUSIVE" in run("review", "progress").out


def test_a_release_that_few_items_do_not_settle_says_so(run: Run, sample: Run) -> None:
    """By default the average decides, and the headline is qualified."""
    sample("incident", "--trace", TRACE)
    rate(run, "Ada", TRACE, 4)
    done = run("review", "close", "--as", "Lead")
    assert (done.code, "RELEASE: Pass, on 1 item: the interval" in done.out) == (0, True)


def test_failing_records_stand_first(run: Run, sample: Run) -> None:
    """Then those with notes, whatever their scores; what is not shown is counted by its recommendation."""
    ids = drawn(sample("model-change", "--size", "14"))
    levels = [(4, 4, 4, 4, 4, 2), (3, 3), (4, 4, 2, 4)]  # with notes at 3.8 and 3.0, failing at 3.5
    assert run("review", "claim", "--count", "14", "--as", "Ada").code == 0
    cards = b"\n".join(
        card(id_, *(levels[2] if number == 13 else levels[number % 2])) for number, id_ in enumerate(ids)
    )
    assert run("review", "submit", "-", "--as", "Ada", stdin=cards).code == 0
    done = run("review", "close", "--as", "Lead")
    rows = [line for line in done.out.splitlines() if "Pass with notes" in line or "  Fail  " in line]
    assert "  Fail  " in rows[0]
    assert all("  Fail  " not in row for row in rows[1:12])
    assert "and 2 Pass with notes; --json lists all" in done.out


def test_a_weaker_policy_stands_at_the_top(run: Run, write: Write) -> None:
    """Refused without the option; shown by the draw, the progress, the decision, the incident and the monitor."""
    weak = write("weak.yaml", "version: weak\nblockers: []\n")
    asked = ["sample", DEMO, "--as", "Fay", "--trigger", "incident", "--trace", TRACE, "--no-claims", "--rubric", weak]
    refused = run(*asked)
    assert (refused.code, "--accept-weaker-policy" in refused.err) == (2, True)
    told = 'weaker: blocker any_unsafe (Any dimension scored "Unsafe") is removed'
    assert told in run(*asked, "--dry-run").out
    assert told in run(*asked, "--accept-weaker-policy").out
    assert told in run("review", "progress").out
    rate(run, "Ada", TRACE, 4)
    closed = run("review", "close", "--as", "Gus").out
    assert closed.index("WEAKER POLICY than the rubric that ships, in 4 differences") < closed.index("RELEASE: Pass")
    assert told in run("review", "progress").out
    assert run("incident", TRACE, "-o", "incident.html").code == 0
    assert "weaker policy" in Path("incident.html").read_text(encoding="utf-8")
    cards = write("card.json", card(TRACE, 1))
    assert run("review", "decide", cards, "--rubric", weak).code == 2
    assert told in run("review", "decide", cards, "--rubric", weak, "--accept-weaker-policy").out
    assert run("monitor", "--rubric", weak).code == 2
    assert told in run("monitor", "--rubric", weak, "--accept-weaker-policy").out
    assert told in run("rubric", "check", "scorecard", "--rubric", weak).out
    write("weak.yaml", "blockers: []\n")
    same = run("rubric", "check", "scorecard", "--rubric", weak)
    assert (same.code, "give it a version of its own" in same.err) == (2, True)
