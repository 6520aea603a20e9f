"""A dataset with every verdict in it."""

from pathlib import Path

import orjson
import pytest


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a dataset of 90 samples that pass, warn and fail."""
    path = tmp_path_factory.mktemp("dataset") / "answers.jsonl"
    with path.open("wb") as file:
        for number in range(90):
            record = {
                "id": f"q{number}",
                "question": "What is the wire fee of the firm?",
                "answer": f"The wire fee is ${number}. The firm sells {number % 7} bonds.",
                "contexts": [f"The wire fee is ${number + number % 2}. The firm sells 3 bonds since 2001."],
            }
            file.write(orjson.dumps(record) + b"\n")
    return path
