"""Makes datasets of any size for the benchmarks, the same for the same seed."""

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from plumbrule.demo import samples_path
from plumbrule.suites import corpus_path

_DIGITS = re.compile(r"\d+")
_POOL, _SHORT_WORDS = 1_000, (50, 70)
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


def generate_short(count: int, *, seed: int = 7) -> Iterator[dict[str, Any]]:
    """Yield ``count`` samples with one passage of about 50 words, of a pool of 1,000, and an answer of one sentence.

    The answer is the shortest sentence of the passage that has a number, with another number in one sample of four.
    One answer in ten names a file of its own, so that new texts come without an end. Only the pool is held in memory.
    """
    generator = random.Random(seed)  # noqa: S311 - a benchmark, not a secret
    corpus = [json.loads(line)["text"] for line in corpus_path().read_text(encoding="utf-8").splitlines()]
    pool: list[tuple[str, str]] = []
    while len(pool) < _POOL:
        words = _renewed(generator.choice(corpus), generator.randint(1, 9999)).split()
        *sentences, _ = " ".join(words[: generator.randint(*_SHORT_WORDS)]).split(". ")
        answers = [sentence for sentence in sentences[1:] if _DIGITS.search(sentence)]
        if answers:
            pool.append((". ".join(sentences) + ".", min(answers, key=len)))
    for number in range(count):
        passage, answer = generator.choice(pool)
        if number % 4 == 3:
            answer = _renewed(answer, 1)
        if number % 10 == 9:
            answer += f", as file {number} says"
        yield {"id": f"short-{number}", "question": "How much is it?", "answer": f"{answer}.", "contexts": [passage]}


def write(path: Path, samples: Iterable[Mapping[str, Any]]) -> int:
    """Write samples as JSONL, one at a time, and return how many there were."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for sample in samples:
            file.write(json.dumps(sample) + "\n")
            count += 1
    return count


def _renewed(text: str, shift: int) -> str:
    return _DIGITS.sub(lambda digits: str(int(digits[0]) + shift), text)
