"""The typed form of a run's configuration: what its file may say, within which bounds, and that as a JSON Schema."""

import dataclasses
import json
import pathlib
import re
from functools import partial
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, model_validator
from pydantic.dataclasses import dataclass

from plumbrule.http.address_guard import holds_secret
from plumbrule.models.chat_model import MaxTokensField
from plumbrule.names import DatasetFormat
from plumbrule.rubrics.benchmark_rubric import Anchor
from plumbrule.rubrics.verdict_rubric import Count
from plumbrule.runs.candidates.request_template import asks_the_question, unknown_places

_CLOSED = ConfigDict(extra="forbid")
# Providers that have an address of their own, with the variable that holds the key for it.
OWN_KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}

_ENV_NAME = r"^[A-Z_][A-Z0-9_]{0,63}$"
_MODEL = r"^[A-Za-z0-9_.-]+:\S+$"
_TARGET = r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*$"
_WEB = r"^https?://[^/?#@\s]+[^#@\s]*$"
_PATH = r"^[^.\s]{1,200}(\.[^.\s]{1,200}){0,20}$"
_HEADER = r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$"
_HEADER_VALUE = r"^[!-~]([ -~]{0,998}[!-~])?$"
# Headers that carry a key, and those that the client sets itself.
_KEY_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "api-key", "x-api-key"})
_OWN_HEADERS = frozenset({"accept", "connection", "content-length", "content-type", "host", "transfer-encoding"})
# What a request says that has a key of its own in the configuration, or none.
_OWN_BODY = frozenset(
    {"max_completion_tokens", "max_tokens", "messages", "model", "seed", "stream", "system", "temperature", "top_p"}
)


def _shaped(value: str, *, pattern: str, complaint: str) -> str:
    """Hold ``value`` to a pattern, and never quote it: what was written in its place may be a secret."""
    if re.fullmatch(pattern.removeprefix("^").removesuffix("$"), value) is None:
        raise ValueError(complaint)
    return value


def _is_address(value: str) -> str:
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValueError("must be an address, such as https://api.openai.com/v1") from None
    if parts.scheme not in {"http", "https"} or not host or any(mark.isspace() for mark in value):
        raise ValueError("must begin with http:// or https:// and name a host")
    if "@" in parts.netloc or parts.fragment:
        raise ValueError("must not hold a user, a password or a fragment; name a key by api_key_env")
    if holds_secret(parts.query):
        raise ValueError("must not hold a key in its query: it is kept with every call; name the key by api_key_env")
    return value


def _is_header(value: str) -> str:
    _shaped(value, pattern=_HEADER, complaint="must be the name of a header, such as X-Tenant")
    if value.lower() in _KEY_HEADERS:
        raise ValueError("carries a key, which never stands here: name its variable by api_key_env")
    if value.lower() in _OWN_HEADERS:
        raise ValueError("is set by the client itself: leave it out")
    return value


def _is_template(value: dict[str, Any] | None) -> dict[str, Any] | None:
    if value is None:
        return value
    unknown = next(unknown_places(value), None)
    if unknown is not None:
        raise ValueError(
            "holds a place that nothing is known for; there are {question}, {sample_id}, {contexts}, {role}"
            " and {metadata.KEY}"
        )
    if not asks_the_question(value):
        raise ValueError("must hold {question} somewhere")
    return value


def _is_extra(value: str) -> str:
    if value in _OWN_BODY:
        raise ValueError("is no extra: what is generated stands under generation, the rest is the client's")
    return value


def _is_file(value: str) -> str:
    if value == "-":
        raise ValueError("must be a file: a run reads it again for each repeat and when it is resumed")
    return value


Text = Annotated[str, Field(min_length=1, max_length=4096)]
FilePath = Annotated[Text, AfterValidator(_is_file), Field(description="A path, relative to this file's folder.")]
ModelName = Annotated[
    Text,
    AfterValidator(
        partial(
            _shaped, pattern=_MODEL, complaint="must be of the form provider:model, such as openai:gpt-4.1-2025-04-14"
        )
    ),
    Field(description="The model, as provider:model, with its date.", json_schema_extra={"pattern": _MODEL}),
]
EnvName = Annotated[
    str,
    AfterValidator(
        partial(
            _shaped,
            pattern=_ENV_NAME,
            complaint="must be the name of an environment variable in capitals, such as OPENAI_API_KEY, not the key",
        )
    ),
    Field(
        description="The environment variable that holds the key; the key itself never stands here.",
        json_schema_extra={"pattern": _ENV_NAME},
    ),
]
Address = Annotated[
    str,
    AfterValidator(_is_address),
    Field(description="An http or https address.", json_schema_extra={"pattern": _WEB}),
]
HeaderName = Annotated[str, AfterValidator(_is_header)]
HeaderValue = Annotated[
    str, AfterValidator(partial(_shaped, pattern=_HEADER_VALUE, complaint="must be one line of plain characters"))
]
Headers = Annotated[
    dict[HeaderName, HeaderValue] | None,
    Field(description="Headers of every request, kept with it: no secrets.", json_schema_extra={"maxProperties": 50}),
]
KeyHeader = Annotated[
    str,
    AfterValidator(partial(_shaped, pattern=_HEADER, complaint="must be the name of a header, such as api-key")),
    Field(description="The header that carries the key alone; else it is the protocol's own."),
]
Target = Annotated[
    str,
    AfterValidator(
        partial(_shaped, pattern=_TARGET, complaint="must be of the form module:function, such as my_app.answers:reply")
    ),
    Field(description="A callable, as module:function.", json_schema_extra={"pattern": _TARGET}),
]
ModelId = Annotated[Text | None, Field(description="The model behind it, such as assistant@2025-01-01.")]
PromptId = Annotated[Text | None, Field(description="The name of the prompt that it answers with.")]
PromptVersion = Annotated[Text | None, Field(description="The version or the hash of that prompt.")]
Switch = Annotated[bool, Field(strict=True)]
AllowPrivate = Annotated[Switch, Field(description="Allow an address inside a private network.")]
AcceptContexts = Annotated[
    Switch, Field(description="Take the contexts that it returns as those that it was given; else they do not count.")
]
Path = Annotated[
    str,
    AfterValidator(partial(_shaped, pattern=_PATH, complaint="must be a path such as choices.0.message.content")),
    Field(description="A dotted path.", json_schema_extra={"pattern": _PATH}),
]
NotNegative = Annotated[float, Field(strict=True, ge=0, le=1_000_000_000, allow_inf_nan=False)]
Positive = Annotated[float, Field(strict=True, gt=0, le=1_000_000_000, allow_inf_nan=False)]


def _filled_by_the_rubric(*keys: str) -> ConfigDict:
    """Return a closed form in which a file may leave ``keys`` out, because the benchmark rubric gives them."""

    def relax(schema: dict[str, Any]) -> None:
        left = [key for key in schema.pop("required", []) if key not in keys]
        if left:
            schema["required"] = left

    return ConfigDict(extra="forbid", json_schema_extra=relax)


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Dataset:
    """The samples of the run."""

    path: FilePath
    id: Annotated[Text, Field(description="The name by which runs on this dataset are compared.")]
    format: Annotated[DatasetFormat | None, Field(description="Where the suffix does not tell.")] = None
    delimiter: Annotated[Text | None, Field(description="Of CSV, such as ; or tab; else by the header.")] = None
    encoding: Annotated[Text | None, Field(description="Of text, such as cp1252; else UTF-8 or UTF-16.")] = None
    map: Annotated[dict[Text, Text], Field(description="A field of a sample, and the dataset's own name for it.")] = (
        dataclasses.field(default_factory=dict)
    )


@dataclass(
    frozen=True, slots=True, kw_only=True, config=_filled_by_the_rubric("temperature", "top_p", "max_tokens", "seed")
)
class GenerationParams:
    """What a model is asked with; null leaves a parameter out, for models that refuse it."""

    temperature: Annotated[float, Field(strict=True, ge=0, le=2, allow_inf_nan=False)] | None
    top_p: Annotated[float, Field(strict=True, gt=0, le=1, allow_inf_nan=False)] | None
    max_tokens: Count
    seed: Annotated[int, Field(strict=True, ge=0, le=2**63 - 1)] | None


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RecordedCandidate:
    """Answers that stand in the dataset, with their recorded latency and tokens."""

    kind: Literal["recorded"]
    model_id: Annotated[Text | None, Field(description="What gave the answers; else the samples' own model_id.")] = None
    prompt_id: PromptId = None
    prompt_version: PromptVersion = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class ChatModelChoice:
    """A chat model, and where it is served."""

    model: ModelName
    base_url: Address | None = None
    api_key_env: EnvName | None = None
    api_key_header: KeyHeader | None = None
    allow_private: AllowPrivate = False
    headers: Headers = None
    extra_body: Annotated[
        dict[Annotated[Text, AfterValidator(_is_extra)], Any] | None,
        Field(description="What else every request says, such as reasoning_effort."),
    ] = None
    max_tokens_field: Annotated[
        MaxTokensField | None, Field(description="The name of the limit; by default as the address wants it.")
    ] = None

    @model_validator(mode="after")
    def _has_an_address(self) -> Self:
        provider = self.model.partition(":")[0]
        if self.base_url is None and provider not in OWN_KEYS:
            raise ValueError(f"provider '{provider}' has no address of its own: give base_url")
        return self

    @property
    def key_variable(self) -> str | None:
        """The variable that holds the key; a provider's own one serves only for its own address."""
        if self.api_key_env is not None or self.base_url is not None:
            return self.api_key_env
        return OWN_KEYS.get(self.model.partition(":")[0])


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class ModelCandidate(ChatModelChoice):
    """A chat model that is asked each question."""

    kind: Literal["model"]
    prompt: FilePath | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class ResponsePaths:
    """Where the parts of a response stand, as dotted paths such as choices.0.message.content."""

    answer: Path | None = None
    delta: Annotated[Path | None, Field(description="Of a stream: the text that each event adds to the answer.")] = None
    contexts: Path | None = None
    citations: Path | None = None
    refusal: Path | None = None
    grounding_status: Path | None = None
    trace_id: Path | None = None
    model_id: Path | None = None
    input_tokens: Path | None = None
    output_tokens: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class HttpCandidate:
    """An HTTP endpoint that answers each question."""

    kind: Literal["http"]
    url: Address
    method: Annotated[Literal["POST", "PUT", "GET"] | None, Field(description="POST, where it is left out.")] = None
    api_key_env: EnvName | None = None
    api_key_header: KeyHeader | None = None
    allow_private: AllowPrivate = False
    headers: Headers = None
    request: Annotated[
        dict[Text, Any] | None,
        AfterValidator(_is_template),
        Field(description="What is sent; {question}, {sample_id}, {contexts}, {role}, {metadata.KEY} are filled in."),
    ] = None
    response: Annotated[
        ResponsePaths | None, Field(description="Where the parts of a response stand; else they have their own names.")
    ] = None
    stream: Annotated[Literal["sse", "ndjson"] | None, Field(description="How the answer comes in pieces.")] = None
    accept_contexts: AcceptContexts = False
    model_id: ModelId = None
    prompt_id: PromptId = None
    prompt_version: PromptVersion = None

    @model_validator(mode="after")
    def _knows_where_the_answer_is(self) -> Self:
        paths = self.response
        if self.stream is not None and (paths is None or paths.delta is None):
            raise ValueError("a stream needs response.delta: where each event has the text that it adds to the answer")
        if self.stream is None and paths is not None and paths.answer is None and paths.refusal is None:
            raise ValueError("response needs the path of the answer")
        return self


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class PythonCandidate:
    """A Python callable that answers each question."""

    kind: Literal["python"]
    target: Target
    accept_contexts: AcceptContexts = False
    model_id: ModelId = None
    prompt_id: PromptId = None
    prompt_version: PromptVersion = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RulesJudge:
    """The judge that works offline, by rules."""

    kind: Literal["rules"]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class LlmJudge(ChatModelChoice):
    """A chat model as the judge."""

    kind: Literal["llm"]
    generation: Annotated[
        GenerationParams | None, Field(description="What this judge is asked with; else as the benchmark rubric says.")
    ] = None
    cache: Annotated[
        FilePath | None, Field(description="A file that keeps replies: the same request is then paid for once.")
    ] = None


SingleJudge = Annotated[RulesJudge | LlmJudge, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class PanelJudge:
    """Several judges, and how they decide."""

    kind: Literal["panel"]
    judges: Annotated[tuple[SingleJudge, ...], Field(min_length=2, max_length=99)]
    vote: Literal["majority", "median"] = "majority"


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Budget:
    """Where the run stops, candidate and judge together; what is left out is not limited."""

    max_tokens: Annotated[int, Field(strict=True, ge=1)] | None = None
    max_cost_usd: Positive | None = None
    max_calls: Annotated[int, Field(strict=True, ge=1)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Rate:
    """How often one provider may be called."""

    requests_per_minute: Positive


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Retry:
    """How long a call that fails on the way is tried again."""

    time_budget_s: Annotated[
        float,
        Field(strict=True, ge=0, le=86_400, description="For how long a call is begun again; 0: each is made once."),
    ] = 300.0
    first_wait_s: Annotated[
        float, Field(strict=True, ge=0, le=3600, description="The longest first wait; a random part of it is waited.")
    ] = 0.5
    longest_wait_s: Annotated[
        float, Field(strict=True, ge=0, le=3600, description="Each wait is twice the one before it, up to this.")
    ] = 30.0
    adaptive_concurrency: Annotated[
        Switch, Field(description="Make fewer calls at once while a provider answers that there are too many.")
    ] = True


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Network:
    """How the network is reached."""

    trust_env: Annotated[
        Switch, Field(description="Use the proxies of HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY.")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Environment:
    """Where the run is made, for its metadata."""

    region: Annotated[Text | None, Field(description="The region in which it runs, such as eu-central-1.")] = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Price:
    """What a million tokens of one model cost, in US dollars."""

    input_per_million: NotNegative
    output_per_million: NotNegative


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RubricFiles:
    """Rubric files that are laid over those that ship."""

    benchmark: FilePath | None = None
    rules: FilePath | None = None
    verdict: FilePath | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_filled_by_the_rubric("generation", "repeats"))
class RunConfig:
    """The configuration of a Plumbrule benchmark run, with its paths as they were written."""

    name: Annotated[Text, Field(description="The run's name in lists and reports.")]
    dataset: Dataset
    candidate: Annotated[
        RecordedCandidate | ModelCandidate | HttpCandidate | PythonCandidate, Field(discriminator="kind")
    ]
    judge: Annotated[RulesJudge | LlmJudge | PanelJudge, Field(discriminator="kind")]
    generation: GenerationParams
    repeats: Annotated[Count, Field(description="How often the benchmark is run; else by the benchmark rubric.")]
    concurrency: Annotated[int, Field(strict=True, ge=1, le=10_000, description="Calls under way at once.")] = 16
    timeout_s: Annotated[float, Field(strict=True, gt=0, le=86_400, description="The time for one call.")] = 60.0
    budget: Budget = dataclasses.field(default_factory=Budget)
    rates: Annotated[dict[Text, Rate], Field(description="Limits by provider, or for http or python.")] = (
        dataclasses.field(default_factory=dict)
    )
    prices: Annotated[dict[ModelName, Price], Field(description="Prices by model, as it is named here.")] = (
        dataclasses.field(default_factory=dict)
    )
    retry: Retry = dataclasses.field(default_factory=Retry)
    network: Network = dataclasses.field(default_factory=Network)
    environment: Environment = dataclasses.field(default_factory=Environment)
    stop_after_failures: Annotated[
        Count, Field(description="Samples in a row that cannot be evaluated before the run gives up.")
    ] = 10
    lease_s: Annotated[
        float,
        Field(
            strict=True,
            ge=1,
            le=86_400,
            description="How long a worker of a shared run may be silent before it is lost.",
        ),
    ] = 30.0
    cluster: Annotated[
        Text | None,
        Field(description="What samples of one document or template share: category, or a key of their metadata."),
    ] = None
    anchor: Annotated[
        Anchor | None,
        Field(description="people: gates go by labels of a random part; else by the benchmark rubric."),
    ] = None
    rubric: RubricFiles = dataclasses.field(default_factory=RubricFiles)
    allow_floating_models: Annotated[Switch, Field(description="Allow names such as latest, and record it.")] = False

    def to_dict(self) -> dict[str, Any]:
        """Return the whole configuration with its defaults, JSON-ready."""
        content: dict[str, Any] = TypeAdapter(RunConfig).dump_python(self, mode="json")
        return content


def schema_text() -> str:
    """Return the JSON Schema of the configuration file, for editors."""
    schema = TypeAdapter(RunConfig).json_schema()
    draft = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps({"$schema": draft, **schema}, indent=2, sort_keys=True) + "\n"


def write_schema(path: pathlib.Path) -> None:
    """Write the JSON Schema to ``path``; the one that ships is made this way."""
    path.write_text(schema_text(), encoding="utf-8", newline="\n")
