"""Markdown that every reader shows the same way."""

import pytest
from markdown_it import MarkdownIt
from tests.reports.conftest import Make

from plumbrule.reports import Report
from plumbrule.reports import markdown as markdown_module
from plumbrule.reports.markdown import block, inline, render_markdown

READER = MarkdownIt("commonmark", {"html": True}).enable("table")


@pytest.mark.parametrize(
    "text",
    [
        "a | b",
        "\\| \\\\| \\",
        "`code` ``more``",
        "*bold* _it_ ~~gone~~",
        "<script>alert(1)</script>",
        "[link](javascript:alert(1))",
        "![image](x)",
        "&lt; &amp;",
        "www.example.com https://example.com/x a@b.example",
        "<https://example.com>",
    ],
)
def test_a_line_shows_hostile_text_as_it_is(text: str) -> None:
    """Nothing becomes markup, in a cell of a table as in a paragraph."""
    for source in (inline(text), f"| a | b |\n|---|---|\n| {inline(text)} | end |"):
        tokens = READER.parse(source)
        children = [child for token in tokens for child in token.children or ()]
        assert {child.type for child in children} == {"text"} | ({"text_special"} & {c.type for c in children})
        assert not [token for token in tokens if token.type == "html_block"]
        shown = ["".join(child.content for child in token.children or ()) for token in tokens if token.type == "inline"]
        assert text in shown


def test_line_ends_are_shown_in_a_line() -> None:
    """A cell stays one line, and no character that steers anything is left."""
    assert inline("a\nb\tc\x1b[31m\u202e") == "a ⏎ b c\\\\x1b\\[31m\\\\x202e"


def test_a_block_is_shown_as_it_is() -> None:
    """Fences, headings and HTML inside it stay text; nothing is said for nothing."""
    text = "```\n# no heading\n\n<b>no tag</b>\n~~~"
    tokens = READER.parse(f"Answer:\n\n{block(text)}\n\nnext")
    assert [token.type for token in tokens if token.type in {"code_block", "html_block", "heading_open", "fence"}] == [
        "code_block"
    ]
    assert [token.content for token in tokens if token.type == "code_block"] == [text + "\n"]
    assert block(" \n") == "(empty)"


def test_the_report_holds_what_the_page_holds(mixed: Report) -> None:
    """The decision first, every aggregate, every failing sample, metadata and ledger."""
    text = render_markdown(mixed).decode()
    assert text.index("NO RELEASE") < text.index("## Fix first") < text.index("## Gates")
    assert [each.name for each in mixed.aggregates if f"`{each.name}`" not in text] == []
    assert [failure.number for failure in mixed.failures if f"### {failure.number}. " not in text] == []
    assert mixed.ledger.entry_sha256 in text
    assert "**missing**" in text
    assert "    The fee is $25." in text
    headings = [token for token in READER.parse(text) if token.type == "heading_open"]
    assert [token.tag for token in headings].count("h1") == 1


def test_what_is_left_out_is_said(mixed: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the page."""
    monkeypatch.setattr(markdown_module, "MOST_FAILURES", 2)
    assert b"7 of 9 failing samples are left out here; the worst 2 are shown" in render_markdown(mixed)


def test_a_good_run_and_repeats_are_told(make: Make) -> None:
    """No failure is said to be none; repeats name the one that decides, and who flipped."""
    assert b"No sample failed." in render_markdown(make([{}]))
    results = [{"sample_id": "s", "repeat": 0}, {"sample_id": "s", "repeat": 1, "accuracy_score": 0}]
    text = render_markdown(make(results, repeats=2)).decode()
    assert "Gates are over all 2 repeats. Samples and aggregates are those of repeat 1, the worst." in text
    assert "| s | 0 | 1 |" in text


def test_long_texts_are_cut_and_say_so() -> None:
    """As in the page."""
    assert block("x" * 30_000).endswith("[10,000 more characters; the JSON report has them all]")
