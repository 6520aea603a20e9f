"""Changes to a sentence by rule: those that keep what it says, and those that do not."""

import random
import re
from collections.abc import Callable, Sequence

from plumbrule.text.tokens import lemmas, spans
from training.verifier_words import Words

_MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905 - reads best as words
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()  # noqa: SIM905 - the same
_COUNTS = "two three four five six seven eight nine ten twelve twenty hundred thousand million billion".split()  # noqa: SIM905 - the same
_VALUES = ("number", "date", "name", "role")
_CHOSEN = 0.4  # values can be changed in few sentences, and are then changed more often than words
_NOT = re.compile(r"(?i)\s(?:not|never)(?=\s)|n['’]t\b")
_AUXILIARY = re.compile(r"\s(?:is|are|was|were|will|can|has|have|had|would|could|should|must|may|did|does|do)(?=\s)")
_DROPPABLE = re.compile(
    r"\s\([^()]*\)|\s(?:very|also|just|really|quite|actually|currently|then|only|even|now|still|already|\w{3,}ly)(?=\s)"
)
_LEAD = re.compile(r"^(?:[^,]{3,60}),\s(?=\w)")
_TAIL = re.compile(r",\s(?:which|who|where|while|with|including|and|but|as|because|although)\s[^,]*[.]?$")
_NAME = re.compile(r"(?<=[\w,;] )[A-Z][\w’'-]*[a-z](?:\s[A-Z][\w’'-]*[a-z])*")
_STRENGTH = {
    "all": "some", "some": "all", "most": "few", "few": "most", "many": "few", "always": "sometimes", "may": "must",
    "might": "will", "can": "must", "must": "may", "should": "must", "more": "less", "less": "more", "before": "after",
    "after": "before", "increase": "decrease", "increased": "decreased", "first": "last", "last": "first", "up": "down",
    "never": "often", "often": "never", "with": "without", "without": "with", "under": "over",
    "over": "under", "above": "below", "at least": "at most", "more than": "less than", "he": "she", "she": "he",
}  # fmt: skip


def paraphrase(rng: random.Random, text: str, words: Words) -> str:
    """Return the sentence with up to three changes that keep what it says; in a quarter of the cases, itself."""
    for _ in range(rng.choice((0, 1, 2, 3))):
        change = rng.choice((_drop_word, _drop_clause, _replace_verb, _replace_verb))
        text = change(rng, text, words)
    return text


def _drop_word(rng: random.Random, text: str, words: Words) -> str:  # noqa: ARG001 - all changes are called alike
    found = list(_DROPPABLE.finditer(text))
    return _cut(text, rng.choice(found)) if found else text


def _drop_clause(rng: random.Random, text: str, words: Words) -> str:  # noqa: ARG001 - the same
    found = [each for each in (_LEAD.search(text), _TAIL.search(text)) if each is not None]
    if not found:
        return text
    shorter = _cut(text, rng.choice(found)).rstrip(".") + "."
    return shorter if len(shorter.split()) >= 5 else text


def _cut(text: str, found: re.Match[str]) -> str:
    return text[: found.start()] + text[found.end() :]


def _replace_verb(rng: random.Random, text: str, words: Words) -> str:
    return _replace(rng, text, words.synonyms) or text


def _replace(rng: random.Random, text: str, others: dict[str, list[str]]) -> str | None:
    """Return the text with one word replaced by one of those that ``others`` has for its lemma."""
    found = [
        (lemma, start, end)
        for lemma, start, end in zip(lemmas(text), *spans(text), strict=True)
        if lemma in others and len(lemma) > 2 and text[start:end].islower()
    ]
    if not found:
        return None
    lemma, start, end = rng.choice(found)
    return text[:start] + _inflected(text[start:end], rng.choice(others[lemma])) + text[end:]


def _inflected(old: str, new: str) -> str:
    """Return the new word with the ending of the old, roughly."""
    if old.endswith("ing") and not new.endswith("ing"):
        return new.removesuffix("e") + "ing"
    if old.endswith("ed") and not new.endswith("ed"):
        return new + ("d" if new.endswith("e") else "ed")
    return new + "s" if old.endswith("s") and not new.endswith("s") else new


def corrupt(rng: random.Random, text: str, words: Words, names: Sequence[str], count: int) -> list[tuple[str, str]]:
    """Return up to ``count`` sentences that say something else, each with the kind of change."""
    kinds: dict[str, Callable[[], str | None]] = {
        "number": lambda: _change_number(rng, text),
        "date": lambda: _change_listed(rng, text, (_MONTHS, _DAYS, _COUNTS)),
        "name": lambda: _change_name(rng, text, names),
        "role": lambda: _swap_names(rng, text),
        "negation": lambda: _negate(rng, text),
        "antonym": lambda: _replace(rng, text, words.antonyms),
        "sibling": lambda: _replace(rng, text, words.siblings),
        "strength": lambda: _change_strength(rng, text),
    }
    made = [(kind, changed) for kind, change in kinds.items() if (changed := change()) and changed != text]
    made.sort(key=lambda each: rng.random() * (_CHOSEN if each[0] in _VALUES else 1.0))
    return made[:count]


def _change_number(rng: random.Random, text: str) -> str | None:
    found = list(re.finditer(r"\d", text))
    if not found:
        return None
    at = rng.choice(found).start()
    return text[:at] + str((int(text[at]) + rng.randint(1, 8)) % 10) + text[at + 1 :]


def _change_listed(rng: random.Random, text: str, lists: Sequence[Sequence[str]]) -> str | None:
    found = [(each, listed) for listed in lists for word in listed for each in re.finditer(rf"\b{word}\b", text)]
    if not found:
        return None
    place, listed = rng.choice(found)
    other = rng.choice([word for word in listed if word != place[0]])
    return text[: place.start()] + other + text[place.end() :]


def _change_name(rng: random.Random, text: str, names: Sequence[str]) -> str | None:
    found = list(_NAME.finditer(text))
    others = [name for name in names if name not in text]
    if not found or not others:
        return None
    place = rng.choice(found)
    return text[: place.start()] + rng.choice(others) + text[place.end() :]


def _swap_names(rng: random.Random, text: str) -> str | None:
    found = list(_NAME.finditer(text))
    if len(found) < 2:
        return None
    one, other = sorted(rng.sample(found, 2), key=lambda each: each.start())
    between = text[one.end() : other.start()]
    if between.strip(" ,") in ("", "and", "or"):  # a list of names says the same in any order
        return None
    return text[: one.start()] + other[0] + between + one[0] + text[other.end() :]


def _negate(rng: random.Random, text: str) -> str | None:
    if found := _NOT.search(text):
        return _cut(text, found)
    if auxiliaries := list(_AUXILIARY.finditer(text)):
        at = rng.choice(auxiliaries[:2]).end()
        return text[:at] + " not" + text[at:]
    return None


def _change_strength(rng: random.Random, text: str) -> str | None:
    found = [(each, new) for old, new in _STRENGTH.items() for each in re.finditer(rf"\b{old}\b", text)]
    if not found:
        return None
    place, new = rng.choice(found)
    return text[: place.start()] + new + text[place.end() :]
