"""A chat model as the candidate: the template filled in for each sample, one completion as its answer."""

from dataclasses import replace

from plumbrule.http.retry import Patience
from plumbrule.http.throttle import Throttle
from plumbrule.models.chat_model import ChatModel, ChatRequest, Completion, Generation
from plumbrule.models.model_names import version_in
from plumbrule.models.prices import Prices
from plumbrule.runs.candidate import Answered, CandidateIdentity, call, unanswered
from plumbrule.runs.prompt_template import PromptTemplate
from plumbrule.samples.sample_model import Sample


class ModelCandidate:
    """Asks one model; what it says is the answer, and an empty reply is an empty answer."""

    def __init__(
        self,
        model: ChatModel,
        *,
        template: PromptTemplate,
        generation: Generation,
        patience: Patience,
        throttle: Throttle | None = None,
        prices: Prices | None = None,
    ) -> None:
        self._model = model
        self._template = template
        self._generation = generation
        self._patience = patience
        self._throttle = throttle
        self._prices = prices
        self.identity = CandidateIdentity(
            kind="model",
            model_id=model.model_id,
            model_version=version_in(model.model_id),
            prompt_template_id=template.id,
            prompt_template_sha256=template.sha256,
        )

    async def answer(self, sample: Sample, repeat: int) -> Answered:  # noqa: ARG002 - every repeat asks the same
        """Ask the model the sample's question."""
        prompt = self._template.fill(sample)
        request = ChatRequest(prompt=prompt.user, system=prompt.system, generation=self._generation)
        blank = replace(unanswered(sample), model_id=self._model.model_id)

        def read(completion: Completion) -> Answered:
            tokens = completion.input_tokens, completion.output_tokens
            answered = replace(
                blank,
                answer=completion.text,
                latency_e2e_ms=completion.exchange.elapsed_ms,
                latency_model_ms=completion.latency_model_ms if completion.latency_source == "reported" else None,
                input_tokens=tokens[0],
                output_tokens=tokens[1],
                timed_out=False,
            )
            marks = {"truncated": completion.truncated, "content_filtered": completion.filtered}
            return Answered(
                sample=answered,
                flags=tuple(name for name, holds in marks.items() if holds),
                cost_usd=self._prices.cost_usd(*tokens) if self._prices is not None else None,
                reported_model=completion.reported_model,
                fingerprint=completion.fingerprint,
                exchanges=(completion.exchange,),
            )

        return await call(
            lambda timeout_s: self._model.complete(request, timeout_s=timeout_s),
            read,
            blank=blank,
            patience=self._patience,
            throttle=self._throttle,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._model.aclose()
