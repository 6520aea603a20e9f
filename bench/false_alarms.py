"""Simulated runs and reviews in which nothing changed, given to the product's own functions, which should not alarm.

Each function draws one history and tells whether the product calls it out. ``python -m bench.coverage`` counts them.
"""

from collections.abc import Sequence
from random import Random

from plumbrule.rubrics import load_benchmark
from plumbrule.runs.comparison import compare
from plumbrule.runs.sample_results import SampleResult

BENCHMARK = load_benchmark().rubric


def worse_of_identical(random: Random, *, samples: int, repeats: int = 1) -> bool:
    """Compare two runs of one candidate that stands near every limit: whether ``--fail-on worse`` exits with 1."""
    eases = [random.betavariate(6, 0.8) for _ in range(samples)]
    first, second = _run(random, eases, repeats), _run(random, eases, repeats)
    return bool(compare(first, second, BENCHMARK).regressions)


def worse_is_found(random: Random, *, samples: int, repeats: int = 1) -> bool:
    """Compare a run with one that answers one question in six wrongly that the first got right."""
    eases = [random.betavariate(6, 0.8) for _ in range(samples)]
    first, second = _run(random, eases, repeats), _run(random, [5 / 6 * ease for ease in eases], repeats)
    return bool(compare(first, second, BENCHMARK).regressions)


def _run(random: Random, eases: Sequence[float], repeats: int) -> list[SampleResult]:
    return [_answer(random, number, repeat, ease) for number, ease in enumerate(eases) for repeat in range(repeats)]


def _answer(random: Random, number: int, repeat: int, ease: float) -> SampleResult:
    good = random.random() < ease
    faithful = good or random.random() < 0.6
    return SampleResult(
        sample_id=f"q{number}",
        repeat=repeat,
        accuracy_score=random.choice((1, 2, 2)) if good else 0,
        faithfulness_score=None if random.random() < 0.01 else random.choice((1, 2)) if faithful else 0,
        # the 95th percentile is near 10,000 ms, and one latency in a hundred is not known
        latency_e2e_ms=None if random.random() < 0.01 else round(2_800 * random.lognormvariate(0.3 * ease, 0.6), 1),
        input_tokens=1_500,
        output_tokens=round(300 * random.lognormvariate(0, 0.5)),
    )
