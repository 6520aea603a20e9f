"""Hostile text in any field is shown as text: it changes what a report says and never how it is built."""

import json
from typing import Any
from xml.etree import ElementTree as ET

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.reports.conftest import JUDGE, Make
from tests.reports.page import parse

from plumbrule.reports import FORMATS, Report
from plumbrule.terminal import safe

READER = MarkdownIt("commonmark", {"html": True}).enable("table")
SNIPPETS = (
    "<script>alert(1)</script>",
    "</style><style>*{display:none}</style>",
    "</title></td></table></details></svg>",
    '" onmouseover="alert(1)',
    "' autofocus='",
    "<!-- ", " -->", "<![CDATA[", "]]>", "<?xml", "&lt;&#60;&amp", "{{ report }}", "{% raw %}",
    "javascript:alert(1)", "[x](javascript:alert(1))", "![x](http://a.example)", "https://a.example", "www.a.example",
    "|", "\\|", "`", "```", "~~~", "*", "_", "#", "---", "===", "> ", "1. ", "- ", "\n", "\n\n", "\t", "\r\n", "    ",
    "\x00", "\x1b[31m", "\x1b]0;t\x07", "\x7f", "\x85", "\x9b", "\u2028", "\u202e", "\u2066", "\ufeff", "\ufffe",
    "\uffff", "😀", "é", "日本", "العربية",
)  # fmt: skip
HOSTILE = st.lists(st.sampled_from(SNIPPETS) | st.text(max_size=4), min_size=1, max_size=8).map("".join)
OWN_CODE = {"code_inline", "strong_open", "strong_close"}  # of field names and of what is missing


def report_with(make: Make, text: str) -> Report:
    """Return a report with this text in every field that holds text from outside."""
    text = f"x{text}x"  # a text that is there, and not white space alone
    ids = [f"{text}{place}" for place in range(2)]
    result = {"accuracy_score": None, "faithfulness_score": 0, "rationale": text}
    errors = {"evaluator_error": text, "candidate_error": text}
    sample = {
        "question": text,
        "answer": text,
        "reference": text,
        "refusal": {"code": text, "reason": text},
        "expected": {"refuse": True, "refusal_code": text, "passages": [text]},
        "contexts": [{"id": text, "title": text, "text": text}],
    }
    judge = {**JUDGE, "name": text, "version": text, "model_id": text}
    return make(
        [{**result, **errors, "sample_id": each} for each in ids],
        samples={each: {**sample, "category": f"{text}{place}"} for place, each in enumerate(ids)},
        judgement={
            "judge": judge,
            "error_detail": text,
            "flags": [text],
            "reported_model": text,
            "fingerprint": text,
            "support": {
                "score": 0.5,
                "band": text,
                "model": {"name": text, "version": text, "sha256": text},
            },
        },
        facts={
            "dataset_id": text,
            "model_id": text,
            "prompt_template_id": text,
            "region": text,
            "generation_params": {"temperature": 0, "stop": text},
        },
        name=text,
    )


def test_every_format_is_checked_below() -> None:
    """A new format needs its own check of hostile text."""
    assert set(FORMATS) == {".html", ".json", ".md", ".xml"}


@given(text=HOSTILE)
@example(text="".join(SNIPPETS))
@settings(max_examples=25, deadline=None)
def test_hostile_text_changes_no_structure(make: Make, text: str) -> None:
    """Elements, attributes, blocks and cells are those of a harmless report; the text itself can be read."""
    calm, report = report_with(make, "calm"), report_with(make, text)
    _check_html(FORMATS[".html"](report), FORMATS[".html"](calm), safe(f"x{text}x"))
    _check_xml(FORMATS[".xml"](report), FORMATS[".xml"](calm), safe(f"x{text}x"))
    _check_markdown(FORMATS[".md"](report), FORMATS[".md"](calm))
    read = json.loads(FORMATS[".json"](report))
    assert read["failures"][0]["question"] == read["name"] == f"x{text}x"


def _check_html(found: bytes, calm: bytes, shown: str) -> None:
    page, plain = parse(found), parse(calm)
    assert page.shape == plain.shape
    assert page.unbalanced == []
    assert page.style == plain.style
    assert page.text.count(shown) > 30
    assert safe(found.decode()) == found.decode()


def _check_xml(found: bytes, calm: bytes, shown: str) -> None:
    root, plain = ET.fromstring(found), ET.fromstring(calm)  # noqa: S314 - our own text
    assert [(part.tag, sorted(part.attrib)) for part in root.iter()] == [
        (part.tag, sorted(part.attrib)) for part in plain.iter()
    ]
    assert [case.get("name") for case in root.iter("testcase")][-1] == f"{shown}1"


def _check_markdown(found: bytes, calm: bytes) -> None:
    tokens, plain = READER.parse(found.decode()), READER.parse(calm.decode())
    assert [token.type for token in tokens] == [token.type for token in plain]
    assert _own(tokens) == _own(plain)
    children: list[Any] = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in children} <= {"text", "text_special", *OWN_CODE}


def _own(tokens: list[Token]) -> list[str]:
    return [child.content for token in tokens for child in token.children or () if child.type in OWN_CODE]
