"""The bundled demo data: a fictional firm's policy passages and a log of its assistant's answers."""

from pathlib import Path

__all__ = ["corpus_path", "samples_path"]

_FOLDER = Path(__file__).parent


def corpus_path() -> Path:
    """Return the file of policy passages, one JSON object per line."""
    return _FOLDER / "corpus.jsonl"


def samples_path() -> Path:
    """Return the file of recorded answers and refusals, one JSON object per line."""
    return _FOLDER / "samples.jsonl"
