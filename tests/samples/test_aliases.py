"""Every known name of a field is mapped, and the user's own mapping wins."""

from typing import Any

import pytest

from plumbrule.errors import UsageError
from plumbrule.samples import FIELDS, Passage, parse_mapping
from plumbrule.samples.aliases import Mapper
from plumbrule.samples.dataset_reader import sample_from

SYSTEMS: dict[str, dict[str, Any]] = {
    "canonical": {"question": "Q", "answer": "A", "contexts": ["C"], "reference": "R"},
    "document 004": {
        "task": "Q",
        "candidate_answer": "A",
        "provided_context": ["C"],
        "reference_answer": "R",
    },
    "ragas": {"user_input": "Q", "response": "A", "retrieved_contexts": ["C"], "reference": "R"},
    "ragas v1": {"question": "Q", "answer": "A", "contexts": ["C"], "ground_truth": "R"},
    "deepeval": {"input": "Q", "actual_output": "A", "retrieval_context": ["C"], "expected_output": "R"},
    "phoenix": {"input": "Q", "output": "A", "context": ["C"], "expected": "R"},
    "azure": {"query": "Q", "response": "A", "context": "C", "ground_truth": "R"},
    "ragchecker": {"query": "Q", "response": "A", "retrieved_context": [{"text": "C"}], "gt_answer": "R"},
}
SPANS: dict[str, dict[str, Any]] = {
    "flattened": {
        "input.value": "Q",
        "output.value": "A",
        "retrieval.documents.0.document.content": "C",
    },
    "prefixed": {
        "attributes.input.value": "Q",
        "attributes.output.value": "A",
        "attributes.retrieval.documents.0.document.content": "C",
    },
    "nested flat": {
        "attributes": {
            "input.value": "Q",
            "output.value": "A",
            "retrieval.documents.0.document.content": "C",
        }
    },
    "nested deep": {
        "attributes": {
            "input": {"value": "Q", "mime_type": "text/plain"},
            "output": {"value": "A"},
            "retrieval": {"documents": [{"document": {"content": "C"}}]},
        }
    },
    "listed": {
        "attributes.input.value": "Q",
        "attributes.output.value": "A",
        "attributes.retrieval.documents": [{"document.content": "C"}],
    },
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_of_the_table_is_mapped(system: str) -> None:
    """Each row of the table of aliases gives question, answer, contexts and reference."""
    sample = sample_from(SYSTEMS[system])

    assert (sample.question, sample.answer, sample.reference) == ("Q", "A", "R")
    assert [passage.text for passage in sample.contexts] == ["C"]


@pytest.mark.parametrize("form", SPANS)
def test_every_form_of_a_span_is_mapped(form: str) -> None:
    """OpenInference attributes are found flattened, prefixed and nested, and none of them is left over."""
    sample = sample_from(SPANS[form])

    assert (sample.question, sample.answer) == ("Q", "A")
    assert [passage.text for passage in sample.contexts] == ["C"]
    assert Mapper().map(SPANS[form]).ignored == []


def test_documents_of_a_span_come_in_numeric_order() -> None:
    """Document 10 stands after document 2, whatever the order of the keys; gaps are no matter."""
    record = {f"retrieval.documents.{n}.document.content": f"text {n}" for n in (10, 2, 0)}
    record["retrieval.documents.2.document.id"] = "two"

    contexts = sample_from({**record, "output.value": "A"}).contexts

    assert [passage.text for passage in contexts] == ["text 0", "text 2", "text 10"]
    assert contexts[1].id == "two"


def test_the_context_of_a_span_names_its_trace() -> None:
    """A raw span's ``context`` holds its ids, not passages."""
    sample = sample_from({"context": {"trace_id": "t1", "span_id": "s1"}, "attributes": {"output": {"value": "A"}}})

    assert sample.trace_id == "t1"
    assert sample.contexts == ()


def test_a_response_of_the_compliance_assistant_lends_its_excerpts() -> None:
    """Contexts come from the citations only where no contexts are given."""
    record = {
        "query": "Q",
        "answer": "A [1]",
        "citations": [{"citation_id": 1, "source_id": "s", "source_title": "T", "passage": "C"}],
    }

    assert sample_from(record).contexts == (Passage(text="C", source_id="s", title="T"),)
    assert sample_from({**record, "contexts": ["own"]}).contexts == (Passage(text="own"),)
    assert sample_from({**record, "contexts": []}).contexts == ()


def test_the_canonical_name_wins() -> None:
    """A canonical name wins over every alias, and the loser is reported as ignored."""
    mapped = Mapper().map({"response": "alias", "answer": "canonical"})

    assert mapped.values == {"answer": "canonical"}
    assert mapped.origins == {"answer": "answer"}
    assert mapped.ignored == ["response"]


def test_a_null_gives_way_to_the_next_name() -> None:
    """A null counts as missing, so an alias with a value is taken."""
    assert sample_from({"answer": None, "response": "A"}).answer == "A"


def test_retrieval_context_wins_over_context() -> None:
    """DeepEval's ``context`` is the ideal one; what was retrieved is what the answer had."""
    sample = sample_from({"actual_output": "A", "context": ["ideal"], "retrieval_context": ["had"]})

    assert [passage.text for passage in sample.contexts] == ["had"]


@pytest.mark.parametrize("expected", ["R", {"answer": "R"}])
def test_expected_text_is_a_reference(expected: object) -> None:
    """Text under ``expected``, or an object around one text, is the reference answer."""
    sample = sample_from({"output": "A", "expected": expected})

    assert sample.reference == "R"
    assert sample.expected is None


def test_expected_object_is_the_expected_behaviour() -> None:
    """An object under ``expected`` says what the assistant should have done."""
    expected = sample_from(
        {"answer": "A", "expected": {"refuse": True, "refusal_code": "POLICY_BLOCKED", "passages": [1]}}
    ).expected

    assert expected is not None
    assert (expected.refuse, expected.refusal_code, expected.passages) == (True, "POLICY_BLOCKED", ("1",))


def test_input_and_output_objects_around_one_text() -> None:
    """The one text in an ``input`` or ``output`` object is taken, and the origin says where it stood."""
    mapped = Mapper().map({"input": {"question": "Q", "k": 3}, "output": {"answer": "A"}})

    assert mapped.values == {"question": "Q", "answer": "A"}
    assert mapped.origins == {"question": "input.question", "answer": "output.answer"}


@pytest.mark.parametrize(
    ("record", "path"),
    [
        ({"mine": "A"}, "mine"),
        ({"a": {"b": "A"}}, "a.b"),
        ({"a.b": "A"}, "a.b"),
        ({"choices": [{"message": {"content": "A"}}]}, "choices.0.message.content"),
    ],
)
def test_the_users_mapping_wins(record: dict[str, object], path: str) -> None:
    """A mapping, with dots into nested values, wins even over the canonical name."""
    mapped = Mapper({"answer": path}).map({**record, "answer": "canonical"})

    assert mapped.values == {"answer": "A"}
    assert mapped.origins == {"answer": path}
    assert mapped.ignored == ["answer"]


def test_a_mapped_column_that_is_missing_is_noted_and_not_replaced() -> None:
    """Nothing else is taken for a field whose mapped column is missing: it could be the wrong text."""
    mapped = Mapper({"answer": "mine"}).map({"answer": "other"})

    assert mapped.values == {}
    assert mapped.notes == ["no mine for answer"]


def test_unknown_keys_are_named() -> None:
    """A key that nobody knows is ignored by name."""
    assert Mapper().map({"answer": "A", "foo": 1}).ignored == ["foo"]


def test_many_shapes_do_not_fill_the_memory() -> None:
    """The plans kept for shapes of records are bounded."""
    mapper = Mapper()
    for number in range(1000):
        mapper.map({"answer": "A", f"key{number}": 1})

    assert len(mapper._plans) <= 256


def test_options_make_a_mapping() -> None:
    """``field=column`` options become a mapping."""
    assert parse_mapping(["answer=my_column", "question = a.b"]) == {"answer": "my_column", "question": "a.b"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["anwser=x"], ["'anwser'", *FIELDS]),
        (["answer=x", "answer=y"], ["twice", "x", "y", *FIELDS]),
        (["contexts=Doc 1", "contexts=Doc 2"], ["twice", "--map contexts=Doc "]),
        (["answer"], ["field=column"]),
        (["answer="], ["which column"]),
    ],
)
def test_wrong_mappings_are_usage_errors(options: list[str], words: list[str]) -> None:
    """An unknown field, a field mapped twice and a broken option each say what to do."""
    with pytest.raises(UsageError) as caught:
        parse_mapping(options)

    assert all(word in str(caught.value) for word in words)
