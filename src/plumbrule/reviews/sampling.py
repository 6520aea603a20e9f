"""Draws the review sample: a quota for each stratum, at random within it, with a manifest that anybody can repeat.

Within a stratum the interactions stand in the order of a hash of the seed and their id, and the first ones are drawn.
That is as good as a shuffle, and unlike one it depends on nothing else: not on the order in which the interactions
come, nor on the process, the platform or the version of Python, whose own ``random.sample`` may change. An interaction
that comes or goes leaves the others in their order.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from plumbrule.codec import take_fields
from plumbrule.errors import InputError, UsageError
from plumbrule.hashing import sha256_of
from plumbrule.rubrics import Loaded, ScorecardRubric
from plumbrule.rubrics.scorecard_rubric import Stratum

_SEEDS = 2**63  # what every reader of the manifest's JSON can hold
METHOD = "smallest sha256 of [seed, id] within each stratum"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """Something that could be reviewed, and what is known of it, such as ``refused``."""

    id: str
    traits: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumResult:
    """A stratum of a manifest, as JSON has it."""

    key: str
    share: float
    quota: int
    population: int
    drawn: tuple[str, ...]
    shortfall: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestResult:
    """A manifest, as JSON has it; ``population`` and ``drawn`` count all strata."""

    seed: int
    method: str
    size: int
    population: int
    unmatched: int
    drawn: int
    shortfall: int
    strata: tuple[StratumResult, ...]
    rubric: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnStratum:
    """What was wanted of a stratum, what there was and what was drawn."""

    key: str
    share: Fraction
    quota: int
    population: int
    drawn: tuple[str, ...]

    @property
    def shortfall(self) -> int:
        """How many the stratum did not have; they are not made up for elsewhere."""
        return self.quota - len(self.drawn)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A draw, with all that is needed to repeat it and to weight the results."""

    seed: int
    size: int
    strata: tuple[DrawnStratum, ...]
    unmatched: int  # interactions that no stratum takes
    rubric: dict[str, str]

    @property
    def drawn(self) -> tuple[str, ...]:
        """All that was drawn, stratum by stratum."""
        return tuple(key for stratum in self.strata for key in stratum.drawn)

    @property
    def population(self) -> dict[str, int]:
        """How many interactions each stratum had, for estimates over the whole population."""
        return {stratum.key: stratum.population for stratum in self.strata}

    @property
    def shortfall(self) -> int:
        """How many fewer were drawn than were wanted."""
        return self.size - len(self.drawn)

    def result(self) -> ManifestResult:
        """Return the manifest for JSON."""
        return take_fields(
            ManifestResult,
            self,
            method=METHOD,
            population=sum(self.population.values()) + self.unmatched,
            drawn=len(self.drawn),
            strata=tuple(take_fields(StratumResult, stratum, share=float(stratum.share)) for stratum in self.strata),
        )


def draw_sample(
    population: Iterable[Interaction],
    loaded: Loaded[ScorecardRubric],
    *,
    seed: int,
    size: int | None,
    representative: bool = False,
) -> Manifest:
    """Draw ``size`` interactions by the strata of the rubric; the first stratum that matches takes an interaction.

    A stratum that has too few gives all it has, and the manifest says how many are missing. A ``representative`` draw
    gives each stratum the share that it has of the population, not the rubric's; with no size it draws everything.
    """
    if size is None and not representative:
        raise UsageError("how many are to be drawn? a sample by strata needs a size")
    if size is not None and size < 1:
        raise UsageError(f"a sample of {size} is none; draw at least 1")
    if not 0 <= seed < _SEEDS:
        raise UsageError(f"a seed is a whole number from 0 to {_SEEDS - 1}, not {seed}")
    strata = loaded.rubric.strata
    members: dict[str, list[str]] = {stratum.key: [] for stratum in strata}
    seen: set[str] = set()
    unmatched = 0
    for interaction in population:
        if interaction.id in seen:
            raise InputError(f"interaction '{interaction.id[:60]}' stands twice in the population; ids must be unique")
        seen.add(interaction.id)
        stratum = _stratum_of(interaction, strata)
        if stratum is None:
            unmatched += 1
        else:
            members[stratum.key].append(interaction.id)
    shares = [stratum.share for stratum in strata]
    if representative:
        matched = len(seen) - unmatched
        size = matched if size is None else size
        shares = [Fraction(len(members[stratum.key]), matched) if matched else Fraction() for stratum in strata]
    wanted = quotas(shares, size or 0)
    return Manifest(
        seed=seed,
        size=size or 0,
        strata=tuple(
            DrawnStratum(
                key=stratum.key,
                share=share,
                quota=quota,
                population=len(members[stratum.key]),
                drawn=tuple(sorted(members[stratum.key], key=lambda key: (sha256_of([seed, key]), key))[:quota]),
            )
            for stratum, share, quota in zip(strata, shares, wanted, strict=True)
        ),
        unmatched=unmatched,
        rubric=loaded.stamp(),
    )


def quotas(shares: Sequence[Fraction], size: int) -> list[int]:
    """Share out ``size`` whole places by largest remainder; of equal remainders the first named wins."""
    exact = [share * size for share in shares]
    whole = [int(amount) for amount in exact]
    by_remainder = sorted(range(len(shares)), key=lambda index: (whole[index] - exact[index], index))
    for index in by_remainder[: size - sum(whole)]:
        whole[index] += 1
    return whole


def _stratum_of(interaction: Interaction, strata: Sequence[Stratum]) -> Stratum | None:
    return next(
        (stratum for stratum in strata if not stratum.any_of or not interaction.traits.isdisjoint(stratum.any_of)),
        None,
    )
