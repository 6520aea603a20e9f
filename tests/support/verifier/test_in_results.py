"""A verifier that a rubric or an option names has its part in the support score, and every result says so."""

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

import plumbrule
from plumbrule.cli import invoke
from plumbrule.support.verifier import open_verifier

ANSWER, CONTEXT = "The fee is small.", "The fee is large and due."


def test_its_identity_stands_in_the_result(make: Callable[..., Path]) -> None:
    """Name, version and hash; by its weight the probability moves."""
    folder = make()
    asked = {"support.when": "always", "hallucination.anchors": ["number"], "support.verifier": str(folder)}
    found = [
        plumbrule.score(answer=ANSWER, contexts=[CONTEXT], overrides={**asked, "support.verifier_weight": weight})
        for weight in (0, 1)
    ]
    assert [each["support"]["verifier"] for each in found] == [open_verifier(folder).identity] * 2
    assert found[0]["support"]["score"] != found[1]["support"]["score"]


def test_the_option_of_score(make: Callable[..., Path], capfd: pytest.CaptureFixture[str]) -> None:
    """``--verifier PATH`` does what the rubric's key does."""
    folder = make()
    dataset = folder / "answers.jsonl"
    dataset.write_bytes(orjson.dumps({"answer": ANSWER, "contexts": [CONTEXT]}) + b"\n")
    options = ["--no-claims", "--support", "--verifier", str(folder), "--json"]
    assert invoke(["score", str(dataset), *options]) == 0
    assert orjson.loads(capfd.readouterr().out)["support"]["verifier"] == open_verifier(folder).identity
