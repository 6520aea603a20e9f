"""Grounding integrity: do the passages support the answer, and is its status right."""

from collections.abc import Iterator
from fractions import Fraction

from plumbrule.prescores.checks import Check, Hint, Rules, Spot
from plumbrule.prescores.study import Study
from plumbrule.prescores.support_hints import named, support_hints, weak_sentences

_UNKNOWN = "the passages are not known"
_NOTHING = "the answer has no number, date or claim to verify"


def check_grounding(study: Study) -> list[Check]:
    """Apply every rule of grounding."""
    rules = Rules("grounding_integrity", study.policy.compliance.caps.grounding_integrity)
    return [*_check_anchors(study, rules), *_check_status(study, rules)]


def grounding_hints(study: Study) -> Iterator[Hint]:
    """Yield what a person should look at and no rule decides."""
    if not study.answered:
        return
    if study.passages and study.anchors.drifted:
        overlap = float(study.anchors.ngram_overlap or 0)
        yield Hint(
            code="topic_drift",
            message="the answer has few words of the passages",
            figures=(("ngram_overlap", overlap),),
        )
    if not study.anchors.anchors:
        yield Hint(code="nothing_to_verify", message=_NOTHING)
    yield from support_hints(study)
    if study.passages and study.interaction.passages_from == "citations":
        yield Hint(
            code="retrieval_unknown",
            message="checked against the corpus's passages of the cited sources, not the retrieved",
        )


def _check_anchors(study: Study, rules: Rules) -> Iterator[Check]:
    yield _check_support(study, rules)
    names = ("claim_contradicted", "value_unsupported", "claim_unsupported", "claims_mostly_unsupported")
    anchors = study.anchors.anchors
    known = {"there is no answer": study.answered, _UNKNOWN: study.passages, _NOTHING: anchors}
    why = next((reason for reason, present in known.items() if not present), None)
    if why is not None:
        yield from (rules.not_applicable(name, why) for name in names)
        return
    contradicted, spots = _contradictions(study)
    message = f"details of the answer that the passages contradict: {contradicted}"
    yield rules.decide("claim_contradicted", spots, message)
    if study.interaction.unresolved:
        yield from (rules.not_applicable(name, "not all retrieved passages are known") for name in names[1:])
        return
    if study.interaction.sample.grounding_status == study.policy.compliance.statuses.partial:
        yield rules.not_applicable("value_unsupported", "the answer says itself that it is only partly grounded")
    else:
        values = [anchor for anchor in anchors if anchor.kind != "claim" and anchor.reason == "not_found"]
        lacking = [study.spot(anchor) for anchor in values if not study.is_echo(anchor)]
        yield rules.decide("value_unsupported", lacking, "numbers and dates of the answer that are in no passage: {n}")
    unsupported = [anchor for anchor in anchors if not anchor.supported]
    claims = [anchor for anchor in unsupported if anchor.kind == "claim" and anchor.reason != "contradicted"]
    unsure = [study.spot(anchor) for anchor in claims]
    yield rules.decide("claim_unsupported", unsure, "claims of the answer that were not found in the passages: {n}")
    own = [anchor for anchor in anchors if anchor.supported or not study.is_echo(anchor)]
    lacking_own = [anchor for anchor in own if not anchor.supported]
    if own and Fraction(len(lacking_own), len(own)) > study.policy.verdict.hallucination.fail_above:
        message = f"details of the answer that are in no passage: {len(lacking_own)} of {len(own)}"
        yield rules.failed("claims_mostly_unsupported", message, map(study.spot, lacking_own))
    else:
        yield rules.passed("claims_mostly_unsupported")


def _contradictions(study: Study) -> tuple[int, list[Spot]]:
    """Return how many details the passages contradict, and where each stands beside what the passage says instead.

    This is the one place that makes a contradiction of the answer: what it returns proposes Unsafe.
    """
    passages = range(len(study.passages))
    contradicted = [anchor for anchor in study.anchors.anchors if study.contradicts(anchor, passages)]
    spots = [spot for anchor in contradicted for spot in study.spots_of(anchor, passages)]
    support = study.known_support
    told = {(anchor.start, anchor.end) for anchor in contradicted}
    rivals = [
        finding
        for sentence in (support.sentences if support is not None else ())
        if sentence.band == "unsupported"
        for finding in sentence.findings
        if finding.kind == "rival" and (finding.start, finding.end) not in told
    ]
    return len(contradicted) + len(rivals), spots + [study.spot(finding) for finding in rivals]


def _check_support(study: Study, rules: Rules) -> Check:
    """Withhold Strong where the passages hardly support the answer, or a sentence of it that claims something."""
    support = study.known_support
    if support is None or not study.answered:
        return rules.not_applicable("weak_support", "there is no support score")
    weak = weak_sentences(study, support)
    if not weak and not study.anchors.anchors and support.band != "supported":
        return rules.not_applicable("weak_support", "whether the passages support the answer is doubtful")
    message = f"sentences that the passages hardly support: {{n}} of {len(support.sentences)} ({named(support)})"
    return rules.decide("weak_support", map(study.spot, weak), message)


def _check_status(study: Study, rules: Rules) -> Iterator[Check]:
    sample, trace = study.interaction.sample, study.interaction.trace
    policy = study.policy.compliance
    status = sample.grounding_status
    if trace is None:
        yield rules.not_applicable("status_against_trace", "there is no trace")
        yield rules.not_applicable("status_against_coverage", "there is no trace")
    else:
        yield _against_trace(study, rules)
        yield _against_coverage(study, rules)
    retrieved = _retrieved_count(study)
    if not study.answered or retrieved is None:
        why = "there is no answer" if not study.answered else "it is not known what was retrieved"
        yield rules.not_applicable("answered_without_passages", why)
    elif retrieved == 0:
        spot = Spot(where="trace.retrieval.passages_retrieved", text="0")
        yield rules.failed("answered_without_passages", "there is an answer and nothing was retrieved", [spot])
    else:
        yield rules.passed("answered_without_passages")
    if not study.answered or status != policy.statuses.partial:
        yield rules.not_applicable("partial_without_warning", f"the answer is not {policy.statuses.partial}")
    elif sample.metadata.get("warnings"):
        yield rules.passed("partial_without_warning")
    else:
        message = f"the answer is {status} and no warning says what is missing"
        yield rules.failed("partial_without_warning", message, [Spot(where="metadata.warnings", text="")])


def _against_trace(study: Study, rules: Rules) -> Check:
    trace, status = study.interaction.trace, study.interaction.sample.grounding_status
    logged = trace.grounding.status if trace is not None else None
    if logged is None or status is None:
        return rules.not_applicable("status_against_trace", "response or trace gives no status")
    if logged == status:
        return rules.passed("status_against_trace")
    spots = [Spot(where="grounding_status", text=status), Spot(where="trace.grounding.status", text=logged)]
    return rules.failed("status_against_trace", f"the response says {status}, its trace {logged}", spots)


def _against_coverage(study: Study, rules: Rules) -> Check:
    rule = "status_against_coverage"
    trace, sample = study.interaction.trace, study.interaction.sample
    limits, statuses = study.policy.compliance.limits, study.policy.compliance.statuses
    needed = {statuses.full: limits.full_coverage, statuses.partial: limits.partial_coverage}
    status = sample.grounding_status or ""
    grounding = trace.grounding if trace is not None else None
    if grounding is None or status not in needed:
        return rules.not_applicable(rule, "no status that a coverage could support")
    coverage, unsupported = grounding.grounding_coverage, grounding.unsupported_claims
    if coverage is None and unsupported is None:
        return rules.not_applicable(rule, "the trace gives no coverage")
    if coverage is not None and Fraction(str(coverage)) < needed[status]:
        message = f"{status} needs a coverage of {float(needed[status]):g}; the trace has {coverage}"
        return rules.failed(rule, message, [Spot(where="trace.grounding.grounding_coverage", text=str(coverage))])
    if status == statuses.full and unsupported:
        message = f"{status}, and the trace counts {unsupported} unsupported claims"
        return rules.failed(rule, message, [Spot(where="trace.grounding.unsupported_claims", text=str(unsupported))])
    return rules.passed(rule)


def _retrieved_count(study: Study) -> int | None:
    interaction = study.interaction
    if interaction.passages_from in {"trace", "response"}:
        return len(interaction.passages) + len(interaction.unresolved)
    return interaction.trace.retrieval.passages_retrieved if interaction.trace is not None else None
