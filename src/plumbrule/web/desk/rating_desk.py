"""What happens on the screen of one item that is rated or adjudicated: looked at, taken, filled in, submitted."""

from dataclasses import dataclass

from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.datastructures import FormData

from plumbrule.api import reviews
from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import Ledger
from plumbrule.reviews.queue import NothingLeft
from plumbrule.reviews.review_entries import Role
from plumbrule.reviews.sheets import Lacking, RatingForm, Sheet
from plumbrule.reviews.work_list import ItemToAdjudicate
from plumbrule.web.addresses import path_part, with_query
from plumbrule.web.desk.drafts import Draft, drop_draft, find_draft, save_draft
from plumbrule.web.desk.rating_screen import (
    UnprocessableError,
    draft_from,
    draft_key,
    draft_of_record,
    record_from,
    screen_of,
)
from plumbrule.web.templates_environment import render_template
from plumbrule.web.visit import Visit
from plumbrule.web.visit_errors import AbsentError


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingDesk:
    """The screens of one role, with the address that they begin with and their template."""

    role: Role
    path: str
    template: str

    def show(self, visit: Visit, campaign: str, trace_id: str, *, revise: bool, whole: bool, after: str) -> Response:
        """Show one item; take nothing."""
        with visit.ledger() as ledger:
            form = self._form(visit, ledger, campaign, trace_id)
        revises = revise and form.own is not None and form.objection_to_revision is None
        draft = find_draft(visit.site.store, draft_key(visit, form))
        if draft is None or (form.own is not None and not revises):
            draft = draft_of_record(form)
        return self._page(visit, form, draft, revises=revises, whole=whole, after=after)

    def change(self, visit: Visit, campaign: str, trace_id: str, fields: FormData) -> Response:
        """Save a draft, take or give back the item, or submit; what was filled in is kept whatever happens."""
        with visit.ledger() as ledger:
            form = self._form(visit, ledger, campaign, trace_id)
            draft = draft_from(fields)
            revises = fields.get("revises") == "yes" and form.own is not None
            if fields.get("holds") == "yes":  # the page had the form to fill in
                screen_of(form, draft, at=visit.now)  # what cannot be shown again is not kept
                draft = save_draft(visit.site.store, draft_key(visit, form), draft, at=visit.now)
            try:
                return self._do(str(fields.get("do")), visit, ledger, form, draft, revises=revises)
            except (InputError, UsageError) as error:
                form = self._form(visit, ledger, campaign, trace_id)
                status = 422 if form.held or revises else 409
                return self._page(visit, form, draft, revises=revises, problem=f"{error}.", status=status)

    def next_address(self, visit: Visit, ledger: Ledger, campaign: str) -> str | None:
        """Return the address of the next item, None where nothing is left; an evaluator takes it at once."""
        if self.role == "adjudicator":
            lines = reviews.adjudications(visit.name, ledger=ledger, at=visit.now)
            return next((self._address(line) for line in lines if line.objection is None), None)
        sheet = reviews.claim_next(visit.name, campaign=campaign, ledger=ledger, at=visit.now)
        return None if isinstance(sheet, NothingLeft) else self._address(sheet)

    def _address(self, item: Sheet | ItemToAdjudicate) -> str:
        return f"{self.path}/{path_part(item.campaign)}/{path_part(item.trace_id)}"

    def _do(
        self, what: str, visit: Visit, ledger: Ledger, form: RatingForm, draft: Draft, *, revises: bool
    ) -> Response:
        match what:
            case "draft":
                screen = screen_of(form, draft, at=visit.now, revises=revises)
                return JSONResponse({"html": render_template("rating_standing.html", screen=screen, live=True)})
            case "take":
                self._take(visit, ledger, form)
                return visit.redirect(self._address(form.sheet))
            case "release":
                sheet = form.sheet
                reviews.release_item(sheet.trace_id, visit.name, campaign=sheet.campaign, ledger=ledger, at=visit.now)
                return visit.redirect(with_query(self.path, {"campaign": sheet.campaign, "returned": sheet.trace_id}))
            case "submit":
                return self._submit(visit, ledger, form, draft, revises=revises)
            case _:
                raise UnprocessableError("The form does not say what to do.")

    def _take(self, visit: Visit, ledger: Ledger, form: RatingForm) -> None:
        """Take an item, or keep it for longer."""
        sheet = form.sheet
        if self.role == "adjudicator":
            reviews.claim_adjudication(visit.name, sheet.trace_id, campaign=sheet.campaign, ledger=ledger, at=visit.now)
        else:
            reviews.claim_items(visit.name, [sheet.trace_id], campaign=sheet.campaign, ledger=ledger, at=visit.now)

    def _submit(self, visit: Visit, ledger: Ledger, form: RatingForm, draft: Draft, *, revises: bool) -> Response:
        if not (form.held or revises):
            self._take(visit, ledger, form)  # the claim ran out: it is made again where nobody else took the place
            form = self._form(visit, ledger, form.sheet.campaign, form.sheet.trace_id)
        problem = _problem(screen_of(form, draft, at=visit.now, revises=revises).lacking)
        if revises and not draft.reason.strip():
            problem = problem or "A revision needs a reason."
        if problem:
            return self._page(visit, form, draft, revises=revises, problem=problem, status=422)
        sheet = form.sheet
        reviews.submit_record(
            record_from(form, draft),
            evaluator=visit.name,
            role=self.role,
            reason=draft.reason.strip() if revises else None,
            campaign=sheet.campaign,
            ledger=ledger,
            at=visit.now,
        )
        drop_draft(visit.site.store, draft_key(visit, form))
        if revises:
            return visit.redirect(f"/campaigns/{path_part(sheet.campaign)}/items/{path_part(sheet.trace_id)}")
        address = self.next_address(visit, ledger, sheet.campaign)
        if address is None:
            return visit.redirect(with_query(self.path, {"campaign": sheet.campaign, "kept": sheet.trace_id}))
        return visit.redirect(with_query(address, {"after": sheet.trace_id}))

    def _form(self, visit: Visit, ledger: Ledger, campaign: str, trace_id: str) -> RatingForm:
        try:
            return reviews.form_of(trace_id, visit.name, role=self.role, campaign=campaign, ledger=ledger, at=visit.now)
        except (InputError, UsageError) as error:
            raise AbsentError(str(error)) from None

    def _page(
        self,
        visit: Visit,
        form: RatingForm,
        draft: Draft,
        *,
        revises: bool = False,
        whole: bool = False,
        after: str = "",
        problem: str = "",
        status: int = 200,
    ) -> HTMLResponse:
        return visit.render(
            self.template,
            status=status,
            screen=screen_of(form, draft, at=visit.now, revises=revises, whole=whole),
            after=after,
            problem=problem,
            address=self._address(form.sheet),
        )


def _problem(lacking: Lacking) -> str:
    """Return why a record cannot be submitted yet."""
    wanted = [f"rate {', '.join(lacking.levels)}"] if lacking.levels else []
    wanted += [f"write a note, since {', '.join(lacking.note)}"] if lacking.note else []
    wanted += ["say why you decide so"] if lacking.reason and not lacking.note else []
    return f"Not submitted yet: {'; '.join(wanted)}." if wanted else ""
