"""A few made answers with labels, in a folder of their own."""

import gzip
import json
from pathlib import Path

import pytest

TOWNS = ("Arden", "Belmont", "Corvale", "Dunmore", "Eastwick", "Farleigh", "Grantham", "Holbrook")


def row(town: str, place: int, *, unsupported: bool) -> dict[str, object]:
    """Return a labelled answer about a town; where it is unsupported, its last sentence is."""
    people = 1_200 + 37 * place
    told = people + 5_000 if unsupported else people
    first = f"{town} has a small harbour. "
    second = f"The harbour of {town} was built in {1900 + place} by {told} people."
    return {
        "id": f"{town}-{unsupported}",
        "question": f"What is known of {town}?",
        "answer": first + second,
        "contexts": [f"{town} has a small old harbour. The harbour was built in {1900 + place} by {people} people."],
        "label": int(unsupported),
        "spans": [{"start": len(first), "end": len(first + second)}] if unsupported and place % 2 else [],
        "task": "towns",
        "generator": None,
    }  # fmt: skip


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """Return a folder with two small data sets."""
    folder = tmp_path / "labelled"
    folder.mkdir()
    for name, towns in (("one", TOWNS[:4]), ("two", TOWNS[4:])):
        lines = [
            json.dumps(row(town, place, unsupported=bad)) for place, town in enumerate(towns) for bad in (True, False)
        ]
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    return folder  # fmt: skip
