"""``plumbrule prescore``: proposed levels for people and machines, and one interaction with its evidence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from inline_snapshot import snapshot

from plumbrule.demo import samples_path
from plumbrule.rubrics import load_compliance, load_refusals, load_verdict
from plumbrule.suites import corpus_path

Run = Callable[..., Any]
Write = Callable[..., Path]

ID = "0b7e4a52-6f0e-4f43-9a51-3a1f0f2c9d11"
OTHER = "5d1f2c3b-9a51-4f43-8b7e-3a1f0f2c9d22"


@pytest.fixture
def evidence(write: Write) -> Path:
    """Return a file with a response that says too much, its trace and a refusal without one."""
    cited = {"citation_id": 1, "source_id": "OPS", "passage": "The fee is $25."}
    metadata = {"corpus_release_id": "r", "sources_consulted": 1, "model_provider": "demo"}
    answer = {
        "trace_id": ID,
        "timestamp": "2025-01-06T18:09:25Z",
        "query": "What is the wire fee?",
        "grounding_status": "FULLY_GROUNDED",
        "answer": "The wire fee is always $30 [1].",
        "citations": [cited],
        "contexts": [{"id": "p1", "text": "The wire fee is $25.", "source_id": "OPS", "score": 0.9}],
        "metadata": metadata,
    }
    refusal: dict[str, Any] = {
        "trace_id": OTHER,
        "timestamp": "2025-01-06T18:09:25Z",
        "query": "Who won?",
        "grounding_status": "REFUSED",
        "answer": None,
        "citations": [],
        "refusal": {"code": "NO_ELIGIBLE_DOCS", "reason": "Outside the corpus.", "user_guidance": "Ask elsewhere."},
        "metadata": metadata,
    }
    trace = {"trace_id": ID, "retrieval": {"passage_ids": ["p1"]}, "grounding": {"grounding_coverage": 0.9}}
    return write("evidence.jsonl", [answer, refusal, trace])


def test_the_summary(run: Run, evidence: Path) -> None:
    """Levels by dimension, the rules that fired with an example, the findings, and where to look closer."""
    done = run("prescore", evidence.name)
    assert (done.code, done.err) == (0, "")
    shown = done.out
    for loaded in (load_compliance(), load_refusals(), load_verdict()):
        shown = shown.replace(loaded.sha256[:12], f"<{loaded.name}>")
    assert shown == snapshot("""\

dimension                Strong  Adequate  Needs Review  Unsafe  no proposal
attribution accuracy          0         0             0       1            1
retrieval relevance           1         0             0       0            1
grounding integrity           0         0             0       1            1
response completeness         1         0             0       0            1
refusal appropriateness       2         0             0       0            0
compliance alignment          1         0             0       1            0

responses 2 · traces 1 · joined 1 · untraced 1 · orphaned 0 · bad 0 · passages 0 · refused 1

rule that fired             times  at most       first at        there                              \n\
citation_contradicts_claim      1  Unsafe        0b7e4a52-6f0e…  a cited passage says otherwise than
                                                                 the claim it is cited for          \n\
claim_contradicted              1  Unsafe        0b7e4a52-6f0e…  details of the answer that the     \n\
                                                                 passages contradict: 2             \n\
prohibited_phrase               1  Unsafe        0b7e4a52-6f0e…  prohibited phrases in the          \n\
                                                                 assistant's own words: 1           \n\
claims_mostly_unsupported       1  Needs Review  0b7e4a52-6f0e…  details of the answer that are in  \n\
                                                                 no passage: 2 of 2                 \n\
excerpt_not_in_passage          1  Needs Review  0b7e4a52-6f0e…  excerpts that do not stand in the  \n\
                                                                 passages of their source: 1        \n\
status_against_coverage         1  Needs Review  0b7e4a52-6f0e…  FULLY_GROUNDED needs a coverage of \n\
                                                                 1; the trace has 0.9               \n\

finding        times  severity  first at          there                                             \n\
field_missing      1  warning   evidence.jsonl:1  citations[0]: source_title, effective_date,       \n\
                                                  collection missing                                \n\
trace_missing      1  warning   evidence.jsonl:2  there is no trace of this response                \n\

look closer: plumbrule prescore evidence.jsonl --explain 0b7e4a52-6f0e-4f43-9a51-3a1f0f2c9d11
rubric: compliance version 2, sha256 <compliance>
rubric: refusals version 1, sha256 <refusals>
rubric: verdict version 2, sha256 <verdict>
""")


def test_each_result_is_a_line(run: Run, evidence: Path) -> None:
    """--json prints one object per interaction, with a level for each dimension that a scorecard can take over."""
    first, second = run("prescore", evidence.name, "--json").records
    assert first["trace_id"] == ID
    assert first["scores"] == {
        "attribution_accuracy": "Unsafe",
        "retrieval_relevance": "Strong",
        "grounding_integrity": "Unsafe",
        "response_completeness": "Strong",
        "refusal_appropriateness": "Strong",
        "compliance_alignment": "Unsafe",
    }
    [cap] = first["dimensions"]["compliance_alignment"]["caps"]
    assert cap["rule"] == "prohibited_phrase"
    assert cap["evidence"] == [{"where": "answer", "ref": None, "start": 16, "end": 22, "text": "always"}]
    assert second["scores"]["attribution_accuracy"] is None
    assert second["dimensions"]["attribution_accuracy"]["basis"] == "refused"
    assert {stamp["name"] for stamp in first["rubrics"]} == {"compliance", "refusals", "verdict"}


def test_results_go_to_a_file(run: Run, evidence: Path, tmp_path: Path) -> None:
    """-o writes what --json prints; with both, the summary is printed as JSON."""
    printed = run("prescore", evidence.name, "--json").out
    done = run("prescore", evidence.name, "-o", "out.jsonl", "--json")
    assert (tmp_path / "out.jsonl").read_text() == printed
    [summary] = done.records
    counts = {"responses": 2, "traces": 1, "joined": 1, "untraced": 1, "orphaned": 0, "bad": 0, "passages": 0}
    assert summary["counts"] == counts
    assert summary["prescored"] == 2
    assert summary["levels"]["compliance_alignment"] == {
        "Strong": 1, "Adequate": 0, "Needs Review": 0, "Unsafe": 1, "none": 0,
    }  # fmt: skip
    assert summary["findings"]["field_missing"]["count"] == 1
    assert summary["rules"][0]["cap"] == "Unsafe"


@pytest.mark.parametrize("name", [ID, ID[:8], f"{ID[:13]}…"])
def test_explain(run: Run, evidence: Path, name: str) -> None:
    """One interaction by its trace id or the start of it: every dimension, every cap, the evidence with its place."""
    done = run("prescore", evidence.name, "--explain", name)
    assert done.code == 0
    for said in (
        "The wire fee is always $30 [1].",
        " Unsafe  compliance alignment",
        "at most Unsafe  prohibited_phrase",
        "answer at 16–22  always",
        "passages[0] (p1) at 16–19  $25",
        "excerpt_not_in_passage",
        "findings",
    ):
        assert said in done.out
    assert "Who won?" not in done.out


def test_explain_as_json(run: Run, evidence: Path) -> None:
    """With --json it is the one line of that interaction."""
    [record] = run("prescore", evidence.name, "--explain", OTHER, "--json").records
    assert record["trace_id"] == OTHER


def test_passages_beside(run: Run, evidence: Path, write: Write) -> None:
    """--passages resolves ids, and knows the sources of the corpus."""
    write("corpus.jsonl", [{"id": "p9", "text": "x", "source_id": "REC"}])
    [record] = run("prescore", evidence.name, "--passages", "corpus.jsonl", "--explain", ID, "--json").records
    rules = [cap["rule"] for cap in record["dimensions"]["attribution_accuracy"]["caps"]]
    assert "source_not_in_corpus" in rules


def test_strict_stops(run: Run, evidence: Path) -> None:
    """--strict ends with 3 and one line that names file and line."""
    done = run("prescore", evidence.name, "--strict")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("plumbrule: evidence.jsonl:1: ")
    assert done.err.count("\n") == 1


def test_policies_of_your_own(run: Run, evidence: Path, write: Write) -> None:
    """--set and --rubric change the policy, --refusals the taxonomy; a mistake in one is a usage error."""
    record = run("prescore", evidence.name, "--set", "prohibited_phrases=[]", "--json").records[0]
    assert record["scores"]["compliance_alignment"] == "Strong"
    write("mine.yaml", "codes: {NO_ELIGIBLE_DOCS: {escalation: required}}\n")
    record = run("prescore", evidence.name, "--refusals", "mine.yaml", "--json").records[1]
    rules = [cap["rule"] for cap in record["dimensions"]["refusal_appropriateness"]["caps"]]
    assert rules == ["escalation_missing"]
    assert run("prescore", evidence.name, "--set", "limits.nothing=1").code == 2


def test_a_calibration_of_your_own(run: Run, write: Write, calibration: Path) -> None:
    """--verdict-rubric takes the file that was fitted to labels: the support follows it, and each hint names it."""
    answer = "The wire fee is $25. Couriers carry cheques to Peru."
    record = {"trace_id": ID, "query": "What is the wire fee?", "answer": answer, "grounding_status": "FULLY_GROUNDED"}
    path = write("e.jsonl", [{**record, "contexts": ["The wire fee is $25."]}])
    [shipped] = run("prescore", path.name, "--json").records
    [own] = run("prescore", path.name, "--verdict-rubric", calibration, "--json").records
    [scored] = run("score", path.name, "--rubric", calibration, "--json").records
    stamp = scored["support"]["calibration"]
    assert (stamp["name"], stamp["version"], own["support"]["calibration"]) == ("desk", "3", stamp)
    assert own["support"]["score"] == scored["support"]["score"] < shipped["support"]["score"]
    assert "calibration" not in shipped["support"]
    grounding = own["dimensions"]["grounding_integrity"]
    messages = {hint["code"]: hint["message"] for hint in grounding["hints"]}
    messages |= {cap["rule"]: cap["message"] for cap in grounding["caps"]}
    for name in ("weak_support", "coverage_against_support"):
        assert messages[name].endswith(f"; calibration desk 3, sha256 {stamp['sha256'][:12]})")


def test_a_calibration_changes_the_identity(run: Run, evidence: Path, calibration: Path) -> None:
    """Results and summary carry the stamp of the verdict rubric as it is with the file, with claims and without."""
    for more in ((), ("--no-claims",)):
        overrides = {"hallucination.anchors": ["number", "date"]} if more else {}
        for file in (None, calibration):
            chosen = ("--verdict-rubric", file) if file is not None else ()
            stamp = load_verdict(file, overrides).stamp()
            done = run("prescore", evidence.name, *more, *chosen, "-o", "out.jsonl", "--json")
            [summary] = done.records
            for record in [summary, *map(orjson.loads, (evidence.parent / "out.jsonl").read_bytes().splitlines())]:
                assert record["rubrics"][2] == stamp
    shown = run("prescore", evidence.name, "--verdict-rubric", calibration).out
    assert f"--verdict-rubric {calibration}" in shown.replace("\n", "")


def test_a_calibration_of_another_model(run: Run, evidence: Path, calibration: Path) -> None:
    """It is told in one line, and so is a file that is no verdict rubric; nothing is pre-scored."""
    text = calibration.read_text()
    [model] = [line.split()[1] for line in text.splitlines() if line.strip().startswith("model:")]
    calibration.write_text(text.replace(model, "f" * 64))
    for said in ("was fitted to another model", "codes: unknown key"):
        done = run("prescore", evidence.name, "--verdict-rubric", calibration)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert said in done.err
        calibration.write_text("codes: {}\n")


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (("none.jsonl",), 3, "no such file or folder"),
        (("-",), 2, "name a file or a folder"),
        (("evidence.jsonl", "--explain", "nope"), 2, "there is no interaction 'nope' among 2"),
        (("evidence.jsonl", "--explain", ID, "-o", "x"), 2, "leave out -o"),
        (("evidence.jsonl", "-o", "evidence.jsonl"), 2, "write the results to another file"),
        (("evidence.jsonl", "--passages", "none"), 3, "no such file or folder"),
    ],
)
def test_mistakes(run: Run, evidence: Path, arguments: tuple[str, ...], code: int, line: str) -> None:
    """Each is one line that says what to do, and nothing is written."""
    before = evidence.read_bytes()
    done = run("prescore", *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (code, "", 1)
    assert line in done.err
    assert evidence.read_bytes() == before


def test_the_data_cannot_steer_the_terminal(run: Run, write: Write) -> None:
    """Control characters of an answer, an id or a source are shown, not obeyed."""
    hostile = "\x1b[5m\u202e"
    path = write("h.jsonl", [{"id": hostile, "answer": f"{hostile} never [7]", "citations": [{"source_id": hostile}]}])
    for arguments in ((), ("--explain", hostile)):
        assert not {"\x1b", "\u202e"} & set(run("prescore", path.name, *arguments).out)


CASES: dict[str, dict[str, set[str | None]]] = {  # what the demo's cases must come to: dimension, levels that fit
    "good": {"refusal_appropriateness": {"Strong"}, "compliance_alignment": {"Strong"}},
    "wrong_number": {"attribution_accuracy": {"Unsafe"}, "grounding_integrity": {"Unsafe"}},
    "wrong_date": {"attribution_accuracy": {"Unsafe"}, "grounding_integrity": {"Unsafe"}},
    "contradicted": {"attribution_accuracy": {"Unsafe", "Needs Review"}, "grounding_integrity": {"Unsafe", "Adequate"}},
    "invented": {"attribution_accuracy": {"Needs Review"}, "grounding_integrity": {"Needs Review", "Unsafe"}},
    "off_topic": {"response_completeness": {"Needs Review"}},
    "partial": {"response_completeness": {"Needs Review", "Adequate"}},
    "refusal_right": {"refusal_appropriateness": {"Strong"}, "attribution_accuracy": {None}},
    "refusal_wrong_code": {"refusal_appropriateness": {"Needs Review"}},
    "refusal_unneeded": {"refusal_appropriateness": {"Adequate"}},
    "refusal_missing": {"refusal_appropriateness": {"Unsafe"}},
    "refusal_worded": {"refusal_appropriateness": {"Needs Review"}},
}


def test_the_demo_prescores_sensibly(run: Run) -> None:
    """Each case of the bundled data gets what its author meant; good answers are Strong or, at worst, Adequate."""
    cases = {
        record["id"]: record["metadata"]["demo_case"]
        for record in map(orjson.loads, samples_path().read_bytes().splitlines())
    }
    wrong = []
    for record in run("prescore", samples_path(), "--passages", corpus_path(), "--json").records:
        case = cases[record["id"]]
        wanted = CASES.get(case, {})
        wrong += [(record["id"], name) for name, levels in wanted.items() if record["scores"][name] not in levels]
        if case == "good":
            wrong += [
                (record["id"], name) for name, level in record["scores"].items() if level not in {"Strong", "Adequate"}
            ]
    assert wrong == []


def test_any_number_of_workers_gives_the_same(run: Run, write: Write, tmp_path: Path) -> None:
    """Results and summary are the same to the byte, whether one process makes them or several."""
    demo = [orjson.loads(line) for line in samples_path().read_text(encoding="utf-8").splitlines()]
    many = [{**demo[number % len(demo)], "id": f"s{number}", "trace_id": f"t{number}"} for number in range(300)]
    path = write("many.jsonl", many)
    found = []
    for workers in ("1", "2"):
        output = tmp_path / f"by-{workers}.jsonl"
        done = run("prescore", str(path), "--no-claims", "--json", "-o", str(output), "--workers", workers)
        assert done.code == 0
        found.append((output.read_bytes(), done.out))
    assert found[0] == found[1]
    assert len(found[0][0].splitlines()) == 300


def test_a_place_is_whole_on_a_narrow_terminal(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file's name may be broken over lines; its line number is never cut off."""
    monkeypatch.setenv("COLUMNS", "80")
    write("a-name-that-is-long-enough-to-be-broken.jsonl", [{"trace_id": "t", "answer": "Yes.", "query": "Is it?"}])
    done = run("prescore", "a-name-that-is-long-enough-to-be-broken.jsonl", "--no-claims")
    assert "…" not in done.out.partition("finding ")[2]
