"""Opening a campaign from a trigger: a form, a preview of what would be drawn by which policy, then the opening."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from fastapi import Response
from starlette.datastructures import FormData, UploadFile

from plumbrule.api import reviews
from plumbrule.errors import PlumbruleError, UsageError
from plumbrule.interactions.evidence_files import NamedFile
from plumbrule.ledger import LedgerError
from plumbrule.reviews.campaigns.campaign_store import ReleaseTerms, campaign_names, checked_name
from plumbrule.reviews.decision_report import remark_sentence
from plumbrule.reviews.sample_draw import DrawResult, Request
from plumbrule.rubrics import load_scorecard, weaker_differences
from plumbrule.web.access.roles import Role
from plumbrule.web.addresses import path_part
from plumbrule.web.desk import campaign_words
from plumbrule.web.desk.campaign_access import GivenForm, text_in
from plumbrule.web.desk.opening_drafts import GivenFile, OpeningDraft, drop_draft, find_draft, keep_draft
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visit, Visiting
from plumbrule.web.visit_errors import AbsentError

routes = Routes()

_TEXTS = (
    *("trigger", "name", "week", "size", "seed", "trace", "changed", "evaluators"),
    *("mode", "decide_on", "claims"),
)
_FILES = ("interactions", "passages", "earlier", "changed_file", "rubric")
_OF_ONE_TRIGGER = ("earlier", "changed_file")  # files that no other trigger takes
_BEGIN = {"seed": "42", "mode": "any_record", "claims": "yes"}
_LONGEST = 10_000  # characters of a field
_LABELS = {  # what messages for the command line call an option, and the form a field
    "name the changed documents with --changed": "name the changed documents",
    "name it with --trace": "give its trace id",
    "leave out --size": "leave out how many",
    "--accept-weaker-policy uses it all the same": "tick that you accept it, to use it all the same",
    "--changed": "Changed documents",
    "--trace": "Trace id",
    "--earlier": "Earlier answers",
}
_GONE = "This preview is not there any more: its campaign was opened, or a day has passed. Fill in the form again."


@routes.page("/campaigns/new", role=Role.RELEASE_MANAGER)
def show_form(visit: Visiting, draft: str = "") -> Response:
    """Show the form, empty or as it was filled in for a preview."""
    kept = find_draft(visit.site.store, draft, person=visit.name) if draft else None
    if kept is None:
        return _form(visit, OpeningDraft(fields=_BEGIN, files={}), draft="")
    return _form(visit, kept, draft=draft)


@routes.action("/campaigns/new", role=Role.RELEASE_MANAGER)
def preview(visit: Visiting, form: GivenForm) -> Response:
    """Keep what the form says and show what would be drawn; nothing goes into the ledger."""
    person, before = visit.name, text_in(form, "draft")
    earlier = find_draft(visit.site.store, before, person=person) if before else None
    given = _given(form, earlier)
    fields = dict(given.fields)
    if not fields["name"] and fields["trigger"]:
        with visit.ledger() as ledger:
            fields["name"] = _free_name(f"{fields['trigger']}-{visit.now:%Y-%m-%d}", campaign_names(ledger))
    given = replace(given, fields=fields)
    draft = keep_draft(visit.site.store, given, person=person, at=visit.now)
    if earlier is not None:
        drop_draft(visit.site.store, before)
    try:
        with visit.ledger() as ledger:
            where = f"{ledger.name}: "
            checked_name(ledger, fields["name"])
        _draw(given)
    except UsageError as error:
        return _form(visit, given, draft=draft, problem=str(error).removeprefix(where), status=422)
    return visit.redirect(f"/campaigns/new/{draft}")


@routes.page("/campaigns/new/{draft}", role=Role.RELEASE_MANAGER)
def show_preview(visit: Visiting, draft: str) -> Response:
    """Show what would be drawn, what is missing, and how the policy differs from the one that ships."""
    return _preview(visit, draft, _find(visit, draft))


@routes.action("/campaigns/new/{draft}/open", role=Role.RELEASE_MANAGER)
def open_campaign(visit: Visiting, draft: str, form: GivenForm) -> Response:
    """Open the campaign: the interactions that were drawn, the rubric and the plan go into the ledger."""
    author, kept = visit.name, _find(visit, draft)
    accepts = text_in(form, "accept_weaker_policy") == "yes"
    try:
        with _files_of(kept) as files, visit.ledger() as ledger:
            wanted = _wanted(kept.fields, files)
            opened = reviews.open_campaign(
                wanted.request,
                name=kept.fields["name"],
                evaluators=wanted.evaluators,
                terms=replace(wanted.terms, accept_weaker_policy=accepts),
                author=author,
                rubric=None if wanted.rubric is None else wanted.rubric.path,
                ledger=ledger,
                at=visit.now,
            )
    except UsageError as error:
        return _preview(visit, draft, kept, problem=str(error), accepts=accepts)
    drop_draft(visit.site.store, draft)
    return visit.redirect(f"/campaigns/{path_part(opened.campaign or '')}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What a form asks for."""

    request: Request
    terms: ReleaseTerms
    evaluators: int | None
    rubric: NamedFile | None


def _form(visit: Visit, given: OpeningDraft, *, draft: str, problem: str | None = None, status: int = 200) -> Response:
    rubric = load_scorecard().rubric
    return visit.render(
        "campaign_new.html",
        status=status,
        triggers=rubric.triggers,
        default_decide_on=rubric.decide_on,
        fields={**dict.fromkeys(_TEXTS, ""), **given.fields},
        files={field: file.name for field, file in given.files.items()},
        draft=draft,
        problem=problem,
        words=campaign_words,
    )


def _preview(
    visit: Visit, draft: str, kept: OpeningDraft, *, problem: str | None = None, accepts: bool = False
) -> Response:
    try:
        drawn = _draw(kept)
    except UsageError as error:
        return _form(visit, kept, draft=draft, problem=str(error), status=422)
    policy = drawn.policy or ()
    fields = kept.fields
    return visit.render(
        "campaign_preview.html",
        status=200 if problem is None else 422,
        drawn=drawn,
        fields=fields,
        files={field: file.name for field, file in kept.files.items()},
        draft=draft,
        remarks=[remark_sentence(remark) for remark in drawn.remarks],
        policy=policy,
        weaker=weaker_differences(policy),
        evaluators=fields["evaluators"] or drawn.evaluators,
        decide_on=fields["decide_on"] or _loaded_decide_on(kept),
        problem=problem,
        accepts=accepts,
        words=campaign_words,
    )


def _draw(kept: OpeningDraft) -> DrawResult:
    """Draw as the opening would; which items are drawn does not depend on the pre-scores, so they are kept short."""
    with _files_of(kept) as files:
        wanted = _wanted(kept.fields, files)
        rubric = None if wanted.rubric is None else wanted.rubric.path
        return reviews.draw(replace(wanted.request, claims=False), rubric=rubric)


def _loaded_decide_on(kept: OpeningDraft) -> str:
    with kept.written() as files:
        rubric = files.get("rubric")
        return load_scorecard(None if rubric is None else rubric.path).rubric.decide_on


def _wanted(fields: Mapping[str, str], files: Mapping[str, NamedFile]) -> _Wanted:
    """Return what the fields of a form and its files ask for; a mistake names the field as the form does."""
    if not fields["trigger"]:
        raise UsageError("Choose the trigger.")
    if "interactions" not in files:
        raise UsageError("Choose the file of interactions to draw from.")
    mode, decide_on = fields["mode"], fields["decide_on"]
    if mode not in campaign_words.MODES or decide_on not in {"", *campaign_words.DECIDES_ON}:
        raise UsageError("Choose what blocks, and what the average is compared by, from the lists.")
    changed: NamedFile | None = files.get("changed_file") or files.get("changed")
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
            claims=fields["claims"] == "yes",
        ),
        terms=ReleaseTerms(
            mode="run_mean" if mode == "run_mean" else "any_record",
            decide_on=None if not decide_on else "bound" if decide_on == "bound" else "point",
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


def _given(form: FormData, earlier: OpeningDraft | None) -> OpeningDraft:
    """Return what a form says; a file that is not chosen again stays."""
    fields = {name: text_in(form, name)[:_LONGEST] for name in _TEXTS}
    files = dict(earlier.files) if earlier is not None else {}
    if earlier is not None and earlier.fields["trigger"] != fields["trigger"]:
        files = {field: file for field, file in files.items() if field not in _OF_ONE_TRIGGER}
    for field in _FILES:
        file = form.get(field)
        if isinstance(file, UploadFile) and file.filename:
            files[field] = GivenFile(name=file.filename[-200:], content=file.file.read())
        elif text_in(form, f"drop_{field}") == "yes":
            files.pop(field, None)
    files.pop("changed", None)
    if fields["changed"]:  # ids in a file of their own, so that no text of a form is ever taken for a path
        ids = "\n".join(part.strip() for part in fields["changed"].replace("\n", ",").split(","))
        files["changed"] = GivenFile(name=fields["changed"][:200], content=ids.encode())
    return OpeningDraft(fields=fields, files=files)


def _free_name(wanted: str, names: list[str]) -> str:
    name, number = wanted, 1
    while name in names:
        number += 1
        name = f"{wanted}-{number}"
    return name


def _find(visit: Visit, draft: str) -> OpeningDraft:
    kept = find_draft(visit.site.store, draft, person=visit.name)
    if kept is None:
        raise AbsentError(_GONE)
    return kept


@contextmanager
def _files_of(kept: OpeningDraft) -> Iterator[Mapping[str, NamedFile]]:
    """Give the files of a draft; a mistake is told in the words of the form, and by the names of the files."""
    with kept.written() as files:
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
