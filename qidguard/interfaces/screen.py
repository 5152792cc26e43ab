"""What the command line writes to, and how."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from qidguard.core.errors import UserError
from qidguard.core.files import write_whole
from qidguard.core.system import why
from qidguard.rendering.printable import visible

if TYPE_CHECKING:
    from rich.console import Console


def console(stream: TextIO | None = None) -> "Console":
    r"""Return a rich console that takes every text as it is: no markup, no emoji codes, no guessed colors.

    Example:
        >>> import io
        >>> stream = io.StringIO()
        >>> console(stream).print("[red]:smile:[/red]")
        >>> stream.getvalue()
        '[red]:smile:[/red]\n'
    """
    from rich.console import Console

    return Console(file=stream or sys.stdout, markup=False, emoji=False, highlight=False)


def say(sentence: str) -> None:
    """Write a sentence to standard error, each of its lines made printable.

    Example:
        >>> say("")
    """
    for line in sentence.splitlines():
        click.echo(visible(line), err=True)


def check_output(output: str | None, *inputs: Any, option: str = "--output") -> None:
    """Check before hours of work that a report can be written where it is asked for.

    Example:
        >>> check_output("-")
    """
    if output in {None, "-"}:
        return
    from qidguard.engines.linked import sources_of

    path = Path(str(output))
    try:
        # they raise where a name is too long
        is_folder, is_in_folder = path.is_dir(), path.absolute().parent.is_dir()
    except (OSError, ValueError) as error:
        raise UserError(
            f"{option} {str(output)!r} cannot be written ({why(error)}); name another file"
        ) from None
    if is_folder:
        raise UserError(f"{option} names the folder {str(output)!r}; name a file in it")
    if not is_in_folder:
        raise UserError(f"The folder of {option} {str(output)!r} does not exist; make it first")
    check_not_read(path, *(one for source in inputs for one in sources_of(source)), option=option)


_WRITTEN = {"output", "to", "receipt", "write", "plot", "plots", "tables"}
"""What commands call the options that say where they write."""


def check_not_read(path: str | Path, *inputs: Any, option: str, but: str = "") -> None:
    """Refuse a file that is among the inputs, or that another option names, such as a codebook.

    Args:
        path: What would be written.
        inputs: What is read.
        option: The option that says where.
        but: The name of an option whose file may be written, such as a policy that is added to.

    Raises:
        UserError: When it is read.

    Example:
        >>> check_not_read("report.json", "people.csv", option="--output")
    """
    context = click.get_current_context(silent=True)
    said = {} if context is None else context.params
    others = (given for name, given in said.items() if name not in {*_WRITTEN, but})
    for given in (*inputs, *others):
        if isinstance(given, str) and _is_same_file(Path(path), given):
            raise UserError(f"{option} {str(path)!r} would overwrite what is read; name another file")


def _is_same_file(path: Path, given: str) -> bool:
    try:
        return path.samefile(given)
    except (OSError, ValueError):
        return False


def forget_old(output: str | None) -> None:
    """Remove an earlier report, so that it is not taken for one of this run if this run fails.

    Example:
        >>> forget_old("-")
    """
    if output in {None, "-"}:
        return
    path = Path(str(output))
    try:
        if path.is_file():
            path.unlink()
    except OSError as error:
        raise _cannot_write(str(output), error) from None


def _cannot_write(output: str, error: OSError) -> UserError:
    return UserError(f"--output {output!r} cannot be written ({why(error)}); name another file")


def write_report(text: str, output: str | None) -> None:
    """Write a report to standard output, or to a file that is replaced in one step.

    Example:
        >>> write_report("text", "-")
        text
    """
    if output is None or output == "-":
        click.echo(text.removesuffix("\n"))
        return
    path, content = Path(output), text.encode("utf-8", errors="backslashreplace")
    try:
        if path.exists() and not path.is_file():  # a pipe or a device cannot be replaced
            _write_through(path, content)
        else:
            write_whole(path, content, mode=0o666 & ~_umask())
    except OSError as error:
        raise _cannot_write(output, error) from None


def _write_through(path: Path, content: bytes) -> None:
    """Write into a pipe or a device; to a pipe that nobody reads it would wait for ever."""
    handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as file:
        file.write(content)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
