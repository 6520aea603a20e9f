"""One run and the table of its samples, for a client and in a browser."""

import csv
import html
import io
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import orjson
import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect
from tests.web.conftest import PAPER

from plumbrule.api.reports import report_on
from plumbrule.api.runs import list_runs, show
from plumbrule.ledger import archivable, archive, open_ledger, restore_archive
from plumbrule.reports import FORMATS
from plumbrule.reports.figure_text import METADATA_TITLES, metadata_rows
from plumbrule.runs.report.run_report import Report
from plumbrule.runs.run_entries import find_run
from plumbrule.text.figure_format import figure
from plumbrule.web.site import Site


@pytest.fixture
def report(site: Site) -> Report:
    """Give the report of the last run."""
    with open_ledger(site.ledger) as ledger:
        return report_on(ledger, find_run(ledger, "last"))


def test_a_page_says_no_less_than_the_command_line(client: TestClient, report: Report, site: Site) -> None:
    """Decision, every gate, every aggregate, every reason, cause, category and piece of metadata stand on the page."""
    page = client.get("/runs/last").text
    assert "No release: 3 of 4 gates fail" in page
    for gate in report.gates:
        assert gate.title in page
        assert figure(gate.limit) in page
    for each in report.aggregates:
        assert f'title="{each.name}"' in page
        assert figure(each.value) in page
        assert figure(each.counts.scored) in page
    for group in report.fix_first:
        assert group.title in page
        assert group.worst[0].sample_id in page
    for category in report.categories:
        assert category.name is None or category.name in page
    assert report.ledger.entry_sha256 in page
    with open_ledger(site.ledger) as ledger:
        assert show("last", ledger).run_id in page


def test_what_fixing_gains_has_the_same_decimals(client: TestClient, report: Report) -> None:
    """Every pass rate of "Fix first", and what is gained, is written with as many decimals as the others."""
    table = client.get("/runs/last").text.partition('id="fix-first"')[2].partition("</table>")[0]
    found = re.findall(r'>([\d.]+) <span class="interval">\(\+([\d.]+)\)', table)
    assert len(found) == len(report.fix_first)
    assert {len(text.partition(".")[2]) for pair in found for text in pair} == {3}


def test_an_archived_run_says_where_it_is(client: TestClient, site: Site, tmp_path: Path) -> None:
    """Its page has the decision, gates and figures as recorded, and no way to a sample; those of samples lead to it."""
    with open_ledger(site.ledger) as ledger:
        run = find_run(ledger, "last").subject
        unsettled = list_runs(ledger)[0].run_id
        kinds, gates = archivable(ledger, [unsettled, run]), show(run, ledger).gates
        archive(ledger, kinds, tmp_path / "archive", author="Ada", reason="old", at=datetime.now(UTC))
        try:
            page = client.get(f"/runs/{run}")
            assert page.status_code == 200
            assert "<h1>No release: 3 of 4 gates fail</h1>" in page.text
            assert "Ada moved" in page.text
            assert f"plumbrule ledger restore {tmp_path / 'archive'}" in page.text
            for gate in gates:
                assert f'id="gate-{gate.name}"' in page.text
            assert 'title="tokens_per_correct_answer"' in page.text
            assert f"/runs/{run}/" not in page.text
            other = client.get(f"/runs/{unsettled}").text
            assert "<h1>Inconclusive: 4 of 4 gates are not settled</h1>" in other
            assert "Every gate passes" not in other
            samples = client.get(f"/runs/{run}/samples")
            assert samples.status_code == 410
            assert f"{run}: its result entries were archived on {datetime.now(UTC):%Y}" in html.unescape(samples.text)
            assert f'href="/runs/{run}"' in samples.text
            assert run in client.get("/runs").text
            assert client.get("/").status_code == 200
        finally:
            restore_archive(ledger, tmp_path / "archive", author="Ada", at=datetime.now(UTC))
    assert client.get(f"/runs/{run}").status_code == 200


def test_a_run_that_is_not_there_is_a_page_that_is_not_there(client: TestClient) -> None:
    """So is a sample, and a format that samples are not written in; other words are no run."""
    for address in (
        "/runs/run-x",
        "/runs/run-x/samples",
        "/runs/last/samples/x",
        "/runs/last/samples.exe",
        "/runs/other",
    ):
        response = client.get(address)
        assert response.status_code == 404, address
        assert 'href="/campaigns">Campaigns</a>' in response.text  # the way on is that of every page
        assert "sqlite" not in response.text


def test_samples_are_filtered_sorted_and_paged_by_the_address(client: TestClient, report: Report) -> None:
    """The title counts what fits, the conditions read as a sentence, and each can be dropped."""
    failing = [sample for sample in report.samples if not sample.passed]
    page = client.get("/runs/last/samples", params={"passed": "no", "sort": "-latency"}).text
    assert f"{len(failing)} of {len(report.samples)} samples" in page
    slowest = max(failing, key=lambda sample: sample.latency_e2e_ms or 0.0)
    first = page.index('<th scope="row"')
    assert slowest.sample_id in page[first : first + 400]
    assert "passed is <strong>no</strong>" in page
    assert "No sample fits." in client.get("/runs/last/samples", params={"q": "<script>alert(1)</script>"}).text
    assert "<script>alert" not in client.get("/runs/last/samples", params={"verdict": "<script>alert(1)"}).text
    assert client.get("/runs/last/samples", params={"page": "99", "sort": "x", "only": "x"}).status_code == 200


def test_the_filtered_table_is_downloaded(client: TestClient, report: Report) -> None:
    """CSV, XLSX and JSON hold the rows that the page shows, every field by its documented name."""
    wanted = {"band": "unsupported"}
    ids = sorted(sample.sample_id for sample in report.samples if sample.support_band == "unsupported")
    assert ids
    table = client.get("/runs/last/samples.csv", params=wanted)
    assert table.headers["content-disposition"] == f'attachment; filename="{report.run_id}-samples.csv"'
    rows = list(csv.DictReader(io.StringIO(table.text)))
    assert sorted(row["sample_id"] for row in rows) == ids
    assert {"sample_score", "flags", "rationale", "support_band", "category"} <= rows[0].keys()
    records = orjson.loads(client.get("/runs/last/samples.json", params=wanted).content)
    assert sorted(record["sample_id"] for record in records) == ids
    book = zipfile.ZipFile(io.BytesIO(client.get("/runs/last/samples.xlsx", params=wanted).content))
    sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert sheet.count("<row ") == len(ids) + 1
    assert "<f>" not in sheet
    assert client.get("/runs/last/samples.json", params={"q": "nothing at all"}).json() == []


def test_the_report_is_downloaded(client: TestClient, report: Report) -> None:
    """As HTML, Markdown, JSON and JUnit, byte for byte as the command line writes it; the page links to each."""
    page = client.get("/runs/last").text
    for suffix, render in FORMATS.items():
        assert f'href="/runs/{report.run_id}/report{suffix}" download' in page
        file = client.get(f"/runs/last/report{suffix}")
        assert file.headers["content-disposition"] == f'attachment; filename="{report.run_id}{suffix}"'
        assert file.content == render(report)
    assert client.get("/runs/last/report.exe").status_code == 404


def test_every_gate_leads_to_its_samples(client: TestClient, report: Report) -> None:
    """From a figure that fails one step leads to the samples that it is made of."""
    page = client.get(f"/runs/{report.run_id}").text
    for gate in report.gates:
        panel = page.partition(f'id="gate-{gate.name}"')[2].partition("</section>")[0]
        address = re.search(r'href="(/runs/[^"]*/samples[^"]*)"', panel)
        assert address is not None
        assert client.get(html.unescape(address[1])).status_code == 200


def test_metadata_is_in_words(client: TestClient, report: Report) -> None:
    """Every field that is kept has a title, with its key in the tooltip."""
    page = client.get("/runs/last").text
    for name, _, _ in metadata_rows(report.metadata):
        assert f'<th scope="row" title="{name}">{METADATA_TITLES[name]}</th>'.replace("'", "&#39;") in page
    for warning in report.metadata.warnings:
        name, _, text = warning.partition(":")
        assert f'<span title="{name}">{METADATA_TITLES[name]}</span>:{text}'.replace("'", "&#39;") in page


def test_a_run_on_paper(page: Page) -> None:
    """Every column of the widest table is on the sheet, and what only a screen can use is not."""
    page.goto("/runs/last")
    page.emulate_media(media="print")
    page.set_viewport_size(PAPER)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    expect(page.get_by_role("heading", name="Gates", exact=True)).to_be_visible()
    expect(page.locator(".contents")).to_be_hidden()
    expect(page.get_by_text("Show the numbers").first).to_be_hidden()


def test_a_run_in_a_browser(page: Page, look: Callable[[Page, str], None], report: Report) -> None:
    """From the decision to the failing samples of the costliest cause, and on to one of them."""
    page.goto("/runs/last")
    expect(page.get_by_role("heading", level=1)).to_have_text("No release: 3 of 4 gates fail")
    look(page, "run")
    page.get_by_role("row", name=report.fix_first[0].title).get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        f"{report.fix_first[0].samples} of {len(report.samples)} samples"
    )
    look(page, "samples")
    page.get_by_label("verdict is").select_option("FAIL")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**verdict=FAIL**")
    page.get_by_role("row").nth(1).get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("fails")
