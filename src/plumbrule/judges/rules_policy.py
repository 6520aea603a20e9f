"""The typed form of the rules judge's policy, and its loader."""

from importlib import resources
from typing import Annotated, Literal

import yaml
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from plumbrule.errors import RubricError
from plumbrule.hashing import sha256_of
from plumbrule.rubrics import Loaded
from plumbrule.rubrics.plain_yaml import PlainYaml
from plumbrule.rubrics.verdict import Share, Words

_CLOSED = ConfigDict(extra="forbid")

Score = Annotated[int, Field(strict=True, ge=0, le=2)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RefusalScores:
    """The accuracy of each way in which a refusal meets, or misses, what was expected."""

    as_expected: Score
    wrong_code: Score
    unneeded: Score
    missing: Score


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class AccuracyRules:
    """How much of the reference an answer must say."""

    full_share: Share
    spare_words: Annotated[int, Field(strict=True, ge=0, le=100)]
    partial_share: Share
    contradiction_overlap: Share
    opens_yes: Words
    opens_no: Words
    refusal: RefusalScores


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class FaithfulnessRules:
    """How much of an answer may lack support."""

    minor_up_to: Share
    drift_cost: Score


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RationaleRules:
    """How long a rationale may be, and how much evidence it quotes."""

    words: Annotated[int, Field(strict=True, ge=20, le=1000)]
    evidence: Annotated[int, Field(strict=True, ge=1, le=20)]
    evidence_words: Annotated[int, Field(strict=True, ge=1, le=100)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RulesPolicy:
    """The whole policy of the rules judge."""

    name: Literal["rules"]
    version: Annotated[str, Field(min_length=1)]
    accuracy: AccuracyRules
    faithfulness: FaithfulnessRules
    rationale: RationaleRules


def load_rules(text: str | None = None) -> Loaded[RulesPolicy]:
    """Return the policy that ships, or the one that ``text`` states in full."""
    if text is None:
        text = resources.files("plumbrule.judges").joinpath("rules.yaml").read_text(encoding="utf-8")
    adapter = TypeAdapter(RulesPolicy)
    try:
        policy = adapter.validate_python(yaml.load(text, Loader=PlainYaml))  # noqa: S506 - PlainYaml is a SafeLoader
    except yaml.YAMLError:
        raise RubricError("rules: not YAML") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise RubricError(f"rules: '{'.'.join(map(str, first['loc']))}': {first['msg']}") from None
    return Loaded(
        rubric=policy, name=policy.name, version=policy.version, sha256=sha256_of(adapter.dump_python(policy))
    )
