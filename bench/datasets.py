"""Makes datasets of any size for the benchmarks, the same for the same seed."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plumbrule.demo import samples_path
from plumbrule.suites import corpus_path

_DIGITS = re.compile(r"\d+")
_NAMES = ("Ashby", "Brandt", "Calloway", "Dunmore", "Eastwick", "Fairfax", "Galton", "Hartley", "Ingram", "Jessop")


def generate(count: int, *, contexts: str, seed: int = 7) -> Iterator[dict[str, Any]]:
    """Yield ``count`` samples made from the demo's answered ones.

    ``shared``: the passages of one corpus come again and again, as in production. ``distinct``: every passage is
    new, with other numbers and names, so that nothing worked out before can be used again.
    """
    generator = random.Random(seed)  # noqa: S311 - a benchmark, not a secret
    corpus = [json.loads(line) for line in corpus_path().read_text(encoding="utf-8").splitlines()]
    answered = [
        sample
        for line in samples_path().read_text(encoding="utf-8").splitlines()
        if (sample := json.loads(line))["answer"] and sample["contexts"]
    ]
    for number in range(count):
        sample = generator.choice(answered)
        passages = [passage["text"] for passage in sample["contexts"]]
        passages += [passage["text"] for passage in generator.sample(corpus, max(0, 4 - len(passages)))]
        answer = sample["answer"]
        if contexts == "distinct":
            shift = generator.randint(1, 9999)  # the same for answer and passages, so that they still agree
            answer = _renewed(answer, shift)
            passages = [_renewed(text, shift) + f" {generator.choice(_NAMES)} signed it." for text in passages]
        yield {"id": f"bench-{number}", "question": sample["question"], "answer": answer, "contexts": passages}


def write(path: Path, count: int, *, contexts: str) -> None:
    """Write such a dataset as JSONL."""
    with path.open("w", encoding="utf-8") as file:
        for sample in generate(count, contexts=contexts):
            file.write(json.dumps(sample) + "\n")


def _renewed(text: str, shift: int) -> str:
    return _DIGITS.sub(lambda digits: str(int(digits[0]) + shift), text)
