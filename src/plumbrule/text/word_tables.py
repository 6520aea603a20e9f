"""Lets a table of words be written as one line of words."""


def word_list(words: str) -> list[str]:
    """Return the words of a line."""
    return words.split()
