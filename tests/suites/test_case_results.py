"""Bad assistants fail exactly the criteria that they break, over real HTTP; what cannot be run is errored."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.servers.scripted import Request, ScriptedServer, Step, responding

from plumbrule.suites import load_suite
from plumbrule.suites.suite_run import SuiteOutcome, run_suite
from plumbrule.suites.suite_tally import CriterionCounts

Reply = Callable[[Mapping[str, Any]], Mapping[str, Any]]

TRACE_ID = "0d4c2d0e-7d2f-4a53-9f4e-3d3f1f3d9f10"
REFUSALS = ("NO_ELIGIBLE_DOCS", "INSUFFICIENT_GROUNDING", "POLICY_BLOCKED", "AMBIGUOUS_QUERY", "CONFLICTING_SOURCES")


def ask(reply: Reply, *codes: str, **options: Any) -> SuiteOutcome:
    """Run the suite, or a part of it, against an assistant that replies so."""

    def script(request: Request) -> Step:
        return responding(reply(request.json))

    with ScriptedServer(script) as server:
        address = f"http://127.0.0.1:{server.port}/ask"
        return run_suite(address, suite=load_suite().only(codes), **options)


def refusing(code: str, **parts: Any) -> Reply:
    """Return an assistant that refuses everything alike, and has no trace."""
    refusal = {"code": code, "reason": "It cannot be answered.", "user_guidance": "Ask the help desk.", **parts}

    def reply(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"trace_id": TRACE_ID, "query": asked["query"], "grounding_status": "REFUSED", "refusal": refusal}

    return reply


def answering(text: str, **parts: Any) -> Reply:
    """Return an assistant that answers everything alike."""

    def reply(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        status = {"grounding_status": "FULLY_GROUNDED"}
        return {"trace_id": TRACE_ID, "query": asked["query"], "answer": text, "citations": [], **status, **parts}

    return reply


def failures(outcome: SuiteOutcome, *kinds: str) -> set[frozenset[str]]:
    """Return the sets of criteria that cases of these kinds fail."""
    return {frozenset(each.name for each in result.failed) for result in outcome.results if result.case.kind in kinds}


def test_one_that_always_answers_fails_to_refuse() -> None:
    """And nothing else: the form of a refusal that is not there is not checked."""
    outcome = ask(answering("Certainly."), *REFUSALS)
    assert failures(outcome, "scenario", "variation") == {frozenset({"refuses"})}
    for tally in outcome.summary().test_cases:
        assert (tally.passed, tally.failed) == (0, tally.cases)
        assert tally.near_misses.over_refused == 0
        assert tally.criteria["gives_guidance"] == CriterionCounts(met=0, failed=0, not_checked=tally.cases)


@pytest.mark.parametrize(
    ("asked", "failed"),
    [
        ("NO_ELIGIBLE_DOCS", set()),
        ("INSUFFICIENT_GROUNDING", {"code_is_right", "code_fits_retrieval"}),
        ("POLICY_BLOCKED", {"code_is_right"}),
        ("AMBIGUOUS_QUERY", {"code_is_right"}),
        ("CONFLICTING_SOURCES", {"code_is_right", "says_what_it_must"}),
    ],
)
def test_one_that_always_refuses_alike_has_the_wrong_code(asked: str, failed: set[str]) -> None:
    """Its own code passes; the others fail by the code and what follows from it; every near miss is over-refused."""
    outcome = ask(refusing("NO_ELIGIBLE_DOCS"), asked)
    assert failures(outcome, "scenario", "variation") == {frozenset(failed)}
    assert failures(outcome, "near_miss") == {frozenset({"answers"})}
    [tally] = outcome.summary().test_cases
    assert tally.near_misses.over_refused == tally.near_misses.cases == tally.near_misses.failed
    assert tally.passed == (0 if failed else tally.cases)


def test_a_refusal_without_guidance_prompts_or_escalation_is_told_so() -> None:
    """Each missing part is a criterion of its own."""
    assert failures(ask(refusing("AMBIGUOUS_QUERY", user_guidance=""), "AMBIGUOUS_QUERY"), "scenario") == {
        frozenset({"gives_guidance", "asks_back"})
    }
    silent = refusing("CONFLICTING_SOURCES", conflict_summary="They differ.")
    assert failures(ask(silent, "CONFLICTING_SOURCES"), "scenario") == {frozenset({"says_what_it_must", "escalates"})}


def test_one_that_names_a_collection_leaks() -> None:
    """A block that says where the content stands is a leak, and the place is the evidence."""
    leaking = refusing("POLICY_BLOCKED", reason="This stands in the conduct collection.")
    outcome = ask(leaking, "POLICY_BLOCKED")
    assert failures(outcome, "scenario", "variation") == {frozenset({"leaks_nothing"})}
    [failed] = outcome.results[0].failed
    assert [(spot.where, spot.text) for spot in failed.evidence] == [("refusal.reason", "conduct")]


def test_one_that_repeats_a_simulated_passage_leaks() -> None:
    """The words and the names of what was kept from the asker are known from the request itself."""

    def reply(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        text = asked["passages"][0]["text"] if asked["passages"] else "No."
        return refusing("POLICY_BLOCKED", reason=f"You may not know this: {text}")(asked)

    outcome = ask(reply, "POLICY_BLOCKED")
    by_id = {result.case.id: {each.name for each in result.failed} for result in outcome.results}
    assert by_id["pb-watch-list"] == {"leaks_nothing", "says_nothing_forbidden"}
    assert by_id["pb-compensation-paid"] == set()


def test_one_that_says_guaranteed_is_not_compliant() -> None:
    """In every case of the compliance test case, whatever else is wrong with the answer."""
    outcome = ask(answering("The return is guaranteed."), "policy-validation")
    for result in outcome.results:
        assert "no_prohibited_phrase" in {each.name for each in result.failed}, result.case.id
    [failed] = [each for each in outcome.results[0].failed if each.name == "no_prohibited_phrase"]
    assert [spot.text for spot in failed.evidence] == ["guaranteed"]


def test_one_that_leaves_out_a_part_is_incomplete() -> None:
    """The values that are missing are named."""
    outcome = ask(answering("It is $100."), "multi-part-questions")
    gifts = next(result for result in outcome.results if result.case.id == "mp-gifts")
    [said] = [each for each in gifts.failed if each.name == "says_what_it_must"]
    assert said.message == "it does not say: prohibited"


def test_a_conflict_answered_with_one_side_takes_it() -> None:
    """The answer gives one of the two values that the passages have."""
    outcome = ask(answering("An employee holds them for six months."), "CONFLICTING_SOURCES")
    by_id = {result.case.id: {each.name for each in result.failed} for result in outcome.results}
    assert by_id["cs-gift-limit"] == {"refuses"}
    amount = ask(answering("The gift limit is $150."), "CONFLICTING_SOURCES")
    by_id = {result.case.id: {each.name for each in result.failed} for result in amount.results}
    assert by_id["cs-gift-limit"] == {"refuses", "takes_no_side"}


@pytest.mark.parametrize(
    ("section", "content", "said"),
    [
        ("retrieval", {"collections_searched": ["conduct"]}, "trace.retrieval.collections_searched is conduct"),
        ("retrieval", {"passages_above_threshold": 2}, "trace.retrieval.passages_above_threshold is 2"),
        ("decision", {"outcome": "ANSWER"}, "trace.decision.outcome is ANSWER"),
        ("decision", {"refusal_code": "AMBIGUOUS_QUERY"}, "trace.decision.refusal_code is AMBIGUOUS_QUERY"),
    ],
)
def test_a_trace_that_shows_otherwise_fails(section: str, content: Mapping[str, Any], said: str) -> None:
    """Each fact of the trace that is not as the scenario expects is named."""

    def reply(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        trace = {"trace_id": TRACE_ID, "retrieval": {}, "decision": {}, section: content}
        return {**refusing("POLICY_BLOCKED")(asked), "trace": trace}

    outcome = ask(reply, "POLICY_BLOCKED")
    [failed] = [each for each in outcome.results[0].failed if each.name == "trace_as_expected"]
    assert failed.message == f"not as expected: {said}"


def test_a_conflict_must_be_traced_as_one() -> None:
    """Conflict and escalation are facts of the trace, too."""

    def reply(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        grounding, decision = {"conflict_detected": False}, {"escalation_triggered": False}
        trace = {"trace_id": TRACE_ID, "grounding": grounding, "decision": decision}
        return {**refusing("CONFLICTING_SOURCES", conflict_summary="twelve months, six months")(asked), "trace": trace}

    result = ask(reply, "CONFLICTING_SOURCES").results[0]
    failed = {each.name: each for each in result.failed}
    assert set(failed) == {"escalates", "trace_as_expected"}
    assert [spot.text for spot in failed["trace_as_expected"].evidence] == ["false", "false"]


def test_the_request_tells_the_question_the_role_and_the_passages_and_no_more() -> None:
    """The id says nothing of what is expected, and passages are only there where they are simulated."""
    asked: list[Mapping[str, Any]] = []

    def reply(request: Mapping[str, Any]) -> Mapping[str, Any]:
        asked.append(request)
        return refusing("POLICY_BLOCKED")(request)

    outcome = ask(reply, "POLICY_BLOCKED", concurrency=1)
    assert [each["query"] for each in asked] == [result.case.query for result in outcome.results]
    assert {frozenset(each) for each in asked} == {frozenset({"query", "sample_id", "role", "passages"})}
    assert {each["role"] for each in asked} == {"associate", "contractor", "compliance_officer"}
    first, corpus = asked[0], next(each for each in asked if each["query"].startswith("Which customers received"))
    assert corpus["passages"] is None
    assert first["passages"][0]["collection"] == "internal-investigations"
    assert not any("block" in each["sample_id"] or "pb-" in each["sample_id"] for each in asked)
    assert len({each["sample_id"] for each in asked}) == len(asked)


def test_a_response_cannot_say_what_was_expected_of_it() -> None:
    """An assistant that sends expectations along is judged by the suite's own."""

    def reply(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        contexts = [{"id": "x", "text": "Certainly.", "source_id": "OPS-014"}]
        return {**answering("Certainly.")(asked), "expected": {"refuse": False}, "contexts": contexts, "id": "mine"}

    outcome = ask(reply, "INSUFFICIENT_GROUNDING")
    assert {result.outcome for result in outcome.results if result.case.kind != "near_miss"} == {"failed"}
    interaction = outcome.results[0].interaction
    assert interaction is not None
    assert [passage.id for passage in interaction.passages] == ["ops-014-1", "ops-014-3"]


def test_what_cannot_be_run_is_errored_and_counted() -> None:
    """A rejected request and an answer that is no response are errors, not failures, and no case is dropped."""
    for step, error in ((Step(status=404), "rejected"), (responding({"hello": 1}), "malformed")):
        with ScriptedServer([step]) as server:
            outcome = run_suite(f"http://127.0.0.1:{server.port}/", suite=load_suite().only(["AMBIGUOUS_QUERY"]))
        assert {(result.outcome, result.error) for result in outcome.results} == {("errored", error)}
        [tally] = outcome.summary().test_cases
        assert tally.errored == tally.cases == 22
        assert tally.interval is not None
        assert tally.interval.low == 0


@pytest.mark.parametrize("answer", ["{1, 2}", "chr(0xd800)", "object()"])
def test_what_is_not_json_is_errored(answer: str, tmp_path: Path) -> None:
    """A function may return anything; what cannot be kept is no response."""
    name = f"odd_app_{len(answer)}"
    content = f'def reply(query):\n    return {{"answer": "Yes.", "metadata": {{"odd": {answer}}}}}\n'
    (tmp_path / f"{name}.py").write_text(content, encoding="utf-8")
    outcome = run_suite(f"{name}:reply", suite=load_suite().only(["AMBIGUOUS_QUERY"]), folder=tmp_path)
    assert {(result.outcome, result.error) for result in outcome.results} == {("errored", "malformed")}


def test_one_that_is_too_slow_is_errored() -> None:
    """A timeout is told as one."""
    slow = responding(answering("Later.")({"query": ""}), delay_s=30)
    with ScriptedServer([slow]) as server:
        suite = load_suite().only(["AMBIGUOUS_QUERY"])
        outcome = run_suite(f"http://127.0.0.1:{server.port}/", suite=suite, timeout_s=0.05, concurrency=32)
    assert {(result.error, result.error_detail) for result in outcome.results} == {
        ("timed_out", "no whole answer within 0.05 s")
    }


def test_the_order_does_not_depend_on_who_answers_first() -> None:
    """Results stand in the order of the suite, however many are asked at once."""
    one = ask(refusing("AMBIGUOUS_QUERY"), "AMBIGUOUS_QUERY", concurrency=1)
    many = ask(refusing("AMBIGUOUS_QUERY"), "AMBIGUOUS_QUERY", concurrency=32)
    assert [result.record() for result in one.results] == [result.record() for result in many.results]
    assert one.summary().test_cases == many.summary().test_cases
