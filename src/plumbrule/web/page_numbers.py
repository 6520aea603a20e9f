"""A long list page by page, with the page in the address."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from plumbrule.web.addresses import with_query

Item = TypeVar("Item")

PAGE = 50  # items on a page, where they are lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Paged(Generic[Item]):
    """One page of a list."""

    items: Sequence[Item]
    number: int  # from 1
    pages: int
    total: int
    first: int  # the place of the first item in the list, from 1; 0 where there is none
    address: Callable[[int], str]  # of another page

    @property
    def last(self) -> int:
        """The place of the last item in the list."""
        return max(0, self.first + len(self.items) - 1)

    @property
    def before(self) -> int | None:
        """The number of the page before, None on the first."""
        return min(self.number - 1, self.pages) if self.number > 1 else None

    @property
    def after(self) -> int | None:
        """The number of the page after, None on the last."""
        return self.number + 1 if self.number < self.pages else None


def page_start(number: int, size: int = PAGE) -> int:
    """Return how many items of a list come before a page."""
    return (max(1, number) - 1) * size


def page_of(
    items: Sequence[Item],
    number: int,
    *,
    size: int = PAGE,
    path: str,
    query: Mapping[str, object] | None = None,
    found: int | None = None,
) -> Paged[Item]:
    """Return a page of a list; a number beyond the last page is the last page.

    Where ``found`` is given, the items are those of the page alone, taken from ``page_start`` on of a list of so many.
    """
    total = len(items) if found is None else found
    pages = max(1, -(-total // size))
    number = max(1, number) if found is not None else min(max(1, number), pages)
    start = page_start(number, size)
    shown = items if found is not None else items[start : start + size]

    def address(other: int) -> str:
        return with_query(path, {**(query or {}), "page": other if other > 1 else None})

    return Paged(
        items=shown,
        number=number,
        pages=pages,
        total=total,
        first=start + 1 if shown else 0,
        address=address,
    )
