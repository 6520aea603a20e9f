"""Refusal appropriateness: was it right to refuse, or to answer, and was it done as the taxonomy asks."""

from collections.abc import Iterator
from fractions import Fraction

from plumbrule.prescores.checks import Check, Rules, Spot, shown, spot_in
from plumbrule.prescores.leaks import find_leaks, refusal_texts
from plumbrule.prescores.passage_conflicts import Conflict, find_conflicts, takes_side
from plumbrule.prescores.study import Study
from plumbrule.rubrics import RefusalCode
from plumbrule.samples.sample_model import Refusal
from plumbrule.text.phrases import contains_any

_NO_REFUSAL = "nothing was refused"
_ANSWER_RULES = ("conflict_not_reported", "answered_below_threshold")
_ESCALATED = "ESCALATE"


def check_refusal(study: Study) -> list[Check]:
    """Apply every rule of refusals, to refusals and to answers."""
    rules = Rules("refusal_appropriateness", study.policy.compliance.caps.refusal_appropriateness)
    conflicts = list(find_conflicts(study))
    conflict = conflicts[0] if conflicts else None
    taken = next((conflict for conflict in conflicts if takes_side(study, conflict)), None)
    return [
        *_check_expected(study, rules),
        _check_silence(study, rules),
        *_check_answer(study, rules, taken),
        *_check_code(study, rules, conflict),
        *_check_form(study, rules),
    ]


def above_threshold(study: Study) -> int | None:
    """Return how many passages reach the similarity threshold; None where nobody knows."""
    trace, limit = study.interaction.trace, study.policy.compliance.limits.similarity_threshold
    if trace is not None and trace.retrieval.passages_above_threshold is not None:
        return trace.retrieval.passages_above_threshold
    scores = [passage.score for passage in study.interaction.passages]
    if scores and all(score is not None for score in scores):
        return sum(Fraction(str(score)) >= limit for score in scores if score is not None)
    if trace is not None and trace.retrieval.passages_retrieved == 0:
        return 0
    if trace is not None and trace.retrieval.top_passage_score is not None:
        return int(Fraction(str(trace.retrieval.top_passage_score)) >= limit)
    return None


def _check_expected(study: Study, rules: Rules) -> Iterator[Check]:
    names = {
        "missing": "answered_though_refusal_expected",
        "wrong_code": "refusal_code_wrong",
        "unneeded": "refused_though_answerable",
    }
    expected = study.interaction.sample.expected
    known = expected is not None and (expected.refuse is not None or expected.refusal_code is not None)
    finding = study.refusal
    judgement = finding.judgement if finding is not None else "as_expected"
    for kind, name in names.items():
        if not known:
            yield rules.not_applicable(name, "nobody said whether to refuse")
        elif kind != judgement:
            yield rules.passed(name)
        elif kind == "missing":
            spot = Spot(where="answer", text=shown(study.answer.text), start=0, end=len(study.answer.text))
            yield rules.failed(name, "there is an answer where a refusal was expected", [spot])
        elif kind == "wrong_code" and finding is not None:
            message = f"refused with {finding.code} where {finding.expected_code} was expected"
            yield rules.failed(name, message, [Spot(where="refusal.code", text=finding.code or "")])
        else:
            code = finding.code if finding is not None else None
            message = "refused where an answer was expected"
            yield rules.failed(name, message, [Spot(where="refusal.code", text=code or "")])
    if finding is not None and finding.refused and not finding.declared:
        start, end = finding.start or 0, finding.end or 0
        spot = spot_in("answer", study.answer.text, start, end)
        yield rules.failed("refusal_undeclared", "the answer refuses in words; no refusal is declared", [spot])
    else:
        yield rules.passed("refusal_undeclared")


def _check_silence(study: Study, rules: Rules) -> Check:
    """Check that there is an answer, or a refusal that says anything at all."""
    refusal = study.interaction.sample.refusal
    has_text = refusal is not None and any(text.strip() for _, text in refusal_texts(refusal))
    if study.answer.text.strip() or has_text or (refusal is not None and refusal.code):
        return rules.passed("silent_failure")
    spot = Spot(where="answer", text="")
    return rules.failed("silent_failure", "there is neither an answer nor a refusal that says why", [spot])


def _check_answer(study: Study, rules: Rules, conflict: Conflict | None) -> Iterator[Check]:
    if not study.answered:
        yield from (rules.not_applicable(name, "there is no answer") for name in _ANSWER_RULES)
        return
    logged = study.interaction.trace.grounding.conflict_detected if study.interaction.trace is not None else None
    if conflict is not None:
        message = "the passages give different values, and the answer picks one instead of refusing"
        yield rules.failed("conflict_not_reported", message, _sides(study, conflict))
    elif logged:
        spot = Spot(where="trace.grounding.conflict_detected", text="true")
        yield rules.failed(
            "conflict_not_reported", "the trace notes a conflict of sources, and there is an answer", [spot]
        )
    elif study.passages or logged is not None:
        yield rules.passed("conflict_not_reported")
    else:
        yield rules.not_applicable("conflict_not_reported", "the passages are not known")
    above = above_threshold(study)
    if above is None:
        yield rules.not_applicable("answered_below_threshold", "no scores are known")
    elif above == 0:
        message = (
            f"there is an answer and no passage reaches {float(study.policy.compliance.limits.similarity_threshold):g}"
        )
        yield rules.failed("answered_below_threshold", message, [Spot(where="passages", text="0 above the threshold")])
    else:
        yield rules.passed("answered_below_threshold")


def _check_code(study: Study, rules: Rules, conflict: Conflict | None) -> Iterator[Check]:
    refusal = study.interaction.sample.refusal
    names = ("refusal_code_unknown", "code_against_trace", "conflict_not_found")
    if refusal is None or not study.refused:
        yield from (rules.not_applicable(name, _NO_REFUSAL) for name in names)
        return
    code = study.policy.refusals.codes.get(refusal.code or "")
    if code is None:
        spot = Spot(where="refusal.code", text=refusal.code or "")
        yield rules.failed("refusal_code_unknown", "the refusal's code is not in the taxonomy", [spot])
        yield from (rules.not_applicable(name, "the code is not known") for name in names[1:])
        return
    yield rules.passed("refusal_code_unknown")
    yield rules.decide(
        "code_against_trace", _contrary(study, code, conflict), f"{refusal.code} does not go with what was retrieved"
    )
    if code.trace.conflict == "any" or not study.passages:
        yield rules.not_applicable("conflict_not_found", "the code speaks of no conflict, or no passages are known")
    elif conflict is not None or _traced_conflict(study):
        yield rules.passed("conflict_not_found")
    else:
        spots = [
            Spot(where=f"passages[{index}]", text="", ref=passage.id)
            for index, passage in enumerate(study.interaction.passages)
        ]
        message = f"{refusal.code}, and no two passages were found that give different values for what was asked"
        yield rules.failed("conflict_not_found", message, spots)


def _contrary(study: Study, code: RefusalCode, conflict: Conflict | None) -> Iterator[Spot]:
    """Yield each fact of the trace that contradicts the refusal's code."""
    trace, limits = study.interaction.trace, study.policy.compliance.limits
    above = above_threshold(study)
    wanted = code.trace.above_threshold
    if above is not None and ((wanted == "none" and above > 0) or (wanted == "some" and above == 0)):
        yield Spot(where="trace.retrieval.passages_above_threshold", text=str(above))
    searched = trace.retrieval.collections_searched if trace is not None else None
    if searched is not None and bool(searched) != (code.trace.searched == "some") and code.trace.searched != "any":
        yield Spot(where="trace.retrieval.collections_searched", text=shown(", ".join(searched)))
    coverage = trace.grounding.grounding_coverage if trace is not None else None
    if code.trace.coverage == "low" and coverage is not None and Fraction(str(coverage)) >= limits.partial_coverage:
        yield Spot(where="trace.grounding.grounding_coverage", text=f"{coverage:g}")
    if conflict is not None and code.trace.conflict == "any" and code.trace.above_threshold == "some":
        yield from _sides(study, conflict)


def _traced_conflict(study: Study) -> bool:
    trace = study.interaction.trace
    return trace is not None and trace.grounding.conflict_detected is True


def _check_form(study: Study, rules: Rules) -> Iterator[Check]:
    """Check what a refusal must say: guidance, prompts, both sides of a conflict, escalation; and what it must not."""
    refusal = study.interaction.sample.refusal
    if refusal is None or not study.refused:
        names = ("guidance_missing", "clarification_missing", "conflict_not_named", "escalation_missing",
                 "restricted_content_named")  # fmt: skip
        yield from (rules.not_applicable(name, _NO_REFUSAL) for name in names)
        return
    code = study.policy.refusals.codes.get(refusal.code or "")
    for name, where, needed, given in _said(refusal, code):
        if not needed:
            yield rules.not_applicable(name, f"the code does not ask for {where}")
        elif given:
            yield rules.passed(name)
        else:
            message = f"{refusal.code or 'the refusal'} asks for {where}, and there is none"
            yield rules.failed(name, message, [Spot(where=f"refusal.{where}", text="")])
    yield _check_escalation(study, rules, refusal, code)
    if code is None or code.discloses:
        yield rules.not_applicable("restricted_content_named", "the code may say what it is about")
    else:
        yield rules.decide(
            "restricted_content_named",
            find_leaks(study, refusal),
            "places where the refusal names what the asker may not know of: {n}",
        )


def _said(refusal: Refusal, code: RefusalCode | None) -> Iterator[tuple[str, str, bool, bool]]:
    """Yield what a code may ask a refusal to say: the rule, the field, whether it is asked for, whether it is there."""
    guidance = (refusal.user_guidance or "").strip()
    yield "guidance_missing", "user_guidance", code is None or code.guidance == "required", bool(guidance)
    prompts = "?" in guidance or any(step.strip() for step in refusal.next_steps)
    yield "clarification_missing", "next_steps", code is not None and code.next_steps == "required", prompts
    needed = code is not None and code.conflict_summary == "required"
    yield "conflict_not_named", "conflict_summary", needed, bool(refusal.conflict_summary)


def _check_escalation(study: Study, rules: Rules, refusal: Refusal, code: RefusalCode | None) -> Check:
    name = "escalation_missing"
    if code is None or code.escalation != "required":
        return rules.not_applicable(name, "the code does not ask for it")
    decision = study.interaction.trace.decision if study.interaction.trace is not None else None
    if decision is not None and (decision.escalation_triggered is not None or decision.outcome is not None):
        if decision.escalation_triggered or decision.outcome == _ESCALATED:
            return rules.passed(name)
        spot = Spot(where="trace.decision.escalation_triggered", text=str(decision.escalation_triggered).lower())
        return rules.failed(name, f"{refusal.code} must be escalated, and the trace shows that it was not", [spot])
    words = study.policy.compliance.refusal.escalation_words
    texts = (refusal.reason, refusal.user_guidance, *refusal.next_steps)
    if any(contains_any(text, words) is not None for text in texts if text):
        return rules.passed(name)
    return rules.failed(
        name, f"{refusal.code} must be escalated, and nothing says that it was", [Spot(where="refusal", text="")]
    )


def _sides(study: Study, conflict: Conflict) -> list[Spot]:
    passages = study.interaction.passages
    return [
        spot_in(f"passages[{index}]", passages[index].text, value.start, value.end, passages[index].id)
        for index, value in ((conflict.first, conflict.one), (conflict.second, conflict.other))
    ]
