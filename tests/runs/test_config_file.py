"""A run's configuration is read strictly: what is wrong is named by file, line and key, and no secret is shown."""

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from plumbrule.errors import UsageError
from plumbrule.models import chat_model
from plumbrule.names import FORMATS
from plumbrule.rubrics import load_benchmark, load_verdict, parse_override
from plumbrule.runs import config_file as config_module
from plumbrule.runs import config_schema
from plumbrule.runs.components import load_rubrics
from plumbrule.runs.config_file import LoadedConfig, RunConfig, check_secrets, load_config, starter_text
from plumbrule.runs.config_schema import schema_text, write_schema

HEAD = "name: qa\ndataset: {path: data.jsonl, id: qa}\n"
RULES = "judge: {kind: rules}\n"
RECORDED = HEAD + "candidate: {kind: recorded}\n" + RULES
PINNED = "openai:gpt-4.1-2025-04-14"


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    """Return the place of a configuration."""
    return tmp_path / "run.yaml"


def load(run_file: Path, text: str, **overrides: Any) -> LoadedConfig:
    """Write the text, and load it with overrides by dotted key (``__`` for the dot)."""
    run_file.write_text(text, encoding="utf-8")
    return load_config(run_file, {key.replace("__", "."): value for key, value in overrides.items()})


def complaint(run_file: Path, text: str, **overrides: Any) -> str:
    """Return the one line that is said of a configuration, from the file's name on."""
    with pytest.raises(UsageError) as caught:
        load(run_file, text, **overrides)
    message = str(caught.value)
    assert caught.value.exit_code == 2
    assert "\n" not in message
    return message.replace(f"{run_file.parent}/", "")


def with_candidate(candidate: str, more: str = "") -> str:
    """Return a whole configuration with one candidate, on line 3."""
    return f"{HEAD}candidate: {candidate}\n{RULES}{more}"


def test_what_is_left_out_comes_from_the_rubric(run_file: Path) -> None:
    """R29, G23: generation as the rubric says; recorded answers are run once, what is called three times."""
    rubric = load_benchmark().rubric
    config = load(run_file, RECORDED).config
    assert dataclasses.asdict(config.generation) == dataclasses.asdict(rubric.generation)
    assert config.repeats == rubric.repeats.recorded == 1
    live = load(run_file, with_candidate("{kind: python, target: 'app.answers:reply'}")).config
    assert live.repeats == rubric.repeats.live == 3
    assert (config.concurrency, config.timeout_s, config.allow_floating_models) == (16, 60, False)


def test_the_rubric_that_is_named_gives_the_defaults(run_file: Path) -> None:
    """A rubric of one's own stands beside the configuration; what the configuration says still comes first."""
    (run_file.parent / "mine.yaml").write_text("generation: {max_tokens: 7, seed: 1}\nrepeats: {recorded: 5}\n")
    text = RECORDED + "generation: {seed: null, temperature: null}\nrubric: {benchmark: mine.yaml}\n"
    config = load(run_file, text).config
    assert (config.generation.max_tokens, config.generation.seed, config.repeats) == (7, None, 5)
    assert (config.generation.temperature, config.generation.top_p) == (None, 1)


def test_every_field(run_file: Path) -> None:
    """All that a configuration may say arrives where it belongs."""
    (run_file.parent / "ask.txt").write_text("{question}")
    (run_file.parent / "verdict.yaml").write_text("version: mine\n")
    text = f"""
name: qa
dataset: {{path: data.txt, id: 2025-01-01, format: jsonl, map: {{answer: reply}}}}
candidate: {{kind: model, model: "{PINNED}", base_url: "http://127.0.0.1:8000/v1", api_key_env: A_KEY, prompt: ask.txt}}
judge:
  kind: panel
  vote: median
  judges: [{{kind: rules}}, {{kind: llm, model: "anthropic:claude-sonnet-4-20250514"}}]
generation: {{temperature: 0.5, top_p: 0.9, max_tokens: 10, seed: 0}}
repeats: 4
concurrency: 2
anchor: people
timeout_s: 1.5
budget: {{max_tokens: 1, max_cost_usd: 0.5, max_calls: 3}}
rates: {{openai: {{requests_per_minute: 30}}}}
retry: {{time_budget_s: 0, first_wait_s: 1, longest_wait_s: 5, adaptive_concurrency: false}}
prices:
  "{PINNED}": {{input_per_million: 2, output_per_million: 8.5}}
  "anthropic:claude-sonnet-4-20250514": {{input_per_million: 0, output_per_million: 1}}
stop_after_failures: 3
lease_s: 2.5
rubric: {{verdict: verdict.yaml}}
"""
    loaded = load(run_file, text)
    said, content = yaml.safe_load(text.replace("2025-01-01", "'2025-01-01'")), loaded.config.to_dict()
    said["judge"]["judges"][1] |= {"base_url": None, "api_key_env": None, "allow_private": False, "cache": None}
    said["candidate"]["allow_private"] = False
    said["rubric"] |= {"benchmark": None, "rules": None}
    said["dataset"] |= {"delimiter": None, "encoding": None}
    unset = {"api_key_header": None, "headers": None, "extra_body": None, "max_tokens_field": None}
    said["judge"]["judges"][1] |= unset | {"generation": None}
    said["candidate"] |= unset
    said |= {"network": {"trust_env": False}, "environment": {"region": None}}
    assert content == said | {"allow_floating_models": False, "cluster": None}
    assert loaded.resolve(loaded.config.dataset.path) == run_file.parent / "data.txt"
    assert loaded.resolve("/elsewhere/data.txt") == Path("/elsewhere/data.txt")


def test_a_model_as_it_is(run_file: Path) -> None:
    """A judge has parameters of its own, null leaves one out; headers, extra body and the key's header are read."""
    judge = (
        '{kind: llm, model: "azure:m-2025-01-01", base_url: "https://x.example/openai?api-version=2024-10-21", '
        "api_key_env: MY_KEY, api_key_header: api-key, headers: {X-Tenant: blue}, extra_body: {reasoning_effort: low}, "
        "max_tokens_field: max_completion_tokens, generation: {temperature: null, seed: null}}"
    )
    for text in (f"judge: {judge}\n", f"judge: {{kind: panel, judges: [{{kind: rules}}, {judge}]}}\n"):
        loaded = load(run_file, f"{HEAD}candidate: {{kind: recorded}}\n{text}network: {{trust_env: true}}\n")
        chosen = loaded.config.judge
        chosen = chosen.judges[1] if isinstance(chosen, config_schema.PanelJudge) else chosen
        assert isinstance(chosen, config_schema.LlmJudge)
        assert chosen.generation is not None
        assert (chosen.generation.temperature, chosen.generation.seed, chosen.generation.top_p) == (None, None, 1)
        assert (chosen.headers, chosen.extra_body) == ({"X-Tenant": "blue"}, {"reasoning_effort": "low"})
        assert loaded.config.generation.temperature == 0  # the candidate's are apart


def test_what_older_versions_did_not_know_does_not_count(run_file: Path) -> None:
    """The hash of a configuration without the newer keys stays what it was, so that an old run can be resumed."""
    judge = 'judge: {kind: llm, model: "local:m", base_url: "http://127.0.0.1:1/v1"}\n'
    text = f"{HEAD}candidate: {{kind: recorded}}\n{judge}"
    loaded = load(run_file, text)
    assert loaded.sha256 == "a9e28d7062722fa4e07ed73ac5a74f5b8435e22e73341d0df1e8a1c221a27bb8"
    assert load(run_file, f"{text}environment: {{region: here}}\n").sha256 == loaded.sha256
    assert load(run_file, text.replace('/v1"}', '/v1", generation: {seed: null}}')).sha256 != loaded.sha256


def test_the_hash_is_of_what_is_said(run_file: Path, tmp_path: Path) -> None:
    """Comments, layout, the folder, a default that is written out, and how fast and far it goes do not count."""
    plain = load(run_file, RECORDED)
    other = tmp_path / "elsewhere" / "other.yaml"
    other.parent.mkdir()
    assert (
        load(other, f"# a remark\n{RECORDED}concurrency: 16\ngeneration: {{temperature: 0}}\n").sha256 == plain.sha256
    )
    aside = "concurrency: 17\nbudget: {max_calls: 5}\nstop_after_failures: 3\nretry: {time_budget_s: 9}\nlease_s: 5\n"
    assert load(run_file, RECORDED + aside).sha256 == plain.sha256
    assert load(run_file, RECORDED + "timeout_s: 61\n").sha256 != plain.sha256
    assert plain.folder == tmp_path


@pytest.mark.parametrize(
    ("candidate", "said"),
    [
        ("{kind: model, modle: 'openai:x'}", "candidate.modle: unknown key; did you mean 'model'?"),
        ("{kind: model}", "candidate.model: missing key"),
        ("{kind: http, url: 'http://10.0.0.1/a'}", "candidate.url: the address: 10.0.0.1 is a private address"),
        ("{kind: modl}", "candidate.kind: must be one of 'recorded', 'model', 'http', 'python', not 'modl'"),
        ("{model_id: x}", "candidate.kind: missing key"),
        ("recorded", "candidate: must be a mapping of keys to values"),
        ("{kind: recorded, model_id: 7}", "candidate.model_id: must be text; write it in quotes"),
        ("{kind: recorded, 1: x}", "candidate.1: a key must be text; write it in quotes"),
        ("{kind: recorded, kind: recorded}", "candidate.kind: stands twice"),
        ("{kind: recorded, 'a\\nb': x}", "candidate.'a\\\\nb': unknown key"),
        (
            "{kind: model, model: gpt}",
            "candidate.model: must be of the form provider:model, such as openai:gpt-4.1-2025-04-14",
        ),
        (
            "{kind: model, model: 'google:gemini-1.5-pro-002'}",
            "candidate: provider 'google' has no address of its own: give base_url",
        ),
        (
            "{kind: python, target: reply}",
            "candidate.target: must be of the form module:function, such as my_app.answers:reply",
        ),
        ("{kind: http, url: 'ftp://x/y'}", "candidate.url: must begin with http:// or https:// and name a host"),
        ("{kind: http, url: 'http://[x'}", "candidate.url: must be an address, such as https://api.openai.com/v1"),
        ("{kind: model, model: 'a:b', base_url: 'localhost:1'}", "candidate.base_url: must begin with http:// or"),
        ("{kind: model, model: 'x:y', base_url: '${HOST}/v1'}", "candidate.base_url: ${...} is not filled in here"),
        (
            "{kind: http, url: 'https://a', api_key_env: '${KEY}'}",
            "candidate.api_key_env: ${...} is not filled in here",
        ),
        (f"{{kind: model, model: '{PINNED}', prompt: no.txt}}", "candidate.prompt: there is no file"),
        (
            "{kind: http, url: 'https://a', request: {q: '{qestion}'}}",
            "candidate.request: holds a place that nothing",
        ),
        ("{kind: http, url: 'https://a', request: {q: 'x'}}", "candidate.request: must hold {question} somewhere"),
        ("{kind: http, url: 'https://a', stream: sse}", "candidate: a stream needs response.delta"),
        ("{kind: http, url: 'https://a', stream: json}", "candidate.stream: must be 'sse' or 'ndjson'"),
        ("{kind: http, url: 'https://a', response: {contexts: a}}", "candidate: response needs the path of the answer"),
        ("{kind: http, url: 'https://a', response: {answer: 'a b'}}", "candidate.response.answer: must be a path such"),
        (
            "{kind: http, url: 'https://a', response: {anwser: a}}",
            "candidate.response.anwser: unknown key; did you",
        ),
        ("{kind: http, url: 'https://a', method: DELETE}", "candidate.method: must be 'POST', 'PUT' or 'GET', not"),
        ("{kind: python, target: 'a:b', accept_contexts: 1}", "candidate.accept_contexts: must be true or false"),
        (
            f"{{kind: model, model: '{PINNED}', headers: {{Authorization: x}}}}",
            "candidate.headers.Authorization: carries a key, which never stands here: name its variable by api_key_env",
        ),
        (f"{{kind: model, model: '{PINNED}', headers: {{Host: x}}}}", "candidate.headers.Host: is set by the client"),
        (
            f"{{kind: model, model: '{PINNED}', headers: {{'a b': x}}}}",
            "candidate.headers.'a b': must be the name of a",
        ),
        (f"{{kind: model, model: '{PINNED}', headers: {{a: 'é'}}}}", "candidate.headers.a: must be one line of plain"),
        (
            f"{{kind: model, model: '{PINNED}', extra_body: {{temperature: 1}}}}",
            "candidate.extra_body.temperature: is no extra: what is generated stands under generation",
        ),
        (
            f"{{kind: model, model: '{PINNED}', max_tokens_field: limit}}",
            "candidate.max_tokens_field: must be 'max_tokens' or",
        ),
        (f"{{kind: model, model: '{PINNED}', api_key_header: 'a b'}}", "candidate.api_key_header: must be the name of"),
    ],
)
def test_a_mistake_is_named(run_file: Path, candidate: str, said: str) -> None:
    """File, line and dotted key, and what to do."""
    assert complaint(run_file, with_candidate(candidate)).startswith(f"run.yaml:3: {said}")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("repeats: 0", "repeats: must be greater than or equal to 1, not 0"),
        ("repeats: true", "repeats: must be an integer, not True"),
        ("timeout_s: .inf", "timeout_s: must be less than or equal to 86400, not inf"),
        ("timeout_s: .nan", "timeout_s: must be"),
        ("allow_floating_models: yes", "allow_floating_models: must be true or false"),
        ("budget:\n  max_cost: 1", "budget.max_cost: unknown key; did you mean 'max_cost_usd'?"),
        ("rates: {openai: {request_per_minute: 1}}", "rates.openai.request_per_minute: unknown key; did you mean"),
        ("rates: {openai: 5}", "rates.openai: must be a mapping of keys to values"),
        ("generation: {seed: -1}", "generation.seed: must be greater than or equal to 0, not -1"),
        ("generation: [1]", "generation: must be a mapping of keys to values"),
        ("rubric: {benchmark: no.yaml}", "rubric.benchmark: there is no file"),
        ("rubric: {verdict: no.yaml}", "rubric.verdict: there is no file"),
        ("rubric: 7", "rubric: must be a mapping of keys to values"),
        ("retry: {time_budget_s: -1}", "retry.time_budget_s: must be greater than or equal to 0, not -1"),
        ("retry: {calls: 4}", "retry.calls: unknown key"),
        ("network: {trust_env: 'yes'}", "network.trust_env: must be true or false"),
        ("environment: {region: 7}", "environment.region: must be text; write it in quotes"),
        ("zzz: 7", "zzz: unknown key"),
        (
            "rates: {opnai: {requests_per_minute: 5}}",
            "rates.opnai: this run calls no such provider; known are",
        ),
        ("rubric: {verdict: " + "x" * 3000 + "}", "rubric.verdict: there is no file"),
        ("name: again", "name: stands twice"),
        ("budget: {max_calls: '${N}'}", "budget.max_calls: ${...} is not filled in here"),
        ("'${N}': 1", "'${N}': ${...} is not filled in here"),
        ("a: &a [*a]", "a.0: the alias '*a' stands inside what it names"),
        ("a: {[1]: 2}", "a.'?': a key must be text; write it in quotes"),
        ("a: [", "not YAML: "),
        ("a: !!python/name:os.system x", "a: the tag '!!python/name:os.system' is not allowed"),
        ("a: \x07", "not YAML: the character U+0007 is not allowed"),
        ("a: !!int x", "a: the value does not fit its tag, !!int"),
        ("a: !!timestamp x", "a: the tag '!!timestamp' is not allowed"),
    ],
)
def test_a_mistake_further_down(run_file: Path, more: str, said: str) -> None:
    """The line is the key's own, however deep it stands."""
    message = complaint(run_file, RECORDED + more + "\n")
    _, line, text = message.split(":", 2)
    assert text.startswith(f" {said}")
    assert int(line) == 5 + more.count("\n")


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ("{kind: panel, judges: [{kind: rules}]}", "judge.judges: "),
        ("{kind: panel, judges: [{kind: rules}, {kind: llm, modl: x}]}", "judge.judges.1.modl: unknown key; did you"),
        ("{kind: panel, judges: [{kind: rules}, {kind: panel}]}", "judge.judges.1.kind: must be one of 'rules', 'llm'"),
        ("{kind: panel, vote: mean, judges: []}", "judge."),
        ("{kind: llm, model: 'openai:gpt-4.1'}", "judge.model: 'openai:gpt-4.1' may mean another model tomorrow"),
    ],
)
def test_a_mistake_in_the_judge(run_file: Path, judge: str, said: str) -> None:
    """A panel's members are judges, each named by its place."""
    text = f"{HEAD}candidate: {{kind: recorded}}\njudge: {judge}\n"
    assert complaint(run_file, text).startswith(f"run.yaml:4: {said}")


def test_files_that_are_no_configuration(run_file: Path) -> None:
    """One line each: nothing there, no mapping, not text, too deep, and what is missing."""
    with pytest.raises(UsageError, match=r"run\.yaml: cannot be read: No such file"):
        load_config(run_file)
    assert complaint(run_file, "") == "run.yaml:1: a configuration is a mapping of keys to values"
    assert complaint(run_file, "- a\n") == "run.yaml:1: a configuration is a mapping of keys to values"
    assert complaint(run_file, "a: " + "[" * 5000).endswith(".0: nested more than 50 deep")
    assert complaint(run_file, HEAD + "candidate: {kind: recorded}\n") == "run.yaml:1: judge: missing key"
    stdin = complaint(run_file, RECORDED.replace("data.jsonl", "'-'"))
    assert stdin.startswith("run.yaml:2: dataset.path: must be a file")
    run_file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not a text file in UTF-8"):
        load_config(run_file)


@pytest.mark.parametrize(
    "candidate",
    [
        "{kind: http, url: 'https://a', api_key_env: SECRET}",
        "{kind: http, url: 'https://a', api_key: SECRET}",
        "{kind: http, url: 'https://a', api_key_env: [SECRET]}",
        "{kind: http, url: 'http://me:SECRET@a/b'}",
        "{kind: http, url: 'http://a/b?key=SECRET'}",
        "{kind: model, model: 'a:b', base_url: 'SECRET'}",
        "{kind: model, model: SECRET}",
    ],
)
@pytest.mark.parametrize("secret", ["sk-proj-7Hq2", "a8Fk39dkfj39fjKD", "12345678"])
def test_a_secret_in_the_wrong_place_is_not_shown(run_file: Path, candidate: str, secret: str) -> None:
    """Where a key was written instead of its variable's name, the complaint does not quote it."""
    assert secret not in complaint(run_file, with_candidate(candidate.replace("SECRET", secret)))


def test_overrides(run_file: Path) -> None:
    """A value by its dotted key, also where the file says nothing; a mistake in one is named as such."""
    config = load(run_file, RECORDED, budget__max_calls=5, dataset__id="other", judge={"kind": "rules"}).config
    assert (config.budget.max_calls, config.dataset.id) == (5, "other")
    run_file.write_text(RECORDED)
    assert load_config(run_file, dict([parse_override("generation.seed=null")])).config.generation.seed is None
    said = complaint(run_file, RECORDED, candidate__modl_id="x")
    assert said == "run.yaml: override candidate.modl_id: unknown key; did you mean 'model_id'?"
    assert complaint(run_file, RECORDED, repeats=0).startswith("run.yaml: override repeats: must be")
    assert (
        complaint(run_file, RECORDED, name__first="x") == "run.yaml: override name.first: there is no such key to set"
    )
    assert "override name: ${...}" in complaint(run_file, RECORDED, name="${HOME}")


def test_an_override_reaches_one_place(run_file: Path) -> None:
    """A mapping that stands in two places by an alias changes only where the override says."""
    member = f"&m {{kind: llm, model: '{PINNED}'}}"
    text = f"{HEAD}candidate: {{kind: recorded}}\njudge: {{kind: panel, judges: [{member}, *m]}}\n"
    judge = load(run_file, text, judge__judges__1__api_key_env="OTHER").config.judge
    assert isinstance(judge, config_schema.PanelJudge)
    first, second = judge.judges
    assert isinstance(first, config_schema.LlmJudge)
    assert isinstance(second, config_schema.LlmJudge)
    assert (first.api_key_env, second.api_key_env) == (None, "OTHER")


LOCAL = ", base_url: 'http://127.0.0.1:8000/v1'"


@pytest.mark.parametrize(
    ("model", "where", "floating"),
    [
        ("openai:gpt-4.1", "", True),
        ("openai:gpt-4.1", LOCAL, True),
        ("openai:gpt-4.1-2025-04-14", "", False),
        ("openai:gpt-4-0613", "", False),
        ("openai:o3", "", True),
        ("openai:chatgpt-4o-latest", "", True),
        ("openai:ft:gpt-4.1-2025-04-14:org::id", "", False),
        ("openai:anything", "", True),
        ("openai:llama-3.1-8b", LOCAL, False),
        ("openai:gpt-oss-20b", LOCAL, False),
        ("local:llama3:latest", LOCAL, True),
        ("local:latest", LOCAL, True),
        ("local:the-greatest", LOCAL, False),
        ("router:openai/gpt-4.1", LOCAL, True),
        ("anthropic:claude-sonnet-4-20250514", "", False),
        ("anthropic:claude-sonnet-4-0", "", True),
        ("anthropic:claude-3-5-haiku-latest", "", True),
        ("google:gemini-1.5-pro-latest", LOCAL, True),
        ("google:gemini-1.5-pro-002", LOCAL, False),
    ],
)
def test_floating_names(run_file: Path, model: str, where: str, floating: bool) -> None:  # noqa: FBT001 - a column
    """R30: a name that may mean another model tomorrow is refused, or allowed by a key that is recorded."""
    candidate = f"{{kind: model, model: '{model}'{where}}}"
    if floating:
        said = complaint(run_file, with_candidate(candidate))
        assert said.startswith(f"run.yaml:3: candidate.model: '{model}' may mean another model tomorrow")
    loaded = load(run_file, with_candidate(candidate, "allow_floating_models: true\n"))
    assert loaded.floating is floating
    assert loaded.config.to_dict()["allow_floating_models"] is True


def test_a_recorded_model_may_float_too(run_file: Path) -> None:
    """What gave the recorded answers is not called 'latest' either."""
    text = with_candidate("{kind: recorded, model_id: 'assistant@latest'}")
    assert "candidate.model_id: 'assistant@latest' may mean" in complaint(run_file, text)
    assert not load(run_file, text.replace("latest", "2025-01-01")).floating


def test_missing_secrets_are_named(run_file: Path) -> None:
    """Each variable that is not set, with the key that wants it; a provider's own variable at its own address only."""
    judge = f"judge: {{kind: panel, judges: [{{kind: rules}}, {{kind: llm, model: '{PINNED}'}}]}}\n"
    config = load(run_file, f"{HEAD}candidate: {{kind: http, url: 'https://a', api_key_env: A_KEY}}\n{judge}").config
    with pytest.raises(UsageError) as caught:
        check_secrets(config, {"A_KEY": " ", "OTHER": "hidden"})
    assert "A_KEY (for candidate), OPENAI_API_KEY (for judge.judges.1)" in str(caught.value)
    with pytest.raises(UsageError) as caught:
        check_secrets(config, {"A_KEY": "hidden"})
    assert "A_KEY (" not in str(caught.value)
    assert "hidden" not in str(caught.value)
    check_secrets(config, {"A_KEY": "hidden", "OPENAI_API_KEY": "hidden"})
    check_secrets(load(run_file, with_candidate(f"{{kind: model, model: '{PINNED}'{LOCAL}}}")).config, {})


def test_providers_of_their_own_address() -> None:
    """The configuration knows the same providers, and their variables, as the part that calls them."""
    assert {name: known.api_key_env for name, known in chat_model._PROVIDERS.items()} == config_schema.OWN_KEYS


def test_formats_are_the_readers() -> None:
    """A dataset's format is one that can be read."""
    choices = json.loads(schema_text())["$defs"]["Dataset"]["properties"]["format"]["anyOf"][0]["enum"]
    assert choices == sorted(set(FORMATS.values()))


def test_the_starter_is_valid(run_file: Path) -> None:
    """It loads as it stands, scores recorded answers by rules, and speaks of every key."""
    config = load(run_file, starter_text()).config
    assert (config.candidate.kind, config.judge.kind, config.repeats) == ("recorded", "rules", 1)
    for field in dataclasses.fields(RunConfig):
        assert re.search(rf"^(#: )?{field.name}:", starter_text(), re.MULTILINE), field.name


def test_every_other_choice_in_the_starter_is_valid(run_file: Path) -> None:
    """A line that is offered works in place of the one that stands."""
    for name in ("my_benchmark", "my_rules", "my_verdict"):
        (run_file.parent / f"{name}.yaml").write_text("version: mine\n")
    choices = [line.removeprefix("#: ") for line in starter_text().splitlines() if line.startswith("#: ")]
    assert len(choices) == 21
    for choice in choices:
        key = choice.partition(":")[0]
        kept = [line for line in starter_text().splitlines() if not line.startswith(f"{key}:")]
        load(run_file, "\n".join([*kept, choice]))


def test_the_schema_that_ships_is_that_of_the_types(tmp_path: Path) -> None:
    """The committed file is what the types give; after a change of them, write_schema writes it again."""
    shipped = Path(config_module.__file__).with_name("run_config.schema.json")
    write_schema(tmp_path / "made.json")
    assert shipped.read_bytes() == (tmp_path / "made.json").read_bytes()
    schema = json.loads(schema_text())
    assert schema["required"] == ["name", "dataset", "candidate", "judge"]
    assert "required" not in schema["$defs"]["GenerationParams"]
    assert all(not form.get("additionalProperties", True) for form in [schema, *schema["$defs"].values()])


def test_the_recommended_verdict_rubric_goes_by_its_name(run_file: Path) -> None:
    """In place of a file; a file that is not there is still named, and other rubrics have no such name."""
    loaded = load(run_file, RECORDED + "rubric: {verdict: recommended}\n")
    assert load_rubrics(loaded).verdict == load_verdict(Path("recommended"))
    assert "rubric.verdict" in complaint(run_file, RECORDED + "rubric: {verdict: recomended}\n")
    assert "rubric.rules" in complaint(run_file, RECORDED + "rubric: {rules: recommended}\n")
