"""Try it: a question, an answer and passages, or a small file, and the verdict with its evidence; nothing is kept."""

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from fastapi import Form, Query, UploadFile
from fastapi.responses import HTMLResponse

from plumbrule.api import trial
from plumbrule.api.results import ScoredSample
from plumbrule.api.scoring import ShippedRubric
from plumbrule.api.trial import TriedFile, try_answer, try_file
from plumbrule.errors import PlumbruleError
from plumbrule.names import FORMATS
from plumbrule.reports.marks.bounded_marks import bytes_of, mark_within
from plumbrule.reports.marks.marked_answer import MarkedAnswer
from plumbrule.web.access.roles import Role
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visit, Visiting

routes = Routes()

LARGEST_FILE = 2 << 20
_LARGEST_RESULT = 100_000  # bytes of a result; one with more marks than that is drawn without them
_LONGEST_SHOWN = 4_000  # characters of one passage
_MOST_SHOWN = 12  # passages
_MOST_CARRIED = 150_000  # bytes of the rows that can be opened in the boxes
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_SPREADSHEETS = {".xlsx", ".xls", ".ods"}
_TABLE = "XLSX or CSV"  # as what a spreadsheet can be read
_CHOICES = {"": "the specification's rubric", "recommended": "the recommended rubric"}

RubricChoice = Literal["", "recommended"]
Rubric = Annotated[RubricChoice, Form()]
Text = Annotated[str, Form()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What stands in the boxes."""

    question: str = ""
    answer: str = ""
    passages: str = ""
    rubric: RubricChoice = ""

    @property
    def shipped(self) -> ShippedRubric:
        """The rubric that was chosen."""
        return self.rubric or None

    @property
    def split(self) -> list[str]:
        """The passages, which a blank line separates."""
        parts = (part.strip() for part in _BLANK_LINE.split(self.passages.replace("\r\n", "\n")))
        return [part for part in parts if part]

    def clipped(self) -> "Typed":
        """Return as much of it as a page shows again."""
        return Typed(
            question=self.question[: trial.LONGEST_QUESTION],
            answer=self.answer[: trial.LONGEST_ANSWER],
            passages=self.passages[: trial.LONGEST_PASSAGES],
            rubric=self.rubric,
        )


_QUESTION = (
    "What fee does the firm charge for a domestic wire and for an international wire, and by when must it be sent?"
)
_PASSAGES = (
    "Section 3, Cut-off times and fees. Domestic wire requests received by 4:00 p.m. Eastern time are sent the same "
    "business day. Foreign currency wire requests received by 1:30 p.m. Eastern time are sent the same business day; "
    "later requests are sent on the next business day. The firm charges a fee of $25 for a domestic wire and $45 for "
    "an international wire.\n\nSection 4, Exceptions. Households with assets of $500,000 or more pay no wire fee. The "
    "branch manager may waive the fee once in twelve months."
)
EXAMPLES = {
    "right": Typed(
        question=_QUESTION,
        answer="The firm charges a fee of $25 for a domestic wire and $45 for an international wire [1]. Domestic wire "
        "requests received by 4:00 p.m. Eastern time are sent the same business day [1].",
        passages=_PASSAGES,
    ),
    "wrong": Typed(
        question=_QUESTION,
        answer="The firm charges a fee of $35 for a domestic wire and $45 for an international wire [1]. Domestic wire "
        "requests received by 6:00 p.m. Eastern time are sent the same business day [1]. Customers over 65 pay none.",
        passages=_PASSAGES,
    ),
}


@routes.page("/try", role=Role.VIEWER)
def show_boxes(
    visit: Visiting, example: Annotated[str, Query(max_length=20)] = "", rubric: RubricChoice = ""
) -> HTMLResponse:
    """Show the boxes: empty, or filled with an example and its result."""
    typed = EXAMPLES.get(example)
    if typed is None:
        return _page(visit, Typed(rubric=rubric))
    return _page(
        visit, Typed(question=typed.question, answer=typed.answer, passages=typed.passages, rubric=rubric), show=True
    )


@routes.action("/try", role=Role.VIEWER)
def show_verdict(
    visit: Visiting,
    question: Text = "",
    answer: Text = "",
    passages: Text = "",
    rubric: Annotated[RubricChoice, Form()] = "",
) -> HTMLResponse:
    """Show the verdict beside the boxes."""
    return _page(visit, Typed(question=question, answer=answer, passages=passages, rubric=rubric), show=True)


@routes.action("/try/result", role=Role.VIEWER)
def show_result(
    visit: Visiting,
    question: Text = "",
    answer: Text = "",
    passages: Text = "",
    rubric: Annotated[RubricChoice, Form()] = "",
) -> HTMLResponse:
    """Show the verdict alone, for the page that is typed into."""
    return _result(visit, Typed(question=question, answer=answer, passages=passages, rubric=rubric))


@routes.action("/try/file", role=Role.VIEWER)
def show_file(visit: Visiting, file: UploadFile, rubric: Rubric = "") -> HTMLResponse:
    """Show the verdicts on the first rows of a file, which is gone when the page is made."""
    name = Path(file.filename or "").name
    suffix = Path(name).suffix.lower()
    if suffix not in FORMATS:
        said = f" Save a spreadsheet as {_TABLE}." if suffix in _SPREADSHEETS else ""
        return _file_problem(
            visit, rubric, f"This reads {_readable('and')}, not {suffix or 'a file without a suffix'}.{said}"
        )
    content = file.file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        more = "'plumbrule score FILE' reads files of any size."
        return _file_problem(visit, rubric, f"The file is larger than {LARGEST_FILE >> 20} MB. {more}")
    with tempfile.TemporaryDirectory(prefix="plumbrule-") as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(content)
        try:
            tried = try_file(path, rubric=rubric or None)
        except PlumbruleError as error:
            return _file_problem(visit, rubric, str(error).replace(str(path), name[:80]))
    return visit.render(
        "try_file.html",
        name=name,
        tried=tried,
        lines=_lines(tried),
        rubric=rubric,
        rubric_words=_CHOICES[rubric],
        limits=trial,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLine:
    """A row of a file; ``typed`` is what the boxes would hold, None where it is too long to be carried there."""

    scored: ScoredSample
    typed: Typed | None


def _lines(tried: TriedFile) -> list[FileLine]:
    lines, room = [], _MOST_CARRIED
    for scored in tried.rows:
        sample = scored.sample
        passages = "\n\n".join(_BLANK_LINE.sub("\n", passage.text.strip()) for passage in sample.contexts)
        typed = Typed(question=sample.question, answer=sample.answer or "", passages=passages)
        weight = sum(map(bytes_of, (typed.question, typed.answer, typed.passages)))
        fits = weight <= room and typed == typed.clipped()
        room -= weight if fits else 0
        lines.append(FileLine(scored=scored, typed=typed if fits else None))
    return lines


def _page(
    visit: Visit, typed: Typed, *, show: bool = False, status: int = 200, file_problem: str | None = None
) -> HTMLResponse:
    result = _Result.of(typed) if show else None
    return visit.render(
        "try.html",
        status=422 if result is not None and result.problem else status,
        typed=typed.clipped(),
        result=result,
        choices=_CHOICES,
        limits=trial,
        largest_file=LARGEST_FILE >> 20,
        formats=",".join(FORMATS),
        readable=_readable("or"),
        table=_TABLE,
        file_problem=file_problem,
    )


def _readable(word: str) -> str:
    """Return the formats that a file may have, with a word before the last."""
    *names, last = (
        name.title() if name in {"arrow", "parquet"} else name.upper() for name in dict.fromkeys(FORMATS.values())
    )
    return f"{', '.join(names)} {word} {last}"


def _result(visit: Visit, typed: Typed) -> HTMLResponse:
    result = _Result.of(typed)
    return visit.render("try_result.html", status=422 if result.problem else 200, result=result)


def _file_problem(visit: Visit, rubric: RubricChoice, problem: str) -> HTMLResponse:
    return _page(visit, Typed(rubric=rubric), status=422, file_problem=problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """What is shown of one answer; ``problem`` says why there is none."""

    problem: str | None = None
    waiting: str | None = None  # what is still to be typed
    scored: ScoredSample | None = None
    marked: MarkedAnswer | None = None
    unmarked: bool = False  # there are more marks than can be drawn
    hidden: int = 0  # passages that are not shown
    rubric_words: str = ""
    recommended: bool = False

    @classmethod
    def of(cls, typed: Typed) -> "_Result":
        """Return the result of what was typed."""
        if not typed.answer.strip():
            return cls(waiting="Type or paste an answer: its verdict is then here.")
        try:
            scored = try_answer(typed.question, typed.answer, typed.split, rubric=typed.shipped)
        except PlumbruleError as error:
            return cls(problem=str(error))
        sample = scored.sample
        shown = sample.contexts[:_MOST_SHOWN]
        marked, unmarked = mark_within(
            sample.answer or "", shown, (), scored.verdict, longest=_LONGEST_SHOWN, most_bytes=_LARGEST_RESULT
        )
        return cls(
            scored=scored,
            marked=marked,
            unmarked=unmarked,
            hidden=len(sample.contexts) - len(shown),
            rubric_words=_CHOICES[typed.rubric],
            recommended=typed.rubric == "recommended",
        )
