"""Text from outside in Markdown: escaped in a line, or indented in a block of its own."""

import re
from collections.abc import Iterable, Sequence

from plumbrule.terminal import safe

LONGEST_TEXT = 20_000
# What could begin markup inside a line. Entities stand where some readers of Markdown do not know the backslash, and
# for the bar, which ends a cell even behind a backslash in some of them.
_MARKUP = re.compile(r"[\\`*_\[\]~#!$]|://|(?<=www)\.|[&<>|@\n\t]", re.IGNORECASE)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "@": "&#64;", ".": "&#46;", "\n": " ⏎ ", "\t": " "}


def inline(text: str) -> str:
    """Return hostile text as part of a line: it is shown, and is no markup, no link and no end of a cell."""
    return _MARKUP.sub(_escaped, safe(text).strip())


def _escaped(found: re.Match[str]) -> str:
    sign = found[0]
    return "&#58;//" if sign == "://" else _ENTITIES.get(sign, f"\\{sign}")


def block(text: str) -> str:
    """Return hostile text as a block of its own, indented: every reader of Markdown shows such a block as it is."""
    over = len(text) - LONGEST_TEXT
    if over > 0:
        text = f"{text[:LONGEST_TEXT]}\n[{over:,} more characters; the JSON report has them all]"
    return "\n".join(f"    {line}" for line in safe(text).split("\n")) if text.strip() else "(empty)"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; a heading that begins with '>' is of numbers."""
    lines = [
        "| " + " | ".join(heading.removeprefix(">") for heading in headings) + " |",
        "|" + "|".join("---:" if heading.startswith(">") else "---" for heading in headings) + "|",
    ]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
