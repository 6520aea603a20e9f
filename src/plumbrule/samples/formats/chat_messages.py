"""The text of a chat: what the user asked last, or what the assistant said last."""

from collections.abc import Mapping

import orjson

_ANYWHERE = ("text", "content", "value")
_TEXTS = {  # the fields that may hold what was asked, or said: an output often repeats its input beside itself
    "user": ("query", "question", "user_input", "input", "prompt", *_ANYWHERE),
    "assistant": ("answer", "output", "response", "result", "output_text", "completion", *_ANYWHERE),
}
_CHOICES = ("choices", "candidates", "generations")  # of a model's own answer: the first counts
_ROLES = {"human": "user", "ai": "assistant"}
_UNSAID = frozenset(  # parts of a message that its reader does not see
    {"reasoning", "thinking", "redacted_thinking", "tool_call", "tool_call_response", "tool_use", "tool_result",
     "function_call", "function_call_output"}
)  # fmt: skip
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
        return _of_object(value, role, depth)
    return None


def _of_object(value: Mapping[str, object], role: str, depth: int) -> str | None:
    messages = value.get("messages")
    if isinstance(messages, list):
        return _of_messages(messages, role, depth)
    parts = value.get("parts")
    if isinstance(parts, list):
        return _of_parts(parts, role, depth)
    for key in _CHOICES if role == "assistant" else ():
        choices = value.get(key)
        if isinstance(choices, list) and choices:
            return text_of(_unwrapped(choices[0]), role, depth + 1)
    return next((found for key in _TEXTS[role] if (found := text_of(value.get(key), role, depth + 1))), None)


def _of_text(text: str, role: str, depth: int) -> str:
    """Return the text in a text: some tools keep messages as JSON."""
    if text.lstrip()[:1] in {"{", "[", '"'}:
        try:
            inner = orjson.loads(text)
        except orjson.JSONDecodeError:
            return text
        return text_of(inner, role, depth + 1) or text
    return text


def _of_messages(messages: list[object], role: str, depth: int) -> str | None:
    """Return the last message of ``role``; a list with no roles at all is read as the parts of one message."""
    known = [(_role_of(message), message) for message in map(_unwrapped, messages) if isinstance(message, Mapping)]
    if not any(speaker for speaker, _ in known):
        return _of_parts(messages, role, depth)
    for speaker, message in reversed(known):
        if speaker == role:
            content = message.get("content") if message.get("content") is not None else message.get("parts")
            return text_of(content, role, depth + 1)
    return None


def _unwrapped(message: object) -> object:
    """Return a message that stands under the key ``message``, as an object or with its keys dotted."""
    if not isinstance(message, Mapping):
        return message
    inner = message.get("message")
    if isinstance(inner, Mapping):
        return inner
    dotted = {key.removeprefix("message."): part for key, part in message.items() if key.startswith("message.")}
    return dotted or message


def _role_of(message: Mapping[str, object]) -> str:
    role = message.get("role")
    return str(role).lower() if role else _ROLES.get(str(message.get("type")), "")


def _of_parts(parts: list[object], role: str, depth: int) -> str | None:
    said = [part for part in parts if not (isinstance(part, Mapping) and part.get("type") in _UNSAID)]
    texts = [found for part in said if (found := text_of(part, role, depth + 1))]
    return "\n".join(texts) or None
