"""Check a number or a date of an answer against the numbers and dates of its contexts."""

from collections.abc import Callable
from fractions import Fraction
from itertools import islice
from math import ceil

from plumbrule.support.evidence import Finding, evidence_in
from plumbrule.text.text_view import TextView, TextViews
from plumbrule.text.values import Match, Value, lookup_keys, match_value
from plumbrule.text.work_limits import MOST_LIKE, MOST_LIKE_IN_ALL

NEAR_WORDS = 6  # among values of one sentence, the one with the most of the same words this near is meant
_PREFERENCE = {"found": 0, "equal_value": 1, "entailed": 2}
_CLOSEST = 0, False


def find_value(value: Value, answer: TextView, contexts: TextViews) -> Finding | None:
    """Return where the contexts support ``value``, the closest match first; None where nowhere."""
    best: tuple[tuple[int, bool], int, Value, Match] | None = None
    keys = lookup_keys(value)
    left = MOST_LIKE_IN_ALL
    for index in contexts.with_value(keys):
        context = contexts[index]
        for other in islice(context.values_under(keys), min(MOST_LIKE, left)):
            left -= 1
            match = match_value(value, answer.text, other, context.text)
            if match is None:
                continue
            rank = _PREFERENCE[match.reason], match.ambiguous
            if rank == _CLOSEST:  # nothing is closer, so no further value need be read
                return _support(contexts, index, other, match)
            if best is None or rank < best[0]:
                best = rank, index, other, match
    return None if best is None else _support(contexts, *best[1:])


def _support(contexts: list[TextView], index: int, value: Value, match: Match) -> Finding:
    evidence = evidence_in(contexts, index, value.start, value.end)
    return Finding(supported=True, reason=match.reason, evidence=evidence, ambiguous=match.ambiguous)


def find_rival(
    value: Value, answer: TextView, contexts: TextViews, *, topic: Callable[[], set[str]], overlap: Fraction
) -> Finding:
    """Look for another value said of the same topic: the contexts contradict ``value``, or know nothing of it.

    Of several values that fit the topic equally, the one is meant that stands between the same words.
    """
    best_fit, best_place = (0, 0, 0), None
    rivals = contexts.rivals_of(value)
    words = topic() if rivals else set()  # worked out only where something could contradict
    if not words:
        return Finding(supported=False, reason="not_found")
    beside = set(answer.lemmas_near(value.start, NEAR_WORDS))
    least = ceil(overlap * len(words))
    for index, context, other in rivals:
        recurring = len(words & context.lemmas_beside(other.start))
        if recurring < least or recurring < best_fit[0]:
            continue
        near = set(context.lemmas_near(other.start, NEAR_WORDS))
        fit = recurring, len(beside & near), len(words & near)
        if fit > best_fit:
            best_fit, best_place = fit, (index, other.start, other.end)
    if best_place is None:
        return Finding(supported=False, reason="not_found")
    return Finding(supported=False, reason="contradicted", evidence=evidence_in(contexts, *best_place))
