"""The judge's prompt: the exact template, filled in one pass so that nothing filled in is read as template.

How a sample becomes the four inputs:

- ``task``: the question.
- ``reference_answer``: the reference; without one, the expected behaviour in a sentence.
- ``provided_context``: one passage as it is; several as ``Passage 1:`` with its text on the next line, then a blank
  line, ``Passage 2:`` and so on, in the order in which the candidate was given them.
- ``candidate_answer``: the answer; for a declared refusal, its code, reason and guidance, after the answer if any.

What is missing or blank is filled in as ``(none)``. Lone surrogates, which no wire can carry, become U+FFFD.
"""

import functools
import hashlib
import re
from collections.abc import Mapping
from importlib import resources

from plumbrule.samples.sample_model import Sample
from plumbrule.text import templates
from plumbrule.text.templates import or_none

PLACEHOLDERS = ("task", "reference_answer", "provided_context", "candidate_answer")

_PLACEHOLDER = re.compile(r"\{\{(" + "|".join(PLACEHOLDERS) + r")\}\}")


@functools.cache
def template() -> str:
    """Return the template that ships, byte for byte that of the rubric."""
    return resources.files("plumbrule.judges").joinpath("template.txt").read_bytes().decode("utf-8")


@functools.cache
def template_sha256() -> str:
    """Return the hash of the template's bytes."""
    return hashlib.sha256(template().encode()).hexdigest()


def fill(inputs: Mapping[str, str]) -> str:
    """Return the template with its placeholders filled; what is filled in is never looked at again."""
    return templates.fill(_pieces(), inputs)


def prompt_for(sample: Sample) -> str:
    """Return the prompt that asks a model to judge this sample."""
    return fill(inputs_of(sample))


def inputs_of(sample: Sample) -> dict[str, str]:
    """Return the four inputs of the template for a sample."""
    return {
        "task": or_none(sample.question),
        "reference_answer": or_none(sample.reference or _expected_behaviour(sample)),
        "provided_context": or_none(_join_passages([passage.text for passage in sample.contexts])),
        "candidate_answer": or_none(_candidate_answer(sample)),
    }


@functools.cache
def _pieces() -> tuple[str, ...]:
    return templates.cut(template(), _PLACEHOLDER)


def _join_passages(texts: list[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return "\n\n".join(f"Passage {number}:\n{text}" for number, text in enumerate(texts, start=1))


def _expected_behaviour(sample: Sample) -> str:
    expected = sample.expected
    if expected is None or not (expected.refuse or (expected.refuse is None and expected.refusal_code)):
        return ""
    code = f" with the code {expected.refusal_code}" if expected.refusal_code else ""
    return f"The assistant should refuse to answer{code}."


def _candidate_answer(sample: Sample) -> str:
    refusal = sample.refusal
    if refusal is None:
        return sample.answer or ""
    code = f" ({refusal.code})" if refusal.code else ""
    refused = [f"The assistant refused to answer{code}.", refusal.reason, refusal.user_guidance, *refusal.next_steps]
    return "\n".join(part for part in [sample.answer, *refused] if part and part.strip())
