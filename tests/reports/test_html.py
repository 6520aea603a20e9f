"""The page stands alone, can be used by everybody, and says first what matters most."""

import base64
import hashlib
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from tests.reports.conftest import Make
from tests.reports.page import Page, parse

from plumbrule.codec import to_json
from plumbrule.outcomes import EXIT_CODES
from plumbrule.reports import Report
from plumbrule.reports import html as html_module
from plumbrule.reports.html import render_html


@pytest.fixture(scope="module")
def page(mixed: Report) -> Page:
    """Return the page of the mixed run."""
    return parse(render_html(mixed))


def test_it_loads_nothing_and_runs_nothing(page: Page, mixed: Report) -> None:
    """No script, no image, no address; links lead into the page."""
    tags = {element.tag for element in page.elements}
    assert not tags & {"script", "img", "link", "iframe", "object", "embed", "form", "base", "a:href"}
    assert not re.search(rb"https?:|//[a-z]|url\(|@import", render_html(mixed))
    for element in page.elements:
        assert not [name for name in element.attributes if name.startswith("on") or name in {"src", "style"}]
    assert all((link.attributes["href"] or "").startswith("#") for link in page.all("a"))


def test_the_policy_allows_its_own_style_alone(page: Page) -> None:
    """Everything is forbidden but the one style, which is named by its hash."""
    [policy] = [meta for meta in page.all("meta") if meta.attributes.get("http-equiv") == "Content-Security-Policy"]
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    assert policy.attributes["content"] == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def test_it_is_well_formed(page: Page) -> None:
    """Every element is closed, no id stands twice, every link and label finds its element."""
    assert page.unbalanced == []
    ids = [element.attributes["id"] for element in page.elements if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    for link in page.all("a"):
        assert (link.attributes["href"] or "")[1:] in ids
    for element in page.elements:
        assert set((element.attributes.get("aria-labelledby") or "").split()) <= set(ids)


def test_it_can_be_used_without_sight(page: Page) -> None:
    """Language, landmarks, one first heading, no level left out, every header of a table with its scope."""
    assert page.all("html")[0].attributes["lang"] == "en"
    for landmark in ("header", "nav", "main", "footer"):
        assert len(page.all(landmark)) == 1
    levels = [int(element.tag[1]) for element in page.elements if re.fullmatch("h[1-6]", element.tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(header.attributes.get("scope") for header in page.all("th"))
    for chart in page.all("svg"):
        assert chart.attributes.get("aria-labelledby") or chart.attributes.get("aria-hidden") == "true"


def test_the_first_screen_tells_decision_reasons_and_what_to_fix(page: Page, mixed: Report) -> None:
    """In this order, before anything else."""
    wanted = [
        mixed.name,
        mixed.decision,
        *(reason.text for reason in mixed.reasons),
        "attempted",
        "timed out",
        "Fix first",
        mixed.fix_first[0].title,
        "Gates",
        "Aggregates",
        "Repeats",
        "Categories",
        "Failing samples",
        "Judge",
        "Metadata",
        "Ledger",
    ]
    place = page.text.index("Benchmark run")
    for words in wanted:
        place = page.text.index(words, place)


def test_everything_that_matters_is_on_it(page: Page, mixed: Report) -> None:
    """Every aggregate, every category, every metadata field, hashes and the place in the ledger."""
    named = [each.name for each in mixed.aggregates] + [str(each.name) for each in mixed.categories]
    named += [name for name in to_json(mixed.metadata) if name not in {"packages", "rubrics", "warnings"}]
    named += [each.sha256 for each in mixed.rubrics] + [mixed.ledger.entry_sha256, mixed.ledger.run_entry_sha256]
    named += [failure.sample.sample_id for failure in mixed.failures] + ["The fee is $25.", "parse_error", "missing"]
    assert [name for name in named if name not in page.text] == []


def test_what_is_left_out_is_said(mixed: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page holds the worst failures; it says how many more there are, and links to none of those."""
    monkeypatch.setattr(html_module, "MOST_FAILURES", 2)
    page = parse(render_html(mixed))
    assert "7 of 9 failing samples are left out here; the worst 2 are shown" in page.text
    assert len([element for element in page.all("details") if "id" in element.attributes]) == 2
    ids = {element.attributes.get("id") for element in page.elements}
    assert all((link.attributes["href"] or "")[1:] in ids for link in page.all("a"))


def test_long_texts_are_cut_and_say_so(make: Make) -> None:
    """A context of a million characters does not choke the page."""
    report = make([{"accuracy_score": 0}], samples={"q0": {"contexts": [{"text": "x" * 1_000_000}]}})
    html = render_html(report)
    assert len(html) < 100_000
    assert b"980,000 more characters" in html


def test_a_good_run_and_repeats_are_told(make: Make) -> None:
    """Nothing failed is said; with repeats the page names the one that decides and draws them."""
    good = parse(render_html(make([{}] * 80)))
    assert "✓ RELEASE" in good.text
    assert "No sample failed." in good.text
    results = [{"sample_id": f"s{place}", "repeat": repeat} for repeat in range(2) for place in range(3)]
    several = parse(render_html(make([*results[:-1], {**results[-1], "accuracy_score": 0}], repeats=2)))
    assert "Gates are over all 2 repeats. Samples and aggregates are those of repeat 1, the worst." in several.text
    assert "Samples that flipped: 1" in several.text
    assert "aggregate_score of each repeat" in several.text


def test_decisions_differ_by_word_and_sign(mixed: Report) -> None:
    """Colour is never the only difference."""
    pages = {
        decision: parse(render_html(replace(mixed, decision=decision, headline=decision))).text
        for decision in EXIT_CODES
    }
    assert "✓ RELEASE" in pages["RELEASE"]
    assert "✗ NO RELEASE" in pages["NO RELEASE"]
    assert "… INCONCLUSIVE" in pages["INCONCLUSIVE"]
