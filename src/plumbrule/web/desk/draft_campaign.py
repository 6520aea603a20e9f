"""A campaign that is opened from a form or a call: what is asked for, a preview of the draw, and the opening."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from plumbrule.api import reviews
from plumbrule.errors import PlumbruleError, UsageError
from plumbrule.interactions.evidence_files import NamedFile
from plumbrule.ledger import Ledger, LedgerError
from plumbrule.reviews.campaigns.campaign_store import ReleaseTerms
from plumbrule.reviews.sample_draw import DrawResult, Request
from plumbrule.web.desk import campaign_words
from plumbrule.web.desk.opening_drafts import GivenFile, OpeningDraft

_LABELS = {  # what messages for the command line call an option, and the form a field
    "name the changed documents with --changed": "name the changed documents",
    "name it with --trace": "give its trace id",
    "leave out --size": "leave out how many",
    "--accept-weaker-policy uses it all the same": "tick that you accept it, to use it all the same",
    "--changed": "Changed documents",
    "--trace": "Trace id",
    "--earlier": "Earlier answers",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What a draft asks for."""

    request: Request
    terms: ReleaseTerms
    evaluators: int | None
    rubric: NamedFile | None


def draw_opening(draft: OpeningDraft) -> DrawResult:
    """Draw as the opening would; which items are drawn does not depend on the pre-scores, so they are kept short."""
    with _files_of(draft) as files:
        wanted = _wanted(draft.fields, files, claims=False)
        return reviews.draw(wanted.request, rubric=None if wanted.rubric is None else wanted.rubric.path)


def open_from(
    draft: OpeningDraft, *, accept_weaker_policy: bool, author: str, ledger: Ledger, at: datetime
) -> DrawResult:
    """Open the campaign: the interactions that were drawn, the rubric and the plan go into the ledger."""
    with _files_of(draft) as files:
        wanted = _wanted(draft.fields, files, accept_weaker_policy=accept_weaker_policy)
        return reviews.open_campaign(
            wanted.request,
            name=draft.fields["name"] or None,
            evaluators=wanted.evaluators,
            terms=wanted.terms,
            author=author,
            rubric=None if wanted.rubric is None else wanted.rubric.path,
            ledger=ledger,
            at=at,
        )


def changed_ids(text: str) -> GivenFile:
    """Return ids of changed documents as a file of their own, so that no text of a form is ever taken for a path."""
    ids = "\n".join(part.strip() for part in text.replace("\n", ",").split(","))
    return GivenFile(name=text[:200], content=ids.encode())


def _wanted(
    fields: Mapping[str, str],
    files: Mapping[str, NamedFile],
    *,
    claims: bool = True,
    accept_weaker_policy: bool = False,
) -> _Wanted:
    """Return what the fields of a draft and its files ask for; a mistake names the field as the form does."""
    if not fields["trigger"]:
        raise UsageError("Choose the trigger.")
    if "interactions" not in files:
        raise UsageError("Choose the file of interactions to draw from.")
    mode, decide_on = fields["mode"], fields["decide_on"]
    if mode not in campaign_words.MODES or decide_on not in {"", *campaign_words.DECIDES_ON}:
        raise UsageError("Choose what blocks, and what the average is compared by, from the lists.")
    changed: NamedFile | None = files.get("changed_file") or files.get("changed")
    verdict_rubric = files.get("verdict_rubric")
    return _Wanted(
        request=Request(
            trigger=fields["trigger"],
            path=files["interactions"],
            passages=files.get("passages"),
            seed=_whole(fields["seed"], "Seed") or 0,
            size=_whole(fields["size"], "How many"),
            changed=changed,
            trace=fields["trace"] or None,
            earlier=files.get("earlier"),
            week=fields["week"] or None,
            strict=fields.get("strict") == "yes",
            claims=claims and fields["claims"] == "yes",
            verdict_rubric=None if verdict_rubric is None else verdict_rubric.path,
        ),
        terms=ReleaseTerms(
            mode="run_mean" if mode == "run_mean" else "any_record",
            decide_on=None if not decide_on else "bound" if decide_on == "bound" else "point",
            accept_weaker_policy=accept_weaker_policy,
            show_proposals=fields.get("proposals") == "yes",
        ),
        evaluators=_whole(fields["evaluators"], "Evaluators for each item"),
        rubric=files.get("rubric"),
    )


def _whole(text: str, label: str) -> int | None:
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise UsageError(f"{label}: '{text[:40]}' is not a whole number.")
    return int(text)


@contextmanager
def _files_of(draft: OpeningDraft) -> Iterator[Mapping[str, NamedFile]]:
    """Give the files of a draft; a mistake is told in the words of the form, and by the names of the files."""
    with draft.written() as files:
        try:
            yield files
        except LedgerError:
            raise
        except PlumbruleError as error:
            message = str(error)
            for file in files.values():
                message = message.replace(str(file.path), file.name)
            for option, label in _LABELS.items():
                message = message.replace(option, label)
            raise UsageError(message) from None
