"""The human-labelled answers that the support score is trained on and measured against; none of them is kept here."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plumbrule.errors import InputError

FOLDER = Path(__file__).parents[2] / "shared/data/groundedness"
# The files of one data set count as one; each (file, task) is a task.
_SETS = {"wice_claim_full": "wice", "wice_claim_oracle": "wice", "expertqa_claims": "expertqa"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One answer that people judged against its contexts."""

    id: str
    data_set: str
    task: str
    generator: str | None
    question: str
    answer: str
    contexts: tuple[str, ...]
    unsupported: bool
    spans: tuple[tuple[int, int], ...]  # what was marked as unsupported, where it was marked

    @property
    def source(self) -> str:
        """The text that the answer is held against."""
        return "\n".join(self.contexts)

    @property
    def origin(self) -> str:
        """What rows have in common that are not independent of each other: they are drawn, and split, together.

        WiCE holds each claim against several passages, and ExpertQA cuts the answer to one question into claims; all
        others have several answers on one source.
        """
        return {"wice": self.answer, "expertqa": self.question}.get(self.data_set, self.source)


def read_labelled(folder: Path = FOLDER) -> list[Labelled]:
    """Return all rows of all files, in their order."""
    files = sorted(folder.glob("*.jsonl.gz"))
    if not files:
        raise InputError(
            f"{folder}: no labelled answers there (*.jsonl.gz), so there is nothing to train on or measure"
        )
    return [row for path in files for row in _rows(path)]


def _rows(path: Path) -> Iterator[Labelled]:
    name = path.name.partition(".")[0]
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield Labelled(
                id=row["id"],
                data_set=_SETS.get(name, name),
                task=f"{row['task']} (full)" if name.endswith("_full") else row["task"],
                generator=row["generator"],
                question=row["question"] or "",
                answer=row["answer"],
                contexts=tuple(row["contexts"]),
                unsupported=bool(row["label"]),
                spans=tuple((span["start"], span["end"]) for span in row["spans"]),
            )
