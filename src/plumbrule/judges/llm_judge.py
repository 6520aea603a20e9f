"""The model as judge: the exact template, a strict reading, one identical retry, and every exchange kept."""

import dataclasses
from typing import TYPE_CHECKING

from plumbrule.errors import UsageError
from plumbrule.hashing import sha256_of
from plumbrule.http.retry import Clock, Patience
from plumbrule.http.throttle import Throttle
from plumbrule.http.transport_errors import TransportError
from plumbrule.judges.judge_prompt import prompt_for, template_sha256
from plumbrule.judges.judgement import EvaluatorError, JudgeIdentity, Judgement, judge_silence, total
from plumbrule.judges.reply_parser import ParsePolicy, Reply, ReplyError, parse_reply
from plumbrule.models.chat_model import ChatModel, ChatRequest, Completion, Generation
from plumbrule.models.completion_cache import CompletionCache
from plumbrule.models.prices import Prices
from plumbrule.samples.sample_model import Sample

if TYPE_CHECKING:
    from plumbrule.http.exchange import Exchange

_VERSION = "1"


class LLMJudge:
    """Asks one model; the second ask, after a reply that is no judgement, is identical and knows no cache."""

    def __init__(
        self,
        model: ChatModel,
        *,
        generation: Generation,
        patience: Patience | None = None,
        policy: ParsePolicy | None = None,
        cache: CompletionCache | None = None,
        prices: Prices | None = None,
        throttle: Throttle | None = None,
    ) -> None:
        self._model = model
        self._generation = generation
        self._patience = patience or Patience()
        self._policy = policy or ParsePolicy()
        self._cache = cache
        self._prices = prices
        self._throttle = throttle
        if self._patience.calls is not None and self._patience.calls < 1:
            raise UsageError("a judge needs at least one call: 'calls' must be 1 or more")
        self.identity = JudgeIdentity(
            name="llm",
            version=_VERSION,
            sha256=sha256_of(
                {
                    "request": model.describe(ChatRequest(prompt="", generation=generation)),
                    "template": template_sha256(),
                    "policy": dataclasses.asdict(self._policy),
                    "version": _VERSION,
                }
            ),
            model_id=model.model_id,
            template_sha256=template_sha256(),
        )

    async def judge(self, sample: Sample) -> Judgement:
        """Rate one sample; a candidate that said nothing is rated without a call.

        A mistake in the configuration, such as a key that is not set, is raised: it would fail every sample alike.
        """
        silence = judge_silence(sample, self.identity)
        if silence is not None:
            return silence
        request = ChatRequest(prompt=prompt_for(sample), generation=self._generation)
        asking = _Asking(judge=self.identity, prices=self._prices)
        try:
            reply = await self._ask(request, asking, cache=self._cache)
            if reply is None:
                asking.flags.append("parse_retry")
                reply = await self._ask(request, asking, cache=None)
        except TransportError as error:
            return asking.failed("transport_error", kind=error.kind, detail=str(error))
        return asking.failed("parse_error", detail=asking.problem) if reply is None else asking.judged(reply)

    async def _ask(self, request: ChatRequest, asking: "_Asking", *, cache: CompletionCache | None) -> Reply | None:
        """Return the reply, or None where it is no judgement; only what is one enters the cache."""
        described = self._model.describe(request) if cache is not None else {}
        completion = cache.find(described) if cache is not None else None
        if completion is None:
            completion = await Clock(self._patience).call(
                lambda timeout_s: self._model.complete(request, timeout_s=timeout_s),
                asking.exchanges.append,
                throttle=self._throttle,
            )
        try:
            reply = parse_reply(completion.text, self._policy)
        except ReplyError as error:
            cut = " (it was cut at max_tokens)" if completion.truncated else ""
            asking.add(completion, problem=f"{error}{cut}")
            return None
        asking.add(completion)
        if cache is not None and not completion.exchange.cached:
            cache.keep(described, completion)
        return reply


class _Asking:
    """One judgement in the making: what was exchanged and what it cost so far."""

    def __init__(self, *, judge: JudgeIdentity, prices: Prices | None) -> None:
        self.exchanges: list[Exchange] = []
        self.flags: list[str] = []
        self.problem: str | None = None
        self._judge = judge
        self._prices = prices
        self._paid: list[Completion] = []
        self._last: Completion | None = None

    def add(self, completion: Completion, *, problem: str | None = None) -> None:
        """Take note of a completion, and of why it is no judgement."""
        self._last = completion
        self.problem = problem
        exchange = completion.exchange
        if completion.truncated:
            self.flags.append("judge_truncated")
        if exchange.cached:
            self.flags.append("cached")
        else:
            self._paid.append(completion)
        self.exchanges.append(dataclasses.replace(exchange, error="parse_error") if problem is not None else exchange)

    def judged(self, reply: Reply) -> Judgement:
        """Return the judgement that the reply states."""
        return dataclasses.replace(
            self._blank(),
            accuracy_score=reply.accuracy_score,
            faithfulness_score=reply.faithfulness_score,
            rationale=reply.rationale,
            flags=(*self.flags, *reply.flags),
        )

    def failed(self, error: EvaluatorError, *, kind: str | None = None, detail: str | None) -> Judgement:
        """Return the judgement that there is none."""
        return dataclasses.replace(self._blank(), evaluator_error=error, error_kind=kind, error_detail=detail)

    def _blank(self) -> Judgement:
        input_tokens = total([completion.input_tokens for completion in self._paid])
        output_tokens = total([completion.output_tokens for completion in self._paid])
        last = self._last
        return Judgement(
            accuracy_score=None,
            faithfulness_score=None,
            rationale=None,
            judge=self._judge,
            flags=tuple(self.flags),
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cost_usd=self._prices.cost_usd(input_tokens, output_tokens) if self._prices is not None else None,
            requests=sum(not exchange.cached for exchange in self.exchanges),
            reported_model=last.reported_model if last is not None else None,
            fingerprint=last.fingerprint if last is not None else None,
            exchanges=tuple(self.exchanges),
        )
