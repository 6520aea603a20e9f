"""An export is by suffix, and whole."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from plumbrule.errors import UsageError
from plumbrule.ledger import export, open_ledger

AT = datetime(2026, 1, 31, tzinfo=UTC)


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    """The error says which there are."""
    with (
        open_ledger(f"sqlite:///{tmp_path}/l.db", at=AT) as ledger,
        pytest.raises(UsageError, match=r"\.jsonl or \.parquet"),
    ):
        export(ledger, tmp_path / "out.csv")


def test_without_pyarrow_the_extra_is_named(tmp_path: Path) -> None:
    """A user of Parquet is told what to install."""
    open_ledger(f"sqlite:///{tmp_path}/l.db", at=AT).close()
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from pathlib import Path\n"
        "from plumbrule.ledger import export, open_ledger\n"
        "try: export(open_ledger(sys.argv[1]), Path(sys.argv[2]))\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    command = [sys.executable, "-c", code, f"sqlite:///{tmp_path}/l.db", str(tmp_path / "out.parquet")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == "MissingExtraError writing Parquet needs an extra: pip install 'plumbrule[parquet]'\n"
