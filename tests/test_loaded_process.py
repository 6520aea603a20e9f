"""A process that is forked from a loaded one is like one that is started."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """\
import os, sys
print(sys.argv[1:], os.getcwd(), os.environ["WHO"], sys.stdin.read())
print(__name__, __file__, sys.path[0], sys.stdout.encoding)
print("told", file=sys.stderr)
sys.exit(7)
"""


def test_it_has_what_its_caller_gives_it(programs: Path, tmp_path: Path) -> None:
    """Arguments, folder, environment, standard input, output and error are the caller's; so is the exit code."""
    (tmp_path / "shown.py").write_text(SCRIPT, encoding="utf-8")
    done = []
    for folder in (programs, Path(sys.executable).parent):
        environment = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "WHO": "ada"}
        command = ["python", "shown.py", "a b", "--c"]
        shown = subprocess.run(command, cwd=tmp_path, env=environment, input=b"read", capture_output=True, check=False)
        done.append((shown.returncode, shown.stdout, shown.stderr))
    assert done[0] == done[1]
    assert (done[0][0], done[0][2]) == (7, b"told\n")


def test_a_command_that_is_ended_by_a_signal(programs: Path, tmp_path: Path) -> None:
    """The exit code is that of a shell."""
    (tmp_path / "ended.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", encoding="utf-8")
    assert subprocess.run([programs / "python", "ended.py"], cwd=tmp_path, check=False).returncode == 128 + 9
