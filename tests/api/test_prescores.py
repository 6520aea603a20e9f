"""Interactions and pre-scores from Python."""

from pathlib import Path

import pytest

import plumbrule
from plumbrule.api.prescores import prescore, prescore_many
from plumbrule.api.support import calibrate_to_prior, rubric_text
from plumbrule.codec import to_json
from plumbrule.demo import samples_path
from plumbrule.errors import InputError
from plumbrule.interactions.interaction_reader import read_interactions
from plumbrule.prescores.kept_prescore import read_prescore
from plumbrule.prescores.prescorer import rules_of_evidence
from plumbrule.rubrics import load_verdict
from plumbrule.suites import corpus_path

RESPONSE = {
    "query": "What is the wire fee?",
    "answer": "The wire fee is always $30 [1].",
    "grounding_status": "FULLY_GROUNDED",
    "citations": [{"citation_id": 1, "source_id": "OPS", "passage": "The wire fee is $25."}],
    "contexts": [{"id": "p1", "text": "The wire fee is $25.", "source_id": "OPS"}],
}


def test_one_response() -> None:
    """A mapping is enough, and the result reads as an object."""
    result = prescore(RESPONSE)
    assert result.scores["grounding_integrity"] == "Unsafe"
    assert [check.rule for check in result.dimensions["compliance_alignment"].caps] == ["prohibited_phrase"]
    assert "trace_missing" in {finding.code for finding in result.interaction.findings}


def test_what_was_read_is_prescored() -> None:
    """A reading's interactions go straight in, one by one or many."""
    reading = read_interactions(samples_path(), corpus_path())
    many = list(prescore_many(reading, claims=False))
    assert len(many) == reading.counts.responses == 56
    assert prescore(many[0].interaction, claims=False).to_dict() == many[0].to_dict()


def test_a_prescore_is_read_back() -> None:
    """What an entry of the ledger keeps of it has the levels, the caps with their evidence, and the stamps."""
    result = prescore(RESPONSE).result()
    kept = read_prescore(to_json(result), where="entry 1")
    whole, part = to_json(result), to_json(kept)
    assert part["scores"] == whole["scores"]
    assert part["rubrics"] == whole["rubrics"]
    assert part["support"] == whole["support"]
    caps = {key: [cap.rule for cap in dimension.caps] for key, dimension in result.dimensions.items()}
    assert {key: [cap.rule for cap in proposal.caps] for key, proposal in kept.dimensions.items()} == caps
    with pytest.raises(InputError, match=r"entry 1: 'dimensions\.x\.basis' cannot be read"):
        read_prescore({**to_json(result), "dimensions": {"x": {}}}, where="entry 1")


def test_policies(tmp_path: Path) -> None:
    """A file and overrides change what the checks go by."""
    path = tmp_path / "mine.yaml"
    path.write_text("prohibited_phrases: [fee]\n")
    found = prescore(RESPONSE, claims=False, rubric=path).dimensions["compliance_alignment"].caps
    assert [spot.text for check in found for spot in check.evidence] == ["fee"]
    found = (
        prescore(RESPONSE, claims=False, overrides={"prohibited_phrases": []}).dimensions["compliance_alignment"].caps
    )
    assert found == ()


def test_a_verdict_rubric(tmp_path: Path) -> None:
    """A file laid over the verdict rubric, here a calibration, changes the support and the identity, and is named."""
    path = tmp_path / "calibration.yaml"
    moved = calibrate_to_prior(0.99, name="desk").calibration
    path.write_text(rubric_text(moved))
    own, shipped = prescore(RESPONSE, verdict_rubric=path), prescore(RESPONSE)
    assert own.support is not None
    assert shipped.support is not None
    assert own.support.score < shipped.support.score
    assert own.rubrics[2] == load_verdict(path).stamp() != shipped.rubrics[2]
    named = [hint.message for score in own.dimensions.values() for hint in score.hints if "support" in hint.code]
    assert named
    assert all(f"; calibration desk 1, sha256 {moved.stamp()['sha256'][:12]})" in message for message in named)


def test_without_claims_a_verdict_rubric_keeps_its_other_anchors(tmp_path: Path) -> None:
    """Claims are left out of those that the file names, and nothing is put in."""
    path = tmp_path / "mine.yaml"
    path.write_text("hallucination: {anchors: [number, claim]}\n")
    assert rules_of_evidence(path, claims=False).rubric.hallucination.anchors == ("number",)
    assert rules_of_evidence(path, claims=True) == load_verdict(path)
    assert rules_of_evidence(None, claims=False).rubric.hallucination.anchors == ("date", "number")


def test_what_is_no_response() -> None:
    """A record that answers nothing is refused with its number."""
    with pytest.raises(InputError, match="record 2: this is no response"):
        list(prescore_many([RESPONSE, {"colour": "red"}], claims=False))


def test_public_names() -> None:
    """The package offers them by name."""
    assert plumbrule.prescore is prescore
    assert plumbrule.read_interactions is read_interactions
