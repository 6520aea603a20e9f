"""A closed review campaign as labels of a run's answers: the levels that count for each item, by the rubric's mapping.

An item is of an answer where its trace id is the sample's id or the sample's own trace id, and the answer that was
reviewed is the answer of the run, word for word. Only answers that were drawn for labels count, so it does not matter
how the campaign chose its items.
"""

import hashlib
from collections.abc import Iterable

from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import Ledger
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.campaigns.campaign_store import Standing, find_campaign
from plumbrule.reviews.interaction_archive import find_version
from plumbrule.reviews.items import Item
from plumbrule.reviews.levels import level_name
from plumbrule.reviews.record_decision import decide
from plumbrule.rubrics import BenchmarkRubric
from plumbrule.rubrics.benchmark_rubric import LevelScores
from plumbrule.runs.anchor.label_file import Key, Label
from plumbrule.runs.run_entries import LabelSet
from plumbrule.samples import Sample

_SHOWN = 60


def campaign_labels(
    ledger: Ledger, reference: str, answers: Iterable[tuple[Key, Sample]], rubric: BenchmarkRubric
) -> LabelSet:
    """Return what a closed campaign says of these answers; an answer that it has no item of gets no label."""
    standing = find_campaign(ledger, reference)
    campaign = standing.campaign
    if campaign.closed is None:
        raise UsageError(f"{campaign.name}: is open: its ratings are blind until it is closed")
    labels = []
    for key, sample in answers:
        item = _item(campaign, sample)
        if item is not None and item.ratings:
            _check_same_answer(ledger, item, sample)
            labels.append(_label(campaign, item, key, rubric))
    if not labels:
        raise InputError(f"{campaign.name}: has no rated item of any answer that was drawn for labels")
    return LabelSet(
        person=f"campaign {campaign.name}",
        source=f"campaign {campaign.name}",
        sha256=_hash_of(standing),
        labels=tuple(labels),
    )


def _item(campaign: Campaign, sample: Sample) -> Item | None:
    named = campaign.item(sample.id)
    return named if named is not None or sample.trace_id is None else campaign.item(sample.trace_id)


def _check_same_answer(ledger: Ledger, item: Item, sample: Sample) -> None:
    found = find_version(ledger, item.wanted)
    reviewed = None if found is None else found.meant.rebuild().sample
    if reviewed is None or (reviewed.answer or "") != (sample.answer or ""):
        raise InputError(
            f"'{item.trace_id[:_SHOWN]}': the campaign reviewed another answer than the one of the run: a label is of "
            "one answer"
        )


def _label(campaign: Campaign, item: Item, key: Key, rubric: BenchmarkRubric) -> Label:
    settled = campaign.settlement(item)
    if settled is None or settled.open:
        raise InputError(f"'{item.trace_id[:_SHOWN]}': its ratings still wait for an adjudicator")
    decision = decide(settled.scores, campaign.loaded)

    def score(mapping: LevelScores) -> int | None:
        if mapping.dimension not in settled.scores:
            raise InputError(
                f"{campaign.name}: its scorecard has no dimension '{mapping.dimension}', which the benchmark rubric "
                "reads labels from: change labels in the rubric of the run"
            )
        level = level_name(settled.scores[mapping.dimension], campaign.loaded.rubric)
        if level not in mapping.scores:
            raise InputError(f"the benchmark rubric has no score for '{level}' of {mapping.dimension}")
        return mapping.scores[level]

    return Label(
        sample_id=key[1],
        repeat=key[0],
        accuracy_score=score(rubric.labels.accuracy_score),
        faithfulness_score=score(rubric.labels.faithfulness_score),
        passes=decision.recommendation in rubric.labels.passes,
    )


def _hash_of(standing: Standing) -> str:
    """Return a hash over the entries of a campaign, in the order of the chain."""
    return hashlib.sha256("\n".join(entry.entry_sha256 for entry in standing.entries).encode()).hexdigest()
