"""The command line: ``qidguard``."""

import gc
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, TextIO

import click

from qidguard.core.address import without_secrets
from qidguard.core.command import OF_EXTRAS, OWN_COMMANDS, OWN_GROUPS
from qidguard.core.errors import ExitCode, QidguardError, UserError
from qidguard.core.system import check_memory, refused, why
from qidguard.interfaces.screen import say

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from qidguard.core.command import Command
    from qidguard.host import Host


INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells count it: 128 + SIGINT."""
TERMINATED = 143
"""Exit code after SIGTERM, as schedulers stop a task: 128 + SIGTERM. Temporary copies are removed first."""
PIPE_CLOSED = 141
"""Exit code when the reader of a pipe went away: 128 + SIGPIPE. Not 0, since nobody saw the verdict."""


_MISTYPED = 0.75
"""How like one of our commands a name is that was meant to be it, whatever plugins are broken."""


class _Commands(click.Group):
    """Imports the module of a command when it is called or listed: the others only take time.

    Plugins are loaded where a name is not ours; for the help only those that may have a command.
    """

    def list_commands(self, _: click.Context) -> list[str]:
        return sorted((*OWN_GROUPS, *OWN_COMMANDS))

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name in (*OWN_GROUPS, *OWN_COMMANDS):
            return _command(name)
        if name.startswith("-"):
            return None
        from qidguard.host import load_host
        from qidguard.interfaces.plugin_commands import commands_of

        host = load_host()
        of_plugins = commands_of(host)
        if name in of_plugins:
            return of_plugins[name]
        _say_what_is_missing(host, name, self.list_commands(context))
        for known in self.list_commands(context):  # click guesses among those that were added
            self.add_command(_command(known))
        for known, command in of_plugins.items():
            self.add_command(command, known)
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_commands(ctx, formatter)
        from qidguard.host.loading import load_host_of_commands

        host = load_host_of_commands()
        if host is None:
            return
        from qidguard.interfaces.plugin_commands import commands_of, unlisted

        rows = [
            (name, command.get_short_help_str(formatter.width - 6 - len(name)))
            for name, command in commands_of(host).items()
        ]
        missing = unlisted(host)
        if rows or missing:
            with formatter.section("Commands of plugins"):
                if rows:
                    formatter.write_dl(rows)
                for sentence in missing:
                    formatter.write_text(f"not loaded: {sentence}")


def _say_what_is_missing(host: "Host", name: str, ours: Sequence[str]) -> None:
    """Raise PluginError where a plugin that is broken or left out may have it, UserError for an extra's."""
    from qidguard.core.errors import PluginError
    from qidguard.host.kinds import COMMANDS

    is_contested = any((COMMANDS.name, name) in failure.contested for failure in host.failures)
    if not is_contested and get_close_matches(name, ours, n=1, cutoff=_MISTYPED):
        return
    try:
        host.find(COMMANDS, name)
    except PluginError:
        raise
    except QidguardError:  # click words what is no command of anybody
        if name in OF_EXTRAS:
            raise


def _command(name: str) -> click.Command:
    kind = "group" if name in OWN_GROUPS else "command"
    found: click.Command = getattr(import_module(f"qidguard.interfaces.commands.{name}"), f"{name}_{kind}")
    return found


@click.group(
    "qidguard",
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="qidguard", prog_name="qidguard", message="%(prog)s %(version)s")
def cli() -> None:
    """Decide whether a table of personal data may be published.

    \b
    qidguard demo                                   see it at work
    qidguard audit DATA                             describe a table, suggest roles
    qidguard discover DATA                          search for quasi-identifiers
    qidguard policy init DATA > policy.yaml         draft a policy
    qidguard audit DATA --policy policy.yaml        judge: 0 passed, 1 blocked, 2 mistake, 3 failure
    qidguard anonymize DATA --policy policy.yaml -a NAME
                                                    make it releasable, and see what that costs
    qidguard release DATA --policy policy.yaml --to published/
                                                    publish only what passes, with evidence

    Colors go away with NO_COLOR=1. Results go to standard output, all else to standard error.
    """  # noqa: D301 - \b is click's mark for lines that stay as they are


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: What stands after ``qidguard``; None takes the process's own.

    Returns:
        0 passed, 1 blocked, 2 a mistake of the user or a result that cannot be written, 3 a failure of a
        plugin or of qidguard itself, 130 after Ctrl-C, 143 after SIGTERM, 141 when the reader of a pipe went
        away.

    Example:
        >>> main(["--version"])  # doctest: +ELLIPSIS
        qidguard ...
        0
    """
    _stop_in_order()
    if arguments is None:
        _spare_time()
    with told_streams() as has_output:
        if not has_output:
            say("Error: Standard output is closed, so no result can be given; send it somewhere.")
            return ExitCode.USER_ERROR
        _never_fail_to_encode()
        try:
            code = _ended(arguments)
            return code if arguments is not None else _without_threads(code)
        except BrokenPipeError:
            forget_stdout()
            return PIPE_CLOSED
        except UnwrittenError as error:
            forget_stdout()
            say(f"Error: {error}")
            return error.exit_code


def _ended(arguments: Sequence[str] | None) -> int:
    """Run the command and return how it ended, after all that it says was written."""
    from qidguard.core.watchdog import ended_by

    with ended_by(_end_at_once):
        code = _run(arguments, cli)
    sys.stdout.flush()
    return TERMINATED if code == INTERRUPTED and _Terminated.has_come else code


def _without_threads(code: int) -> int:
    """Return how the process ends; it ends here where threads that a plugin left would keep it for ever."""
    import threading

    left = {one for one in threading.enumerate() if not one.daemon} - {threading.current_thread()}
    for thread in left:
        thread.join(1 / len(left))  # those of pools end by themselves
    if any(thread.is_alive() for thread in left):
        say("Note: a plugin left a thread that goes on; it ends with this process.")
        sys.stdout.flush()
        os._exit(code)  # the next run removes what it leaves
    return code


def run_command(command: "Command", arguments: Sequence[str], owner: str) -> int:
    """Run a command of a plugin that need not be installed, as the command line would, for its tests.

    Args:
        command: The command.
        arguments: What stands after its name.
        owner: What its faults are said to be of.

    Returns:
        The exit code.

    Example:
        >>> from qidguard.core.command import Command
        >>> hello = click.Command("hello", callback=lambda: 0)
        >>> run_command(Command(name="hello", title="Say it.", make=lambda: hello), [], "plugin 'mine'")
        0
    """
    from qidguard.interfaces.plugin_commands import PluginCommand

    alone = click.Group("qidguard", context_settings=cli.context_settings)
    alone.add_command(PluginCommand(command, owner), command.name)
    return _run([command.name, *arguments], alone)


def _run(arguments: Sequence[str] | None, command: click.Group) -> int:  # noqa: PLR0911 - a line for each end
    try:
        # not main() of click: it turns a closed pipe into SystemExit(1), which would read as blocked
        given = list(sys.argv[1:] if arguments is None else arguments)
        with command.make_context("qidguard", given) as context:
            check_memory()
            answer = command.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except (click.Abort, KeyboardInterrupt):
        say("Interrupted before the end.")
        return INTERRUPTED
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        click.echo(without_secrets(shown.getvalue()), err=True, nl=False)
        return ExitCode.USER_ERROR
    except (BrokenPipeError, UnwrittenError):
        raise
    except QidguardError as error:
        _show_traceback_if_asked()
        say(f"Error: {error}")
        return error.exit_code
    except (Exception, SystemExit) as error:  # noqa: BLE001 - no traceback reaches a user, and no value of the data
        if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):
            raise error.__context__ from None  # rich leaves this way when a pipe's reader is gone
        if _show_traceback_if_asked():
            return ExitCode.INTERNAL_ERROR
        if (known := refused(error)) is not None:
            say(f"Error: {known}")
            return known.exit_code
        kind = type(error).__name__
        say(f"internal error ({kind}); rerun with QIDGUARD_DEBUG=1 for the traceback")
        return ExitCode.INTERNAL_ERROR
    # a command that ends without saying how must not look like a pass
    return int(answer) if isinstance(answer, int) else ExitCode.INTERNAL_ERROR


def _show_traceback_if_asked() -> bool:
    if os.environ.get("QIDGUARD_DEBUG", "") in {"", "0"}:
        return False
    import traceback

    click.echo(without_secrets(traceback.format_exc()), err=True, nl=False)
    return True


class _Terminated(KeyboardInterrupt):
    """SIGTERM came; noted here as well, since work that ends in order, and DuckDB, pass on less than this."""

    has_come: ClassVar[bool] = False


def _spare_time() -> None:
    """Leave away what only costs time in a process that runs one command and ends.

    Most of what it makes is modules and words that stay, so garbage is looked for less often. Threads of
    numpy's OpenBLAS sleep after a million turns without work, not after 67.
    """
    gc.set_threshold(10_000, 20, 20)
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")


def _stop_in_order() -> None:
    """Let SIGTERM end the work like Ctrl-C, so that private copies of a table do not stay behind."""
    import signal
    import threading

    def stop(*_: object) -> None:
        _Terminated.has_come = True
        raise _Terminated

    _Terminated.has_come = False

    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, stop)


def _end_at_once(whose: str) -> None:
    """End the process where code of a plugin cannot be interrupted; the next run removes what it leaves."""
    say(f"Error: {whose} hangs and cannot be interrupted, so this process is ended; mend the plugin")
    os._exit(ExitCode.INTERNAL_ERROR)


def _never_fail_to_encode() -> None:
    """Write what a terminal's encoding lacks as escapes, instead of failing on a column name."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


class UnwrittenError(UserError):
    """The result could not be written, so nobody has seen it."""


@contextmanager
def told_streams() -> Iterator[bool]:
    """Let output that cannot be written be an error of ours, and remarks that cannot be written be lost.

    Only the streams of the process itself are exchanged; those of a caller in Python stay. What is written
    within must be flushed there.

    Yields:
        Whether there is a standard output at all.
    """
    out, err = sys.stdout, sys.stderr
    if err is None or err is sys.__stderr__:
        sys.stderr = _over(_Remarks, err) or err
    if out is not None and out is sys.__stdout__:
        sys.stdout = _over(_Results, out) or out
    try:
        yield out is not None
    finally:
        sys.stdout, sys.stderr = out, err


def forget_stdout() -> None:
    """Point standard output elsewhere, so that the interpreter says nothing when it flushes at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ else 1)
    os.close(nowhere)


class _Results(io.FileIO):
    """Standard output; what the system refuses is an error of ours, but for a reader that has gone."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise UnwrittenError(
                f"The result cannot be written to standard output ({why(error)}); send it elsewhere."
            ) from None


class _Remarks(io.FileIO):
    """Standard error; remarks that nobody can read are no reason to end otherwise."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def _over(kind: type[io.FileIO], stream: TextIO | None) -> TextIO | None:
    """Return a stream like another, over the same handle; None where that has no handle."""
    if stream is None:  # the next file that is opened would be taken for it
        handle = os.open(os.devnull, os.O_WRONLY)
        return io.TextIOWrapper(io.BufferedWriter(kind(handle, "wb", closefd=False)), encoding="utf-8")
    try:
        stream.flush()
        handle = stream.fileno()
    except (OSError, ValueError):
        return None
    # standard error is passed on at once, and a terminal's lines are
    is_lined = stream.isatty() or kind is _Remarks
    buffer = io.BufferedWriter(kind(handle, "wb", closefd=False))
    return io.TextIOWrapper(buffer, encoding=stream.encoding, errors=stream.errors, line_buffering=is_lined)
