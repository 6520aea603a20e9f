"""Both verdict rubrics are measured in the same way, and what is chosen is chosen on the development sets alone."""

from pathlib import Path
from typing import Self

import pytest
from training.rubrics import (
    BEGIN,
    CLAIM_FROM,
    CONFIRMATION,
    DEVELOPMENT,
    END,
    FAIL_ABOVE,
    PAGE,
    Failed,
    choose,
    fail_rows,
    read_everyday,
    shares_of,
    tables_of,
    write_tables,
)

from plumbrule.rubrics import load_verdict


def rows_of(name: str, *, by_constants: bool) -> list[Failed]:
    """Return two wrong and two right answers, of which the verdict fails one each and the recommended one better."""
    constants = (by_constants,) * (len(CLAIM_FROM) * len(FAIL_ABOVE))
    return [
        Failed(name, wrong=True, by_verdict=True, by_recommended=True, by_constants=constants),
        Failed(name, wrong=True, by_verdict=False, by_recommended=True, by_constants=constants),
        Failed(name, wrong=False, by_verdict=True, by_recommended=False, by_constants=constants),
        Failed(name, wrong=False, by_verdict=False, by_recommended=False, by_constants=constants),
    ]


def test_the_sets_are_apart() -> None:
    """Nothing is confirmed on what it was chosen on."""
    assert not set(DEVELOPMENT) & set(CONFIRMATION)


def test_shares_and_tables() -> None:
    """Wrong and right answers are counted apart, and both rubrics stand side by side."""
    failed = [row for name in (*DEVELOPMENT, *CONFIRMATION) for row in rows_of(name, by_constants=False)]
    shares = shares_of(failed, [row.by_verdict for row in failed])
    assert shares["ash"] == (2, 1, 2, 1)
    assert shares["ash"].balanced_accuracy == 0.5
    assert "| chosen on `ash` | 2 | 1 | 2 | 2 | 1 | 0 | 0.500 | 1.000 |" in tables_of(failed)
    assert "| confirmed on `wice` | 2 | 1 | 2 | 2 | 1 | 0 | 0.500 | 1.000 |" in tables_of(failed)


def test_what_is_chosen_does_not_depend_on_the_confirmation() -> None:
    """Other figures there change nothing."""
    chosen = [row for name in DEVELOPMENT for row in rows_of(name, by_constants=False)]
    others = [row for name in CONFIRMATION for row in rows_of(name, by_constants=True)]
    assert choose([*chosen, *others]) == choose(chosen)


def test_the_tables_are_written_between_their_marks(tmp_path: Path) -> None:
    """The rest of the page stays; a page without marks is an error."""
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write_tables("new", page)
    assert page.read_text() == f"before\n{BEGIN}\nnew\n{END}\nafter\n"
    page.write_text("nothing")
    with pytest.raises(SystemExit, match="there are no marks"):
        write_tables("new", page)
    assert BEGIN in PAGE.read_text(encoding="utf-8")


def test_rows_are_scored_by_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the constants that ship, the recommended rubric and the grid agree."""
    monkeypatch.setattr("training.rubrics.ProcessPoolExecutor", _Here)
    rows = list(read_everyday(["ash"]))[:12]
    failed = fail_rows(rows, {})
    rubric = load_verdict(Path("recommended")).rubric
    place = CLAIM_FROM.index(rubric.support.claim_from) * len(FAIL_ABOVE) + FAIL_ABOVE.index(
        rubric.hallucination.fail_above
    )
    assert [row.by_constants[place] for row in failed] == [row.by_recommended for row in failed]
    assert [row.wrong for row in failed] == [row.unsupported for row in rows]


class _Here:
    """Maps in this process."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    map = staticmethod(map)
