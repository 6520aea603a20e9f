"""A conversation as one sample: its last answer, the question with the turns before it, and what tools returned."""

from collections.abc import Mapping
from dataclasses import dataclass

from plumbrule.samples.formats.chat_messages import text_of

CONVERSATIONS = ("messages", "conversation", "conversations", "turns", "dialogue")

_SPEAKER = ("role", "type", "from", "speaker")
_SAID = ("content", "value", "text", "parts")
_ROLES = {
    "human": "user", "user": "user",
    "ai": "assistant", "assistant": "assistant", "bot": "assistant", "gpt": "assistant", "model": "assistant",
    "tool": "tool", "function": "tool",
}  # fmt: skip
_GIVEN = ("retrieval_context", "retrieved_contexts", "contexts", "context")  # what a turn says that it was given


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The last answer of a conversation, the question that led to it, and the passages found for it."""

    question: str
    answer: str
    contexts: list[object]


@dataclass(frozen=True, slots=True)
class _Turn:
    speaker: str
    text: str
    given: list[object]


def read_conversation(messages: object) -> Conversation | None:
    """Return the sample in a list of messages, or None where nobody answers in it."""
    turns = _turns(messages)
    last = max((index for index, turn in enumerate(turns) if turn.speaker == "assistant" and turn.text), default=None)
    if last is None:
        return None
    before = turns[:last]
    asked = max((index for index, turn in enumerate(before) if turn.speaker == "user"), default=-1)
    found = [turn.text for turn in before[asked + 1 :] if turn.speaker == "tool" and turn.text]
    return Conversation(
        question=_transcript(before[: asked + 1]), answer=turns[last].text, contexts=turns[last].given or [*found]
    )


def question_of(messages: object) -> str | None:
    """Return what messages ask that no answer follows, with the turns before it."""
    turns = _turns(messages)
    return _transcript(turns) if any(turn.speaker == "user" for turn in turns) else None


def _turns(messages: object) -> list[_Turn]:
    if not isinstance(messages, list):
        return []
    return [_turn(message) for message in messages if isinstance(message, Mapping)]


def _turn(message: Mapping[str, object]) -> _Turn:
    speaker = next((word for key in _SPEAKER if (word := _ROLES.get(str(message.get(key)).casefold()))), "")
    said = next((message[key] for key in _SAID if message.get(key) is not None), None)
    given = next((message[key] for key in _GIVEN if message.get(key)), [])
    return _Turn(speaker, text_of(said, speaker if speaker in {"user", "assistant"} else "user") or "", _listed(given))


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _transcript(turns: list[_Turn]) -> str:
    """Return the turns of the two who speak, up to the question; a single question stands for itself."""
    spoken = [turn for turn in turns if turn.speaker in {"user", "assistant"} and turn.text]
    if len(spoken) == 1:
        return spoken[0].text
    return "\n".join(f"{turn.speaker}: {turn.text}" for turn in spoken)
