"""The text of a chat: what the user asked last, or what the assistant said last."""

from collections.abc import Mapping

import orjson

_TEXTS = (
    "query",
    "question",
    "user_input",
    "input",
    "prompt",
    "answer",
    "output",
    "response",
    "text",
    "content",
    "value",
)
_DEEPEST = 8


def text_of(value: object, role: str, depth: int = 0) -> str | None:
    """Return the text in ``value``: itself, the last message of ``role``, or a field known to hold text."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, str):
        return _of_text(value, role, depth)
    if isinstance(value, list):
        return _of_messages(value, role, depth)
    if isinstance(value, Mapping):
        messages = value.get("messages")
        if isinstance(messages, list):
            return _of_messages(messages, role, depth)
        parts = value.get("parts")
        if isinstance(parts, list):
            return _of_parts(parts, depth)
        return next((found for key in _TEXTS if (found := text_of(value.get(key), role, depth + 1))), None)
    return None


def _of_text(text: str, role: str, depth: int) -> str:
    """Return the text in a text: some tools keep messages as JSON."""
    if text.lstrip()[:1] in {"{", "["}:
        try:
            inner = orjson.loads(text)
        except orjson.JSONDecodeError:
            return text
        return text_of(inner, role, depth + 1) or text
    return text


def _of_messages(messages: list[object], role: str, depth: int) -> str | None:
    """Return the last message of ``role``; a list with no roles at all is read as the parts of one message."""
    known = [message for message in messages if isinstance(message, Mapping) and message.get("role")]
    if not known:
        return _of_parts(messages, depth)
    for message in reversed(known):
        if str(message["role"]).lower() == role:
            content = message.get("content") if message.get("content") is not None else message.get("parts")
            return text_of(content, role, depth + 1)
    return None


def _of_parts(parts: list[object], depth: int) -> str | None:
    texts = [found for part in parts if (found := text_of(part, "", depth + 1))]
    return "\n".join(texts) or None
