"""A long list page by page, with the page in the address."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from plumbrule.web.views.run_address import with_query

Item = TypeVar("Item")


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


def page_of(items: Sequence[Item], number: int, *, size: int, path: str, query: Mapping[str, object]) -> Paged[Item]:
    """Return a page of a list; a number beyond the last page is the last page."""
    pages = max(1, -(-len(items) // size))
    number = min(max(1, number), pages)
    start = (number - 1) * size

    def address(other: int) -> str:
        return with_query(path, {**query, "page": other if other > 1 else None})

    return Paged(
        items=items[start : start + size],
        number=number,
        pages=pages,
        total=len(items),
        first=start + 1 if items else 0,
        address=address,
    )
