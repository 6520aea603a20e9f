"""The support score of an answer: each sentence with its probability, its evidence and what speaks against it."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from plumbrule.errors import RubricError
from plumbrule.rubrics import SupportRules, VerdictRubric
from plumbrule.support.binding.binding_words import BindingWords, binding_words
from plumbrule.support.binding.bound_answer import AnswerBinding, BoundContexts, BoundSentence, bind
from plumbrule.support.calibration import Curve, log_odds_of, logistic
from plumbrule.support.evidence import Evidence
from plumbrule.support.evidence_index import Ground
from plumbrule.support.finding_reasons import reasons_against
from plumbrule.support.findings import Finding
from plumbrule.support.measures import Comparison, MeasureName, compare
from plumbrule.support.support_model import SupportModel, curve_of, load_model
from plumbrule.support.verifier import PackedVerifier, Verifier, open_verifier, verifier_at, verifier_folder
from plumbrule.support.word_lists import SupportWords, support_words
from plumbrule.text.text_view import TextView
from plumbrule.text.work_limits import MOST_SHARING

Band = Literal["supported", "doubtful", "unsupported"]
_ENDS = ".!?"  # of a sentence; so does the text


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportedSentence:
    """How likely it is that the contexts support one sentence, and why."""

    start: int
    end: int
    claims: bool  # false for a courtesy or an announcement: there is nothing to support
    probability: float
    band: Band
    evidence: Evidence | None
    findings: tuple[Finding, ...]
    contributions: tuple[tuple[MeasureName, float], ...]
    reasons: tuple[str, ...]  # what decided, in words; none for a sentence that is supported

    def to_dict(self) -> dict[str, Any]:
        """Return the sentence as it is written to JSON."""
        evidence = self.evidence
        return {
            "start": self.start,
            "end": self.end,
            "probability": self.probability,
            "band": self.band,
            "claims": self.claims,
            "evidence": evidence and {"context": evidence.context, "start": evidence.start, "end": evidence.end},
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """How likely it is that the contexts support all of an answer."""

    score: float
    band: Band
    sentences: tuple[SupportedSentence, ...]
    spans: tuple[tuple[int, int], ...]  # the stretches of the answer that are held unsupported
    model: dict[str, str]
    calibration: dict[str, str] | None
    verifier: dict[str, str] | None
    log_odds: float | None = None  # the model's own, not yet calibrated; none where nothing is claimed

    def at(self, offset: int) -> SupportedSentence | None:
        """Return the sentence that holds an offset of the answer."""
        index = bisect_right(self.sentences, offset, key=lambda each: each.start) - 1
        return self.sentences[index] if index >= 0 and offset < self.sentences[index].end else None

    @property
    def weakest(self) -> SupportedSentence | None:
        """The sentence that is least likely supported, the first of several; None where none claims anything."""
        claimed = [each for each in self.sentences if each.claims]
        return min(claimed, key=lambda each: each.probability, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the score as it is written to JSON."""
        return {
            "score": self.score,
            "band": self.band,
            "sentences": [sentence.to_dict() for sentence in self.sentences],
            "unsupported_spans": [{"start": start, "end": end} for start, end in self.spans],
            **self._stamps(),
        }

    def brief(self) -> dict[str, Any]:
        """Return the score without its sentences, with what made it."""
        return {"score": self.score, "band": self.band, **self._stamps()}

    def _stamps(self) -> dict[str, dict[str, str]]:
        stamps = {"model": self.model, "calibration": self.calibration, "verifier": self.verifier}
        return {name: dict(stamp) for name, stamp in stamps.items() if stamp is not None}


class _ReadContexts:
    """What is worked out of the contexts of an answer; the next answers over the same contexts find it there."""

    def __init__(self, contexts: Sequence[TextView], words: SupportWords, binding: BindingWords) -> None:
        self.contexts = [*contexts]
        self.ground = Ground(contexts, words)
        self.bound = BoundContexts(contexts, binding)
        self.answers = 0


class SupportScorer:
    """Scores answers by one rubric's rules of support."""

    def __init__(
        self,
        rules: SupportRules,
        verifier: Verifier | None = None,
        *,
        model: SupportModel | None = None,
        binding: BindingWords | None = None,
    ) -> None:
        self._rules = rules
        self._model = model if model is not None else load_model()
        self._binding = binding if binding is not None else binding_words()
        self._words = support_words(self._model.constants)
        self._constants = self._model.constants.answers
        self._read: _ReadContexts | None = None  # of the answer before
        self._verifier = verifier
        self._reading = verifier.answers if verifier is not None else None
        self._answers, self._sentences = curves_of(rules, self._model)
        self._supported, self._unsupported = float(rules.supported_from), float(rules.unsupported_below)
        self._unasked = supported_unasked_from(rules, self._model)

    @property
    def identity(self) -> dict[str, dict[str, str] | None]:
        """What a score depends on beside the rubric: the model, and the verifier where there is one."""
        return {"model": self._model.stamp, "verifier": self._verifier.identity if self._verifier is not None else None}

    def score(self, answer: TextView, contexts: Sequence[TextView], question: str = "") -> Support | None:
        """Return the support of an answer; None where it has no words.

        Where an answer is a short one to a question, small changes are what goes wrong, and binding decides; elsewhere
        additions are, and coverage does. Without a question, what does not repeat a passage may have a small change, so
        it must be likelier to be held supported, unless labels of one's own say how likely that is.
        """
        read = self._read_contexts(contexts)
        ground = read.ground
        compared = compare(answer, ground, self._words)
        if not compared:
            return None
        binding = bind(question, answer, contexts, self._binding, compared=compared, read=read.bound)
        by_start = {each.sentence.start: each for each in binding.sentences}
        bound = [by_start[each.sentence.start] for each in compared]
        raw = self._log_odds(compared, answer, ground, short=binding.short)
        if binding.decides:
            raw = [decided_log_odds(self._model, log_odds, of) for log_odds, of in zip(raw, bound, strict=True)]
        claimed = [log_odds for each, log_odds in zip(compared, raw, strict=True) if each.claims]
        log_odds = self._answer_log_odds(claimed, binding)
        said = self._ask_verifier(compared, answer, contexts, question, ground) if binding.short and claimed else None
        if said is not None and self._reading is not None and log_odds is not None:
            if not binding.decides:
                log_odds = self._in_log_odds(self._model.answers.probability(log_odds))
                raw = [self._in_log_odds(self._model.sentences.probability(each)) for each in raw]
            told = self._in_log_odds(said)
            log_odds, *raw = [self._reading.weighed(own, told, decides=binding.decides) for own in (log_odds, *raw)]
        as_it_is = (binding.decides or said is not None) and self._rules.calibration is None
        answers, claims = (None, None) if as_it_is else (self._answers, self._sentences)
        asked = bool(question.strip())
        limits = [
            self._supported if asked or not each.claims or _repeats(each, answer, ground) else self._unasked
            for each in compared
        ]
        score = self._probability(log_odds, answers) if log_odds is not None else 1.0
        sentences = [
            self._sentence(each, self._probability(log_odds, claims), of, answer, contexts, ground, said, limit)
            for each, log_odds, of, limit in zip(compared, raw, bound, limits, strict=True)
        ]
        held = [(each.start, each.end) for each in sentences if each.band == "unsupported"]
        return Support(
            score=score,
            band=self._band(score, max(limits)),
            sentences=tuple(sentences),
            spans=tuple(_joined(held, answer.text)),
            model=self._model.stamp,
            calibration=self._rules.calibration.stamp() if self._rules.calibration is not None else None,
            verifier=self._verifier.identity if self._verifier is not None else None,
            log_odds=log_odds,
        )

    def _read_contexts(self, contexts: Sequence[TextView]) -> _ReadContexts:
        """Return what is worked out of these contexts: that of the answer before, if it has the same ones.

        It grows with the words that answers ask for, so only a few of them share it.
        """
        read = self._read
        if read is None or read.contexts != [*contexts] or read.answers >= MOST_SHARING:
            read = self._read = _ReadContexts(contexts, self._words, self._binding)
        read.answers += 1
        return read

    def _answer_log_odds(self, claimed: Sequence[float], binding: AnswerBinding) -> float | None:
        """Return the log-odds that all of an answer is supported; None where it claims nothing."""
        if not claimed:
            return None
        return min(claimed) if binding.decides else self._model.answer_log_odds(claimed)

    def _probability(self, log_odds: float, curve: Curve | None) -> float:
        """Return the probability of log-odds; those of binding are calibrated as they are, unless labels say better."""
        return self._rounded(logistic(log_odds) if curve is None else curve.probability(log_odds))

    def _in_log_odds(self, probability: float) -> float:
        return log_odds_of(probability, self._constants.verifier_bound)

    def _log_odds(
        self, compared: Sequence[Comparison], answer: TextView, ground: Ground, *, short: bool
    ) -> list[float]:
        """Return the log-odds of each sentence by coverage, with those of a verifier that is asked about sentences."""
        raw = [self._model.log_odds(each.measures) for each in compared]
        verifier = self._verifier
        if verifier is None or (self._reading is not None and (short or verifier.sentences is None)):
            return raw
        asked = [index for index, each in enumerate(compared) if each.claims and each.window is not None]
        pairs = [
            (ground.text_of(window), answer.text[compared[index].sentence.start : compared[index].sentence.end])
            for index in asked
            if (window := compared[index].window) is not None
        ]
        weight, weights = float(self._rules.verifier_weight), verifier.sentences
        for index, probability in zip(asked, verifier.verify(pairs), strict=True):
            told = self._in_log_odds(probability)
            if weights is None:
                raw[index] = (1.0 - weight) * raw[index] + weight * told
            else:
                raw[index] = weights.weighed(raw[index], told)
        return raw

    def _ask_verifier(
        self,
        compared: Sequence[Comparison],
        answer: TextView,
        contexts: Sequence[TextView],
        question: str,
        ground: Ground,
    ) -> float | None:
        """Return the probability that a verifier of answers gives to this one; None where it is not asked.

        Where the contexts are longer than it reads, it is given the evidence of each sentence, in their order; without
        any evidence there is nothing to ask.
        """
        if self._verifier is None or self._reading is None:
            return None
        passages = [view.text for view in contexts]
        if not self._verifier.has_room(passages):
            windows = sorted({each.window for each in compared if each.claims and each.window is not None})
            passages = [ground.text_of(window) for window in windows]
        return self._verifier.verify_answer(passages, question, answer.text) if passages else None

    def _sentence(
        self,
        each: Comparison,
        probability: float,
        bound: BoundSentence,
        answer: TextView,
        contexts: Sequence[TextView],
        ground: Ground,
        said: float | None,
        supported_from: float,
    ) -> SupportedSentence:
        probability = probability if each.claims else 1.0
        band = self._band(probability, supported_from)
        evidence = None
        if each.claims and each.window is not None:
            context, start, end = ground.place(each.window)
            evidence = Evidence(context, start, end, contexts[context].text[start:end])
        contributions = tuple(self._model.contributions(each.measures)) if each.claims else ()
        against = band != "supported" and each.claims
        found = _bound_findings(bound) if each.claims else []
        reasons = reasons_against(each, contributions, found, answer.text) if against else []
        if against and probability >= self._supported:
            reasons = ["without a question small changes are not looked for"]
        if against and said is not None and self._in_log_odds(said) < 0.0:
            reasons.append(f"the verifier gives the whole answer a probability of {said:.2f}")
        return SupportedSentence(
            start=each.sentence.start,
            end=each.sentence.end,
            claims=each.claims,
            probability=probability,
            band=band,
            evidence=evidence,
            findings=tuple(sorted({*each.findings, *[finding for finding in found if finding.kind == "rival"]})),
            contributions=contributions,
            reasons=tuple(reasons),
        )

    def _rounded(self, probability: float) -> float:
        """Return a probability with the decimals that mean something; they also hide how a logarithm rounds."""
        return round(probability, self._constants.decimals)

    def _band(self, probability: float, supported_from: float) -> Band:
        if probability >= supported_from:
            return "supported"
        return "unsupported" if probability < self._unsupported else "doubtful"


def decided_log_odds(model: SupportModel, raw: float, bound: BoundSentence) -> float:
    """Return the log-odds of a sentence that binding decides on, from its own and those by coverage.

    Small changes tell. What repeats a passage has none, and what is made up leaves nothing to bind: there coverage
    tells, as it is calibrated with the model. A calibration of one's own is fitted to these log-odds, so they cannot
    depend on it.
    """
    decided = bound.share * raw + bound.log_odds
    if not (bound.copied or bound.made_up):
        return decided
    coverage = log_odds_of(model.sentences.probability(raw), model.constants.answers.verifier_bound)
    return max(decided, coverage) if bound.copied else min(decided, coverage)


def _bound_findings(bound: BoundSentence) -> list[Finding]:
    """Return what binding has against a sentence: values that the contexts give otherwise, and changes of wording."""
    rivals = [Finding(each.start, each.end, "rival", each.against, each.of) for each in bound.contradictions]
    return rivals + [Finding(start, end, "change", of=bound.passage) for start, end in bound.changes]


def _repeats(each: Comparison, answer: TextView, ground: Ground) -> bool:
    """Tell whether a sentence stands in its evidence word for word, from its beginning to its end."""
    if each.window is None:
        return False
    sentence, evidence = (
        " ".join(text.casefold().split())
        for text in (answer.text[each.sentence.start : each.sentence.end], ground.text_of(each.window))
    )
    sentence = sentence.rstrip(_ENDS)
    before, found, after = evidence.partition(sentence)
    return bool(found) and before.rstrip()[-1:] in _ENDS and after[:1] in _ENDS


def gives_support(rubric: VerdictRubric) -> bool:
    """Tell whether a rubric asks for the support score."""
    claims = "claim" in rubric.hallucination.anchors
    decides = claims and rubric.hallucination.claim_check == "evidence"
    return decides or rubric.support.when == "always" or (rubric.support.when == "claims" and claims)


def support_scorer(rubric: VerdictRubric, packed: PackedVerifier | None = None) -> SupportScorer | None:
    """Return the scorer that a rubric asks for; None where it asks for none.

    ``packed`` are the files of the verifier where they may not lie on this machine.
    """
    rules = rubric.support
    if not gives_support(rubric):
        return None
    if packed is not None:
        return SupportScorer(rules, open_verifier(packed))
    folder = verifier_folder(rules.verifier)
    return SupportScorer(rules, verifier_at(folder) if folder is not None else None)


def curves_of(rules: SupportRules, model: SupportModel) -> tuple[Curve, Curve]:
    """Return the calibration of answers and of sentences that is in force."""
    if rules.calibration is None:
        return model.answers, model.sentences
    if rules.calibration.model != model.sha256:
        raise RubricError(
            f"support.calibration '{rules.calibration.name}' was fitted to another model "
            f"({rules.calibration.model[:12]}) than the one in force ({model.sha256[:12]}); fit it again: "
            "plumbrule support calibrate LABELS --set support.calibration=null"
        )
    slope = model.constants.answers.tail_slope
    return curve_of(rules.calibration.answers, slope), curve_of(rules.calibration.sentences, slope)


def supported_unasked_from(rules: SupportRules, model: SupportModel) -> float:
    """Return the probability from which an answer without a question is held supported, if it repeats no passage.

    Where the rubric does not say, it is the model's own limit; where labels of one's own say what a probability means,
    there is no other limit than that of all answers.
    """
    if rules.supported_unasked_from is not None:
        return float(rules.supported_unasked_from)
    if rules.calibration is not None:
        return float(rules.supported_from)
    return max(float(rules.supported_from), model.constants.answers.supported_unasked_from)


def _joined(spans: Sequence[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Join stretches with nothing but space between them."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and not text[found[-1][1] : start].strip():
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found
