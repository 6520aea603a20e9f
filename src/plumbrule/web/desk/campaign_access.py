"""What the pages of campaigns share: the campaign of an address, and the fields of a form."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import FormData

from plumbrule.ledger import Ledger, escaped
from plumbrule.reviews.campaigns.campaign_store import Standing, load_campaign
from plumbrule.web.visit_errors import AbsentError


def find_standing(ledger: Ledger, name: str) -> Standing:
    """Return the campaign of an address, which names it whole."""
    check_campaign(ledger, name)
    return load_campaign(ledger, name)


def check_campaign(ledger: Ledger, name: str) -> None:
    """Raise where there is no such campaign."""
    if next(ledger.entries(kind="campaign", subject=f"campaigns/{escaped(name)}"), None) is None:
        raise AbsentError(f"There is no campaign '{name[:100]}'.")


async def _given_form(request: Request) -> AsyncIterator[FormData]:
    """Give what a form says, with its files, which are closed when the request is answered."""
    form = await request.form()
    yield form
    await form.close()


GivenForm = Annotated[FormData, Depends(_given_form)]


def text_in(form: FormData, name: str) -> str:
    """Return a text field of a form, without white space around it."""
    value = form.get(name)
    return value.strip() if isinstance(value, str) else ""
