"""Chat models over HTTP: providers, cache, prices."""

from plumbrule.models.chat_model import ChatModel, ChatRequest, Completion, Generation, open_chat_model
from plumbrule.models.completion_cache import CacheFile, CompletionCache
from plumbrule.models.model_names import is_floating, says_latest, version_in
from plumbrule.models.prices import Prices

__all__ = [
    "CacheFile",
    "ChatModel",
    "ChatRequest",
    "Completion",
    "CompletionCache",
    "Generation",
    "Prices",
    "is_floating",
    "open_chat_model",
    "says_latest",
    "version_in",
]
