"""What the support score shows: sentences that the passages hardly support, and statuses that do not fit it."""

from collections.abc import Iterator
from fractions import Fraction

from plumbrule.prescores.checks import Hint, Spot
from plumbrule.prescores.study import Study
from plumbrule.support.support_scorer import Support, SupportedSentence
from plumbrule.text.sentences import Sentence


def support_hints(study: Study) -> Iterator[Hint]:
    """Yield a hint on an answer that its passages hardly support and that is called grounded, where all are known."""
    support = study.known_support
    if support is None:
        return
    claimed = _claims_of_full_grounding(study)
    if claimed and support.band == "unsupported":
        yield Hint(
            code="coverage_against_support",
            message=f"the answer is called fully grounded, and the passages hardly support it ({named(support)})",
            figures=(("support", support.score),),
            evidence=tuple(claimed),
        )


def weak_sentences(study: Study, support: Support) -> list[SupportedSentence]:
    """Return the sentences that claim something and have hardly any support.

    One that repeats a value of the asker's is left out, since no passage can have it, and so is one that declines.
    """
    return [
        sentence
        for sentence in support.sentences
        if sentence.claims
        and sentence.band == "unsupported"
        and not study.declines(sentence.start, sentence.end)
        and not any(study.is_echo(anchor) for anchor in study.sentence_anchors(Sentence(sentence.start, sentence.end)))
    ]


def named(support: Support) -> str:
    """Return what made a score, its calibration and verifier too, by name, version and the start of the hash."""
    parts = [("", support.model), ("calibration ", support.calibration), ("verifier ", support.verifier)]
    return "; ".join(
        f"{what}{stamp['name']} {stamp['version']}, sha256 {stamp['sha256'][:12]}"
        for what, stamp in parts
        if stamp is not None
    )


def _claims_of_full_grounding(study: Study) -> list[Spot]:
    """Return where the response or its trace says that all of the answer is grounded."""
    policy, trace = study.policy.compliance, study.interaction.trace
    statuses = {"grounding_status": study.interaction.sample.grounding_status}
    if trace is not None:
        statuses["trace.grounding.status"] = trace.grounding.status
    spots = [Spot(where=place, text=status) for place, status in statuses.items() if status == policy.statuses.full]
    coverage = trace.grounding.grounding_coverage if trace is not None else None
    if coverage is not None and Fraction(str(coverage)) >= policy.limits.full_coverage:
        spots.append(Spot(where="trace.grounding.grounding_coverage", text=str(coverage)))
    return spots
