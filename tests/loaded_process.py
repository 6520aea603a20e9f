"""Commands and scripts as processes of their own that need not load the program again.

One process loads it, and is forked for each command that is called: arguments, folder, environment and the three
streams are the caller's, and so is the exit code. What a start of the program itself does is tested elsewhere
(tests/cli/test_main.py, and README.md in tests/docs).
"""

import gc
import marshal
import multiprocessing.process
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

_CALLER = """\
#!{python} -IS
import marshal, os, socket, sys
if {name!r} == "python" and not (sys.argv[1:] and sys.argv[1].endswith(".py")):
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [b"."], [0, 1, 2])
    server.sendall(marshal.dumps(([{name!r}, *sys.argv[1:]], os.getcwd(), dict(os.environ))))
    server.shutdown(socket.SHUT_WR)
    code = int(server.makefile("rb").read() or -9)
sys.exit(code if code >= 0 else 128 - code)  # as a shell has it for a process that was ended by a signal
"""
_NAMES = ("plumbrule", "python")


@contextmanager
def loaded_process() -> Iterator[Path]:
    """Start the process that loads the program; give the folder whose ``plumbrule`` and ``python FILE.py`` call it."""
    folder = Path(tempfile.mkdtemp(prefix="plumbrule-"))  # a socket's path is short
    address = str(folder / "socket")
    for name in _NAMES:
        caller = folder / name
        caller.write_text(_CALLER.format(python=sys.executable, address=address, name=name), encoding="utf-8")
        caller.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        command = [sys.executable, __file__, str(listener.fileno())]
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={
                "PATH": os.environ["PATH"],
                "LC_ALL": "C.UTF-8",
                "PYTHONUNBUFFERED": "1",
                "PLUMBRULE_VERIFIER": "none",
            },
            pass_fds=[listener.fileno()],
            stdin=subprocess.PIPE,  # it ends with this process, however this one ends
            stdout=subprocess.DEVNULL,  # no terminal, as for the commands
        )
    try:
        yield folder
    finally:
        process.kill()
        process.communicate()
        shutil.rmtree(folder)


def _load() -> None:
    """Load what the commands load: every module but those of the pages, the models, and the ledger's tools."""
    import pkgutil  # noqa: PLC0415 - in the loaded process only
    from importlib import import_module  # noqa: PLC0415 - the same

    import plumbrule  # noqa: PLC0415 - the same

    left_out = tuple(f"plumbrule.{name}" for name in ("__main__", "ledger.migrations", "pytest_plugin", "web"))
    for module in pkgutil.walk_packages(plumbrule.__path__, "plumbrule."):
        if not module.name.startswith(left_out):
            import_module(module.name)
    plumbrule.score(question="What is the fee?", answer="The firm charges $30.", contexts=["The firm charges $25."])
    with tempfile.TemporaryDirectory() as folder:
        plumbrule.open_ledger(f"sqlite:///{folder}/ledger.db", at=datetime(2026, 1, 5, tzinfo=UTC)).close()


def _wait_for_call(listener: socket.socket) -> list[str]:
    """Return the arguments of each call in a process of its own with the caller's folder, environment and streams."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait for a command
    gc.freeze()
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in ready:  # whoever started this process is gone
            sys.exit()
        connection, _ = listener.accept()
        if os.fork():
            connection.close()
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        listener.close()
        _, streams, _, _ = socket.recv_fds(connection, 1, 3)
        arguments, folder, environment = marshal.loads(connection.makefile("rb").read())  # noqa: S302 - ours
        if command := os.fork():
            _, status = os.waitpid(command, 0)
            connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())
            os._exit(0)
        connection.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(folder)
        multiprocessing.process.ORIGINAL_DIR = folder  # type: ignore[attr-defined]  # where the workers start
        os.environ.clear()
        os.environ.update(environment)
        return list(arguments)


def _run(name: str, *arguments: str) -> None:
    if name == "plumbrule":
        from plumbrule.cli import main  # noqa: PLC0415 - in the loaded process only

        sys.argv = [name, *arguments]
        main()
    else:
        script = Path(arguments[0]).absolute()
        sys.argv = list(arguments)
        sys.path.insert(0, str(script.parent))
        runpy.run_path(str(script), run_name="__main__")


if __name__ == "__main__":
    sys.path.pop(0)  # the folder of this file, which no command has
    _load()
    with socket.socket(fileno=int(sys.argv[1])) as calls:
        called = _wait_for_call(calls)
    _run(*called)
