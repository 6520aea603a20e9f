"""Plumbrule tells whether a grounded assistant can be trusted, and proves it."""

from typing import TYPE_CHECKING, Any

from plumbrule._version import __version__

if TYPE_CHECKING:
    from plumbrule.api.prescores import prescore
    from plumbrule.api.scorecards import decide_scorecard
    from plumbrule.api.scoring import score, score_many
    from plumbrule.api.support import calibrate_support
    from plumbrule.errors import InputError, PlumbruleError, RecordError, RubricError, UsageError
    from plumbrule.interactions.interaction_reader import read_interactions
    from plumbrule.samples import Sample
    from plumbrule.verdicts.verdict import Verdict

__all__ = [
    "InputError",
    "PlumbruleError",
    "RecordError",
    "RubricError",
    "Sample",
    "UsageError",
    "Verdict",
    "__version__",
    "calibrate_support",
    "decide_scorecard",
    "prescore",
    "read_interactions",
    "score",
    "score_many",
]

_HOMES = {
    "InputError": "errors",
    "PlumbruleError": "errors",
    "RecordError": "errors",
    "RubricError": "errors",
    "Sample": "samples",
    "UsageError": "errors",
    "Verdict": "verdicts.verdict",
    "calibrate_support": "api.support",
    "decide_scorecard": "api.scorecards",
    "prescore": "api.prescores",
    "read_interactions": "interactions.interaction_reader",
    "score": "api.scoring",
    "score_many": "api.scoring",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    """Import a public name when it is first used, so that importing the package stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module 'plumbrule' has no attribute '{name}'")
    from importlib import import_module  # noqa: PLC0415 - only needed here

    return getattr(import_module(f"plumbrule.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
