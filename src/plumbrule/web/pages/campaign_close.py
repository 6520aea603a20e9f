"""Closing a campaign: what is known beforehand, the signature, and the second signature of another person.

On a local site there is one person, and the second is named as on the command line. On a team site nobody signs for
somebody else: the first person asks, and the campaign is closed when another release manager signs by their own login.
"""

from fastapi import Response

from plumbrule.api import reviews
from plumbrule.errors import PlumbruleError
from plumbrule.ledger import LedgerError
from plumbrule.reviews.campaigns.campaign_decision import policy_of
from plumbrule.reviews.campaigns.campaign_store import decision_entry
from plumbrule.reviews.closing_decision import forecast_closing
from plumbrule.rubrics import weaker_differences
from plumbrule.web.access.roles import Role
from plumbrule.web.addresses import path_part
from plumbrule.web.desk import campaign_words
from plumbrule.web.desk.campaign_access import GivenForm, find_standing, text_in
from plumbrule.web.desk.pending_closings import ask_second, find_pending, take_pending
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visit, Visiting
from plumbrule.web.visit_errors import ConflictError, ForbiddenError, visitor_words

routes = Routes()


@routes.page("/campaigns/{name}/close", role=Role.RELEASE_MANAGER)
def show_closing(visit: Visiting, name: str) -> Response:
    """Show what closing the campaign now would meet, and the form to sign."""
    with visit.ledger() as ledger:
        decided = decision_entry(ledger, find_standing(ledger, name).campaign) is not None
    return visit.redirect(_address(name, "decision")) if decided else _closing(visit, name)


@routes.action("/campaigns/{name}/close", role=Role.RELEASE_MANAGER)
def close(visit: Visiting, name: str, form: GivenForm) -> Response:
    """Close a campaign, or ask for the second signature that is wanted."""
    author, as_is = visit.name, text_in(form, "as_is") == "yes"
    second = "" if visit.site.team else text_in(form, "second")
    with visit.ledger() as ledger:
        campaign = find_standing(ledger, name).campaign
        if decision_entry(ledger, campaign) is not None:
            raise ConflictError(f"{name} is closed already, and its decision stands.")
        forecast = forecast_closing(campaign, author=author)
    problem = None
    if forecast.left and not as_is and not forecast.closed:
        problem = f"{forecast.left} of {forecast.items} items are still open: tick that it is closed as it is."
    elif second and campaign.key_of(second) == campaign.key_of(author):
        problem = "You close it: the second person has to be another one."
    if problem is not None:
        return _closing(visit, name, as_is=as_is, second=second, problem=problem, status=422)
    if visit.site.team and text_in(form, "ask_second") == "yes":
        asked = ask_second(visit.site.store, name, by=author, as_is=as_is, records=forecast.records, at=visit.now)
        if not asked:
            raise ConflictError("Somebody asked for a second signature already; reload the page to see it.")
        return visit.redirect(_address(name, "close"))
    return _close(visit, name, author=author, as_is=as_is, second=second)


@routes.action("/campaigns/{name}/close/sign", role=Role.RELEASE_MANAGER)
def sign_second(visit: Visiting, name: str) -> Response:
    """Sign as the second person, which closes the campaign in the name of both."""
    second = visit.name
    asked = find_pending(visit.site.store, name)
    if asked is None:
        raise ConflictError("Nobody asks for a second signature any more.")
    with visit.ledger() as ledger:
        campaign = find_standing(ledger, name).campaign
        records = forecast_closing(campaign).records
    if campaign.key_of(second) == campaign.key_of(asked.asked_by):
        raise ForbiddenError("You asked for the second signature: another person has to give it.")
    if not take_pending(visit.site.store, asked):
        raise ConflictError("Somebody else was first; reload the page.")
    if records != asked.records:
        problem = f"More was rated since {asked.asked_by} asked for a second signature: it has to be asked for again."
        return _closing(visit, name, as_is=asked.as_is, problem=problem, status=409)
    return _close(visit, name, author=asked.asked_by, as_is=asked.as_is, second=second)


@routes.action("/campaigns/{name}/close/withdraw", role=Role.RELEASE_MANAGER)
def withdraw(visit: Visiting, name: str) -> Response:
    """Take back, or decline, a closing that waits for a second signature."""
    asked = find_pending(visit.site.store, name)
    if asked is not None:
        take_pending(visit.site.store, asked)
    return visit.redirect(_address(name, "close"))


def _close(visit: Visit, name: str, *, author: str, as_is: bool, second: str) -> Response:
    try:
        with visit.ledger() as ledger:
            reviews.close_campaign(name, as_is=as_is, second=second or None, author=author, ledger=ledger, at=visit.now)
    except LedgerError:
        raise
    except PlumbruleError as error:
        return _closing(visit, name, as_is=as_is, second=second, problem=visitor_words(error), status=422)
    return visit.redirect(_address(name, "decision"))


def _closing(
    visit: Visit, name: str, *, as_is: bool = False, second: str = "", problem: str | None = None, status: int = 200
) -> Response:
    with visit.ledger() as ledger:
        campaign = find_standing(ledger, name).campaign
        if decision_entry(ledger, campaign) is not None:
            raise ConflictError(f"{name} is closed already, and its decision stands.")
        forecast = forecast_closing(campaign, author=None if visit.person is None else visit.person.name)
        policy, plan, last = policy_of(campaign), campaign.plan, ledger.checkpoint()
    return visit.render(
        "campaign_closing.html",
        status=status,
        name=name,
        forecast=forecast,
        numbers={item.trace_id: number for number, item in enumerate(campaign.items.values(), 1)},
        weaker=weaker_differences(policy),
        plan=plan,
        pending=find_pending(visit.site.store, name),
        as_is=as_is,
        second=second,
        problem=problem,
        last=last,
        words=campaign_words,
    )


def _address(name: str, page: str) -> str:
    return f"/campaigns/{path_part(name)}/{page}"
