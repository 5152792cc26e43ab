"""Commands of plugins: found, listed, and run so that whatever one does wrong has an owner."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from qidguard.core.errors import ExitCode, NotMeasurable, PluginError, QidguardError, UserError
from qidguard.core.guard import is_debugging
from qidguard.core.system import refused
from qidguard.rendering.printable import visible

if TYPE_CHECKING:
    from pathlib import Path

    from qidguard.core.command import Command, StarterFiles
    from qidguard.host import Host
    from qidguard.policy import Policy

_ENDS = frozenset((*map(int, ExitCode), 130, 143))
"""The exit codes that a command may have: ours, and those after Ctrl-C and SIGTERM."""


class PluginCommand(click.Command):
    """Stands for a command of a plugin until it is called; only then is it made.

    Args:
        command: What the plugin offers.
        owner: The plugin with its distribution and version.
    """

    def __init__(self, command: "Command", owner: str) -> None:
        super().__init__(command.name, short_help=visible(command.title), add_help_option=False)
        self._command = command
        self._whose = f"{owner}: command {command.name!r}"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments as they are, for the command that is made."""
        ctx.args = list(args)
        return []

    def invoke(self, ctx: click.Context) -> int:
        """Make the command, run it and return its exit code; PluginError for whatever it does wrong."""
        with _owned(self._whose):
            made: Any = self._command.make()
            if not isinstance(made, click.Command):
                raise PluginError.of_somebody(f"made a {type(made).__name__}, not a command of click")
            name = ctx.info_name or self._command.name
            with made.make_context(name, list(ctx.args), parent=ctx.parent) as inner:
                answer = made.invoke(inner)
            if type(answer) is bool or not isinstance(answer, int) or answer not in _ENDS:
                told = answer if isinstance(answer, int) else type(answer).__name__
                raise PluginError.of_somebody(f"ended with {told}, not with an exit code from 0 to 3")
            return int(answer)


@contextmanager
def _owned(whose: str) -> Iterator[None]:
    """Let what is raised within be a mistake of the user, or a fault that names the plugin."""
    try:
        yield
    except NotMeasurable as reason:
        raise UserError(f"there is no result: {reason}") from None
    except click.exceptions.Exit as end:
        if end.exit_code not in _ENDS:
            raise PluginError(_fault(whose, f"ended with exit code {end.exit_code}")) from None
        raise
    except PluginError as error:
        if error.is_owned:
            raise
        raise PluginError(_fault(whose, str(error))) from None
    except (click.ClickException, click.Abort, KeyboardInterrupt, BrokenPipeError, QidguardError):
        raise
    except BaseException as error:
        if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):
            raise  # rich leaves this way when a pipe's reader is gone
        if (known := refused(error)) is not None:
            raise known from None
        cause = error if is_debugging() else None
        raise PluginError(_fault(whose, f"failed with {type(error).__name__}")) from cause


def _fault(whose: str, what: str) -> str:
    return f"{whose} {what}; mend the plugin"


def commands_of(host: "Host") -> dict[str, PluginCommand]:
    """Return name → command of whatever plugins offer."""
    return {
        name: PluginCommand(command, host.owner("commands", name)) for name, command in host.commands.items()
    }


def starter_files(command: "Command", owner: str, policy: "Policy", folder: "Path") -> "StarterFiles":
    """Return what a command adds to a working set; PluginError for whatever it does wrong.

    Example:
        >>> from qidguard.core.command import Command
        >>> hello = Command(name="hello", title="Say it.", make=lambda: None)
        >>> starter_files(hello, "plugin 'mine'", None, None)
        Traceback (most recent call last):
        ...
        qidguard.core.errors.PluginError: plugin 'mine': command 'hello' gave a NoneType for qidguard init; \
mend the plugin
    """
    from qidguard.core.command import StarterFiles

    with _owned(f"{owner}: command {command.name!r}"):
        made: object = None if command.starter is None else command.starter(policy, folder)
        if not isinstance(made, StarterFiles):
            raise PluginError.of_somebody(f"gave a {type(made).__name__} for qidguard init")
        return made


def show_solutions(*asked: object, **more: object) -> int:
    """Have the plugin that can show the solutions of a method, and return its exit code.

    Raises:
        UserError: When no plugin can.
        PluginError: For whatever the plugin does wrong.
    """
    from qidguard.host import load_host
    from qidguard.host.kinds import COMMANDS

    host = load_host()
    command = host.find(COMMANDS, OF_SOLUTIONS)
    with _owned(f"{host.owner(COMMANDS.name, command.name)}: command {command.name!r}"):
        if command.solutions is None:
            raise PluginError.of_somebody("shows no solutions of a method")
        return command.solutions(*asked, **more)


OF_SOLUTIONS = "compare"
"""The command that shows the solutions of one method."""


def unlisted(host: "Host") -> tuple[str, ...]:
    """Return a sentence for each plugin that may offer a command and does not."""
    from qidguard.host.kinds import COMMANDS

    contested = [f.sentence for f in host.failures if any(kind == COMMANDS.name for kind, _ in f.contested)]
    return tuple(visible(sentence) for sentence in (*host.missing(COMMANDS), *contested))
