"""Scores the rows of files with one product, in one process, and prints for each of its scorers what each took.

``bench.peers`` runs this file with the Python of each product's own environment, so only that of a product is imported.
The scorers of the others compare an answer with a reference, and nobody wrote one: the contexts stand in for it. No
connection is made: each attempt is refused and counted.
"""

import asyncio
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

Row = dict[str, Any]  # question, answer, contexts
Score = Callable[[Row], float]  # the higher, the better; it raises where it cannot tell
ScoreAll = Callable[[Sequence[Row]], "list[float | Exception]"]

_ATTEMPTS: Counter[str] = Counter()


class NotScoredError(Exception):
    """An answer that a scorer does not judge."""


def main(product: str, warm_up: Path, files: Sequence[Path]) -> None:
    """Score the rows of each file, after others as a warm-up, and print all as JSON."""
    sys.addaudithook(_refuse)
    first, sets = _read(warm_up), [_read(path) for path in files]
    with redirect_stdout(sys.stderr):  # for what a product prints
        found = {name: _measure(score, first, sets) for name, score in PRODUCTS[product]()}
    print(json.dumps({"scorers": found, "connections": _ATTEMPTS.total()}))


def _read(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _refuse(event: str, _arguments: tuple[object, ...]) -> None:
    if event in {"socket.connect", "socket.getaddrinfo"}:
        _ATTEMPTS[event] += 1
        raise ConnectionRefusedError("there is no network here")


def _measure(score: ScoreAll, warm_up: Sequence[Row], sets: Sequence[Sequence[Row]]) -> list[dict[str, object]]:
    score(warm_up)
    measured: list[dict[str, object]] = []
    for rows in sets:
        start = time.process_time()
        scores = score(rows)
        spent = time.process_time() - start
        errors = Counter(type(each).__name__ for each in scores if isinstance(each, Exception))
        told = [None if isinstance(each, Exception) else each for each in scores]
        measured.append({"cpu_s": spent, "scores": told, "errors": errors})
    return measured


def _each(score: Score) -> ScoreAll:
    def score_one(row: Row) -> float | Exception:
        try:
            return _number(score(row))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            return error

    return lambda rows: [score_one(row) for row in rows]


def _number(value: float) -> float:
    if math.isnan(value):
        raise ValueError("not a number")
    return float(value)


def _plumbrule() -> Iterator[tuple[str, ScoreAll]]:
    """From the record read to the line written, as ``plumbrule score`` does it."""
    yield "support, with claims and values", _verdicts(claims=True)
    yield "numbers and dates only (--no-claims)", _verdicts(claims=False)


def _verdicts(*, claims: bool) -> ScoreAll:
    from plumbrule.api.scoring import verdict_rules  # noqa: PLC0415 - each product imports only its own
    from plumbrule.codec import json_line  # noqa: PLC0415 - the same
    from plumbrule.samples import samples_from  # noqa: PLC0415 - the same
    from plumbrule.verdicts import VerdictScorer  # noqa: PLC0415 - the same

    scorer = VerdictScorer(verdict_rules(claims=claims))

    def score_all(rows: Sequence[Row]) -> list[float | Exception]:
        told: list[float | Exception] = []
        for verdict in scorer.score_many(samples_from(rows)):
            content = verdict.to_dict()
            json_line(content)
            support = content["support"]
            if not claims:
                told.append(-content["hallucination"]["score"])
            else:
                told.append(NotScoredError("a refusal") if support is None else support["score"])
        return told

    return score_all


def _textbook() -> Iterator[tuple[str, ScoreAll]]:
    from bench import textbook  # noqa: PLC0415 - each product imports only its own

    from plumbrule.rubrics import load_verdict  # noqa: PLC0415 - the same
    from plumbrule.text.dependency_parser import load_parser  # noqa: PLC0415 - the same

    stop = frozenset(load_verdict().rubric.words.stop)
    for name, parser in (("with spaCy's claims", load_parser()), ("scikit-learn and numbers only", None)):

        def score(row: Row, parser: Any = parser) -> float:  # noqa: ANN401 - a Language or none
            return -textbook.measure(row["question"], row["answer"], row["contexts"], stop, parser).hallucination

        yield name, _each(score)


def _ragas() -> Iterator[tuple[str, ScoreAll]]:
    from ragas.metrics import collections  # noqa: PLC0415 - each product imports only its own

    against_text = {
        "NonLLMStringSimilarity": collections.NonLLMStringSimilarity(),
        "RougeScore": collections.RougeScore(),
        "RougeScore, precision": collections.RougeScore(mode="precision"),
        "BleuScore": collections.BleuScore(),
        "CHRFScore": collections.CHRFScore(),
        "StringPresence": collections.StringPresence(),
        "ExactMatch": collections.ExactMatch(),
    }
    for name, metric in against_text.items():
        yield name, _awaited(metric, lambda row: {"reference": _joined(row), "response": row["answer"]})
    spans = collections.QuotedSpansAlignment()
    yield (
        "QuotedSpansAlignment",
        _awaited(spans, lambda row: {"response": row["answer"], "retrieved_contexts": row["contexts"]}),
    )


def _awaited(metric: Any, arguments: Callable[[Row], dict[str, object]]) -> ScoreAll:  # noqa: ANN401 - Ragas's own
    """All rows in one event loop, which is what Ragas recommends for speed."""

    async def score_one(row: Row) -> float | Exception:
        try:
            return _number((await metric.ascore(**arguments(row))).value)
        except Exception as error:  # noqa: BLE001 - the same
            return error

    async def all_of(rows: Sequence[Row]) -> list[float | Exception]:
        return [await score_one(row) for row in rows]

    return lambda rows: asyncio.run(all_of(rows))


def _deepeval() -> Iterator[tuple[str, ScoreAll]]:
    from deepeval.scorer import Scorer  # noqa: PLC0415 - each product imports only its own

    def rouge(kind: str) -> Score:
        return lambda row: Scorer.rouge_score(_joined(row), row["answer"], kind)

    for kind in ("rouge1", "rouge2", "rougeL"):
        yield f"rouge_score, {kind}", _each(rouge(kind))
    yield "sentence_bleu_score", _each(lambda row: Scorer.sentence_bleu_score(row["contexts"], row["answer"]))
    yield "quasi_contains_score", _each(lambda row: Scorer.quasi_contains_score(row["contexts"], row["answer"]))
    yield "exact_match_score", _each(lambda row: Scorer.exact_match_score(_joined(row), row["answer"]))


def _joined(row: Row) -> str:
    return "\n".join(row["contexts"])


PRODUCTS: dict[str, Callable[[], Iterator[tuple[str, ScoreAll]]]] = {
    "plumbrule": _plumbrule,
    "textbook": _textbook,
    "ragas": _ragas,
    "deepeval": _deepeval,
}


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), [Path(name) for name in sys.argv[3:]])
