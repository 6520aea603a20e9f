"""On a real terminal: progress while it works, colours, and no command of the data's own."""

import os
import pty
import select
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

COMMAND = str(Path(sys.executable).with_name("plumbrule"))

Write = Callable[..., Path]


def on_terminal(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run the command on a terminal of its own, and return its exit code and all that it wrote."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(TERM="xterm-256color", COLUMNS="100")
        os.environ.pop("NO_COLOR", None)
        os.execv(COMMAND, [COMMAND, *arguments])  # noqa: S606 - the command under test
    written = b""
    while True:
        try:
            read = os.read(terminal, 65536)
        except OSError:  # the terminal was closed
            break
        if not read:
            break
        written += read
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), written.decode()


def test_a_terminal_gets_colours_and_progress(dataset: Path, tmp_path: Path) -> None:
    """The verdict is coloured; the bar goes away when it is done."""
    code, shown = on_terminal(tmp_path, "score", dataset.name, "--no-claims")
    assert code == 0
    assert "\x1b[1;7;31m FAIL " in shown
    assert "samples" in shown
    assert "\x1b[?25h" in shown  # the cursor is back


def test_the_name_of_a_key_cannot_steer_the_terminal(dataset: Path, tmp_path: Path, write: Write) -> None:
    """An error line shows escapes of a rubric, an id or a path as text."""
    write("mine.yaml", '"\\e[31mkey": 1\n')
    code, shown = on_terminal(tmp_path, "score", dataset.name, "--rubric", "mine.yaml")
    assert (code, "\x1b" in shown) == (2, False)
    code, shown = on_terminal(tmp_path, "score", "\x1b[31m.jsonl")
    assert (code, "\x1b" in shown) == (3, False)


def test_the_data_cannot_steer_the_terminal(tmp_path: Path, write: Write) -> None:
    """Among the colours that we send none is the data's."""
    record: dict[str, Any] = {
        "id": "\x1b[5mid",
        "question": "Fee?",
        "answer": "\x1b[5mThe fee is $30.",
        "contexts": ["x"],
    }
    write("hostile.jsonl", [record])
    code, shown = on_terminal(tmp_path, "score", "hostile.jsonl", "--explain", record["id"], "--no-claims")
    assert (code, "\x1b[5m" in shown, "\\x1b[5m" in shown) == (0, False, True)


def rated(tmp_path: Path, keys: dict[str, str]) -> tuple[int, str]:
    """Rate one interaction of the demo on a terminal, pressing what ``keys`` says where it is asked."""
    code, _ = on_terminal(tmp_path, "demo", "--keep", "answers.jsonl")
    trace = "f3fe39c0-5190-48f5-90fb-bd119c1caaf7"
    code, _ = on_terminal(
        tmp_path, "sample", "answers.jsonl", "--as", "Lead", "--trigger", "incident", "--trace", trace, "--no-claims"
    )
    assert code == 0
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        os.environ.update(TERM="xterm-256color", COLUMNS="100")
        os.environ.pop("NO_COLOR", None)
        os.execv(COMMAND, [COMMAND, "review", "rate", "--as", "Ada", "--count", "1"])  # noqa: S606 - the command under test
    shown = ""
    for _ in range(200):
        if not select.select([terminal], [], [], 0.3)[0]:  # it waits; a key pressed too early is lost, so again
            asked = max(keys, key=shown.rfind)
            os.write(terminal, keys[asked].encode())
            continue
        try:
            shown += os.read(terminal, 65536).decode(errors="replace")
        except OSError:  # the terminal was closed
            break
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown


def test_rating_on_a_terminal(tmp_path: Path) -> None:
    """One key is enough: no Enter; the answer's markers and the proposal have their colours."""
    keys = {"keep it? ": "y", "note (Enter ends it": "fine\n", "b back, q stop: ": "3"}
    code, shown = rated(tmp_path, keys)
    assert code == 0
    assert "\x1b[1;36m[1]" in shown
    assert "\x1b[35m  proposal, not a rating: " in shown
    assert "kept" in shown


def test_the_end_of_input_stops_rating(tmp_path: Path) -> None:
    """Ctrl-D is q: the item stays the evaluator's, and nothing is kept."""
    code, shown = rated(tmp_path, {"b back, q stop: ": "\x04"})
    assert code == 0
    assert "stopped; 0 kept" in shown
    assert "error" not in shown
