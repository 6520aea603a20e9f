"""What is evaluated: samples, and reading them from files and from Python."""

from plumbrule.samples.aliases import parse_mapping
from plumbrule.samples.byte_streams import DATASET_SUFFIXES
from plumbrule.samples.data_frames import ArrowTable, Records, records_of
from plumbrule.samples.dataset_reader import DatasetFile, Reading, sample_from, samples_from
from plumbrule.samples.field_names import ALIASES, FIELDS
from plumbrule.samples.labels import LabelledReading, SupportLabel, labelled_from
from plumbrule.samples.sample_model import Citation, Expected, Passage, Refusal, Sample
from plumbrule.samples.validation import DatasetCheck, check_samples
from plumbrule.samples.value_types import Misfit

__all__ = [
    "ALIASES",
    "DATASET_SUFFIXES",
    "FIELDS",
    "ArrowTable",
    "Citation",
    "DatasetCheck",
    "DatasetFile",
    "Expected",
    "LabelledReading",
    "Misfit",
    "Passage",
    "Reading",
    "Records",
    "Refusal",
    "Sample",
    "SupportLabel",
    "check_samples",
    "labelled_from",
    "parse_mapping",
    "records_of",
    "sample_from",
    "samples_from",
]
