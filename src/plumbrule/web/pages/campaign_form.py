"""Opening a campaign from a trigger: a form, a preview of what would be drawn by which policy, then the opening."""

from dataclasses import replace

from fastapi import Response
from starlette.datastructures import FormData, UploadFile

from plumbrule.errors import UsageError
from plumbrule.reviews.campaigns.campaign_store import campaign_names, checked_name
from plumbrule.reviews.decision_report import remark_sentence
from plumbrule.rubrics import load_scorecard, weaker_differences
from plumbrule.web.access.roles import Role
from plumbrule.web.addresses import path_part
from plumbrule.web.desk import campaign_words
from plumbrule.web.desk.campaign_access import GivenForm, text_in
from plumbrule.web.desk.draft_campaign import changed_ids, draw_opening, open_from
from plumbrule.web.desk.opening_drafts import GivenFile, OpeningDraft, drop_draft, find_draft, keep_draft
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visit, Visiting
from plumbrule.web.visit_errors import AbsentError, visitor_words

routes = Routes()

_TEXTS = (
    *("trigger", "name", "week", "size", "seed", "trace", "changed", "evaluators"),
    *("mode", "decide_on", "claims", "proposals"),
)
_FILES = ("interactions", "passages", "earlier", "changed_file", "rubric")
_OF_ONE_TRIGGER = ("earlier", "changed_file")  # files that no other trigger takes
_BEGIN = {"seed": "42", "mode": "any_record", "claims": "yes"}
_LONGEST = 10_000  # characters of a field
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
        draw_opening(given)
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
        with visit.ledger() as ledger:
            opened = open_from(kept, accept_weaker_policy=accepts, author=author, ledger=ledger, at=visit.now)
    except UsageError as error:
        return _preview(visit, draft, kept, problem=visitor_words(error), accepts=accepts)
    drop_draft(visit.site.store, draft)
    return visit.redirect(f"/campaigns/{path_part(opened.campaign or '')}")


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
        drawn = draw_opening(kept)
    except UsageError as error:
        return _form(visit, kept, draft=draft, problem=visitor_words(error), status=422)
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


def _loaded_decide_on(kept: OpeningDraft) -> str:
    with kept.written() as files:
        rubric = files.get("rubric")
        return load_scorecard(None if rubric is None else rubric.path).rubric.decide_on


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
    if fields["changed"]:
        files["changed"] = changed_ids(fields["changed"])
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
