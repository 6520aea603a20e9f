"""A cache of completions, keyed by the full request: another word, parameter, model or address is another key."""

import dataclasses
from collections.abc import Mapping, MutableMapping
from typing import Any

import orjson

from plumbrule.hashing import canonical_json, sha256_of
from plumbrule.judges.exchange import Exchange
from plumbrule.judges.providers import Completion


class CompletionCache:
    """Keeps completions as JSON in any mapping of texts to bytes: a dict, a shelf, a table."""

    def __init__(self, store: MutableMapping[str, bytes]) -> None:
        self._store = store

    def find(self, described: Mapping[str, Any]) -> Completion | None:
        """Return the completion kept for a request; an entry that cannot be read counts as none."""
        kept = self._store.get(cache_key(described))
        if kept is None:
            return None
        try:
            content = orjson.loads(kept)
            exchange = Exchange(**{**content.pop("exchange"), "cached": True})
            return Completion(**content, exchange=exchange)
        except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
            return None

    def keep(self, described: Mapping[str, Any], completion: Completion) -> None:
        """Keep the completion of a request."""
        self._store[cache_key(described)] = canonical_json(dataclasses.asdict(completion))


def cache_key(described: Mapping[str, Any]) -> str:
    """Return the key of a request as its model describes it."""
    return sha256_of(described)
