"""The draw keeps its quotas, repeats itself anywhere, and says what it could not find."""

import json
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbrule.codec import to_json
from plumbrule.errors import InputError, UsageError
from plumbrule.reviews.sampling import Interaction, Manifest, draw_sample, quotas
from plumbrule.rubrics import load_scorecard

LOADED = load_scorecard()
TRAITS = ("refused", "partially_grounded", "edge_case", "difficult_topic", "other")


def plenty(count: int = 400) -> list[Interaction]:
    """Return a population in which every stratum has enough."""
    kinds = [(), ("refused",), ("partially_grounded",), ("edge_case",), ()]
    return [Interaction(id=f"t{number:04}", traits=frozenset(kinds[number % 5])) for number in range(count)]


def draw(population: list[Interaction], *, seed: int = 7, size: int = 50) -> Manifest:
    """Draw by the rubric that ships."""
    return draw_sample(population, LOADED, seed=seed, size=size)


def test_the_weekly_sample() -> None:
    """R13, G15: of 50, 25 random, 10 refusals, and of the odd 7.5 + 7.5 the first named gets 8."""
    manifest = draw(plenty())
    assert {stratum.key: (stratum.quota, len(stratum.drawn)) for stratum in manifest.strata} == {
        "refusals": (10, 10),
        "partial_grounding": (8, 8),
        "edge_cases": (7, 7),
        "random": (25, 25),
    }
    assert (len(set(manifest.drawn)), manifest.shortfall, manifest.unmatched) == (50, 0, 0)
    assert manifest.population == {"refusals": 80, "partial_grounding": 80, "edge_cases": 80, "random": 160}


def test_the_first_stratum_that_matches_wins() -> None:
    """G15: an edge case that was refused is a refusal, and is counted once."""
    both = Interaction(id="both", traits=frozenset({"edge_case", "refused"}))
    assert draw([both]).population == {"refusals": 1, "partial_grounding": 0, "edge_cases": 0, "random": 0}


def test_a_shortfall_is_recorded_and_not_filled() -> None:
    """G15: a stratum without population, or with too little, leaves its places empty."""
    manifest = draw([each for each in plenty() if not each.traits] + plenty(10)[1:2])
    found = {stratum.key: (len(stratum.drawn), stratum.shortfall) for stratum in manifest.strata}
    assert found == {"refusals": (1, 9), "partial_grounding": (0, 8), "edge_cases": (0, 7), "random": (25, 0)}
    assert (len(manifest.drawn), manifest.shortfall) == (26, 24)
    assert manifest.result().shortfall == 24


def test_an_empty_population() -> None:
    """Nothing is drawn of nothing, and all of it is missing."""
    manifest = draw([])
    assert (manifest.drawn, manifest.shortfall) == ((), 50)


def test_the_manifest_as_json() -> None:
    """Seed, method, counts, quotas, what was drawn and what was not, and the rubric."""
    shown = to_json(draw(plenty(), size=5).result())
    assert set(shown) == {
        "seed",
        "method",
        "size",
        "population",
        "unmatched",
        "drawn",
        "shortfall",
        "strata",
        "rubric",
    }
    assert (shown["seed"], shown["size"], shown["population"], shown["drawn"]) == (7, 5, 400, 5)
    assert set(shown["strata"][0]) == {"key", "share", "quota", "population", "drawn", "shortfall"}
    assert shown["rubric"] == LOADED.stamp()


def test_known_draws() -> None:
    """The draw of a seed never changes: a manifest of today can be checked in ten years."""
    drawn = [stratum.drawn[:2] for stratum in draw(plenty(), seed=1).strata]
    assert drawn == KNOWN


KNOWN = [("t0116", "t0391"), ("t0227", "t0107"), ("t0043", "t0218"), ("t0295", "t0289")]


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_another_process_draws_the_same(hash_seed: str) -> None:
    """No order of a set or dictionary has a part in it."""
    code = (
        "from plumbrule.rubrics import load_scorecard\n"
        "from plumbrule.reviews.sampling import Interaction, draw_sample\n"
        "people = {Interaction(id=f't{n}', traits=frozenset({'refused', 'edge_case', 'x'}) if n % 3 else frozenset())"
        " for n in range(200)}\n"
        "print(draw_sample(people, load_scorecard(), seed=3, size=20).drawn)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env={"PYTHONHASHSEED": hash_seed}
    )
    people = [
        Interaction(id=f"t{n}", traits=frozenset({"refused", "edge_case", "x"}) if n % 3 else frozenset())
        for n in range(200)
    ]
    assert done.stdout.strip() == str(draw(people, seed=3, size=20).drawn)


seeds = st.integers(0, 2**63 - 1)
interactions = st.lists(
    st.builds(Interaction, id=st.text(max_size=8), traits=st.frozensets(st.sampled_from(TRAITS))),
    unique_by=lambda each: each.id,
    max_size=60,
)


@given(interactions, st.integers(1, 80), seeds, st.randoms(use_true_random=False))
def test_what_always_holds(population: list[Interaction], size: int, seed: int, rng: Any) -> None:
    """Quotas sum to the size; each stratum gives what it has up to its quota; order does not matter."""
    manifest = draw(population, seed=seed, size=size)
    assert sum(stratum.quota for stratum in manifest.strata) == size
    for stratum in manifest.strata:
        assert len(stratum.drawn) == min(stratum.quota, stratum.population)
        assert stratum.shortfall == max(0, stratum.quota - stratum.population)
    known = {each.id for each in population}
    assert len(set(manifest.drawn)) == len(manifest.drawn)
    assert known.issuperset(manifest.drawn)
    assert sum(manifest.population.values()) == len(population)
    shuffled = list(population)
    rng.shuffle(shuffled)
    assert draw(shuffled, seed=seed, size=size) == manifest


@given(interactions, st.integers(1, 40), seeds)
def test_one_more_leaves_the_others_in_their_order(population: list[Interaction], size: int, seed: int) -> None:
    """A late interaction can push out at most one of its stratum."""
    newcomer = Interaction(id="a newcomer", traits=frozenset())
    before = set(draw(population, seed=seed, size=size).drawn)
    after = set(draw([*population, newcomer], seed=seed, size=size).drawn)
    assert len(before - after) <= 1
    assert after - before <= {newcomer.id}


@given(st.lists(st.integers(1, 100), min_size=1, max_size=8), st.integers(1, 500))
def test_largest_remainder(parts: list[int], size: int) -> None:
    """Quotas sum to the size and are each within one of the exact share; no larger remainder goes empty-handed."""
    shares = [Fraction(part, sum(parts)) for part in parts]
    found = quotas(shares, size)
    assert sum(found) == size
    rest = [share * size - int(share * size) for share in shares]
    up = [quota - int(share * size) for quota, share in zip(found, shares, strict=True)]
    assert set(up) <= {0, 1}
    assert min([r for r, u in zip(rest, up, strict=True) if u], default=1) >= max(
        [r for r, u in zip(rest, up, strict=True) if not u], default=0
    )


BY_APPORTIONMENT = json.loads(
    (Path(__file__).parent.parent / "data" / "references" / "quotas.json").read_text(encoding="utf-8")
)  # the script beside it made them


@pytest.mark.parametrize("case", BY_APPORTIONMENT)
def test_quotas_equal_the_reference(case: dict[str, Any]) -> None:
    """As the package apportionment shares out seats by largest remainder."""
    shares = [Fraction(votes, sum(case["votes"])) for votes in case["votes"]]
    assert quotas(shares, case["size"]) == case["seats"]


def test_the_alabama_paradox() -> None:
    """The textbook's example of the method: 6, 6 and 2 votes share 10 seats as 4, 4, 2 and 11 as 5, 5, 1."""
    shares = [Fraction(votes, 14) for votes in (6, 6, 2)]
    assert (quotas(shares, 10), quotas(shares, 11)) == ([4, 4, 2], [5, 5, 1])


def test_each_is_drawn_about_as_often() -> None:
    """Over 2,000 seeds, each of 20 is drawn into 5 places about 500 times."""
    population = [Interaction(id=str(number)) for number in range(20)]
    counts = Counter(key for seed in range(2_000) for key in draw(population, seed=seed, size=10).drawn)
    assert len(counts) == 20
    assert all(400 < count < 600 for count in counts.values())  # five standard deviations are 97


def test_an_interaction_twice() -> None:
    """Two with one id would be one sample, weighed as two."""
    with pytest.raises(InputError, match="interaction 'a' stands twice"):
        draw([Interaction(id="a"), Interaction(id="a")])


@pytest.mark.parametrize("size", [0, -1])
def test_no_size(size: int) -> None:
    """A sample has at least one place."""
    with pytest.raises(UsageError, match="is none; draw at least 1"):
        draw(plenty(), size=size)


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_that_cannot_be_written(seed: int) -> None:
    """The manifest must hold the seed, so that others can repeat the draw."""
    with pytest.raises(UsageError, match="a seed is a whole number from 0"):
        draw(plenty(), seed=seed)


def test_what_no_stratum_takes() -> None:
    """Without a stratum for all, what matches none is counted."""
    changes = {"strata": [{"key": "marked", "title": "Marked", "share": 1, "any_of": ["difficult_topic"]}]}
    manifest = draw_sample(plenty(10), load_scorecard(None, changes), seed=1, size=3)
    assert (manifest.unmatched, manifest.shortfall, manifest.result().population) == (10, 3, 10)


def test_a_representative_draw() -> None:
    """Each stratum has the share that it has of the population; with no size everything is drawn."""
    members = [Interaction(id=f"t{n}", traits=frozenset(["refused"] if n % 10 == 0 else [])) for n in range(100)]
    manifest = draw_sample(members, LOADED, seed=1, size=20, representative=True)
    assert {stratum.key: (stratum.share, len(stratum.drawn)) for stratum in manifest.strata} == {
        "refusals": (Fraction(1, 10), 2),
        "partial_grounding": (Fraction(), 0),
        "edge_cases": (Fraction(), 0),
        "random": (Fraction(9, 10), 18),
    }
    everything = draw_sample(members, LOADED, seed=1, size=None, representative=True)
    assert (everything.size, len(everything.drawn), everything.shortfall) == (100, 100, 0)
    assert draw_sample([], LOADED, seed=1, size=None, representative=True).drawn == ()
    with pytest.raises(UsageError, match="needs a size"):
        draw_sample(members, LOADED, seed=1, size=None)
