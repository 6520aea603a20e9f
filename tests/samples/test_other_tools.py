"""Files that other tools wrote are read without an option: question, answer and passages of each record."""

from pathlib import Path

import pytest

from plumbrule.samples import Reading, Sample

FILES = Path(__file__).parents[1] / "data" / "other_tools"
FEE = ("What is the wire fee?", "An outgoing wire costs $25.", ("Outgoing wires cost $25.", "Incoming wires are free."))
WAIVER = (
    "Who approves a waiver?",
    "The regional director approves waivers.",
    ("The branch manager approves waivers.",),
)
SHORT_FEE = (*FEE[:2], FEE[2][:1])


def parts_of(sample: Sample) -> tuple[str, str | None, tuple[str, ...]]:
    """Return what a sample was read for."""
    return sample.question, sample.answer, tuple(passage.text for passage in sample.contexts)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("promptfoo.json", [SHORT_FEE, WAIVER]),
        ("promptfoo.jsonl", [SHORT_FEE, WAIVER]),
        ("langsmith_runs.jsonl", [FEE, WAIVER]),
        ("phoenix_spans.csv", [WAIVER, FEE]),
        ("phoenix_spans.jsonl", [WAIVER, FEE]),
        ("phoenix_spans.parquet", [WAIVER, FEE]),
        ("phoenix_qa.csv", [(*FEE[:2], ("\n\n".join(FEE[2]),)), WAIVER]),
        ("ragbench.jsonl", [FEE]),
        ("inspect_log.json", [FEE, WAIVER]),
    ],
)
def test_a_file_of_another_tool(name: str, expected: list[object]) -> None:
    """Each record, or the spans of each trace, is one sample with its passages."""
    samples = list(Reading(FILES / name))

    assert [parts_of(sample) for sample in samples] == expected
    assert len({sample.id for sample in samples}) == len(samples)


def test_what_promptfoo_measured_is_kept() -> None:
    """The id, the provider, the time and the tokens of a promptfoo result are those of the sample."""
    sample = next(iter(Reading(FILES / "promptfoo.json")))

    assert (sample.id[:8], sample.model_id, sample.latency_e2e_ms) == ("0bf9a7f7", "assistant", 42)
    assert (sample.input_tokens, sample.output_tokens) == (20, 10)


def test_langsmith_examples() -> None:
    """The question of messages holds the turns before it; passages may stand among the inputs."""
    first, second = Reading(FILES / "langsmith_examples.jsonl")

    assert parts_of(first) == SHORT_FEE
    assert second.question == "user: Can a fee be waived?\nassistant: Yes.\nuser: Who approves it?"
    assert parts_of(second)[1:] == WAIVER[1:]


def test_a_conversation_is_judged_by_its_last_answer() -> None:
    """The last answer is judged by what was retrieved for it, with the earlier turns in the question."""
    [sample] = Reading(FILES / "deepeval_conversation.jsonl")

    assert sample.question == "user: Can a fee be waived?\nassistant: Yes, on request.\nuser: Who approves it?"
    assert sample.answer == "The branch manager approves waivers."
    assert parts_of(sample)[2] == WAIVER[2]


def test_trec_answers() -> None:
    """The sentences of a TREC answer are joined, its references are citations, its topic is question and id."""
    first, second = Reading(FILES / "trec_rag.jsonl")

    assert (first.id, first.question) == ("2024-1", "what does an outgoing wire cost")
    assert first.answer == "An outgoing wire costs $25. Incoming wires are free."
    assert first.citations[0].source_id == "msmarco_v2.1_doc_01_1#0_1"
    assert (second.id, second.question) == ("301", "Who approves a waiver of fees?")
