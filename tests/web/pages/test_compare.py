"""Runs compared, for a client and in a browser."""

import re
from collections.abc import Callable
from pathlib import Path

from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect
from tests.web.made_runs import HOSTILE, RIGHT, WRONG, make_run, sample

from plumbrule.api.runs import compare
from plumbrule.reports.figure_text import METADATA_TITLES
from plumbrule.runs.report.gate_text import FIGURE_TITLES
from plumbrule.web.site import Site


def _two_runs(site: Site, folder: Path) -> tuple[str, str]:
    before = [sample(f"s{number}", RIGHT) for number in range(16)]
    after = [sample(f"s{number}", WRONG if number < 12 else RIGHT) for number in range(16)]
    after[15]["answer"] = f"{RIGHT} {HOSTILE}"
    after[14]["reference"] = "The fee is $25, and a claim is answered within 30 days."
    return make_run(site.ledger, folder, before, name="before"), make_run(site.ledger, folder, after, name="after")


def test_every_figure_and_every_changed_sample_is_shown(client: TestClient, site: Site, tmp_path: Path) -> None:
    """The page says what the comparison of the command line says, and both answers with the words that differ."""
    first, second = _two_runs(site, tmp_path)
    page = client.get("/compare", params={"runs": [first, second], "other_dataset": "yes"}).text
    compared = compare(first, second, site.ledger, other_dataset=True)
    for figure in compared.figures:
        assert f'title="{figure.name}"' in page
    for words in compared.warnings:
        assert words.replace("'", "&#39;") in page
    assert compared.regressions
    for words in (*compared.regressions, *compared.remarks):
        key, _, rest = words.partition(":")
        assert f'<span title="{key}">{FIGURE_TITLES[key]}</span>:{rest}' in page
        assert words not in page
    assert compared.differences
    for difference in compared.differences:
        title = METADATA_TITLES[difference.name]
        assert f'<strong title="{difference.name}">{title}</strong>'.replace("'", "&#39;") in page
    assert page.count("Passed, now fails") == 10  # of 12, a page
    assert '<span class="marked differs differs-"' in page
    assert "<script>alert" not in page
    swapped = client.get("/compare", params={"runs": [second, first], "other_dataset": "yes"}).text
    assert "Failed, now passes" in swapped
    assert "Passed, now fails" not in swapped
    oldest = client.get("/compare", params={"runs": [second, first], "other_dataset": "yes", "order": "oldest"}).text
    assert oldest.count("Passed, now fails") == 10  # of 12, a page


def test_the_figures_of_a_row_have_the_same_decimals(client: TestClient, site: Site, tmp_path: Path) -> None:
    """Both values, their difference and its interval; an interval that is open on both sides is said to be none."""
    page = client.get("/compare", params={"runs": _two_runs(site, tmp_path), "other_dataset": "yes"}).text
    row = re.sub(r"<[^>]*>", " ", page.partition('scope="row" title="pass_rate">')[2].partition("<svg")[0])
    values = re.findall(r"[+-]?\d+\.?\d*", row)
    assert len(values) == 5
    assert {len(value.partition(".")[2]) for value in values} == {3}
    assert "no interval" in page.partition('scope="row" title="latency_e2e_p95_ms">')[2].partition("<svg")[0]


def test_runs_of_other_datasets_are_compared_when_that_is_asked_for(client: TestClient) -> None:
    """The page says why not, and offers to compare the samples with the same id; too few runs are asked for again."""
    with_runs = client.get("/runs").text.split('name="runs" value="')
    runs = [part.partition('"')[0] for part in with_runs[1:]]
    page = client.get("/compare", params={"runs": runs})
    assert "These runs cannot be compared as they are" in page.text
    assert "other_dataset=yes" in page.text
    assert "--other-dataset" not in page.text
    assert "Choose runs to compare" in client.get("/compare").text
    assert "Choose runs to compare" in client.get("/compare", params={"runs": runs[:1]}).text
    assert client.get("/compare", params={"runs": [runs[0], "run-x"]}).status_code == 404


def test_several_runs_are_compared_with_the_first(client: TestClient, site: Site, tmp_path: Path) -> None:
    """Each of the others has its own comparison with the baseline."""
    runs = (*_two_runs(site, tmp_path), make_run(site.ledger, tmp_path, [sample("s0", RIGHT)], name="third"))
    page = client.get("/compare", params={"runs": runs, "other_dataset": "yes", "against": 2}).text
    assert "3 runs compared" in page
    assert "15 samples are only in the first run" in page


def test_a_comparison_in_a_browser(page: Page, look: Callable[[Page, str], None], site: Site, tmp_path: Path) -> None:
    """Two runs are chosen in the list and compared, because they ask the same; a changed sample is opened."""
    _two_runs(site, tmp_path)
    page.goto("/compare")
    look(page, "compare-choice")
    page.goto("/runs?dataset=made")
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Compare selected runs").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Clearly worse in")
    look(page, "compare")
    page.get_by_role("region", name="s0", exact=True).get_by_role("link", name="Second").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("s0 fails")
