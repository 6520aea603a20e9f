"""The JSON form of a verdict is the documented one, key by key."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from inline_snapshot import snapshot

import plumbrule
from plumbrule.codec import from_json, json_line
from plumbrule.demo import samples_path
from plumbrule.rubrics import load_verdict
from plumbrule.samples import Reading
from plumbrule.support.support_model import load_model
from plumbrule.verdicts.verdict_json import VerdictJson

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.json"))
CASES = [case for file in GOLDEN for case in json.loads(file.read_text()) if "answer" in case.get("sample", {})]


def test_the_documented_form() -> None:
    """Every key stands as documented, in a fixed order."""
    record = plumbrule.score(
        id="q1",
        question="What is the holding period?",
        answer="The holding period lasts 12 months from 03/05/2024.",
        contexts=["The holding period lasts six months. It began on 2024-05-03."],
    ).to_dict()
    assert record.pop("rubric") == load_verdict().stamp()
    support = record.pop("support")
    assert support.pop("model") == load_model().stamp
    assert record == snapshot(
        {
            "id": "q1",
            "verdict": "FAIL",
            "reasons": ["hallucination 0.67 > 0.50"],
            "flags": ["high_risk", "contradicted", "ambiguous_date"],
            "relevance": {"score": 0.314989180796, "cosine": 0.379978361591, "jaccard": 0.25},
            "completeness": {"score": 1.0, "keywords": ["holding", "period"], "missing": []},
            "hallucination": {
                "score": 0.6666666666666666,
                "claims": 0.6666666666666666,
                "ngram_overlap": 0.875,
                "drift_penalty": 0.0,
                "anchors_total": 3,
                "anchors_unsupported": 2,
                "anchors": [
                    {
                        "kind": "claim",
                        "text": "The holding period lasts 12 months",
                        "start": 0,
                        "end": 34,
                        "supported": False,
                        "reason": "contradicted",
                        "evidence": {
                            "context": 0,
                            "start": 25,
                            "end": 35,
                            "text": "six months",
                        },
                        "subject": "The holding period",
                        "verb": "lasts",
                        "object": "12 months",
                        "negated": False,
                    },
                    {
                        "kind": "number",
                        "text": "12 months",
                        "start": 25,
                        "end": 34,
                        "supported": False,
                        "reason": "contradicted",
                        "evidence": {"context": 0, "start": 25, "end": 35, "text": "six months"},
                    },
                    {
                        "kind": "date",
                        "text": "03/05/2024",
                        "start": 40,
                        "end": 50,
                        "supported": True,
                        "reason": "equal_value",
                        "evidence": {"context": 0, "start": 49, "end": 59, "text": "2024-05-03"},
                        "ambiguous": True,
                    },
                ],
            },
            "refusal": None,
            "headline": "FAIL",
        }
    )
    assert support == snapshot(
        {
            "score": 0.107778,
            "band": "unsupported",
            "sentences": [
                {
                    "start": 0,
                    "end": 51,
                    "probability": 0.173387,
                    "band": "unsupported",
                    "claims": True,
                    "evidence": {"context": 0, "start": 0, "end": 60},
                    "reasons": ["numbers not in the context: '12 months' (where the passage has 'six months')"],
                }
            ],
            "unsupported_spans": [{"start": 0, "end": 51}],
        }
    )


def test_what_could_not_be_scored_is_null() -> None:
    """A score is a number or null, never a guess."""
    record = plumbrule.score(id="q1", refusal={"code": "X"}).to_dict()
    assert record["relevance"] is None
    assert record["completeness"] is None
    assert record["hallucination"]["ngram_overlap"] is None
    assert record["refusal"] == snapshot(
        {
            "refused": True,
            "declared": True,
            "extent": "full",
            "code": "X",
            "start": None,
            "end": None,
            "expected": None,
            "expected_code": None,
            "judgement": "unjudged",
        }
    )


def test_the_form_is_json() -> None:
    """All values are plain: what is written is read back the same."""
    record = plumbrule.score(question="Fee?", answer="The fee is 1/3 of $25.", contexts=["Fees."]).to_dict()
    assert orjson.loads(orjson.dumps(record)) == record


def assert_described(record: dict[str, Any]) -> None:
    """Check that the types describe a verdict exactly: no key missing or extra, in the same order."""
    assert json_line(from_json(VerdictJson, record, where=record["id"])) == json_line(record)


def test_the_types_describe_every_verdict_of_the_demo() -> None:
    """The schema is that of what is written."""
    verdicts = [verdict.to_dict() for verdict in plumbrule.score_many(Reading(samples_path()))]
    assert any(verdict["refusal"] for verdict in verdicts)
    for verdict in verdicts:
        assert_described(verdict)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_types_describe_the_verdict_of_every_golden_case(case: dict[str, Any]) -> None:
    """The same, for each worked example and the rubric it is scored by."""
    assert_described(plumbrule.score(**case["sample"], overrides=case.get("rubric")).to_dict())


def test_the_types_describe_a_calibration() -> None:
    """A calibration of the support score is named beside the model."""
    knots = [[-4.0, 0.1], [4.0, 0.9]]
    calibration = {
        "name": "desk",
        "version": "1",
        "model": load_model().sha256,
        "labels": 60,
        "unsupported_share": 0.5,
        "answers": knots,
        "sentences": knots,
    }
    verdict = plumbrule.score(answer="It is $3.", contexts=["$4."], overrides={"support.calibration": calibration})
    record = verdict.to_dict()
    assert record["support"]["calibration"]["name"] == "desk"
    assert_described(record)


def test_a_key_too_many_or_too_few_is_noticed() -> None:
    """The check above would fail."""
    record = plumbrule.score(id="q", question="Fee?", answer="The fee is $25.", contexts=["Fees."]).to_dict()
    with pytest.raises(AssertionError):
        assert_described({**record, "more": 1})
    with pytest.raises(plumbrule.InputError, match="'hallucination' cannot be read"):
        assert_described({key: value for key, value in record.items() if key != "hallucination"})
