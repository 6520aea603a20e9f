"""Compliance alignment: prohibited phrases in the assistant's own words, disclaimers where they apply, length."""

from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter

from plumbrule.prescores.checks import Check, Rules, Spot, spot_in
from plumbrule.prescores.excerpts import stands_in
from plumbrule.prescores.study import Study
from plumbrule.text.phrases import contains_any, find_phrase, quotations


def check_compliance(study: Study) -> list[Check]:
    """Apply every rule of compliance."""
    rules = Rules("compliance_alignment", study.policy.compliance.caps.compliance_alignment)
    message = "prohibited phrases in the assistant's own words: {n}"
    return [
        rules.decide("prohibited_phrase", _prohibited(study), message),
        _check_disclaimers(study, rules),
        _check_length(study, rules),
    ]


def _prohibited(study: Study) -> Iterator[Spot]:
    refusal = study.interaction.sample.refusal
    texts = [("answer", study.answer.text)]
    if refusal is not None:
        steps = [(f"refusal.next_steps[{index}]", step) for index, step in enumerate(refusal.next_steps)]
        guidance = ("refusal.user_guidance", refusal.user_guidance or "")
        texts += [("refusal.reason", refusal.reason or ""), guidance, *steps]
    for where, text in texts:
        quoted = quotations(text)
        for phrase in study.policy.compliance.prohibited_phrases:
            for match in find_phrase(text, phrase):
                if not _is_quoted(study, text, match.start(), match.end(), quoted):
                    yield spot_in(where, text, match.start(), match.end())


def _is_quoted(study: Study, text: str, start: int, end: int, quoted: list[tuple[int, int]]) -> bool:
    """Tell whether a phrase is inside quotation marks around words that a passage has."""
    index = bisect_right(quoted, start, key=itemgetter(0)) - 1
    if index < 0 or quoted[index][1] < end:
        return False
    quotation = text[slice(*quoted[index])]
    sources = [passage.text for passage in study.interaction.passages]
    sources += [citation.passage for citation in study.interaction.sample.citations if citation.passage]
    return any(stands_in(quotation, source) for source in sources)


def _check_disclaimers(study: Study, rules: Rules) -> Check:
    name = "disclaimer_missing"
    if not study.answered:
        return rules.not_applicable(name, "there is no answer")
    applied = 0
    missing: list[Spot] = []
    kinds: list[str] = []
    for kind, rule in study.policy.compliance.disclaimers.items():
        signs = [spot for word in rule.told_by if (spot := _telling(study, word)) is not None]
        if len(signs) < rule.at_least:
            continue
        applied += 1
        if contains_any(study.answer.text, rule.wording) is None and not _warned(study, rule.wording):
            kinds.append(kind)
            missing += signs
    if not applied:
        return rules.not_applicable(name, "no content that needs a disclaimer")
    return rules.decide(name, missing, f"{' and '.join(kinds)} content has no disclaimer")


def _telling(study: Study, word: str) -> Spot | None:
    """Return where a word that shows the content type is, in any of its forms; a phrase only as it is."""
    for where, view in (("answer", study.answer), ("question", study.question)):
        if " " in word:
            match = contains_any(view.text, [word])
            if match is not None:
                return spot_in(where, view.text, *match.span())
        elif word in view.lemma_set:
            place = view.places.get(word)[0]
            return spot_in(where, view.text, view.spans[0][place], view.spans[1][place])
    return None


def _warned(study: Study, wording: tuple[str, ...]) -> bool:
    """Tell whether the disclaimer is among the response's warnings instead of in its answer."""
    warnings = study.interaction.sample.metadata.get("warnings")
    texts = [text for text in warnings if isinstance(text, str)] if isinstance(warnings, list) else []
    return any(contains_any(text, wording) is not None for text in texts)


def _check_length(study: Study, rules: Rules) -> Check:
    name = "response_too_long"
    tokens, limit = study.interaction.sample.output_tokens, study.policy.compliance.limits.response_tokens
    if tokens is None:
        return rules.not_applicable(name, "the tokens of the response are not known")
    if tokens > limit:
        spot = Spot(where="output_tokens", text=str(tokens))
        return rules.failed(name, f"the response has {tokens} tokens; {limit} are allowed", [spot])
    return rules.passed(name)
