"""A page as a browser takes it in: elements, attributes, text."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"meta"})


@dataclass(frozen=True, slots=True)
class Element:
    """One start tag."""

    tag: str
    attributes: dict[str, str | None]


@dataclass(slots=True)
class Page:
    """What a parser found."""

    elements: list[Element] = field(default_factory=list)
    unbalanced: list[str] = field(default_factory=list)
    text: str = ""
    style: str = ""

    def all(self, tag: str) -> list[Element]:
        """Return the elements of one kind."""
        return [element for element in self.elements if element.tag == tag]

    @property
    def shape(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return every element with the names of its attributes."""
        return [(element.tag, tuple(element.attributes)) for element in self.elements]


class _Parser(HTMLParser):
    def __init__(self, page: Page) -> None:
        super().__init__(convert_charrefs=True)
        self.page = page
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.page.elements.append(Element(tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.page.elements.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.page.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.page.style += data
        else:
            self.page.text += data

    def handle_comment(self, data: str) -> None:
        self.page.unbalanced.append(f"<!--{data}")


def parse(html: bytes) -> Page:
    """Parse a page."""
    page = Page()
    parser = _Parser(page)
    parser.feed(html.decode())
    parser.close()
    page.unbalanced += parser.open
    return page
