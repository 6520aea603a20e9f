"""Print how the pre-scores compare with cards made by hand: ``python -m training.prescores``."""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plumbrule.interactions.corpus import Corpus
from plumbrule.interactions.formats.contract import contract_of
from plumbrule.interactions.interaction import interaction_from
from plumbrule.prescores.checks import DIMENSIONS
from plumbrule.prescores.prescorer import Prescore, PreScorer
from plumbrule.rubrics import LEVELS, load_compliance, load_refusals, load_verdict

FILES = ("cards", "fresh_cards")
OUTCOMES = ("exact", "too high", "too low", "no proposal")


def main() -> None:
    """Print, for each dimension, how many proposals are exact, too high and too low."""
    parser = argparse.ArgumentParser(prog="python -m training.prescores", description=__doc__)
    parser.add_argument("--show", action="store_true", help="print each card that is not exact")
    options = parser.parse_args()
    for name in FILES:
        print(f"\n{name}.jsonl")
        print_figures(name, show=options.show)


def print_figures(name: str, *, show: bool) -> None:
    """Print how the proposals for the cards of one file compare."""
    counts: Counter[tuple[str, str]] = Counter()
    for card, prescore in prescored_cards(name):
        for dimension in DIMENSIONS:
            gold, level = card["gold"][dimension], prescore.scores[dimension]
            outcome = compare_levels(gold, level)
            if outcome is None:
                continue
            counts[dimension, outcome] += 1
            if show and outcome != "exact":
                score = prescore.dimensions[dimension]
                why = "; ".join([check.message for check in score.caps] + [hint.message for hint in score.hints])
                print(f"{card['id']} {dimension}: {level} for {gold} | {card['query']} | {card['answer']} | {why}")
    print(f"{'':26}" + "".join(f"{outcome:>13}" for outcome in OUTCOMES))
    for dimension in DIMENSIONS:
        print(f"{dimension:26}" + "".join(f"{counts[dimension, outcome]:>13}" for outcome in OUTCOMES))


def compare_levels(gold: str | None, level: str | None) -> str | None:
    """Return how a proposal compares with the card; None where the card rates nothing."""
    if gold is None:
        return None
    if level is None:
        return "no proposal"
    difference = LEVELS.index(gold) - LEVELS.index(level)
    return "exact" if not difference else "too high" if difference > 0 else "too low"


def read_cards(name: str) -> Iterator[dict[str, Any]]:
    """Yield the cards of a file, each with its interaction."""
    with (Path(__file__).parent / f"{name}.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def prescored_cards(name: str) -> Iterator[tuple[dict[str, Any], Prescore]]:
    """Yield each card with its pre-score."""
    compliance, refusals = load_compliance(), load_refusals()
    scorer, contract = PreScorer(compliance, refusals, load_verdict()), contract_of(compliance, refusals)
    for card in read_cards(name):
        passages = [{"id": f"p{number}", "text": text} for number, text in enumerate(card["passages"], 1)]
        response = {"trace_id": card["id"], "query": card["query"], "answer": card["answer"]}
        record = {"response": response, "passages": passages}
        yield card, scorer.prescore(interaction_from(record, contract, Corpus()))


if __name__ == "__main__":
    main()
