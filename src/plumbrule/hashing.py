"""Canonical JSON and the hashes taken over it: the same value has the same bytes everywhere; hashes of texts."""

import hashlib

import orjson


def canonical_json(value: object) -> bytes:
    """Return the one JSON text of ``value``: keys sorted, no white space, UTF-8."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def sha256_of(value: object) -> str:
    """Return the SHA-256 of the canonical JSON of ``value``, as hexadecimal text."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def text_sha256(text: str) -> str:
    """Return the SHA-256 of a text as it is, whatever characters it holds, as hexadecimal text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def tagged_id(tag: str, value: object, *, length: int = 16) -> str:
    """Return a short identifier made from the content of ``value``, for example ``sample-3f1c…``."""
    return f"{tag}-{sha256_of(value)[:length]}"
