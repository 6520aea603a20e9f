"""The JSON form of a verdict is the documented one, key by key."""

import orjson
from inline_snapshot import snapshot

import plumbrule
from plumbrule.rubrics import load_verdict
from plumbrule.support.support_model import load_model


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
