"""One interaction by its trace id, from the ledger or from files; the error for an unknown id names those like it."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any

from plumbrule.codec import to_json
from plumbrule.errors import UsageError
from plumbrule.interactions.answer_register import AnswerRegister
from plumbrule.interactions.interaction import Interaction
from plumbrule.interactions.interaction_reader import Source, read_interactions
from plumbrule.interactions.weeks import week_at
from plumbrule.ledger import Entry, Ledger
from plumbrule.monitoring.regression_samples import plain_sample
from plumbrule.monitoring.reviewed_interactions import Known, interaction_of, known_of, trace_of
from plumbrule.names import key_of_trace, pick
from plumbrule.reviews.interaction_archive import (
    StoredInteraction,
    find_interaction,
    hash_of,
    name_of,
    stored_interactions,
    versions_of,
)

_NEAR = 3
_MOST_COMPARED = 20_000  # beyond, only ids that begin alike are looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """An interaction with its parts as they were given, and its entry where it comes from the ledger.

    Response, trace, findings and pre-score are the JSON that was read or kept, verbatim.
    """

    trace_id: str
    known: Known
    response: Mapping[str, Any]
    trace: Mapping[str, Any] | None
    findings: tuple[Mapping[str, Any], ...]
    prescore: Mapping[str, Any] | None
    entry: Entry | None
    version: str  # the hash of the version that this is


def locate(trace_id: str, *, ledger: Ledger | None, source: Source | None, passages: Source | None) -> Located:
    """Return the interaction by its trace id: at ``source`` where a path is given and holds it, else the ledger's.

    Of several versions in the ledger it is the latest one. The start of an id is enough where only one interaction
    begins with it.
    """
    names: list[str] = []
    places: list[str] = []
    if source is not None:
        reading = read_interactions(source, passages)
        places.append(reading.source)
        seen = AnswerRegister()
        meant_here = None
        for interaction in reading:
            name = interaction.sample.trace_id or interaction.sample.id
            if key_of_trace(name) != key_of_trace(trace_id):
                names.append(name)
            elif seen.is_new(interaction):
                meant_here = interaction
        if meant_here is not None:
            return _of_file(meant_here, ledger)
    if ledger is not None:
        places.append(ledger.name)
        stored = find_interaction(ledger, trace_id)
        if stored is not None:
            return _of_entry(stored)
        names += [interaction.trace_id for interaction in stored_interactions(ledger)]
    meant = pick(trace_id, names, lambda name: (name,), where=" and ".join(places), what="interactions")
    if meant is not None:
        return locate(meant, ledger=ledger, source=source, passages=passages)
    close = ", ".join(near(trace_id, names))
    hint = f"; there is {close}" if close else "" if names else "; there are none at all"
    raise UsageError(f"{' and '.join(places)}: there is no interaction '{trace_id[:80]}'{hint}")


def _of_file(interaction: Interaction, ledger: Ledger | None) -> Located:
    sample = interaction.sample
    return Located(
        trace_id=sample.trace_id or sample.id,
        known=Known(interaction=interaction, week=week_at(sample.timestamp), refused=sample.refused),
        response=plain_sample(sample),
        trace=None if interaction.trace is None else asdict(interaction.trace),
        findings=tuple(to_json(interaction.findings)),
        prescore=None,
        entry=None,
        version=_version_of(interaction, ledger),
    )


def _version_of(interaction: Interaction, ledger: Ledger | None) -> str:
    """Return the hash of an interaction that was read from a file; that of the ledger where it has the same response.

    The ledger may have kept it with other passages, because they come from another file.
    """
    stored = [] if ledger is None else versions_of(ledger, name_of(interaction))
    given = None if interaction.given is None else interaction.given.response
    same = (one.version for one in reversed(stored) if one.kept.response == given)
    return next(same, None) or hash_of(interaction)


def near(wanted: str, names: Iterable[str]) -> list[str]:
    """Return the few names that are most like the one wanted: those that begin with it, then those spelt alike."""
    known = sorted(set(names))
    begun = [name for name in known if name.startswith(wanted)] if wanted else []
    alike = get_close_matches(wanted, known, n=_NEAR) if len(known) <= _MOST_COMPARED else []
    return list(dict.fromkeys([*begun[:_NEAR], *alike]))[:_NEAR]


def _of_entry(stored: StoredInteraction) -> Located:
    entry, body = stored.entry, stored.entry.value
    prescore = body.get("prescore")
    return Located(
        trace_id=trace_of(entry),
        known=known_of(entry),
        response=body["response"],
        trace=body.get("trace"),
        findings=tuple(body.get("findings") or to_json(interaction_of(entry).findings)),
        prescore=prescore if isinstance(prescore, dict) and "dimensions" in prescore else None,
        entry=entry,
        version=stored.version,
    )
