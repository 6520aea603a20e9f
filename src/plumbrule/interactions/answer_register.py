"""Which answer stands under a trace id: the same response may come again, another one under the same id is an error."""

from plumbrule.errors import InputError
from plumbrule.hashing import sha256_of
from plumbrule.interactions.interaction import Interaction
from plumbrule.names import key_of_trace

_SHOWN = 60


class AnswerRegister:
    """The trace ids of one import, each with its response; nobody could tell which of two answers was reviewed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, str]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def is_new(self, interaction: Interaction) -> bool:
        """Tell whether a trace id comes for the first time; raise where it comes with another response."""
        name = interaction.sample.trace_id or interaction.sample.id
        response = sha256_of(None if interaction.given is None else dict(interaction.given.response))
        before = self._known.get(key_of_trace(name))
        if before is None:
            self._known[key_of_trace(name)] = response, interaction.where
            return True
        known, where = before
        if known != response:
            raise InputError(
                f"the trace id '{name[:_SHOWN]}' has two answers, at {where} and at {interaction.where}: "
                "give each its own trace_id, or leave one out"
            )
        return False
