"""The JSON schemas of everything that the commands print or write as JSON, by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from plumbrule.codec import schema_of
from plumbrule.errors import UsageError
from plumbrule.names import nearest

DRAFT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class Described:
    """A type by its module and name, and where its JSON is found; ``given`` for a file that the user writes."""

    type: str
    about: str
    given: bool = False


# One line for each: the type is imported when its schema is asked for.
SCHEMAS: Mapping[str, Described] = {
    "checkpoint": Described("ledger.checkpoint:Checkpoint", "the file of 'ledger verify --keep'"),
    "dataset-check": Described("samples.validation:DatasetCheck", "'validate --json'"),
    "ledger-verification": Described("ledger.chain:Verification", "'ledger verify --json'"),
    "rubric-stamp": Described(
        "verdicts.verdict_json:StampJson", "'rubric check --json', and one item of 'rubric list'"
    ),
    "run-config": Described("runs.config_schema:RunConfig", "the file that 'run' takes, as JSON", given=True),
    "verdict": Described("verdicts.verdict_json:VerdictJson", "one line of 'score --json' or of its -o file"),
    "verdict-summary": Described("verdicts.verdict_tally:VerdictSummary", "'score -o FILE --json'"),
}


def schema_named(name: str) -> dict[str, object]:
    """Return the JSON schema with this name."""
    if name not in SCHEMAS:
        known = f"; there are: {', '.join(sorted(SCHEMAS))}"
        raise UsageError(f"there is no schema '{name}'{nearest(name, SCHEMAS) or known}")
    described = SCHEMAS[name]
    module, _, kind = described.type.partition(":")
    schema = schema_of(getattr(import_module(f"plumbrule.{module}"), kind), given=described.given)
    return {"$schema": DRAFT, **schema, "title": name}
