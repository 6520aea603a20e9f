"""What the pages of campaigns share: the campaign of an address, pages of a list, and the fields of a form."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar
from urllib.parse import urlencode

from fastapi import Depends, Request
from starlette.datastructures import FormData

from plumbrule.ledger import Ledger, escaped
from plumbrule.reviews.campaigns.campaign_store import Standing, load_campaign
from plumbrule.web.visit_errors import AbsentError

T = TypeVar("T")
PAGE = 50


def find_standing(ledger: Ledger, name: str) -> Standing:
    """Return the campaign of an address, which names it whole."""
    check_campaign(ledger, name)
    return load_campaign(ledger, name)


def check_campaign(ledger: Ledger, name: str) -> None:
    """Raise where there is no such campaign."""
    if next(ledger.entries(kind="campaign", subject=f"campaigns/{escaped(name)}"), None) is None:
        raise AbsentError(f"There is no campaign '{name[:100]}'.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage(Generic[T]):
    """A page of a list, with the addresses of the ones before and after it."""

    rows: Sequence[T]
    found: int
    number: int  # from 1
    last: int
    before: str | None
    after: str | None


def page_start(number: int, most: int = PAGE) -> int:
    """Return where a page of a list begins."""
    return (max(1, number) - 1) * most


def page_of(
    rows: Sequence[T], found: int, number: int, *, path: str, filters: Mapping[str, str], most: int = PAGE
) -> ListPage[T]:
    """Return a page whose rows were taken from a list of ``found``; the filters stay in the addresses."""
    last = max(1, -(-found // most))
    number = max(1, number)

    def address(other: int) -> str:
        given = {name: value for name, value in filters.items() if value} | ({"page": str(other)} if other > 1 else {})
        return f"{path}?{urlencode(given)}" if given else path

    return ListPage(
        rows=rows,
        found=found,
        number=number,
        last=last,
        before=address(min(number - 1, last)) if number > 1 else None,
        after=address(number + 1) if number < last else None,
    )


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
