"""Attribution accuracy: are the citations real, placed at the claims, and do their passages support the claims."""

from collections.abc import Iterator, Mapping, Sequence

from plumbrule.prescores.checks import Check, Rules, Spot, shown, spot_in
from plumbrule.prescores.excerpts import stands_in
from plumbrule.prescores.study import Study, within
from plumbrule.prescores.support_hints import named, weak_sentences
from plumbrule.samples.sample_model import Citation
from plumbrule.text.phrases import contains_any, opens_with
from plumbrule.text.sentences import Sentence
from plumbrule.verdicts.anchors import Anchor

_UNKNOWN = "it is not known which passages were retrieved"
_NO_TEXT = "the passages are not known"


def check_attribution(study: Study) -> list[Check]:
    """Apply every rule of attribution to an answer."""
    rules = Rules("attribution_accuracy", study.policy.compliance.caps.attribution_accuracy)
    if not study.answered:
        return [rules.not_applicable(rule, "there is no answer") for rule in rules_of_attribution(study)]
    return [*_check_markers(study, rules), *_check_sources(study, rules), *_check_excerpts(study, rules),
            *_check_support(study, rules)]  # fmt: skip


def cited_by(study: Study, sentence: Sentence, places: Mapping[str, tuple[int, ...]]) -> list[int]:
    """Return the passages that the markers of a sentence cite."""
    return sorted({index for marker in within(study.markers, sentence) for index in places.get(marker.citation_id, ())})


def rules_of_attribution(study: Study) -> tuple[str, ...]:
    """Return the names of all rules of attribution."""
    names: tuple[str, ...] = study.policy.compliance.caps.attribution_accuracy.__slots__
    return names


def substantive_sentences(study: Study) -> Iterator[Sentence]:
    """Yield the sentences of the answer that claim something: neither questions nor framing nor disclaimers."""
    policy = study.policy.compliance
    text = study.answer.text
    disclaiming = [phrase for rule in policy.disclaimers.values() for phrase in rule.wording]
    for sentence in study.answer.sentences:
        words = text[sentence.start : sentence.end]
        if words.rstrip().endswith(("?", ":")) or opens_with(words, policy.attribution.framing):
            continue
        if contains_any(words, disclaiming) is not None:
            continue
        least = policy.attribution.claim_words
        if study.sentence_anchors(sentence) or len(study.content_between(sentence.start, sentence.end)) >= least:
            yield sentence


def _check_markers(study: Study, rules: Rules) -> Iterator[Check]:
    ids = study.cited_places.keys()
    yield rules.decide(
        "marker_without_citation",
        [study.spot(marker) for marker in study.markers if marker.citation_id not in ids],
        "citation markers that name no citation of the response: {n}",
    )
    used = {marker.citation_id for marker in study.markers}
    yield rules.decide(
        "citation_unused",
        [
            Spot(where=f"citations[{index}]", text=shown(_name(study, index)), ref=name)
            for index, name in enumerate(study.citation_ids)
            if name not in used
        ],
        "citations that no marker of the answer uses: {n}",
    )
    claims = list(substantive_sentences(study))
    if not claims:
        yield rules.not_applicable("no_markers", "the answer claims nothing")
        yield rules.not_applicable("claim_without_marker", "the answer claims nothing")
        return
    spots = [study.spot(sentence) for sentence in claims if not within(study.markers, sentence)]
    if study.markers:
        yield rules.passed("no_markers")
        yield rules.decide("claim_without_marker", spots, f"claims with no citation marker: {{n}} of {len(claims)}")
    else:
        yield rules.failed("no_markers", f"not one of {len(claims)} claims carries a citation marker", spots)
        yield rules.not_applicable("claim_without_marker", "there is no marker at all")


def _check_sources(study: Study, rules: Rules) -> Iterator[Check]:
    interaction = study.interaction
    citations = interaction.sample.citations
    named = [(index, citation.source_id) for index, citation in enumerate(citations) if citation.source_id]
    retrieved = {passage.source_id for passage in interaction.passages if passage.source_id}
    if not citations:
        why = "the response cites nothing"
        for rule in ("source_not_retrieved", "source_not_in_corpus", "citation_incomplete", "too_many_sources"):
            yield rules.not_applicable(rule, why)
        return
    if interaction.retrieval_known and (retrieved or not interaction.passages):
        yield rules.decide(
            "source_not_retrieved",
            [
                _source_spot(index, source, study)
                for index, source in named
                if source not in retrieved and not _quotes_unnamed(study, citations[index])
            ],
            "cited sources that were not retrieved: {n}",
        )
    else:
        yield rules.not_applicable("source_not_retrieved", _UNKNOWN)
    corpus = interaction.corpus
    if corpus is not None and corpus.sources:
        yield rules.decide(
            "source_not_in_corpus",
            [_source_spot(index, source, study) for index, source in named if source not in corpus.sources],
            "cited sources that are not in the corpus: {n}",
        )
    else:
        yield rules.not_applicable("source_not_in_corpus", "the corpus is not known")
    yield rules.decide(
        "citation_incomplete",
        [
            Spot(where=f"citations[{index}]", text=shown(citation.passage or ""), ref=study.citation_ids[index])
            for index, citation in enumerate(citations)
            if not citation.source_id or not (citation.passage or "").strip()
        ],
        "citations with no source or no excerpt, which cannot be verified: {n}",
    )
    distinct = dict.fromkeys(source for _, source in named)
    limit = study.policy.compliance.limits.sources
    if len(distinct) > limit:
        spots = [Spot(where="citations", text=source) for source in distinct]
        yield rules.failed("too_many_sources", f"{len(distinct)} sources are cited; {limit} are allowed", spots)
    else:
        yield rules.passed("too_many_sources")


def _quotes_unnamed(study: Study, citation: Citation) -> bool:
    """Tell whether the excerpt is in a retrieved passage that does not name its source."""
    return citation.passage is not None and any(
        passage.source_id is None and stands_in(citation.passage, passage.text)
        for passage in study.interaction.passages
    )


def _check_excerpts(study: Study, rules: Rules) -> Iterator[Check]:
    citations = enumerate(study.interaction.sample.citations)
    quoted = [(index, citation) for index, citation in citations if citation.passage]
    if not quoted:
        yield rules.not_applicable("excerpt_too_long", "nothing is quoted")
        yield rules.not_applicable("excerpt_not_in_passage", "nothing is quoted")
        return
    limit = study.policy.compliance.limits.excerpt_characters
    yield rules.decide(
        "excerpt_too_long",
        [
            spot_in(f"citations[{index}].passage", citation.passage or "", limit, len(citation.passage or ""))
            for index, citation in quoted
            if len(citation.passage or "") > limit
        ],
        f"excerpts longer than {limit} characters: {{n}}",
    )
    if not study.passages or study.interaction.unresolved:
        yield rules.not_applicable("excerpt_not_in_passage", _NO_TEXT)
        return
    astray = []
    for index, citation in quoted:
        excerpt = citation.passage or ""
        candidates = study.cited_passages(citation)
        if not candidates and citation.source_id is not None:
            continue  # a source that was not retrieved has a rule of its own
        if not any(stands_in(excerpt, study.passages[place].text) for place in candidates):
            astray.append(Spot(where=f"citations[{index}].passage", text=shown(excerpt), start=0, end=len(excerpt)))
    yield rules.decide(
        "excerpt_not_in_passage", astray, "excerpts that do not stand in the passages of their source: {n}"
    )


def _check_support(study: Study, rules: Rules) -> Iterator[Check]:
    """Look up each marked claim in the passages that its own citations name."""
    if not study.passages or study.interaction.unresolved:
        for rule in ("citation_does_not_support", "citation_contradicts_claim", "weak_cited_support"):
            yield rules.not_applicable(rule, _NO_TEXT)
        return
    places = study.cited_places
    missing: list[Spot] = []
    contrary: list[Spot] = []
    weak: list[Spot] = []
    model = ""
    looked = 0
    for sentence in study.answer.sentences:
        cited = cited_by(study, sentence, places)
        inside = study.sentence_anchors(sentence)
        support = study.support_by(tuple(cited)) if cited else None
        if not cited or (support is None and not inside):
            continue
        looked += 1
        if support is not None and sentence in [(each.start, each.end) for each in weak_sentences(study, support)]:
            weak.append(study.spot(sentence))
            model = named(support)
        against = study.anchors_against(tuple(cited))
        checked = within(against, sentence)
        contradicted = [anchor for anchor in checked if study.contradicts(anchor, cited)]
        contrary += [spot for anchor in contradicted for spot in study.spots_of(anchor, cited)]
        lacking = [anchor for anchor in _unsupported(checked) if anchor.reason != "contradicted"]
        missing += [study.spot(anchor) for anchor in lacking if not study.is_echo(anchor)]
    if not looked:
        why = "no marked sentence has a number, a date or a claim to look up"
        for rule in ("citation_does_not_support", "citation_contradicts_claim", "weak_cited_support"):
            yield rules.not_applicable(rule, why)
        return
    yield rules.decide("citation_does_not_support", missing, "details that are not in the passages cited for them: {n}")
    yield rules.decide(
        "citation_contradicts_claim", contrary, "a cited passage says otherwise than the claim it is cited for"
    )
    if study.policy.support is None:
        yield rules.not_applicable("weak_cited_support", "there is no support score")
    else:
        message = f"marked sentences that their cited passages hardly support: {{n}} ({model})"
        yield rules.decide("weak_cited_support", weak, message)


def _unsupported(anchors: Sequence[Anchor]) -> list[Anchor]:
    """Return the details without support: numbers and dates, and claims where all of the sentence lacks it."""
    lacking = [anchor for anchor in anchors if not anchor.supported]
    if any(anchor.supported for anchor in anchors):
        return [anchor for anchor in lacking if anchor.kind != "claim"]
    return lacking


def _source_spot(index: int, source: str, study: Study) -> Spot:
    return Spot(where=f"citations[{index}].source_id", text=shown(source), ref=study.citation_ids[index])


def _name(study: Study, index: int) -> str:
    citation = study.interaction.sample.citations[index]
    return citation.source_id or citation.source_title or citation.passage or ""
