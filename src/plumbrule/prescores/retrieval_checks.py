"""Retrieval relevance: recall and nDCG where gold passages are given, else how the passages fit the question."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from plumbrule.prescores.checks import Hint, Spot
from plumbrule.prescores.study import Study
from plumbrule.text.tokens import lemmas
from plumbrule.verdicts.relevance import score_relevance

if TYPE_CHECKING:
    from plumbrule.rubrics import Level

_DECIMALS = 12


def measure_retrieval(study: Study) -> Hint | None:
    """Return recall and nDCG with the level that they reach; None where no gold passages are given."""
    expected = study.interaction.sample.expected
    gold = expected.passages if expected is not None else None
    ranked = _ranked(study)
    if not gold or ranked is None:
        return None
    rules = study.policy.compliance.retrieval
    share = recall(ranked, gold)
    gain = ndcg(ranked, gold, rules.depth)
    level: Level = "Unsafe"
    steps: tuple[tuple[Level, object], ...] = (
        ("Strong", rules.strong),
        ("Adequate", rules.adequate),
        ("Needs Review", rules.needs_review),
    )
    for name, figures in steps:
        if share >= figures.recall and gain >= float(figures.ndcg):  # type: ignore[attr-defined]  # RetrievalFigures
            level = name
            break
    missed = [passage for passage in gold if passage not in set(ranked)]
    message = f"gold passages retrieved: {len(gold) - len(missed)} of {len(gold)}"
    return Hint(
        code="gold_passages",
        message=message,
        level=level,
        figures=(("recall", float(share)), ("ndcg", gain)),
        evidence=tuple(Spot(where="expected.passages", text=passage) for passage in missed),
    )


def retrieval_hints(study: Study) -> list[Hint]:
    """Return how each passage fits the question, and whether the best of them is first."""
    if not study.passages or not study.keywords or study.interaction.passages_from == "citations":
        return []
    rules = study.policy.compliance.retrieval
    words = study.policy.words.topic.stop
    asked = [lemma for lemma in study.question.lemmas if lemma not in words]
    fits = [
        score_relevance(asked, [lemma for lemma in view.lemmas if lemma not in words]).score for view in study.passages
    ]
    shares = [_keyword_share(study, index) for index in range(len(study.passages))]
    used = {anchor.evidence.context for anchor in study.anchors.anchors if anchor.supported and anchor.evidence}
    off = [index for index, share in enumerate(shares) if share < rules.relevant_from and index not in used]
    relevant = Fraction(len(fits) - len(off), len(fits))
    limits = rules.hint_shares
    level: Level = "Needs Review"  # few words in common are no proof of a wrong topic
    if relevant >= limits.adequate:
        level = "Strong" if relevant >= limits.strong else "Adequate"
    hints = [
        Hint(
            code="passage_relevance",
            message=f"passages that speak of the question: {len(fits) - len(off)} of {len(fits)}",
            level=level,
            figures=(("relevant_share", float(relevant)),),
            evidence=tuple(_spot(study, index, fits[index]) for index in off[:5]),
        )
    ]
    best = max(range(len(fits)), key=lambda index: (shares[index], fits[index], -index))
    if best and shares[best] > shares[0]:
        hints.append(
            Hint(
                code="passage_order",
                message=f"passage {best + 1} fits the question better than the first",
                evidence=(_spot(study, best, fits[best]),),
            )
        )
    return hints


def recall(ranked: Sequence[str], gold: Iterable[str]) -> Fraction:
    """Return the share of the gold passages that were retrieved."""
    wanted = set(gold)
    return Fraction(len(wanted & set(ranked)), len(wanted)) if wanted else Fraction(0)


def ndcg(ranked: Sequence[str], gold: Iterable[str], depth: int) -> float:
    """Return the normalised discounted cumulative gain of the first ``depth``; each gold passage counts one."""
    wanted = set(gold)
    first = list(dict.fromkeys(ranked))[:depth]
    gained = math.fsum(1 / math.log2(rank + 2) for rank, id_ in enumerate(first) if id_ in wanted)
    ideal = math.fsum(1 / math.log2(rank + 2) for rank in range(min(len(wanted), depth)))
    return round(gained / ideal, _DECIMALS) if ideal else 0.0


def _ranked(study: Study) -> list[str] | None:
    """Return the ids of the retrieved passages in their order; None where nobody knows them."""
    interaction = study.interaction
    if interaction.trace is not None and interaction.trace.retrieval.passage_ids:
        return list(interaction.trace.retrieval.passage_ids)
    if interaction.passages_from == "citations":
        return None
    ids = [passage.id for passage in interaction.passages if passage.id is not None]
    if not ids and (interaction.passages or interaction.passages_from == "none"):
        return None
    return ids


def _keyword_share(study: Study, index: int) -> Fraction:
    """Return the share of the question's keywords that a passage has, in its text or in its title."""
    known = study.passages[index].lemma_set.union(lemmas(study.interaction.passages[index].title or ""))
    return Fraction(len(study.keywords & known), len(study.keywords))


def _spot(study: Study, index: int, fit: float) -> Spot:
    passage = study.interaction.passages[index]
    return Spot(where=f"passages[{index}]", text=f"relevance {fit:.2f}", ref=passage.id)
