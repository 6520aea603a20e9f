"""The same question with other names and other numbers, so that a fit cannot learn by heart who or how much is right.

A name gives way to one of another question everywhere: in passages, question and answers. Numbers keep their order, and
change only where all right answers have them as the passages do and none reckons, so that all labels stay as they are.
"""

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from training.verifier_swaps import Text

_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]{2,}(?!\w)")
_LOWER = re.compile(r"(?<!\w)[a-z]{3,}(?!\w)")
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec"
)
_KEPT = re.compile(  # what is no name, though it has a capital
    rf"(?:{_MONTHS}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|easter|christmas|pentecost|"
    r"english|french|german|dutch|spanish|italian|europe|european)"
)
_NUMBER = re.compile(r"(?<![\w.,:/\-–#@+])(?:[$€£] ?)?(\d{1,3}(?:,\d{3})+|\d+)(?![\w:/\-–#@]|[.,]\d)")
_WRITTEN = re.compile(r"\d[\d.,:]*")
_SPELT = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|twenty|thirty|forty|"
    r"fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|fortnight|dozen|half|third|quarter|twice|double|couple|"
    r"triple|decade|century|pair|once)\b",
    re.IGNORECASE,
)
_MONTH_BEFORE = re.compile(rf"(?:{_MONTHS})\.?\s*$", re.IGNORECASE)
_MONTH_AFTER = re.compile(rf"\s*(?:of )?(?:{_MONTHS})\b", re.IGNORECASE)
_COMMON = 3  # times that a word stands in lower case, from which on it is no name
_LEAST = 13  # smaller numbers may be days, hours or counts of what is listed
_YEARS = range(1850, 2101)
_SCALES = (0.6, 0.7, 0.8, 0.9, 1.1, 1.2, 1.3, 1.5, 1.8)
_NUMBERS = 0.6  # share of questions whose numbers change, too


class Renamer:
    """Renames with the names of some texts."""

    def __init__(self, texts: Iterable[Text]) -> None:
        lower: Counter[str] = Counter()
        names: set[str] = set()
        for text in texts:
            for content in _all(text):
                lower.update(_LOWER.findall(content))
                names.update(_NAME.findall(content))
        self._names = sorted(
            name for name in names if lower[name.lower()] < _COMMON and not _KEPT.fullmatch(name.lower())
        )
        self._known = frozenset(self._names)

    def rename(self, text: Text, rng: random.Random) -> Text:
        """Return the text with other names and perhaps other numbers."""
        text = self._other_names(text, rng)
        return _other_numbers(text, rng) if rng.random() < _NUMBERS else text

    def _other_names(self, text: Text, rng: random.Random) -> Text:
        said = "\n".join(_all(text))
        lower = said.lower()
        others: dict[str, str] = {}
        for name in sorted(self._known.intersection(_NAME.findall(said))):
            other = rng.choice(self._names)
            if other.lower() not in lower and other.lower() not in others.values():
                others[name.lower()] = other.lower()
        if not others:
            return text
        longest = sorted(others, key=len, reverse=True)
        pattern = re.compile(rf"(?<![a-z])(?:{'|'.join(map(re.escape, longest))})(?![a-z])", re.IGNORECASE)

        def put(found: re.Match[str]) -> str:
            other = others[found[0].lower()]
            return other if found[0].islower() else other.upper() if found[0].isupper() else other.capitalize()

        return _changed(text, [pattern.sub(put, content) for content in _all(text)])


def _all(text: Text) -> list[str]:
    return [text.question, *text.contexts, *(answer for answer, _ in text.answers)]


def _changed(text: Text, contents: Sequence[str]) -> Text:
    """Return the text with other contents, in the order of `_all`."""
    question, *rest = contents
    contexts, answers = rest[: len(text.contexts)], rest[len(text.contexts) :]
    right = [right for _, right in text.answers]
    return text._replace(question=question, contexts=contexts, answers=list(zip(answers, right, strict=True)))


def _other_numbers(text: Text, rng: random.Random) -> Text:
    if any(text.reckoned) or not _keeps_to_passages(text):
        return text
    changing = sorted({value for content in _all(text) for _, value in _numbers(content)})
    scale, last, others = rng.choice(_SCALES), _LEAST - 1, {}
    for value in changing:
        step = 10 ** max(0, len(str(value)) - 2) if value % 10 == 0 else 1
        last = max(last + 1, round(value * scale / step) * step)
        if last in _YEARS:
            last = _YEARS.stop
        others[value] = last
    return _changed(text, [_with_numbers(content, others) for content in _all(text)])


def _keeps_to_passages(text: Text) -> bool:
    """Tell whether the right answers have only such numbers as question and passages write."""
    asked = "\n".join((text.question, *text.contexts))
    written = {found.rstrip(".,:") for found in _WRITTEN.findall(asked)}
    spelt = {found.lower() for found in _SPELT.findall(asked)}
    return all(
        written.issuperset(found.rstrip(".,:") for found in _WRITTEN.findall(answer))
        and spelt.issuperset(found.lower() for found in _SPELT.findall(answer))
        for answer, right in text.answers
        if right
    )


def _numbers(content: str) -> Iterator[tuple[re.Match[str], int]]:
    """Give the numbers that may change: no small ones, no years, no days of a month."""
    for found in _NUMBER.finditer(content):
        value = int(found[1].replace(",", ""))
        if value < _LEAST or value in _YEARS or _MONTH_AFTER.match(content, found.end()):
            continue
        if not _MONTH_BEFORE.search(content[: found.start()]):
            yield found, value


def _with_numbers(content: str, others: Mapping[int, int]) -> str:
    parts, at = [], 0
    for found, value in _numbers(content):
        parts += [content[at : found.start(1)], f"{others[value]:,}" if "," in found[1] else str(others[value])]
        at = found.end(1)
    return "".join([*parts, content[at:]])
