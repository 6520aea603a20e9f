"""Opens what a configuration names: the candidate and the judge of a run, with their limits and prices."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from plumbrule.http.endpoint import Endpoint
from plumbrule.http.rate_limit import Pace, SharedTurns
from plumbrule.http.retry import Patience
from plumbrule.http.throttle import Throttle
from plumbrule.judges import Judge
from plumbrule.judges.judge_panel import PanelJudge
from plumbrule.judges.judge_prompt import prompt_for
from plumbrule.judges.llm_judge import LLMJudge
from plumbrule.judges.reply_parser import ParsePolicy
from plumbrule.judges.rules_judge import RulesJudge
from plumbrule.models.chat_model import ChatModel, Generation, open_chat_model
from plumbrule.models.completion_cache import CacheFile, CompletionCache
from plumbrule.models.model_names import version_in
from plumbrule.models.prices import Prices
from plumbrule.rubrics import (
    BenchmarkRubric,
    Loaded,
    RulesPolicy,
    VerdictRubric,
    load_benchmark,
    load_rules,
    load_verdict,
    names_rubric,
)
from plumbrule.runs import config_schema as forms
from plumbrule.runs.budget import Estimate, characters_of, estimate_calls
from plumbrule.runs.candidate import Candidate, CandidateIdentity, RecordedCandidate
from plumbrule.runs.candidates.function_process import CandidateProcess
from plumbrule.runs.candidates.http_candidate import HttpCandidate, HttpExchange
from plumbrule.runs.candidates.model_candidate import ModelCandidate
from plumbrule.runs.candidates.python_candidate import PythonCandidate
from plumbrule.runs.candidates.request_template import ask_question, template_reader
from plumbrule.runs.config_file import LoadedConfig
from plumbrule.runs.prompt_template import PromptTemplate, load_template
from plumbrule.runs.run_results import RubricStamp
from plumbrule.samples import Sample
from plumbrule.text.text_view import TextView
from plumbrule.verdicts.lexicon import lexicon_of
from plumbrule.verdicts.refusal import judge_refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubrics:
    """The rubrics of a run."""

    benchmark: Loaded[BenchmarkRubric]
    rules: Loaded[RulesPolicy]
    verdict: Loaded[VerdictRubric]

    def all(self) -> tuple[Loaded[Any], ...]:
        """Return each of them."""
        return self.benchmark, self.rules, self.verdict

    def stamps(self) -> tuple[RubricStamp, ...]:
        """Return the name, version and hash of each."""
        return tuple(RubricStamp(**rubric.stamp()) for rubric in self.all())

    def refusal_reader(self) -> Callable[[Sample], bool]:
        """Return what tells whether an answer is a refusal: because it declares so, or by the words of a verdict."""
        lexicon = lexicon_of(self.verdict.rubric)

        def refuses(sample: Sample) -> bool:
            finding = judge_refusal(sample, TextView(sample.answer or "", lexicon.stop), lexicon.refusal)
            return finding is not None and finding.refused

        return refuses


def load_rubrics(loaded: LoadedConfig | None = None) -> Rubrics:
    """Return the rubrics that ship, with the files that a configuration names laid over them."""

    def file(name: str) -> Path | None:
        named = getattr(loaded.config.rubric, name) if loaded is not None else None
        if loaded is None or named is None:
            return None
        return Path(named) if names_rubric(name, Path(named)) else loaded.resolve(named)

    return Rubrics(
        benchmark=load_benchmark(file("benchmark")),
        rules=load_rules(file("rules")),
        verdict=load_verdict(file("verdict")),
    )


class Opener:
    """Opens the candidate and the judge of one run; closes them together, in the event loop that used them."""

    def __init__(self, loaded: LoadedConfig, rubrics: Rubrics) -> None:
        self._loaded = loaded
        self._config = loaded.config
        self._benchmark = rubrics.benchmark.rubric
        self._rubrics = rubrics
        self._throttles: dict[str, Throttle] = {}
        self._paces: dict[str, Pace] = {}
        self.parameters: dict[str, Mapping[str, Any]] = {}  # that models are sent, by their place in the configuration
        self._open = AsyncExitStack()
        self._started: CandidateProcess | None = None

    async def aclose(self) -> None:
        """Close everything that was opened."""
        await self._open.aclose()

    def open_judge(self) -> Judge:
        """Return the judge of the run."""
        choice = self._config.judge
        if isinstance(choice, forms.PanelJudge):
            members = [self._judge(member, f"judge.judges.{place}") for place, member in enumerate(choice.judges)]
            return PanelJudge(members, rule=choice.vote)
        return self._judge(choice, "judge")

    def open_candidate(self, samples: Sequence[Sample]) -> Candidate:
        """Return the candidate of the run."""
        choice = self._config.candidate
        if isinstance(choice, forms.RecordedCandidate):
            named = {sample.model_id for sample in samples if sample.model_id}
            model_id = choice.model_id or (named.pop() if len(named) == 1 else None)
            return RecordedCandidate(CandidateIdentity(kind="recorded", **_facts(choice, model_id)))
        if isinstance(choice, forms.ModelCandidate):
            generation = Generation(**asdict(self._config.generation))
            return ModelCandidate(
                self._model(choice, "candidate", generation),
                template=self._template(choice),
                generation=generation,
                patience=self._patience(),
                throttle=self._throttle(choice.model.partition(":")[0]),
                prices=self._prices(choice.model),
            )
        facts = _facts(choice, choice.model_id)
        if isinstance(choice, forms.HttpCandidate):
            endpoint = Endpoint(
                choice.url,
                api_key_env=choice.api_key_env,
                api_key_header=choice.api_key_header,
                headers=choice.headers,
                allow_private=choice.allow_private,
                trust_env=self._config.network.trust_env,
            )
            self._open.push_async_callback(endpoint.aclose)
            return HttpCandidate(
                endpoint,
                patience=self._patience(),
                throttle=self._throttle("http"),
                speaking=_speaking(choice),
                heard=None,
                **facts,
            )
        candidate = PythonCandidate(
            self._process(choice),
            timeout_s=self._config.timeout_s,
            threads=self._config.concurrency,
            pace=self._pace("python"),
            accept_contexts=choice.accept_contexts,
            heard=None,
            **facts,
        )
        self._open.push_async_callback(candidate.aclose)
        return candidate

    def _process(self, choice: forms.PythonCandidate) -> CandidateProcess:
        """Return the process of a function, not started yet: to import it is to run it."""
        self._started = CandidateProcess(choice.target, self._loaded.folder)
        return self._started

    def start(self) -> None:
        """Start what must run before the first call, and raise what is wrong with it."""
        if self._started is not None:
            self._started.start()

    def estimate_candidate(self, samples: Sequence[Sample]) -> Estimate:
        """Return what the answers would use; tokens are known beforehand only for a chat model."""
        config, choice = self._config, self._config.candidate
        if isinstance(choice, forms.RecordedCandidate):
            return Estimate()
        if not isinstance(choice, forms.ModelCandidate):
            calls = len(samples) * config.repeats
            return Estimate(calls=calls, input_tokens=None, output_tokens_at_most=None, cost_usd_at_most=None)
        prompts = map(self._template(choice).fill, samples)
        return estimate_calls(
            [len(prompt.user) + len(prompt.system or "") for prompt in prompts],
            longest_output=config.generation.max_tokens,
            prices=self._prices(choice.model),
            repeats=config.repeats,
        )

    def estimate_judge(self, samples: Sequence[Sample]) -> Estimate:
        """Return what the judgements would use; an answer that is still to come counts at its longest."""
        config = self._config
        extra = 0 if config.candidate.kind == "recorded" else characters_of(config.generation.max_tokens)
        lengths = [len(prompt_for(sample)) + extra for sample in samples]
        total = Estimate()
        for choice in config.judge.judges if isinstance(config.judge, forms.PanelJudge) else (config.judge,):
            if isinstance(choice, forms.LlmJudge):
                total += estimate_calls(
                    lengths,
                    longest_output=(choice.generation or self._benchmark.generation).max_tokens,
                    prices=self._prices(choice.model),
                    repeats=config.repeats,
                )
        return total

    def _judge(self, choice: forms.RulesJudge | forms.LlmJudge, place: str) -> Judge:
        if isinstance(choice, forms.RulesJudge):
            accuracy = "accuracy" in self._benchmark.components
            return RulesJudge(self._rubrics.rules, self._rubrics.verdict, accuracy=accuracy)
        rationale = self._benchmark.rationale
        generation = Generation(**asdict(choice.generation or self._benchmark.generation))
        return LLMJudge(
            self._model(choice, place, generation),
            generation=generation,
            patience=self._patience(),
            policy=ParsePolicy(rationale_words=rationale.at_most_words, rationale_over_limit=rationale.over_limit),
            cache=self._cache(choice),
            prices=self._prices(choice.model),
            throttle=self._throttle(choice.model.partition(":")[0]),
        )

    def _template(self, choice: forms.ModelCandidate) -> PromptTemplate:
        return load_template(self._loaded.resolve(choice.prompt) if choice.prompt is not None else None)

    def _model(self, choice: forms.ChatModelChoice, place: str, generation: Generation) -> ChatModel:
        model = open_chat_model(
            choice.model,
            base_url=choice.base_url,
            api_key_env=choice.api_key_env,
            api_key_header=choice.api_key_header,
            headers=choice.headers,
            extra_body=choice.extra_body,
            allow_private=choice.allow_private,
            trust_env=self._config.network.trust_env,
            max_tokens_field=choice.max_tokens_field,
        )
        self.parameters[place] = model.parameters(generation)
        self._open.push_async_callback(model.aclose)
        return model

    def _cache(self, choice: forms.LlmJudge) -> CompletionCache | None:
        if choice.cache is None:
            return None
        store = CacheFile(self._loaded.resolve(choice.cache))
        self._open.callback(store.close)
        return CompletionCache(store)

    def _pace(self, provider: str) -> Pace | None:
        rate = self._config.rates.get(provider)
        if rate is None:
            return None
        self._paces[provider] = Pace(rate.requests_per_minute)
        return self._paces[provider]

    def share(self, turns: Callable[[str], SharedTurns]) -> None:
        """Call each provider from now on in the turns that several processes share."""
        for provider, pace in self._paces.items():
            pace.share(turns(provider))
        for provider, throttle in self._throttles.items():
            throttle.share(turns(provider))

    def _throttle(self, provider: str) -> Throttle:
        """Return the one throttle of a provider: candidate and judge share it where both call the same one."""
        if provider not in self._throttles:
            config = self._config
            self._throttles[provider] = Throttle(
                config.concurrency, pace=self._pace(provider), adaptive=config.retry.adaptive_concurrency
            )
        return self._throttles[provider]

    def _prices(self, model: str) -> Prices | None:
        price = self._config.prices.get(model)
        return None if price is None else Prices(**asdict(price))

    def _patience(self) -> Patience:
        retry = self._config.retry
        return Patience(
            call_timeout_s=self._config.timeout_s,
            deadline_s=retry.time_budget_s,
            first_wait_s=retry.first_wait_s,
            longest_wait_s=retry.longest_wait_s,
        )


def _speaking(choice: forms.HttpCandidate) -> HttpExchange:
    paths = asdict(choice.response) if choice.response is not None else {}
    return HttpExchange(
        request=ask_question if choice.request is None else template_reader(choice.request),
        method=choice.method or "POST",
        paths={name: path for name, path in paths.items() if path is not None},
        stream=choice.stream,
        accept_contexts=choice.accept_contexts,
    )


def _facts(
    choice: forms.RecordedCandidate | forms.HttpCandidate | forms.PythonCandidate, model_id: str | None
) -> dict[str, str | None]:
    """Return what only the user knows about who answers."""
    return {
        "model_id": model_id,
        "model_version": version_in(model_id) if model_id is not None else None,
        "prompt_template_id": choice.prompt_id,
        "prompt_template_sha256": choice.prompt_version,
    }
