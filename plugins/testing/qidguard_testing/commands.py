"""Hold a command of a plugin against what every command of ``qidguard`` does."""

import io
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout

import click

from qidguard.sdk import Command, run_command
from qidguard_testing.violation import Violation

OWNER = "the plugin under test"
_PASSED, _BLOCKED, _USER_ERROR = 0, 1, 2
_UNKNOWN = "--no-such-option-of-any-command"


def check_command(command: Command, arguments: Sequence[str] | None = None) -> list[Violation]:
    """Run a command of a plugin as ``qidguard`` runs it, and return what is wrong.

    Args:
        command: The command.
        arguments: What stands after its name for a run that ends well; None makes no such run.

    Returns:
        What is wrong, a sentence each; empty where nothing is. Every command, of a group each, has a help
        with words for each option; a wrong option is a mistake of the user, said in a sentence; the run ends
        with 0 or 1, and says the same when it is made again.

    Raises:
        KeyboardInterrupt: When the user interrupts.

    Example:
        >>> @click.command()
        ... @click.option("--size", type=int, default=2, help="Persons in a class.")
        ... def sizes(*, size: int) -> int:
        ...     \"\"\"Say a size.\"\"\"
        ...     click.echo(size)
        ...     return 0
        >>> check_command(Command(name="sizes", title="Say a size.", make=lambda: sizes), ["--size", "3"])
        []
    """
    said = list(_faults(command, arguments))
    return [Violation(check="check_command", sample=where, sentence=sentence) for where, sentence in said]


def _faults(command: Command, arguments: Sequence[str] | None) -> Iterator[tuple[str, str]]:
    made = command.make()
    if not isinstance(made, click.Command):
        yield command.name, f"make() gives a {type(made).__name__}, not a command of click"
        return
    for path, one in _all(made, ()):
        where = " ".join((command.name, *path))
        yield from ((where, sentence) for sentence in _of_help(command, path, one))
    if arguments is not None:
        yield from ((command.name, sentence) for sentence in _of_run(command, arguments))


def _of_help(command: Command, path: tuple[str, ...], one: click.Command) -> Iterator[str]:
    if not (one.help or "").strip():
        yield "it has no help; give its function a docstring"
    for parameter in one.params:
        if isinstance(parameter, click.Option) and not parameter.hidden and not parameter.help:
            yield f"the option {parameter.opts[0]} has no help"
    code, out, _ = _run(command, (*path, "--help"))
    if code != _PASSED or not out.startswith("Usage: "):
        yield f"--help ends with {code} and must show the usage and end with 0"
    code, out, err = _run(command, (*path, _UNKNOWN))
    if code != _USER_ERROR or out or _UNKNOWN not in err:
        yield f"an unknown option ends with {code} and must be refused by its name, with 2"


def _of_run(command: Command, arguments: Sequence[str]) -> Iterator[str]:
    runs = [_run(command, arguments) for _ in range(2)]
    code, out, err = runs[0]
    if code not in {_PASSED, _BLOCKED}:
        last = err.strip().splitlines()[-1:] or ["it says nothing"]
        yield f"the run ends with {code}: {last[0]}"
    if runs[1][:2] != (code, out):
        yield "a second run of the same says something else; set its seed, leave out times"


def _all(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield a command, and where it is a group each within."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None:
                yield from _all(found, (*path, name))


def _run(command: Command, arguments: Sequence[str]) -> tuple[int, str, str]:
    """Return how a run ended, and what it wrote to standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run_command(command, arguments, OWNER)
    return code, out.getvalue(), err.getvalue()
