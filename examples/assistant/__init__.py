"""A small compliance assistant over the demo corpus, to be evaluated: ``answer`` is the whole of it as a function."""

from examples.assistant.answering import answer

__all__ = ["answer"]
