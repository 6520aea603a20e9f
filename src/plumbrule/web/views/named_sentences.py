"""Sentences of the command line for people: the key that one begins with becomes words."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSentence:
    """A sentence; one about a figure or a field begins with its title, whose key is ``key``."""

    key: str | None
    title: str | None
    text: str


def name_subject(sentence: str, titles: Mapping[str, str]) -> NamedSentence:
    """Return a sentence with its subject in words, where it begins with the key of one and a colon."""
    key, colon, rest = sentence.partition(":")
    if colon and key in titles:
        return NamedSentence(key=key, title=titles[key], text=colon + rest)
    return NamedSentence(key=None, title=None, text=sentence)
