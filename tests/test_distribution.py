"""What is installed from a wheel works without the repository, and brings only what is listed."""

import runpy
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


def sources() -> set[str]:
    """Return the files of the package, as they stand in the repository."""
    folder = REPOSITORY / "src"
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution and the wheel, in a folder of their own."""
    folder = tmp_path_factory.mktemp("built")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=REPOSITORY, check=True, capture_output=True
    )
    return folder


def test_the_wheel_holds_the_whole_package(built: Path) -> None:
    """Every module, template, rubric and model file, and nothing else but its own description."""
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == sources()


def test_the_source_distribution_can_be_built_from(built: Path) -> None:
    """It has the package, the licence, the readme and the lock files."""
    [archive] = built.glob("*.tar.gz")
    with tarfile.open(archive) as held:
        names = {name.partition("/")[2] for name in held.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "requirements.lock"} <= names
    assert {f"src/{name}" for name in sources()} <= names


def test_the_wheel_runs_without_the_repository(built: Path, tmp_path: Path) -> None:
    """In an environment of its own, with the dependencies that are here, in an empty folder."""
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    [wheel] = built.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", "--quiet"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    [packages] = (tmp_path / "env" / "lib").glob("python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    empty = tmp_path / "empty"
    empty.mkdir()

    def run(*command: str) -> str:
        return subprocess.run(command, cwd=empty, check=True, capture_output=True, text=True).stdout

    assert run(str(python), "-c", "import plumbrule; print(plumbrule.__file__)").startswith(str(packages))
    plumbrule = str(python.with_name("plumbrule"))
    run(plumbrule, "demo", "--keep", "answers.jsonl")
    assert "PASS" in run(plumbrule, "score", "answers.jsonl")
    assert "ledger: none" in run(plumbrule, "doctor")


def test_every_package_has_its_licence() -> None:
    """The page of licences is the one that its script makes of the lock files."""
    page = runpy.run_path(str(REPOSITORY / "docs" / "make_licences.py"))["page"]
    assert (REPOSITORY / "docs" / "licences.md").read_text(encoding="utf-8") == page()
