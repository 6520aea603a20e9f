"""The command line: one module per command, loaded when it is called."""

import atexit
import logging
import os
import signal
import sys
import threading
from contextlib import suppress
from importlib import import_module

import click

from plumbrule._version import __version__
from plumbrule.errors import PlumbruleError, RecordError, UsageError
from plumbrule.names import nearest
from plumbrule.settings import debugging
from plumbrule.terminal import is_text, safe, shortened

COMPLETION_VARIABLE = "_PLUMBRULE_COMPLETE"
_INTERRUPTED = 130
_INCOMPLETE = 4
_LONGEST_QUOTE = 200
_READER_GONE = 141  # as the shell has it for a program ended by a closed pipe

# The commands by what they are about: a title, the package of their modules, and one line for each. A module is
# imported only to run or explain its command.
_GROUPS = (
    (
        "Verdicts",
        "verdicts",
        {
            "score": "Give every answer a verdict, with the evidence.",
            "validate": "Read a dataset, say what was understood, list every bad line.",
            "rubric": "Show the rubrics, and check one of your own.",
            "support": "Show the support score's model, and calibrate it on your own labels.",
        },
    ),
    (
        "Benchmark runs",
        "runs",
        {
            "init": "Write a commented run configuration to start from.",
            "plan": "Say how many samples and labels a release decision needs.",
            "run": "Carry out a benchmark run into the ledger.",
            "judge": "Judge one answer, as a run would.",
            "runs": "List the runs of the ledger.",
            "show": "Show one run's figures and gates.",
            "gate": "Decide whether a run may be released, as exit code.",
            "compare": "Compare two runs sample by sample.",
            "label": "Draw answers of a run for people to label, and keep their labels.",
            "report": "Write the report of a run to a file.",
            "export": "Hand a run over to another tool: OpenTelemetry, Langfuse, MLflow, Inspect AI.",
        },
    ),
    (
        "Reviews and monitoring",
        "reviews",
        {
            "prescore": "Propose scorecard levels for interactions, with the evidence.",
            "sample": "Draw a review sample for a trigger, and open its campaign.",
            "review": "Rate interactions on scorecards, blind, and decide.",
            "suite": "Run an assistant against the test suite that ships.",
            "monitor": "Follow the reviewed figures week by week, and raise alerts.",
            "feedback": "Find patterns in what was reviewed, with their remedies.",
            "incident": "Gather everything known of one interaction into one file.",
        },
    ),
    (
        "Ledger and installation",
        "system",
        {
            "demo": "See the main job end to end on bundled data.",
            "serve": "Open the pages of a ledger in a browser.",
            "ledger": "Verify, export, back up and upgrade the store.",
            "accounts": "Make and change the accounts of a site that is served to a team.",
            "schema": "Print the JSON schema of a result or a file.",
            "doctor": "Say what is installed, what is missing, and whether the ledger is sound.",
            "completion": "Print the shell's completion script.",
        },
    ),
)
_PACKAGES = {name: package for _, package, commands in _GROUPS for name in commands}

# A command that stands in the module of another one on the same thing.
_BESIDE = {"plan": ("label", "plan_command")}


class _Commands(click.Group):
    """The list of commands, without their imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(_PACKAGES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in _PACKAGES:
            return None
        module, name = _BESIDE.get(cmd_name, (cmd_name, "command"))
        place = import_module(f"plumbrule.cli.commands.{_PACKAGES[cmd_name]}.{module}")
        command: click.Command = getattr(place, name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        width = max(map(len, _PACKAGES))
        for title, _, commands in _GROUPS:
            with formatter.section(title):
                formatter.write_dl([(f"{name:{width}}", about) for name, about in commands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _PACKAGES and not args[0].startswith("-"):
            ctx.fail(f"there is no command '{args[0]}'{nearest(args[0], _PACKAGES)}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: plumbrule demo",
)
@click.version_option(__version__, "-V", "--version", prog_name="plumbrule", message="%(prog)s %(version)s")
def cli() -> None:
    """Tell whether a grounded (RAG) assistant can be trusted, and prove it.

    Everything runs on this machine: no key, no network, no telemetry; the same input gives the same output.

    \b
    Exit codes: 0 good, 1 the decision is negative, 2 usage or configuration, 3 input that cannot be
    read, 4 the evaluation could not be completed, 5 inconclusive, 130 interrupted.
    """


def main() -> None:
    """Run the command line and leave with its exit code."""
    for name in ("SIGTERM", "SIGHUP"):
        ending = getattr(signal, name, None)  # not every system has both
        if ending is not None and signal.getsignal(ending) is signal.SIG_DFL:  # one that is ignored stays so, by nohup
            signal.signal(ending, _interrupt)
    code = 1  # of an error that is raised on to be looked at

    def leave() -> None:
        """Leave at once where threads are left that nobody waits for: ended inside compiled code they would abort."""
        if any(thread.daemon for thread in threading.enumerate()):
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            os._exit(code)

    atexit.register(leave)  # what is registered first runs last
    code = invoke(sys.argv[1:])
    sys.exit(code)


def _interrupt(_signal: int, _frame: object) -> None:
    """End as Ctrl+C does: what is finished is kept, nothing half-written stays, and a run says how to go on."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background by a shell
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def invoke(arguments: list[str]) -> int:
    """Run one command and return its exit code; a user's mistake is one line on standard error."""
    log, remarks = logging.getLogger("plumbrule"), _Remarks(logging.WARNING)
    log.addHandler(remarks)
    try:
        return _invoke(arguments)
    finally:
        log.removeHandler(remarks)


class _Remarks(logging.Handler):
    """Prints what the package says beside its results, such as the first use of a ledger, on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        click.echo(f"plumbrule: {safe(' '.join(record.getMessage().split()))}", err=True)


def _invoke(arguments: list[str]) -> int:
    try:
        _check_text(arguments)
        if COMPLETION_VARIABLE in os.environ:
            cli.main(arguments, prog_name="plumbrule", complete_var=COMPLETION_VARIABLE)
        with cli.make_context("plumbrule", arguments) as context:
            result = cli.invoke(context)
            sys.stdout.flush()
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        return _complain(_usage_message(error), 2)
    except (click.Abort, KeyboardInterrupt):
        return _complain("interrupted; no file was written", _INTERRUPTED)
    except RecordError as error:
        rest = "in its configuration 'map' stands for --map" if arguments[0] == "run" else "--skip-bad goes on"
        return _complain(f"{error} ('plumbrule validate' lists every bad record, {rest})", error.exit_code)
    except PlumbruleError as error:
        return _complain(str(error), error.exit_code)
    except BrokenPipeError:  # the reader went away before all was decided: nothing is left to flush, nor to say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _READER_GONE
    except Exception as error:
        if debugging():
            raise
        return _complain_of_system(error) if isinstance(error, OSError) else _complain_of_ourselves(error)
    return result if isinstance(result, int) else 0


def _check_text(arguments: list[str]) -> None:
    """Refuse an argument that is no text: it could be looked up nowhere, kept nowhere and printed nowhere."""
    for argument in arguments:
        if not is_text(argument):
            raise UsageError(f"'{shortened(argument, _LONGEST_QUOTE)}' is not text in UTF-8; give a file another name")


def _complain(message: str, code: int) -> int:
    click.echo(f"plumbrule: {safe(' '.join(message.split()))}", err=True)
    return code


def _complain_of_system(error: OSError) -> int:
    """Say what the system refused: a name that cannot be, or an output that is full."""
    reason = error.strerror or str(error)
    if error.filename is not None:
        return _complain(f"{str(error.filename)[:_LONGEST_QUOTE]}: {reason}", 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left in it would fail again
    return _complain(f"the output could not be written: {reason}", _INCOMPLETE)


def _complain_of_ourselves(error: Exception) -> int:
    kind = type(error).__name__
    return _complain(f"internal error: {kind}: {error} (PLUMBRULE_DEBUG=1 shows where; please report it)", _INCOMPLETE)


def _usage_message(error: click.ClickException) -> str:
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{message} (see '{context.command_path} --help')" if context is not None else message
