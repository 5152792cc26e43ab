"""The command line: ``qidguard``."""

import os
import sys
from collections.abc import Sequence
from typing import ClassVar

import click

from qidguard.core.errors import ExitCode, QidguardError
from qidguard.interfaces.commands.anonymize import anonymize_command
from qidguard.interfaces.commands.audit import audit_command
from qidguard.interfaces.commands.compare import compare_command
from qidguard.interfaces.commands.demo import demo_command
from qidguard.interfaces.commands.discover import discover_command
from qidguard.interfaces.commands.exception import exception_group
from qidguard.interfaces.commands.explain import explain_command
from qidguard.interfaces.commands.gx import gx_group
from qidguard.interfaces.commands.hierarchy import hierarchy_group
from qidguard.interfaces.commands.history import history_command
from qidguard.interfaces.commands.init import starter_command
from qidguard.interfaces.commands.keys import keys_group
from qidguard.interfaces.commands.plugins import plugins_command
from qidguard.interfaces.commands.policy import policy_group
from qidguard.interfaces.commands.release import release_command
from qidguard.interfaces.commands.schema import schema_command
from qidguard.interfaces.commands.show import show_command
from qidguard.interfaces.commands.verify import verify_command
from qidguard.interfaces.commands.withdraw import withdraw_command
from qidguard.interfaces.screen import say

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells count it: 128 + SIGINT."""
TERMINATED = 143
"""Exit code after SIGTERM, as schedulers stop a task: 128 + SIGTERM. Temporary copies are removed first."""
PIPE_CLOSED = 141
"""Exit code when the reader of a pipe went away: 128 + SIGPIPE. Not 0, since nobody saw the verdict."""


@click.group("qidguard", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="qidguard", prog_name="qidguard", message="%(prog)s %(version)s")
def cli() -> None:
    """Decide whether a table of personal data may be published.

    \b
    qidguard demo                                   see it at work
    qidguard audit DATA                             describe a table, suggest roles
    qidguard discover DATA                          search for quasi-identifiers
    qidguard policy init DATA > policy.yaml         draft a policy
    qidguard audit DATA --policy policy.yaml        judge: 0 passed, 1 blocked, 2 mistake, 3 failure
    qidguard anonymize DATA --policy policy.yaml --with METHOD
                                                    make it releasable, and see what that costs
    qidguard release DATA --policy policy.yaml --to published/
                                                    publish only what passes, with evidence

    Colours go away with NO_COLOR=1. Results go to standard output, all else to standard error.
    """  # noqa: D301 - \b is click's mark for lines that stay as they are


for command in (
    audit_command,
    discover_command,
    anonymize_command,
    compare_command,
    release_command,
    verify_command,
    history_command,
    show_command,
    withdraw_command,
    exception_group,
    keys_group,
    policy_group,
    hierarchy_group,
    gx_group,
    starter_command,
    explain_command,
    plugins_command,
    schema_command,
    demo_command,
):
    cli.add_command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: What stands after ``qidguard``; None takes the process's own.

    Returns:
        0 passed, 1 blocked, 2 a mistake of the user, 3 a failure of a plugin or of qidguard itself, 130 after
        Ctrl-C, 143 after SIGTERM, 141 when the reader of a pipe went away.

    Example:
        >>> main(["--version"])  # doctest: +ELLIPSIS
        qidguard ...
        0
    """
    _never_fail_to_encode()
    _stop_in_order()
    try:
        code = _run(arguments)
        if code == INTERRUPTED and _Terminated.has_come:
            code = TERMINATED
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()
        return PIPE_CLOSED
    return code


def _run(arguments: Sequence[str] | None) -> int:  # noqa: PLR0911 - one line for each way to end
    try:
        # not cli.main(): it turns a closed pipe into SystemExit(1), which would read as blocked
        with cli.make_context("qidguard", list(sys.argv[1:] if arguments is None else arguments)) as context:
            answer = cli.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except (click.Abort, KeyboardInterrupt):
        say("Interrupted before the end.")
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return ExitCode.USER_ERROR
    except QidguardError as error:
        _show_traceback_if_asked()
        say(f"Error: {error}")
        return error.exit_code
    except BrokenPipeError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - no traceback reaches a user, and no value of the data
        if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):
            raise error.__context__ from None  # rich leaves this way when a pipe's reader is gone
        if _show_traceback_if_asked():
            return ExitCode.INTERNAL_ERROR
        kind = type(error).__name__
        say(f"internal error ({kind}); rerun with QIDGUARD_DEBUG=1 for the traceback")
        return ExitCode.INTERNAL_ERROR
    # a command that ends without saying how must not look like a pass
    return int(answer) if isinstance(answer, int) else ExitCode.INTERNAL_ERROR


def _show_traceback_if_asked() -> bool:
    if os.environ.get("QIDGUARD_DEBUG", "") in {"", "0"}:
        return False
    import traceback

    traceback.print_exc()
    return True


class _Terminated(KeyboardInterrupt):
    """SIGTERM came; noted here as well, since work that ends in order, and DuckDB, pass on less than this."""

    has_come: ClassVar[bool] = False


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


def _never_fail_to_encode() -> None:
    """Write what a terminal's encoding lacks as escapes, instead of failing on a column name."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _forget_stdout() -> None:
    """Point standard output elsewhere, so that the interpreter says nothing when it flushes at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ else 1)
    os.close(nowhere)
