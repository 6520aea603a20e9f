"""The assistant under test: it answers from its handbook, and is sure of one thing that the handbook does not say."""

HANDBOOK = {
    "fee": "The fee for a domestic wire is $25.",
    "term": "The notice period is 30 days.",
    "limit": "The daily limit is $5,000 for each account.",
    "desk": "The help desk is open from 9 am to 5 pm.",
}
WORDS = {"fee": "fee", "notice": "term", "limit": "limit", "open": "desk"}


def answer(question: str, *, attempt: int = 0) -> tuple[str, list[str]]:
    """Return the answer to a question, and the passages that it was made from."""
    topic = next(topic for word, topic in WORDS.items() if word in question)
    passage = HANDBOOK[topic]
    if topic == "limit" and attempt == 1:  # it is not always wrong
        return "The daily limit is $9,000 for each account.", [passage]
    return passage, [passage]
