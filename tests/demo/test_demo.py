"""The promises of the bundled demo data."""

import json
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import plumbrule
from plumbrule import demo

Record = dict[str, Any]

CASES = {
    "good": 24,
    "wrong_number": 4,
    "wrong_date": 3,
    "contradicted": 3,
    "invented": 3,
    "hedged": 2,
    "off_topic": 2,
    "partial": 3,
    "refusal_right": 5,
    "refusal_wrong_code": 2,
    "refusal_unneeded": 3,
    "refusal_missing": 1,
    "refusal_worded": 1,
}
CODES = {
    "AMBIGUOUS_QUERY",
    "CONFLICTING_SOURCES",
    "INSUFFICIENT_GROUNDING",
    "NO_ELIGIBLE_DOCS",
    "POLICY_BLOCKED",
}
FIELDS = {
    "answer",
    "category",
    "citations",
    "contexts",
    "expected",
    "grounding_status",
    "id",
    "input_tokens",
    "latency_e2e_ms",
    "latency_model_ms",
    "metadata",
    "model_id",
    "output_tokens",
    "question",
    "reference",
    "refusal",
    "tags",
    "timed_out",
    "timestamp",
    "trace_id",
}
PROHIBITED = re.compile(r"\b(i think|probably|might be|guaranteed|always|never)\b", re.IGNORECASE)
QUOTATION = re.compile(r'"[^"]*"')
THRESHOLD = 0.70


def read_lines(path: Path) -> list[Record]:
    """Parse a JSONL file strictly: UTF-8, one object per line, no empty line."""
    text = path.read_bytes().decode("utf-8")
    assert text.endswith("\n")
    records = [json.loads(line) for line in text.removesuffix("\n").split("\n")]
    assert all(isinstance(record, dict) for record in records)
    return records


def case_of(sample: Record) -> str:
    """Return what the sample shows."""
    return str(sample["metadata"]["demo_case"])


def passage_of(corpus: dict[str, Record], citation: Record) -> list[Record]:
    """Return the corpus passages that hold the excerpt of a citation."""
    return [p for p in corpus.values() if citation["passage"] in p["text"]]


@pytest.fixture(scope="module")
def corpus() -> dict[str, Record]:
    """Return the passages by their id."""
    passages = read_lines(demo.corpus_path())
    by_id = {str(passage["id"]): passage for passage in passages}
    assert len(by_id) == len(passages)
    return by_id


@pytest.fixture(scope="module")
def samples() -> list[Record]:
    """Return the samples in file order."""
    return read_lines(demo.samples_path())


def test_the_public_names_are_sorted() -> None:
    """``__all__`` equals the sorted public functions."""
    assert demo.__all__ == [
        "DemoWeek",
        "cards_path",
        "corpus_path",
        "demo_weeks",
        "interactions_path",
        "samples_path",
    ]


@pytest.mark.parametrize(
    "path",
    [demo.cards_path(), demo.corpus_path(), demo.interactions_path(), demo.samples_path()],
    ids=lambda path: path.stem,
)
def test_the_files_are_ascii(path: Path) -> None:
    """Every file reads the same under any terminal's encoding."""
    assert path.read_bytes().isascii()


def test_the_corpus_is_a_small_library_of_policies(corpus: dict[str, Record]) -> None:
    """The corpus holds 24 to 30 passages of 40 to 110 words, each with its document's data."""
    assert 24 <= len(corpus) <= 30
    documents: dict[str, tuple[str, ...]] = {}
    for passage in corpus.values():
        assert set(passage) == {"id", "text", "source_id", "title", "collection", "effective_date"}
        assert 40 <= len(passage["text"].split()) <= 110
        datetime.strptime(passage["effective_date"], "%Y-%m-%d").replace(tzinfo=UTC)
        data = (passage["title"], passage["collection"], passage["effective_date"])
        assert documents.setdefault(passage["source_id"], data) == data


def test_two_documents_conflict_on_the_holding_period(corpus: dict[str, Record]) -> None:
    """Two documents with different effective dates give different periods for one subject."""
    subject = "An employee who acquires restricted securities of a listed issuer holds them for"
    found = [passage for passage in corpus.values() if subject in passage["text"]]
    assert {p["text"].split(subject)[1].split(" before")[0].strip() for p in found} == {
        "six months",
        "twelve months",
    }
    assert len({p["source_id"] for p in found}) == len({p["effective_date"] for p in found}) == 2


def test_every_sample_has_every_field(samples: list[Record]) -> None:
    """A sample names all canonical fields, so that the file doubles as an example of the format."""
    for sample in samples:
        assert set(sample) == FIELDS, sample["id"]
        assert sample["question"]
        assert sample["reference"]


def test_each_case_has_its_count(samples: list[Record]) -> None:
    """The mix of cases is fixed."""
    assert Counter(map(case_of, samples)) == CASES


@pytest.mark.parametrize("field", ["id", "trace_id", "question"])
def test_what_names_a_sample_is_unique(samples: list[Record], field: str) -> None:
    """No two samples share an id, a trace or a question."""
    assert len({sample[field] for sample in samples}) == len(samples)


def test_trace_ids_are_uuids(samples: list[Record]) -> None:
    """Every trace id is a UUID of version 4 in its canonical spelling."""
    for sample in samples:
        uuid = UUID(sample["trace_id"])
        assert uuid.version == 4
        assert str(uuid) == sample["trace_id"]


def test_timestamps_span_twelve_weeks_in_order(samples: list[Record]) -> None:
    """The log runs from 2025-01-06 over twelve weeks, in UTC, and every week has entries."""
    start = datetime(2025, 1, 6, tzinfo=UTC)
    times = [datetime.fromisoformat(sample["timestamp"]) for sample in samples]
    assert all(sample["timestamp"].endswith("Z") for sample in samples)
    assert times == sorted(times)
    assert {(time - start).days // 7 for time in times} == set(range(12))


def test_contexts_are_corpus_passages(samples: list[Record], corpus: dict[str, Record]) -> None:
    """A context is its corpus passage, word for word, with a score."""
    for sample in samples:
        for context in sample["contexts"]:
            passage = {name: value for name, value in context.items() if name != "score"}
            assert passage == corpus[context["id"]], sample["id"]
            assert 0.55 <= context["score"] <= 0.95
    used = {context["id"] for sample in samples for context in sample["contexts"]}
    assert used == set(corpus)


def test_contexts_stand_in_rank_order(samples: list[Record]) -> None:
    """One to four passages per question, best first; a blocked query searched nothing."""
    for sample in samples:
        scores = [context["score"] for context in sample["contexts"]]
        assert scores == sorted(scores, reverse=True)
        blocked = (sample["refusal"] or {}).get("code") == "POLICY_BLOCKED"
        assert len(scores) in (range(1) if blocked else range(1, 5)), sample["id"]
        assert sample["metadata"]["sources_consulted"] == len({c["source_id"] for c in sample["contexts"]})


def test_passages_predate_the_question(samples: list[Record]) -> None:
    """No answer rests on a policy that was not yet in force."""
    for sample in samples:
        for context in sample["contexts"]:
            assert context["effective_date"] <= sample["timestamp"][:10]


def test_excerpts_are_verbatim_and_short(samples: list[Record], corpus: dict[str, Record]) -> None:
    """A citation's excerpt stands in a retrieved passage of its source and has at most 150 characters."""
    for sample in samples:
        retrieved = {context["id"] for context in sample["contexts"]}
        for citation in sample["citations"]:
            assert len(citation["passage"]) <= 150
            (passage,) = passage_of(corpus, citation)
            assert passage["id"] in retrieved
            assert citation["source_title"] == passage["title"]
            for name in ("source_id", "effective_date", "collection"):
                assert citation[name] == passage[name]


def test_markers_and_citations_agree(samples: list[Record]) -> None:
    """Markers and citations are the same numbers, but for two samples that show the faults."""
    faulty = set()
    for sample in samples:
        markers = set(re.findall(r"\[(\d+)\]", sample["answer"] or ""))
        cited = {citation["citation_id"] for citation in sample["citations"]}
        assert len(cited) == len(sample["citations"])
        if markers != cited:
            faulty.add((sample["id"], markers < cited))
    assert {name for name, _ in faulty} == {s["id"] for s in samples if "citation-fault" in s["tags"]}
    assert sorted(unused for _, unused in faulty) == [False, True]


def test_the_answer_is_null_exactly_when_refused(samples: list[Record]) -> None:
    """An answer, a refusal and the status REFUSED exclude each other as the contract says."""
    for sample in samples:
        refused = sample["refusal"] is not None
        assert (sample["answer"] is None) == refused
        assert (sample["grounding_status"] == "REFUSED") == refused
        assert sample["grounding_status"] in {"FULLY_GROUNDED", "PARTIALLY_GROUNDED", "REFUSED"}
        assert not (refused and sample["citations"])


def test_refusals_are_complete(samples: list[Record]) -> None:
    """A refusal has a known code, a reason, guidance, next steps and a summary of the search."""
    for refusal in (sample["refusal"] for sample in samples if sample["refusal"]):
        assert refusal["code"] in CODES
        assert all(refusal[name] for name in ("reason", "user_guidance", "next_steps", "retrieval_summary"))
        assert ("conflict_summary" in refusal) == (refusal["code"] == "CONFLICTING_SOURCES")


def test_every_code_is_used_rightly_and_wrongly(samples: list[Record]) -> None:
    """Each of the five codes occurs once where it belongs and once where it does not."""
    right, wrong = Counter[str](), Counter[str]()
    for sample in samples:
        if sample["refusal"]:
            code = sample["refusal"]["code"]
            (right if code == sample["expected"]["refusal_code"] else wrong)[code] += 1
    assert right == wrong == dict.fromkeys(CODES, 1)


def test_the_case_follows_from_what_was_expected(samples: list[Record]) -> None:
    """The refusal cases are what expected and actual behaviour make them."""
    for sample in samples:
        expected, refusal, case = sample["expected"], sample["refusal"], case_of(sample)
        assert expected["refuse"] == (expected["refusal_code"] is not None)
        if refusal is None:
            assert expected["refuse"] == (case in {"refusal_missing", "refusal_worded"})
        elif not expected["refuse"]:
            assert case == "refusal_unneeded"
        else:
            right = refusal["code"] == expected["refusal_code"]
            assert case == ("refusal_right" if right else "refusal_wrong_code")


def test_the_threshold_agrees_with_the_refusal(samples: list[Record]) -> None:
    """Nothing stands above the threshold where no document is eligible; something does under an answer."""
    for sample in samples:
        above = any(context["score"] >= THRESHOLD for context in sample["contexts"])
        if (sample["refusal"] or {}).get("code") == "NO_ELIGIBLE_DOCS" or case_of(sample) == "refusal_worded":
            assert not above
        elif sample["answer"] is not None:
            assert above


def test_expected_passages_exist(samples: list[Record], corpus: dict[str, Record]) -> None:
    """Every answerable question names its gold passages; one sample shows a retrieval that missed them."""
    missed = []
    for sample in samples:
        gold = set(sample["expected"]["passages"])
        assert gold <= set(corpus)
        assert gold or sample["expected"]["refuse"]
        if sample["contexts"] and not gold <= {context["id"] for context in sample["contexts"]}:
            missed.append(sample)
    assert [sample["tags"][0] for sample in missed] == ["retrieval-miss"]


def test_good_answers_cite_their_gold_passages(samples: list[Record], corpus: dict[str, Record]) -> None:
    """A good answer rests on the passages that a person would choose."""
    for sample in samples:
        if case_of(sample) == "good":
            cited = {passage["id"] for c in sample["citations"] for passage in passage_of(corpus, c)}
            assert set(sample["expected"]["passages"]) <= cited
            assert sample["grounding_status"] == "FULLY_GROUNDED"


def test_prohibited_phrases_stand_only_where_they_are_shown(samples: list[Record]) -> None:
    """Outside quotations one answer alone uses a prohibited phrase, and it is tagged so."""
    using = [s for s in samples if PROHIBITED.search(QUOTATION.sub("", s["answer"] or ""))]
    assert [sample["id"] for sample in using] == [
        sample["id"] for sample in samples if "prohibited-phrase" in sample["tags"]
    ]
    assert len(using) == 1


def test_costs_are_plausible(samples: list[Record]) -> None:
    """Latencies and tokens are whole, ordered and positive; four are slow, one of them timed out."""
    for sample in samples:
        processing = sample["metadata"]["processing_time_ms"]
        assert 0 < sample["latency_model_ms"] < processing <= sample["latency_e2e_ms"]
        assert 100 < sample["input_tokens"] + sample["output_tokens"] <= 6000
        assert ("slow" in sample["tags"]) == (sample["latency_e2e_ms"] > 8000)
        assert ("timeout" in sample["tags"]) == sample["timed_out"]
    assert sum("slow" in sample["tags"] for sample in samples) == 4
    assert sum(sample["timed_out"] for sample in samples) == 1


def test_samples_share_one_model_and_release(samples: list[Record]) -> None:
    """The log is that of one pinned assistant on one corpus release."""
    assert {sample["model_id"] for sample in samples} == {"demo-assistant@2025-01-01"}
    assert len({sample["metadata"]["corpus_release_id"] for sample in samples}) == 1
    assert {sample["metadata"]["model_provider"] for sample in samples} == {"demo"}


@pytest.fixture(scope="module")
def reviewed() -> list[Record]:
    """Return the responses with their traces, in file order."""
    return read_lines(demo.interactions_path())


def test_the_reviewed_answers_keep_the_contract(reviewed: list[Record]) -> None:
    """Every response has its trace, and nothing deviates from the response contract."""
    reading = plumbrule.read_interactions(demo.interactions_path(), demo.corpus_path(), strict=True)
    found = list(reading)
    assert len(found) == len(reviewed)
    assert all(each.trace is not None and each.passages_from in {"trace", "none"} for each in found)
    assert [each.findings for each in found] == [()] * len(found)


def test_two_people_card_every_reviewed_answer_and_part_once(reviewed: list[Record]) -> None:
    """Ada and Ben agree on all but one level, which lies two apart; Ada gives in, and Cy settles that one alone."""
    cards = read_lines(demo.cards_path())
    rated = [card for card in cards if card["role"] == "evaluator"]
    by_person = {
        person: {card["trace_id"]: card for card in rated if card["evaluator"] == person} for person in ("Ada", "Ben")
    }
    ids = [each["response"]["trace_id"] for each in reviewed]
    assert list(by_person["Ada"]) == list(by_person["Ben"]) == ids
    parted = [
        (id_, dimension)
        for id_ in ids
        for dimension, level in by_person["Ada"][id_]["scores"].items()
        if level != by_person["Ben"][id_]["scores"][dimension]
    ]
    [settled] = [card for card in cards if card["role"] == "adjudicator"]
    assert parted == [(settled["trace_id"], *settled["scores"])]
    [revised] = [card for card in cards if card["role"] == "revision"]
    assert (revised["evaluator"], revised["trace_id"]) == ("Ada", settled["trace_id"])
    assert revised["scores"] == {key: by_person["Ben"][settled["trace_id"]]["scores"][key] for key in settled["scores"]}


def test_the_weeks_are_generated_alike_every_time(reviewed: list[Record]) -> None:
    """Twelve weeks in a row with 20 interactions each, all of their own trace, and one week with the wrong fee."""
    cards = {card["trace_id"]: card for card in read_lines(demo.cards_path()) if card["role"] == "evaluator"}
    weeks = list(demo.demo_weeks(reviewed, cards))
    assert weeks == list(demo.demo_weeks(reviewed, cards))
    assert [week.week for week in weeks] == [f"2025-W{number}" for number in range(15, 27)]
    ids = [each["response"]["trace_id"] for week in weeks for each in week.interactions]
    assert len(set(ids)) == len(ids) == 12 * 20
    for week in weeks:
        assert list(week.cards) == [each["response"]["trace_id"] for each in week.interactions]
        for each in week.interactions:
            assert each["trace"]["trace_id"] == each["response"]["trace_id"]
            moment = datetime.fromisoformat(each["response"]["timestamp"])
            assert f"{moment:%G-W%V}" == week.week
        unsafe = [card for card in week.cards.values() if "Unsafe" in card["scores"].values()]
        assert bool(unsafe) == (week.week == "2025-W23")
        assert all(card["notes"] for card in unsafe)
