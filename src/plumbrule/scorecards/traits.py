"""What is known of an interaction before anybody reviews it, by the signs that the rubric names."""

import re

from plumbrule.rubrics import ScorecardRubric
from plumbrule.rubrics.reviewing import TraitRule
from plumbrule.samples.interactions import Interaction


def traits_of(interaction: Interaction, rubric: ScorecardRubric) -> tuple[str, ...]:
    """Return the traits of an interaction, in the rubric's order."""
    return tuple(rule.key for rule in rubric.traits if _has(interaction, rule))


def _has(interaction: Interaction, rule: TraitRule) -> bool:
    sample, trace = interaction.sample, interaction.trace
    logged = () if trace is None else (trace.grounding.status,)
    decided = () if trace is None else (trace.decision.outcome,)
    return (
        (rule.refusal and sample.refusal is not None)
        or (rule.conflict and trace is not None and trace.grounding.conflict_detected is True)
        or (rule.escalation and trace is not None and trace.decision.escalation_triggered is True)
        or _meet(rule.statuses, (sample.grounding_status, *logged))
        or _meet(rule.outcomes, decided)
        or _meet(rule.findings, tuple(finding.code for finding in interaction.findings))
        or _meet(rule.tags, sample.tags)
        or _meet(rule.categories, (sample.category,))
        or any(re.search(rf"\b{re.escape(word)}\b", sample.question, re.IGNORECASE) for word in rule.question_words)
    )


def _meet(named: tuple[str, ...], found: tuple[str | None, ...]) -> bool:
    known = {name.casefold() for name in named}
    return any(value is not None and value.casefold() in known for value in found)
