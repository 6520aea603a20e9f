"""Interactions of a live assistant: a response with its trace and the passages that it was given."""

from plumbrule.interactions.contract_findings import Finding
from plumbrule.interactions.corpus import Corpus, read_corpus
from plumbrule.interactions.formats.contract import Contract, contract_of
from plumbrule.interactions.interaction import Interaction, authors_of, interaction_from
from plumbrule.interactions.interaction_reader import InteractionReading, ReadCounts, read_interactions
from plumbrule.interactions.trace import Trace

__all__ = [
    "Contract",
    "Corpus",
    "Finding",
    "Interaction",
    "InteractionReading",
    "ReadCounts",
    "Trace",
    "authors_of",
    "contract_of",
    "interaction_from",
    "read_corpus",
    "read_interactions",
]
