"""Answers a question from passages, word for word and with citations, or refuses by the taxonomy, with a trace."""

import datetime as dt
import hashlib
import re
import time
import uuid
from collections.abc import Mapping
from functools import cache
from typing import Any

from examples.assistant.reading import Answer, Part, answers_to, asked, conflict_in, is_ambiguous, parts_of
from examples.assistant.retrieval import POLICY, Found, Index, content_words, load_index

from plumbrule.text.tokens import lemmas

Response = dict[str, Any]

_HELP = POLICY["help_desk"]
_PROHIBITED = re.compile("|".join(rf"\b{re.escape(phrase)}\b" for phrase in POLICY["prohibited"]), re.IGNORECASE)


def answer(query: str, role: str | None = None, passages: list[dict[str, object]] | None = None) -> Response:
    """Return the response to a query, with its trace; ``passages`` stand in for a search of the corpus."""
    return _Interaction(query, role, passages).respond()


@cache
def _index() -> Index:
    return load_index()


class _Interaction:
    """One query on its way to an answer or a refusal."""

    def __init__(self, query: str, role: str | None, passages: list[dict[str, object]] | None) -> None:
        self.started = time.perf_counter()
        self.query = query
        self.role = role if role in POLICY["roles"] else POLICY["default_role"]
        self.given = passages
        self.words = content_words(asked(query))
        self.searched: list[str] = []
        self.found: list[Found] = []
        self.above: list[Found] = []

    def respond(self) -> Response:
        """Go through the reasons to refuse, the ones that need no search first, and answer where none applies."""
        rights = POLICY["roles"][self.role]
        if rights["closed_subjects"] and _is_closed(self.query):
            return self._blocked()
        if is_ambiguous(self.words, _index()):
            return self._refuse(
                "AMBIGUOUS_QUERY",
                "The question can be read in more than one way.",
                "Please say which subject, product or procedure you mean.",
                next_steps=["Which policy or procedure is it about?", "Which transaction, form or person is meant?"],
            )
        if rights["closed_collections"] and self._best_is_closed(rights["closed_collections"]):
            return self._blocked()
        self._search(rights["closed_collections"])
        if not self.above:
            return self._refuse(
                "NO_ELIGIBLE_DOCS",
                "No policy document covers this question.",
                f"This is outside the compliance policies. If you expected a policy on it, tell {_HELP}.",
                next_steps=["Ask the team that is responsible for the subject."],
            )
        return self._from_passages(parts_of(asked(self.query)))

    def _from_passages(self, parts: list[Part]) -> Response:
        chosen: list[Answer] = []
        open_: list[Part] = []
        for part in parts:
            answers = answers_to(part, self.above, _index())
            conflict = conflict_in(answers)
            if conflict is not None:
                return self._conflicting(*conflict)
            if answers:
                chosen.append(answers[0])
            else:
                open_.append(part)
        if not chosen:
            return self._refuse(
                "INSUFFICIENT_GROUNDING",
                "Passages on the subject were found, and none of them states what was asked for.",
                f"Ask the owner of the policy, or {_HELP}, for this detail.",
            )
        return self._answered(chosen, open_)

    def _search(self, closed: list[str]) -> None:
        index = _index()
        if self.given:
            self.found = index.given(self.given, self.words)
            self.searched = sorted({each.passage.get("collection", "") for each in self.found} - {""})
        else:
            self.searched = [name for name in index.collections if name not in closed]
            by_part = [
                found for part in parts_of(asked(self.query)) for found in index.search(list(part.words), closed)
            ]
            best: dict[str, Found] = {}
            for each in [*index.search(self.words, closed), *by_part]:
                if each.score > best.get(each.passage["id"], each).score or each.passage["id"] not in best:
                    best[each.passage["id"]] = each
            self.found = sorted(best.values(), key=lambda each: (-each.score, each.passage["id"]))
        self.above = [each for each in self.found if each.score >= POLICY["similarity_threshold"]]

    def _best_is_closed(self, closed: list[str]) -> bool:
        """Tell whether the question is about a closed collection: looked up in the catalogue of words, not searched."""
        best = next(iter(_index().search(self.words, [])), None)
        return best is not None and best.passage["collection"] in closed

    def _answered(self, chosen: list[Answer], open_: list[Part]) -> Response:
        said: list[str] = []
        citations: list[dict[str, Any]] = []
        for each in {answer.sentence: answer for answer in chosen}.values():
            number = len(citations) + 1
            citations.append(_citation(number, each))
            said.append(f"{_quoted(each)} [{number}].")
        warnings = []
        if open_:
            missing = "; ".join(" ".join(part.text.split()).strip(" ,.?") for part in open_)
            warnings.append(f"The sources do not answer a part of the question: {missing}")
            said.append("This answer leaves out a part of the question that the sources do not cover.")
        here = frozenset(lemmas(f"{self.query} {' '.join(said)}"))
        said += [rule["text"] for rule in POLICY["disclaimers"] if not here.isdisjoint(rule["words"])]
        status = "PARTIALLY_GROUNDED" if open_ else "FULLY_GROUNDED"
        response = self._response(status, answer=" ".join(said), citations=citations, warnings=warnings)
        supporting = list(dict.fromkeys(each.found.passage["id"] for each in chosen))
        outcome = "PARTIAL_ANSWER" if open_ else "ANSWER"
        return self._traced(response, outcome, coverage=1.0, supporting=supporting, unsupported=0)

    def _blocked(self) -> Response:
        return self._refuse(
            "POLICY_BLOCKED",
            "Your role does not have access to the information requested.",
            f"If you need this information for your work, ask your supervisor to request access, or call {_HELP}.",
            next_steps=["Ask your supervisor to file an access request."],
        )

    def _conflicting(self, one: Answer, value: str, other: Answer, rival: str) -> Response:
        sides = [
            f"{each.found.passage['source_id']}, {each.found.passage.get('title', '')} "
            f"(effective {each.found.passage.get('effective_date', 'unknown')}), says {said}"
            for each, said in ((one, value), (other, rival))
        ]
        return self._refuse(
            "CONFLICTING_SOURCES",
            "Two documents in force give different values for what was asked.",
            f"Do not act on either value: the conflict was escalated to the policy owners. Questions go to {_HELP}.",
            next_steps=["Wait for the written answer of the policy owners."],
            conflict="; ".join(sides) + ".",
        )

    def _refuse(
        self,
        code: str,
        reason: str,
        guidance: str,
        *,
        next_steps: list[str] | None = None,
        conflict: str | None = None,
    ) -> Response:
        refusal = {
            "code": code,
            "reason": reason,
            "user_guidance": guidance,
            "next_steps": next_steps or [],
            "retrieval_summary": f"{len(self.found)} passages found, {len(self.above)} at or above the threshold.",
            "conflict_summary": conflict,
        }
        response = self._response("REFUSED", refusal=refusal)
        return self._traced(
            response, "ESCALATE" if conflict else "REFUSE", coverage=0.0, conflict=conflict is not None, code=code
        )

    def _response(
        self,
        status: str,
        *,
        answer: str | None = None,
        citations: list[dict[str, Any]] | None = None,
        refusal: Mapping[str, Any] | None = None,
        warnings: list[str] | None = None,
    ) -> Response:
        return {
            "trace_id": str(uuid.uuid4()),
            "timestamp": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            "query": self.query,
            "grounding_status": status,
            "answer": answer,
            "citations": citations or [],
            "refusal": refusal,
            "metadata": {
                "corpus_release_id": POLICY["corpus_release_id"],
                "sources_consulted": len({each.passage.get("source_id") for each in self.above}),
                "model_provider": "none",
                "processing_time_ms": round((time.perf_counter() - self.started) * 1000, 3),
                "warnings": warnings or [],
            },
        }

    def _traced(
        self,
        response: Response,
        outcome: str,
        *,
        coverage: float,
        supporting: list[str] | None = None,
        unsupported: int = 0,
        conflict: bool = False,
        code: str | None = None,
    ) -> Response:
        said = response["answer"] or response["refusal"]["reason"]
        tokens = {
            "input_tokens": len(self.query.split()),
            "output_tokens": len(said.split()),
        }  # words: there is no model
        trace = {
            "trace_id": response["trace_id"],
            "input": {
                "query": self.query,
                "query_hash": hashlib.sha256(self.query.encode("utf-8", "replace")).hexdigest(),
                "role": self.role,
            },
            "retrieval": {
                "collections_searched": self.searched,
                "passages_retrieved": len(self.found),
                "passages_above_threshold": len(self.above),
                "top_passage_score": self.found[0].score if self.found else None,
                "passage_ids": [each.passage["id"] for each in self.found],
            },
            "grounding": {
                "status": response["grounding_status"],
                "supporting_passages": supporting or [],
                "grounding_coverage": coverage,
                "unsupported_claims": unsupported,
                "conflict_detected": conflict,
            },
            "decision": {
                "outcome": outcome,
                "refusal_code": code,
                "rationale_codes": [code] if code else ["GROUNDED"],
                "escalation_triggered": conflict,
            },
            "output": {"characters": len(said)},
            "model": {"provider": "none", "id": "example-assistant@1", "tokens": tokens},
        }
        return {**response, "usage": tokens, "trace": trace}


def _is_closed(query: str) -> bool:
    """Tell whether a query is about a subject that is closed to most roles."""
    words = frozenset(lemmas(query))
    return any(
        all(not words.isdisjoint(group) for group in rule["all"]) and words.isdisjoint(rule["none"])
        for rule in POLICY["closed_subjects"]
    )


def _quoted(answer: Answer) -> str:
    """Return a sentence as the answer says it: the source's own absolute words stand in quotation marks."""
    sentence = answer.sentence.rstrip(". ")
    if _PROHIBITED.search(sentence) is None:
        return sentence
    if '"' in sentence:
        return f"The {answer.found.passage.get('title', 'source')} says: “{sentence}”"
    return f'The {answer.found.passage.get("title", "source")} says: "{sentence}"'


def _citation(number: int, answer: Answer) -> dict[str, Any]:
    passage = answer.found.passage
    excerpt = answer.sentence[: POLICY["excerpt_characters"]]
    if len(answer.sentence) > len(excerpt):
        excerpt = excerpt[: excerpt.rindex(" ")]
    return {
        "citation_id": str(number),
        "source_id": passage.get("source_id"),
        "source_title": passage.get("title"),
        "effective_date": passage.get("effective_date"),
        "passage": excerpt,
        "collection": passage.get("collection"),
    }
