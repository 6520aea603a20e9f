"""The everyday rows: answers over company documents, right and wrong by kinds, written by several authors."""

import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "everyday"
CONTRASTS = Path(__file__).parent / "contrasts"
DEVELOPED = ("ash", "birch", "elm", "fir", "gorse", "cherry", "plum")  # rules and weights were made with these
CONTRASTED = (  # weights too
    "acacia", "alder", "banyan", "cypress", "ebony", "fig", "ginkgo", "juniper", "larch", "maple", "oak", "pine",
    "quince", "rowan", "spruce", "tamarind", "willow", "yew",
)  # fmt: skip
MEASURED = (
    "cedar",
    "dogwood",
    "hazel",
    "ivy",
    "aspen",
    "hickory",
    "tupelo",
    "walnut",
    "chestnut",
    "mimosa",
)  # and never with these
CONFIRMED = "hawthorn"  # nor with these contrasts


@dataclass(frozen=True, slots=True, kw_only=True)
class EverydayRow:
    """One answer with its question and contexts, and what is wrong with it."""

    id: str
    author: str
    domain: str
    kind: str
    right: bool
    pair: str  # rows with the same contexts and question
    question: str
    contexts: tuple[str, ...]
    answer: str


def read_everyday(author: str, folder: Path = FOLDER) -> list[EverydayRow]:
    """Return the rows of one author, in their order."""
    rows = [json.loads(line) for line in (folder / f"{author}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        EverydayRow(
            id=row["id"],
            author=row["author"],
            domain=row["domain"],
            kind=row["kind"],
            right=row["right"],
            pair=row["pair"],
            question=row["question"],
            contexts=tuple(row["contexts"]),
            answer=row["answer"],
        )
        for row in rows
    ]


def read_contrasts(author: str, folder: Path = CONTRASTS) -> list[EverydayRow]:
    """Return the contrasts of one author as rows: right and wrong answers to a question make a pair."""
    questions = [json.loads(line) for line in (folder / f"{author}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        EverydayRow(
            id=f"{question['id']}-{place}",
            author=author,
            domain=question["domain"],
            kind=answer["kind"],
            right=answer["right"],
            pair=question["id"],
            question=question["question"],
            contexts=tuple(question["contexts"]),
            answer=answer["answer"],
        )
        for question in questions
        for place, answer in enumerate(question["answers"])
    ]
