"""What an installation brings: packages, megabytes and import time, beside Ragas and DeepEval, in one run.

Each is installed in an environment of its own, in a temporary folder or in the one that ``--tools`` names, where it is
found again. Sizes are of the files in site-packages, without pip; import time is the least CPU time of five processes.
"""

import argparse
import resource
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from bench.gateway import make_environment

ROOT = Path(__file__).parents[1]
TIMES = 5
PRODUCTS = {
    "plumbrule": ((str(ROOT),), "plumbrule"),
    "plumbrule[web]": ((f"{ROOT}[web]",), "plumbrule"),
    "ragas": (("ragas", "langchain-community<0.4"), "ragas"),  # ragas 0.4.3 cannot be imported with a later one
    "deepeval": (("deepeval",), "deepeval"),
}


class Installed(NamedTuple):
    """What an environment holds, and what an import costs."""

    version: str
    packages: int
    megabytes: float
    import_s: float | None  # None where the import fails
    largest: str


def main() -> None:
    """Install each, and print a line for each."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tools", type=Path, help="folder for the environments, kept for the next time")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        tools = chosen.tools.resolve() if chosen.tools is not None else Path(name)
        print("| product | version | packages | MB | import, CPU s | largest, MB |\n|---|---|---|---|---|---|")
        for product, (requirements, module) in PRODUCTS.items():
            found = measure(make_environment(tools / product, *requirements), product.partition("[")[0], module)
            took = "fails" if found.import_s is None else f"{found.import_s:.2f}"
            size = f"{found.packages} | {found.megabytes:.0f}"
            print(f"| {product} | {found.version} | {size} | {took} | {found.largest} |", flush=True)


def measure(commands: Path, distribution: str, module: str) -> Installed:
    """Measure an environment."""
    packages = next((commands.parent / "lib").glob("python*/site-packages"))
    sizes = {path.name: _size(path) for path in packages.iterdir() if not path.name.startswith(("pip", "setuptools"))}
    infos = [name for name in sizes if name.endswith(".dist-info")]
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:4]
    version = f"from importlib.metadata import version; print(version({distribution!r}))"
    told = subprocess.run([str(commands / "python"), "-c", version], capture_output=True, text=True, check=True)
    return Installed(
        version=told.stdout.strip(),
        packages=len(infos),
        megabytes=sum(sizes.values()),
        import_s=_import_s(commands / "python", module),
        largest=", ".join(f"{name} {size:.0f}" for name, size in largest),
    )


def _size(path: Path) -> float:
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return sum(each.stat().st_size for each in files if not each.is_symlink()) / 1e6


def _import_s(python: Path, module: str) -> float | None:
    times = []
    for _ in range(TIMES):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([str(python), "-c", f"import {module}"], capture_output=True, check=False)
        if done.returncode:
            return None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


if __name__ == "__main__":
    main()
