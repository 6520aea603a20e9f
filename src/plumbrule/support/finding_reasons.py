"""What decided on a sentence, in words that a reader of the answer understands."""

from collections.abc import Callable, Sequence

from plumbrule.support.findings import Finding, FindingKind
from plumbrule.support.measures import MEASURES, Comparison, MeasureName
from plumbrule.terminal import shortened

# What each measure says of a sentence.
MEANINGS: dict[MeasureName, str] = {
    "words": "share of its words, by weight, that stand nowhere in the contexts",
    "evidence": "share of its words, by weight, that the best passage does not have",
    "specifics": "numbers, dates and names that the contexts do not have, and facts of data that it gets wrong",
    "opposites": "opposite words, facts turned round, another value in the same words, a denial more or less",
    "strength": "says all, only, must or the like where the passage has a weaker word",
    "speaker": "speaks of itself, as 'I' or 'we', where no context does",
    "unknown": "says that the contexts do not tell, which speaks for it",
}
_MOST = 3
_EVIDENCE = MEASURES.index("evidence")
_MUCH = 0.5  # of its words, for a sentence whose other faults are told
_NAMED = 4  # words quoted in one reason
_OF_WORDS: frozenset[FindingKind] = frozenset({"number", "date", "name", "word"})  # that a rival says better
_LONGEST = 120  # characters of a quotation

# Which findings stand behind a measure, the most telling first.
_BEHIND: dict[MeasureName, tuple[FindingKind, ...]] = {
    "specifics": ("denied_fact", "other_value", "unknown_fact", "number", "date", "name"),
    "opposites": ("denied_fact", "other_value", "opposite", "negation", "denial"),
    "words": ("word", "name"),
    "evidence": (),
    "strength": ("strength",),
    "speaker": ("speaker",),
    "unknown": (),
}


def reasons_against(
    compared: Comparison,
    contributions: Sequence[tuple[MeasureName, float]],
    bound: Sequence[Finding],
    answer: str,
) -> list[str]:
    """Return the two or three things that speak most against a sentence, in words: first what binding found."""
    rivals = [each for each in bound if each.kind == "rival"]
    said = [_rival([each], answer) for each in rivals[:_MOST]]
    if not said and bound:
        said = [_change(bound, answer)]
    told = {
        each
        for each in compared.findings
        if each.kind in _OF_WORDS and any(each.start < rival.end and each.end > rival.start for rival in rivals)
    }
    for measure, weight in contributions:
        if weight <= 0:
            continue
        for reason in _reasons(measure, compared, answer, told):
            if len(said) < _MOST:
                said.append(reason)
    return said or [_lacking(compared)]


def _reasons(measure: MeasureName, compared: Comparison, answer: str, told: set[Finding]) -> list[str]:
    if measure == "evidence":
        if compared.window is None:
            return ["no passage has any of its words"]
        return [_lacking(compared)] if compared.measures[_EVIDENCE] >= _MUCH else []
    found = []
    for kind in _BEHIND[measure]:
        findings = [each for each in compared.findings if each.kind == kind and each not in told]
        told.update(findings)
        if findings:
            found.append(_WORDING[kind](findings, answer))
    return found


def _lacking(compared: Comparison) -> str:
    return f"the nearest passage lacks {compared.measures[_EVIDENCE]:.0%} of its words, by weight"


def _quoted(findings: Sequence[Finding], answer: str) -> str:
    words = list(dict.fromkeys([answer[each.start : each.end] for each in findings]))
    shown = ", ".join([f"'{word}'" for word in words[:_NAMED]])
    return f"{shown} and {len(words) - _NAMED} more" if len(words) > _NAMED else shown


def _nowhere(what: str) -> Callable[[Sequence[Finding], str], str]:
    return lambda findings, answer: f"{what} not in the context: {_quoted(findings, answer)}"


def _against(what: str) -> Callable[[Sequence[Finding], str], str]:
    def wording(findings: Sequence[Finding], _answer: str) -> str:
        facts = [f"'{each.against}'" for each in findings[:_NAMED]]
        return f"{what} {', '.join(facts)}"

    return wording


def _values(what: str) -> Callable[[Sequence[Finding], str], str]:
    nowhere = _nowhere(what)

    def wording(findings: Sequence[Finding], answer: str) -> str:
        rivalled = [each for each in findings if each.against]
        if not rivalled:
            return nowhere(findings, answer)
        first = rivalled[0]
        return f"{nowhere(findings, answer)} (where the passage has '{first.against}')"

    return wording


def _opposite(findings: Sequence[Finding], answer: str) -> str:
    pairs = [f"'{answer[each.start : each.end]}' where the passage has '{each.against}'" for each in findings[:_NAMED]]
    return f"says {', '.join(pairs)}"


def _negation(findings: Sequence[Finding], answer: str) -> str:
    plain = findings[0].against
    what = f"says plainly: '{plain}'" if plain else "does not deny"
    return f"denies ({_quoted(findings, answer)}) what the nearest passage {what}"


def _quotation(text: str) -> str:
    return shortened(" ".join(text.split()), _LONGEST)


def _rival(findings: Sequence[Finding], answer: str) -> str:
    first = findings[0]
    return f"says '{answer[first.start : first.end]}' where the context has '{first.against}': '{_quotation(first.of)}'"


def _change(findings: Sequence[Finding], answer: str) -> str:
    return f"changes what its passage says ({_quoted(findings, answer)}): '{_quotation(findings[0].of)}'"


_WORDING: dict[FindingKind, Callable[[Sequence[Finding], str], str]] = {
    "word": _nowhere("words"),
    "name": _nowhere("names"),
    "number": _values("numbers"),
    "date": _values("dates"),
    "unknown_fact": _against("the context does not know"),
    "other_value": _against("gives another value than"),
    "denied_fact": _against("says the opposite of"),
    "opposite": _opposite,
    "negation": _negation,
    "denial": lambda findings, _answer: f"leaves out that the nearest passage denies it: '{findings[0].against}'",
    "strength": lambda findings, answer: f"is stronger than its passage: {_quoted(findings, answer)}",
    "speaker": lambda findings, answer: f"speaks of itself: {_quoted(findings, answer)}",
    "rival": _rival,
    "change": _change,
}
