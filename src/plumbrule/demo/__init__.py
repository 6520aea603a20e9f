"""The bundled demo data: a fictional firm's policy passages, logs of its assistant's answers, and people's cards."""

from pathlib import Path

from plumbrule.demo.history import DemoWeek, demo_weeks
from plumbrule.suites import corpus_path

__all__ = ["DemoWeek", "cards_path", "corpus_path", "demo_weeks", "interactions_path", "samples_path"]

_FOLDER = Path(__file__).parent


def cards_path() -> Path:
    """Return the file of the cards that two evaluators and an adjudicator give the interactions."""
    return _FOLDER / "cards.jsonl"


def interactions_path() -> Path:
    """Return the file of responses with their traces, of the assistant as it was repaired."""
    return _FOLDER / "interactions.jsonl"


def samples_path() -> Path:
    """Return the file of recorded answers and refusals, one JSON object per line."""
    return _FOLDER / "samples.jsonl"
