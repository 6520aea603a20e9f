"""How often the intervals hold and the tests give false alarms, by simulation: ``python -m bench.coverage [--quick]``.

Every interval is nominally of 95%. ``covers`` must be at least 93%. ``too high`` is how often the whole interval lies
above the truth: a gate whose limit is the truth would pass for certain, falsely; it must stay under 2.5%. Where less is
better, as of latencies and of Unsafe answers, that is ``too low``. Small numbers
force over-coverage: an exact interval of ten samples covers more than 95%, and two documents say nothing at all. A
target counts as missed where the simulation's own error, two standard errors, does not explain it. The second table
has the rates of tests: alarms where nothing is wrong, and power at the sample sizes that are advised.
"""

import argparse
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from random import Random

from bench.false_alarms import (
    drift_alarm,
    group_stands_out,
    refit_preferred,
    watched_mean,
    watched_share,
    worse_at_a_look,
    worse_is_found,
    worse_of_identical,
)

from plumbrule.rubrics import load_benchmark
from plumbrule.runs.anchor.anchored_figures import anchor_figures
from plumbrule.runs.anchor.label_file import Label
from plumbrule.runs.anchor.label_store import RunLabels, seeded_draw
from plumbrule.runs.gate_estimates import SampleDesign
from plumbrule.runs.repeats import summarise
from plumbrule.runs.sample_results import SampleResult, grade_all
from plumbrule.stats.auroc import auroc_estimate
from plumbrule.stats.bootstrap import resample_items
from plumbrule.stats.intervals import Interval
from plumbrule.stats.mean_intervals import (
    MeanEstimate,
    Measurement,
    effective_size,
    mean_estimate,
    measured_mean,
    share_estimate,
)
from plumbrule.stats.percentiles import percentile, percentile_bounds
from plumbrule.stats.prediction_powered import anchored_mean
from plumbrule.stats.rater_agreement import alpha_over_items, kappa_over_items
from plumbrule.stats.sample_sizes import mean_power_samples, share_power_samples
from plumbrule.stats.sequential_means import always_valid_interval
from plumbrule.stats.strata import stratified_mean
from plumbrule.support.calibration import calibration_error

SEED = 20
TRIALS = 2_000
LEAST_TRIALS = 100
LEAST_COVERED = 0.93
MOST_FALSE_PASSES = 0.025
P95 = Fraction(95, 100)
LEVELS = (1, 2, 3, 4)

Ends = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An interval under one set of circumstances: ``draw`` gives the interval of one simulated run."""

    name: str
    samples: int
    truth: float
    draw: Callable[[Random], Ends]
    trials: float = 1.0  # as a share of all trials
    decides: bool = True
    less_is_better: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How often the interval covers the truth, lies above and below it, and how wide it is on average."""

    covers: float
    too_high: float
    too_low: float
    width: float
    trials: int
    less_is_better: bool

    @property
    def holds(self) -> bool:
        """Whether both targets are met, as far as so many trials can tell: within two standard errors."""
        return _at_most(1 - self.covers, 1 - LEAST_COVERED, self.trials) and _at_most(
            self.too_low if self.less_is_better else self.too_high, MOST_FALSE_PASSES, self.trials
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A test under one set of circumstances: how often it must be positive at least and at most."""

    name: str
    happens: Callable[[Random], bool]
    least: float = 0.0
    most: float = 1.0
    trials: float = 1.0


def main() -> None:
    """Run every case and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="a tenth of the trials, at least 100")
    trials = TRIALS // 10 if options.parse_args().quick else TRIALS
    started = time.perf_counter()
    print(f"{'interval':<44}{'n':>6}{'covers':>9}{'too high':>10}{'too low':>9}{'width':>8}")
    for case in cases():
        found = cover(case, max(LEAST_TRIALS, int(trials * case.trials)))
        short = case.decides and not found.holds
        print(
            f"{case.name:<44}{case.samples:>6}{found.covers:>9.3f}{found.too_high:>10.4f}{found.too_low:>9.4f}"
            f"{found.width:>8.3f}{'  MISSES ITS TARGET' if short else ''}{'' if case.decides else '  (for reference)'}",
            flush=True,
        )
    print(f"\n{'test':<60}{'rate':>8}  target")
    for rate in rates():
        count = max(LEAST_TRIALS, int(trials * rate.trials))
        share = measure(rate, count)
        target = f"at least {rate.least}" if rate.least else f"at most {rate.most}"
        held = _at_most(share, rate.most, count) and _at_most(1 - share, 1 - rate.least, count)
        missed = "" if held else "  MISSES ITS TARGET"
        print(f"{rate.name:<60}{share:>8.4f}  {target}{missed}", flush=True)
    print(f"\n{trials} trials a case unless it is slow, seed {SEED}, {time.perf_counter() - started:.0f} s")


def cover(case: Case, trials: int) -> Coverage:
    """Draw the interval so many times."""
    random = _random(f"{case.name} {case.samples}")
    above = below = 0
    widths = []
    for _ in range(trials):
        low, high = case.draw(random)
        above += low is not None and low > case.truth
        below += high is not None and high < case.truth
        widths.append(math.inf if low is None or high is None else high - low)
    return Coverage(
        covers=1 - (above + below) / trials,
        too_high=above / trials,
        too_low=below / trials,
        width=math.fsum(widths) / trials,
        trials=trials,
        less_is_better=case.less_is_better,
    )


def measure(rate: Rate, trials: int) -> float:
    """Return how often it happens."""
    random = _random(rate.name)
    return sum(rate.happens(random) for _ in range(trials)) / trials


def cases(*, resampled: bool = True) -> Iterator[Case]:
    """Yield every interval with its circumstances; those by resampling are slow to set up."""
    for samples in (10, 30, 100, 500):
        for share in (0.5, 0.85, 0.95, 0.99):
            yield Case(
                name=f"share {share}",
                samples=samples,
                truth=share,
                draw=partial(_share, samples=samples, share=share),
            )
    for name, (truth, value) in SCORES.items():
        for samples in (10, 30, 100, 500):
            yield Case(
                name=f"mean, {name}",
                samples=samples,
                truth=truth,
                trials=0.5 if samples == 500 else 1,
                draw=partial(_scores, samples=samples, value=value),
            )
    yield from _clustered()
    yield from _repeated()
    yield from _stratified()
    yield from _percentiles()
    yield from _anchored()
    yield from _watched()
    if resampled:
        yield from _resampled()


def rates() -> Iterator[Rate]:
    """Yield every test with the rate that it may or must have."""
    for looks, truth in ((20, 0.85), (20, 0.95)):
        yield Rate(
            name=f"always-valid: misses at any of {looks} looks, share {truth}",
            most=0.05,
            trials=0.25,
            happens=partial(_missed_at_a_look, looks=looks, share=truth),
        )
    for samples, repeats in ((30, 1), (100, 1), (300, 1), (100, 3)):
        yield Rate(
            name=f"compare --fail-on worse: identical, n = {samples}, {repeats} repeats",
            most=0.05,
            trials=0.15 if samples == 30 else 0.05,
            happens=partial(worse_of_identical, samples=samples, repeats=repeats),
        )
    yield Rate(
        name="compare --confidence sequential: identical, worse at any of 5 looks, n = 60 to 300",
        most=0.05,
        trials=0.05,
        happens=partial(worse_at_a_look, looks=5, samples=60),
    )
    yield Rate(
        name="compare --fail-on worse: one in six fails more, n = 300",
        least=0.8,
        trials=0.05,
        happens=partial(worse_is_found, samples=300),
    )
    for name, value in WEEKLY.items():
        for size in (10, 30):
            yield Rate(
                name=f"drift: alarm in 52 weeks, nothing changed, {name}, {size} a week",
                most=0.05,
                trials=0.1,
                happens=partial(drift_alarm, value=value, size=size),
            )
        yield Rate(
            name=f"drift: alarm within 20 weeks of a drop by 0.1, {name}, 30 a week",
            least=0.8,
            trials=0.05,
            happens=partial(drift_alarm, value=value, size=30, drop=0.1),
        )
    yield Rate(name="groups: any of 20 alike stands out, Holm", most=0.05, trials=0.25, happens=group_stands_out)
    yield Rate(
        name="calibration: a refitted curve called better, old one perfect",
        most=0.05,
        trials=0.05,
        happens=refit_preferred,
    )
    for share, limit in ((0.9, 0.85), (0.97, 0.95), (0.03, 0.05)):
        advised = share_power_samples(share, limit) or 0
        yield Rate(
            name=f"power: share {share} against {limit} with {advised} samples",
            least=0.78,
            trials=0.25,
            happens=partial(_share_settled, samples=advised, share=share, limit=limit),
        )
    advised = mean_power_samples(0.9, 0.1, 0.87, skewness=-1.6) or 0
    yield Rate(
        name=f"power: mean 0.9, sd 0.1, against 0.87 with {advised} samples",
        least=0.78,
        trials=0.25,
        happens=lambda random: _settled(
            _ends(mean_estimate([random.betavariate(7.2, 0.8) for _ in range(advised)])), 0.87
        ),
    )


# Scores of samples near the ceiling: the true mean, and how one is drawn.
SCORES: dict[str, tuple[float, Callable[[Random], float]]] = {
    "levels near the ceiling": (0.94, lambda random: _pick(random, (1, 0.75, 0.5, 0), (0.85, 0.1, 0.03, 0.02))),
    "0.95 and one in 20 is 0": (0.9025, lambda random: 0.95 if random.random() < 0.95 else 0.0),
    "0.95 and one in 50 is 0": (0.931, lambda random: 0.95 if random.random() < 0.98 else 0.0),
    "beta(9, 1)": (0.9, lambda random: random.betavariate(9, 1)),
    "all close to 0.9": (0.9, lambda random: min(1.0, random.gauss(0.9, 0.02))),
}
# Weekly figures on the scale from 0 to 1.
WEEKLY: dict[str, Callable[[Random], float]] = {
    "levels": lambda random: _pick(random, (1, 2 / 3, 1 / 3, 0), (0.6, 0.25, 0.1, 0.05)),
    "near the ceiling": lambda random: _pick(random, (1, 2 / 3, 1 / 3, 0), (0.9, 0.07, 0.02, 0.01)),
    "rare failures": lambda random: float(random.random() < 0.97),
}


def _watched() -> Iterator[Case]:
    """Yield the figures of ``monitor``, through its own code."""
    for cards in (10, 30, 100):
        yield Case(
            name="monitor: average of levels near the ceiling",
            samples=cards,
            truth=3.86,
            trials=0.25,
            draw=partial(watched_mean, cards=cards, shares=(0.9, 0.07, 0.02, 0.01)),
        )
    for size in (10, 30, 100):
        yield Case(
            name="monitor: weighed share of Unsafe, 3 strata",
            samples=3 * size,
            truth=0.0212,
            less_is_better=True,
            trials=0.25,
            draw=partial(watched_share, sizes=(size,) * 3, shares=(0.1, 0.05, 0.01), population=(80, 100, 820)),
        )


def _clustered() -> Iterator[Case]:
    for share in (0.85, 0.95, 0.99):
        for samples in (10, 30, 100, 500):
            for kind in ("share", "mean"):
                yield Case(
                    name=f"{kind} {share}, 5 a document, ICC 0.3",
                    samples=samples,
                    truth=share,
                    trials=0.25 if samples == 500 else 0.5,
                    draw=partial(_clusters, samples=samples, share=share, halves=kind == "mean", repeats=1),
                )


def _repeated() -> Iterator[Case]:
    for samples in (10, 30, 100, 500):
        for shift in (0.0, 0.02, 0.03):
            yield Case(
                name=f"share 0.88, 3 repeats that differ by {shift}",
                samples=samples,
                truth=0.88,
                trials=0.3 if samples == 500 else 0.5,
                draw=partial(_repeats, samples=samples, share=0.88, shift=shift),
            )
    for samples in (30, 100):
        yield Case(
            name="share 0.9, 5 a document, ICC 0.3, 3 repeats",
            samples=samples,
            truth=0.9,
            trials=0.25,
            draw=partial(_clusters, samples=samples, share=0.9, halves=False, repeats=3),
        )


def _stratified() -> Iterator[Case]:
    population = {"common": 9_000, "risky": 800, "edge": 200}
    for name, shares in (
        ("rare events", {"common": 0.005, "risky": 0.03, "edge": 0.1}),
        ("usual", {"common": 0.9, "risky": 0.8, "edge": 0.6}),
        ("near the ceiling", {"common": 0.99, "risky": 0.97, "edge": 0.9}),
    ):
        truth = sum(population[key] * share for key, share in shares.items()) / 10_000
        for size in (10, 30, 50):
            yield Case(
                name=f"reweighted share, {name}, 3 strata",
                samples=3 * size,
                truth=truth,
                trials=0.5,
                draw=partial(_strata, size=size, shares=shares, population=population),
            )
    levels = {"common": (0.9, 0.08, 0.02), "risky": (0.7, 0.2, 0.1), "edge": (0.5, 0.2, 0.3)}
    yield Case(
        name="reweighted mean, 3 strata",
        samples=90,
        truth=sum(population[key] * (one + half / 2) for key, (one, half, _) in levels.items()) / 10_000,
        trials=0.5,
        draw=lambda random: _reweighted(
            {
                key: [Fraction(_pick(random, (1, 0.5, 0), weights)) for _ in range(30)]
                for key, weights in levels.items()
            },
            population,
        ),
    )


def _percentiles() -> Iterator[Case]:
    truth = math.exp(1.6448536269514722)
    for samples in (10, 30, 100, 500):
        for missing in (0.0, 0.05):
            yield Case(
                name=f"95th percentile, {missing:.0%} missing",
                samples=samples,
                truth=truth,
                less_is_better=True,
                trials=0.5,
                draw=partial(_percentile, samples=samples, missing=missing),
            )
        for repeats, size in ((3, 1), (1, 5), (3, 5)):
            yield Case(
                name=f"95th percentile, {size} a document, {repeats} repeats",
                samples=samples,
                truth=truth,
                less_is_better=True,
                trials=0.25,
                draw=partial(_related_percentile, samples=samples, repeats=repeats, size=size),
            )
    yield Case(
        name="95th percentile, tied",
        samples=100,
        truth=5.0,
        less_is_better=True,
        trials=0.25,
        draw=lambda random: _floats(
            percentile_bounds(sorted(Fraction(math.ceil(math.exp(random.gauss(0, 0.95)))) for _ in range(100)), P95)
        ),
    )


def _anchored() -> Iterator[Case]:
    for share in (0.85, 0.95):
        for accuracy in (0.9, 0.7):
            for labels in (30, 50, 100):
                yield Case(
                    name=f"share {share} by people, judge {accuracy:.0%} right, of 500",
                    samples=labels,
                    truth=share,
                    trials=0.4,
                    draw=partial(_anchor, share=share, accuracy=accuracy, labels=labels),
                )
    for samples, labels, clustered in ((100, 100, False), (100, 50, False), (500, 100, False), (500, 150, True)):
        yield Case(
            name=f"gate on 0.85 by people, judge 90% right, {labels} labels" + ", 5 a document" * clustered,
            samples=samples,
            truth=0.85,
            trials=0.15,
            draw=partial(_anchored_gate, samples=samples, labels=labels, clustered=clustered),
        )


def _resampled() -> Iterator[Case]:
    alpha, kappa = _true_agreement()
    for items in (30, 100):
        yield Case(
            name="alpha over items of 6 rows",
            samples=items,
            truth=alpha,
            trials=0.15,
            decides=False,
            draw=partial(_alpha, items=items),
        )
        yield Case(
            name="quadratic kappa over items",
            samples=items,
            truth=kappa,
            trials=0.15,
            decides=False,
            draw=partial(_kappa, items=items),
        )
        yield Case(
            name="calibration error 0.1, reflected",
            samples=5 * items,
            truth=0.1,
            trials=0.1,
            decides=False,
            draw=partial(_miscalibrated, answers=5 * items),
        )
        yield Case(
            name="AUROC",
            samples=items,
            truth=0.7602499389065233,  # of two normal distributions one deviation apart
            trials=0.02,
            decides=False,
            draw=partial(_ranked, answers=items),
        )


def _share(random: Random, *, samples: int, share: float) -> Ends:
    return _ends(share_estimate(sum(_flips(random, samples, share)), samples))


def _share_settled(random: Random, *, samples: int, share: float, limit: float) -> bool:
    return _settled(_share(random, samples=samples, share=share), limit)


def _scores(random: Random, *, samples: int, value: Callable[[Random], float]) -> Ends:
    return _ends(mean_estimate([value(random) for _ in range(samples)]))


def _clusters(random: Random, *, samples: int, share: float, halves: bool, repeats: int) -> Ends:
    measured = []
    strength = (1 - 0.3) / 0.3
    for document in range(samples // 5):
        own = random.betavariate(share * strength, (1 - share) * strength)
        for place in range(5):
            for repeat in range(repeats):
                value = own if halves and random.random() < 0.5 else float(random.random() < own)
                measured.append(
                    Measurement(value=value, sample=(document, place), repeat=repeat, cluster=f"document {document}")
                )
    return _ends(measured_mean(measured))


def _repeats(random: Random, *, samples: int, share: float, shift: float) -> Ends:
    """Draw samples with a chance to pass of their own, in repeats that are better or worse as a whole."""
    shifts = [random.gauss(0, shift) for _ in range(3)]
    own = [share + random.choice((-0.08, 0.08)) for _ in range(samples)]
    measured = [
        Measurement(value=int(random.random() < own[sample] + shifts[repeat]), sample=sample, repeat=repeat)
        for sample in range(samples)
        for repeat in range(3)
    ]
    return _ends(measured_mean(measured))


def _strata(random: Random, *, size: int, shares: dict[str, float], population: dict[str, int]) -> Ends:
    drawn = {key: [Fraction(flip) for flip in _flips(random, size, share)] for key, share in shares.items()}
    return _reweighted(drawn, population)


def _reweighted(values: dict[str, list[Fraction]], population: dict[str, int]) -> Ends:
    found = stratified_mean(values, population)
    return _opt(found.interval if found else None)


def _percentile(random: Random, *, samples: int, missing: float) -> Ends:
    drawn = [random.lognormvariate(0, 1) for _ in range(samples)]
    known = sorted(Fraction(value) for value in drawn if random.random() >= missing)
    return _floats(percentile_bounds(known, P95, missing=samples - len(known)))


def _related_percentile(random: Random, *, samples: int, repeats: int, size: int) -> Ends:
    """Draw latencies of which a document, a sample and a single answer each have a part."""
    drawn = []
    for sample in range(samples):
        if sample % size == 0:
            document = random.gauss(0, 1)
        own = math.sqrt(0.5) * document + math.sqrt(0.5) * random.gauss(0, 1)
        for repeat in range(repeats):
            latency = math.exp(math.sqrt(0.5) * own + math.sqrt(0.5) * random.gauss(0, 1))
            drawn.append((Fraction(latency), sample, repeat, sample // size))
    known = sorted(latency for latency, *_ in drawn)
    found = percentile(known, P95)
    assert found is not None  # noqa: S101 - there are latencies
    worth = effective_size(
        [
            Measurement(value=int(latency <= found), sample=sample, repeat=repeat, cluster=cluster)
            for latency, sample, repeat, cluster in drawn
        ]
    )
    return _floats(percentile_bounds(known, P95, effective=worth))


def _anchor(random: Random, *, share: float, accuracy: float, labels: int) -> Ends:
    truths = [int(random.random() < share) for _ in range(500)]
    judged = {place: truth if random.random() < accuracy else 1 - truth for place, truth in enumerate(truths)}
    found = anchored_mean(judged, dict(enumerate(truths[:labels])))
    return _opt(found.interval if found else None)


def _anchored_gate(random: Random, *, samples: int, labels: int, clustered: bool) -> Ends:
    """Draw a run whose judge has 90% sensitivity and specificity, and take its pass rate by labels, as a gate does."""
    rubric, names = load_benchmark().rubric, [f"q{place}" for place in range(samples)]
    documents = {name: f"document {place // 5}" for place, name in enumerate(names)} if clustered else {}
    chances = {document: random.betavariate(0.85 * 7 / 3, 0.15 * 7 / 3) for document in documents.values()}
    truths = {name: random.random() < chances.get(documents.get(name, ""), 0.85) for name in names}
    results = [
        SampleResult(
            sample_id=name,
            accuracy_score=2 if truth == (random.random() < 0.9) else 0,
            faithfulness_score=2,
            latency_e2e_ms=100,
            input_tokens=10,
            output_tokens=10,
        )
        for name, truth in truths.items()
    ]
    answers = seeded_draw(dict.fromkeys(names, (0,)), labels, seed=random.randrange(10**9))
    drawn = [answer.sample_id for answer in answers]
    given = {(0, name): {"people": Label(sample_id=name, passes=truths[name])} for name in drawn}
    design = SampleDesign(clusters=documents)
    group = summarise(results, rubric, design)
    summary = anchor_figures(grade_all(results, rubric), RunLabels(drawn=tuple(given), labels=given), rubric, documents)
    gate = next(gate for gate in group.anchored(summary).gates() if gate.name == "pass_rate")
    return gate.interval.low, gate.interval.high


def _rated(random: Random, items: int) -> list[list[list[int | None]]]:
    """Draw two raters' levels of six dimensions: an item is hard or easy as a whole."""
    rated = []
    for _ in range(items):
        quality, doubt = random.gauss(0, 1), abs(random.gauss(0, 0.7))
        rows: list[list[int | None]] = []
        for _ in range(6):
            mark = quality + random.gauss(0, 0.5)
            rows.append([_level(mark + random.gauss(0, doubt)) for _ in range(2)])
        rated.append(rows)
    return rated


def _alpha(random: Random, *, items: int) -> Ends:
    return _opt(alpha_over_items(_rated(random, items), LEVELS, seed=1, resamples=200).interval)


def _kappa(random: Random, *, items: int) -> Ends:
    pairs = [[(row[0], row[1]) for row in rows[:1]] for rows in _rated(random, items)]
    return _opt(kappa_over_items(pairs, LEVELS, seed=1, resamples=400).interval)


def _true_agreement() -> tuple[float, float]:
    many = _rated(Random(SEED), 30_000)  # noqa: S311 - no secret
    alpha = alpha_over_items(many, LEVELS, seed=1, resamples=0).value
    kappa = kappa_over_items([[(row[0], row[1]) for row in rows] for rows in many], LEVELS, seed=1, resamples=0).value
    assert alpha is not None  # noqa: S101 - thousands of levels vary
    assert kappa is not None  # noqa: S101 - the same
    return alpha, kappa


def _level(mark: float) -> int:
    return 1 + sum(mark > edge for edge in (-1.5, -0.7, 0.3))


def _ranked(random: Random, *, answers: int) -> Ends:
    labels = [place % 2 == 0 for place in range(answers)]
    scores = [random.gauss(float(label), 1) for label in labels]
    return _opt(auroc_estimate(scores, labels, seed=1).interval)


def _miscalibrated(random: Random, *, answers: int) -> Ends:
    chances = [random.uniform(0.1, 0.9) for _ in range(answers)]
    labelled = [(chance, random.random() < chance + 0.1) for chance in chances]

    def error(drawn: Sequence[tuple[float, bool]]) -> float:
        return calibration_error([chance for chance, _ in drawn], [label for _, label in drawn])

    return _opt(resample_items(labelled, error, seed=1, resamples=200, method="basic").interval)


def _missed_at_a_look(random: Random, *, looks: int, share: float) -> bool:
    values: list[int] = []
    for _ in range(looks):
        values += _flips(random, 20, share)
        interval = always_valid_interval(values)
        if interval is not None and not interval.low <= share <= interval.high:
            return True
    return False


def _settled(ends: Ends, limit: float) -> bool:
    low, high = ends
    return low is not None and high is not None and not low <= limit <= high


def _flips(random: Random, count: int, share: float) -> list[int]:
    return [int(random.random() < share) for _ in range(count)]


def _pick(random: Random, values: Sequence[float], weights: Sequence[float]) -> float:
    left = random.random()
    for value, weight in zip(values, weights, strict=True):
        left -= weight
        if left < 0:
            return float(value)
    return float(values[-1])


def _ends(estimate: MeanEstimate | None) -> Ends:
    return _opt(estimate.interval if estimate else None)


def _opt(interval: Interval | None) -> Ends:
    return (None, None) if interval is None else (interval.low, interval.high)


def _floats(ends: tuple[Fraction | None, Fraction | None]) -> Ends:
    low, high = ends
    return None if low is None else float(low), None if high is None else float(high)


def _at_most(share: float, most: float, trials: int) -> bool:
    return share <= most + 2 * math.sqrt(most * (1 - most) / trials)


def _random(name: str) -> Random:
    return Random(f"{SEED} {name}")  # noqa: S311 - the same numbers each time, no secret


if __name__ == "__main__":
    main()
