"""Try it: texts or a file in, the verdict with its evidence out; bounded for whatever is pasted, and nothing kept."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
import xlsxwriter
from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect

from plumbrule.ledger import open_ledger
from plumbrule.names import FORMATS
from plumbrule.web.application import create_app
from plumbrule.web.site import Site

LARGEST_PAGE = 300_000
HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)> "q" & {{ 7 * 7 }}'


def send(client: TestClient, path: str = "/try", files: Any = None, **fields: str) -> Any:
    """Send the form with the token of the session."""
    token = re.search(r'name="csrf" content="([0-9a-f]+)"', client.get("/try").text)
    assert token is not None
    return client.post(path, data={"csrf": token[1], **fields}, files=files)


def test_it_needs_no_ledger(site: Site, tmp_path: Path) -> None:
    """The boxes, an example and its result are there without one, and none is made."""
    client = TestClient(create_app(replace(site, ledger=f"sqlite:///{tmp_path}/none.db")))
    assert "Can this answer be trusted?" in client.get("/try").text
    page = client.get("/try?example=wrong&rubric=recommended").text
    assert "the passage says: $25" in page
    assert "Fail" in page
    assert "The passages support the answer" in client.get("/try?example=right").text
    assert not (tmp_path / "none.db").exists()


def test_a_form_without_a_script(client: TestClient, site: Site) -> None:
    """The page comes back with what was typed and the verdict beside it; the ledger stays as it was."""
    with open_ledger(site.ledger) as ledger:
        before = ledger.checkpoint()
    fields = {"question": "What is the fee?", "answer": "The fee is $30.", "passages": "The fee is $25.\n \nOther."}
    response = send(client, **fields)
    assert response.status_code == 200
    assert ">The fee is $30.</textarea>" in response.text
    assert "2 passages" in response.text
    assert "the passage says: $25" in response.text
    assert send(client, "/try/result", **fields).text in response.text.replace("\r\n", "\n")
    with open_ledger(site.ledger) as ledger:
        assert ledger.checkpoint() == before


def test_nothing_typed_yet(client: TestClient) -> None:
    """Without an answer there is nothing to say."""
    assert "Type or paste an answer" in send(client, "/try/result", question="What?").text


def test_it_needs_the_token(client: TestClient) -> None:
    """Work is done for pages of this application alone."""
    assert client.post("/try/result", data={"answer": "x"}).status_code == 403


@pytest.mark.parametrize(
    "fields",
    [
        {"answer": "a" * 100_000},
        {"answer": "ok", "passages": "x" * 1_000_000},
        {"answer": "ok", "passages": "x\n\n" * 10_000},
        {"answer": "ok", "question": "<" * 100_000},
    ],
    ids=["long answer", "long passage", "many passages", "long question"],
)
def test_what_is_too_long_is_said_to_be(client: TestClient, fields: dict[str, str]) -> None:
    """The boxes keep as much as they hold, and the page stays small."""
    response = send(client, **fields)
    assert response.status_code == 422
    assert "are tried here" in response.text
    assert len(response.content) < LARGEST_PAGE


@pytest.mark.parametrize("piece", ["&[1]", '"1" ', "\x00'", "<b>7</b> ", "𝟙🙂"])
def test_the_largest_hostile_texts_stay_small(client: TestClient, piece: str) -> None:
    """However many marks or escapes a text needs, its page is below the limit."""
    fill = (piece * 6_000)[:5_900]
    response = send(client, question=fill[:1_900], answer=fill, passages="\n\n".join([fill[:3_900]] * 6))
    assert response.status_code == 200
    assert len(response.content) < LARGEST_PAGE
    assert "<b>7" not in response.text


def test_hostile_text_is_text(client: TestClient) -> None:
    """In the boxes, in the marks and in the passages."""
    page = send(client, question=HOSTILE, answer=HOSTILE, passages=HOSTILE).text
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "{{ 7 * 7 }}" in page
    assert "&lt;script&gt;" in page


def upload(client: TestClient, name: str, content: bytes) -> Any:
    """Send a file."""
    return send(client, "/try/file", files={"file": (name, content, "application/octet-stream")})


def test_a_file_gets_a_summary(client: TestClient) -> None:
    """Counts, the first rows with verdict and support, and each row can be opened in the boxes."""
    rows = [
        {"id": "one", "question": "What is the fee?", "answer": "The fee is $30.", "contexts": ["The fee is $25."]},
        {"id": "two", "question": "What is the fee?", "answer": "The fee is $25.", "contexts": ["The fee is $25."]},
        {"id": HOSTILE, "question": HOSTILE, "answer": HOSTILE, "contexts": [HOSTILE]},
    ]
    response = upload(client, "answers.jsonl", b"\n".join(map(orjson.dumps, rows)))
    assert response.status_code == 200
    assert "3 rows checked by the specification&#39;s rubric" in response.text
    assert response.text.count('action="/try"') == 3
    assert "<script>alert" not in response.text
    table = "question,answer,contexts\nWhat is the fee?,The fee is $30.,The fee is $25.\n"
    assert "1 row checked" in upload(client, "answers.csv", table.encode()).text


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("answers.ods", b"PK", "Save a spreadsheet as"),
        ("answers", b"x", "not a file without a suffix"),
        ("answers.jsonl", b"x" * (2 << 20 | 1), "larger than 2 MB"),
        ("answers.jsonl", b"{]", "Not one row could be read"),
        ("answers.parquet", b"PAR1 no", "answers.parquet: not a readable Parquet file"),
        ("../../etc/passwd.jsonl", b"", "passwd.jsonl: there are no records in it"),
    ],
)
def test_a_file_that_cannot_be_tried(client: TestClient, name: str, content: bytes, message: str) -> None:
    """The page says why, without naming a place on the server."""
    response = upload(client, name, content)
    assert response.status_code == 422
    assert message in response.text
    assert "/tmp" not in response.text  # noqa: S108 - it must not be there


def test_every_format_that_samples_are_read_in_is_taken(client: TestClient) -> None:
    """The page names each, and the chooser offers each: there is no list of its own."""
    page = client.get("/try").text
    label = re.search(r"Drop a (.+?) file here", page)
    assert label is not None
    assert re.split(r", | or ", label[1].lower()) == list(dict.fromkeys(FORMATS.values()))
    assert f'accept="{",".join(FORMATS)}"' in page


@pytest.mark.skipif(".xlsx" not in FORMATS, reason="samples are not read from XLSX")
def test_a_spreadsheet_is_tried_as_it_is(client: TestClient, tmp_path: Path) -> None:
    """A sheet with the usual names in its first row is checked as a table of CSV is."""
    path = tmp_path / "answers.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["question", "answer", "contexts"])
        sheet.write_row(1, 0, ["What is the fee?", "The fee is $30.", "The fee is $25."])
    response = upload(client, "answers.xlsx", path.read_bytes())
    assert response.status_code == 200
    assert "1 row checked" in response.text


def test_a_file_of_long_rows_stays_small(client: TestClient) -> None:
    """Rows that are too long for the boxes are listed all the same."""
    row = {"question": '"' * 1_000, "answer": "&" * 5_000, "contexts": ["<" * 3_000] * 4}
    response = upload(client, "a.jsonl", b"\n".join(orjson.dumps({"id": str(n), **row}) for n in range(40)))
    assert response.status_code == 200
    assert "too long for the boxes" in response.text
    assert len(response.content) < LARGEST_PAGE


def test_trying_it_in_a_browser(page: Page, look: Callable[[Page, str], None], tmp_path: Path) -> None:
    """An example, a correction that is typed, the evidence that lights up, and a file."""
    page.goto("/try")
    look(page, "try-empty")
    page.get_by_role("link", name="Fill in a wrong one").click()
    result = page.locator("#result")
    expect(result).to_contain_text("the passage says: $25")
    page.get_by_label("Judged by").select_option("recommended")
    expect(result.get_by_role("heading", level=2)).to_contain_text("Fail")
    result.get_by_role("link", name="$35").focus()
    expect(result.locator(".passage-box .lit").first).to_contain_text("$25")
    look(page, "try-wrong")
    page.get_by_label("Answer").fill("The firm charges a fee of $25 for a domestic wire [1].")
    expect(result.get_by_role("heading", level=2)).to_contain_text("Pass")
    look(page, "try-right")
    rows = tmp_path / "answers.csv"
    rows.write_text("id,question,answer,contexts\nfee,What is the fee?,The fee is $30.,The fee is $25.\n")
    page.get_by_label("Drop a JSONL").set_input_files(rows)
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("1 of 1 answer fails in answers.csv")
    look(page, "try-file")
    page.get_by_role("button", name="See row fee").click()
    expect(page.get_by_label("Answer")).to_have_value("The fee is $30.")
