"""Strict reading of a judge's reply: the three keys as the template asks for them, or a parse error that says why.

White space around the object is JSON's own and is accepted; any other text is not. A rationale over the limit and
keys beyond the three are kept and flagged, since the rubric does not list them among its rejections; the policy can
make each a parse error.
"""

import json
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

_SCORES = ("accuracy_score", "faithfulness_score")
_KEYS = frozenset({*_SCORES, "rationale"})
_ALLOWED = frozenset({0, 1, 2})

Treatment = Literal["flag", "parse_error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsePolicy:
    """What the rubric leaves open of a reply that is otherwise well formed."""

    rationale_words: int = 80
    rationale_over_limit: Treatment = "flag"
    extra_keys: Treatment = "flag"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A judge's reply that follows the schema."""

    accuracy_score: int
    faithfulness_score: int
    rationale: str
    flags: tuple[str, ...] = ()


class ReplyError(ValueError):
    """A reply that is no judgement; the message says what is wrong with it."""


def parse_reply(text: str, policy: ParsePolicy) -> Reply:
    """Return the judgement that ``text`` states, or raise ``ReplyError``."""
    content = _read_object(text)
    missing = [key for key in (*_SCORES, "rationale") if key not in content]
    if missing:
        raise ReplyError(f"missing key '{missing[0]}'")
    accuracy, faithfulness = (_read_score(content, key) for key in _SCORES)
    rationale = _read_rationale(content["rationale"])
    flags = []
    if len(rationale.split()) > policy.rationale_words:
        _refuse_or_flag(policy.rationale_over_limit, f"rationale of more than {policy.rationale_words} words")
        flags.append("rationale_over_limit")
    if content.keys() - _KEYS:
        _refuse_or_flag(policy.extra_keys, "keys beyond those asked for")
        flags.append("extra_keys")
    return Reply(accuracy_score=accuracy, faithfulness_score=faithfulness, rationale=rationale, flags=tuple(flags))


def _read_object(text: str) -> dict[str, Any]:
    try:
        content = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except ReplyError:
        raise
    except json.JSONDecodeError as error:
        raise ReplyError(f"malformed JSON: {error.msg} at character {error.pos}") from None
    except (ValueError, RecursionError):  # a number of too many digits; nesting without end
        raise ReplyError("malformed JSON: out of all bounds") from None
    if not isinstance(content, dict):
        raise ReplyError("not a JSON object")
    return content


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ReplyError("duplicate key")
    return content


def _refuse_constant(constant: str) -> NoReturn:
    raise ReplyError(f"malformed JSON: {constant} is not a JSON value")


def _read_score(content: dict[str, Any], key: str) -> int:
    value = content[key]
    if type(value) is not int:  # a boolean is an int to isinstance
        raise ReplyError(f"'{key}' is not an integer")
    if value not in _ALLOWED:
        raise ReplyError(f"'{key}' is not 0, 1 or 2")
    return value


def _read_rationale(value: object) -> str:
    if not isinstance(value, str):
        raise ReplyError("'rationale' is not text")
    if not value.strip():
        raise ReplyError("'rationale' is empty")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ReplyError("'rationale' is not valid Unicode") from None
    return value


def _refuse_or_flag(treatment: Treatment, what: str) -> None:
    if treatment == "parse_error":
        raise ReplyError(what)
