"""What is evaluated: samples, and reading them from files and from Python."""

from plumbrule.samples.aliases import ALIASES, FIELDS, parse_mapping
from plumbrule.samples.dataset_reader import DatasetFile, Reading, sample_from, samples_from
from plumbrule.samples.sample_model import Citation, Expected, Passage, Refusal, Sample

__all__ = [
    "ALIASES",
    "FIELDS",
    "Citation",
    "DatasetFile",
    "Expected",
    "Passage",
    "Reading",
    "Refusal",
    "Sample",
    "parse_mapping",
    "sample_from",
    "samples_from",
]
