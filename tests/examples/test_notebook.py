"""The example notebook, executed by a real kernel: from a DataFrame to a plot."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from tests.clock import LONG_S

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook" / "from_dataframe_to_plot.ipynb"
CHART = "application/vnd.vegalite"


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Mapping[str, str]]:
    """Return what each cell that shows something shows, by the last line of its code."""
    folder = tmp_path_factory.mktemp("notebook")
    shutil.copy(NOTEBOOK, folder)
    notebook: Any = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]  # it has no types
    NotebookClient(notebook, timeout=LONG_S, resources={"metadata": {"path": str(folder)}}).execute()
    return {
        cell.source.splitlines()[-1]: output.data
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "execute_result"
    }


def test_results_show_the_evidence(shown: dict[str, Mapping[str, str]]) -> None:
    """The wrong answer with the value that the passage contradicts; the row without an answer is counted."""
    assert shown["results"]["text/plain"].startswith("Results(2 PASS, 0 WARN, 1 FAIL, attempted 4, scored 3, errored 1")
    assert "value-contradicted" in shown["results"]["text/html"]
    assert "60 days" in shown["results.failures"]["text/html"]
    assert "$25" not in shown["results.failures"]["text/html"]


def test_the_plots_are_charts(shown: dict[str, Mapping[str, str]]) -> None:
    """Of the verdicts, and of the gates of a run that was carried out beside the loop of the kernel."""
    for code in ("results.plot()", "run.plot()"):
        assert any(kind.startswith(CHART) for kind in shown[code]) or "vega" in shown[code].get("text/html", "")
    assert "NO RELEASE" in shown["run"]["text/html"]


def test_the_notebook_is_kept_without_output() -> None:
    """What it shows is made when it is run."""
    notebook: Any = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]  # it has no types
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code")
