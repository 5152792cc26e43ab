"""What the command line writes to, and how."""

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from qidguard.core.errors import UserError
from qidguard.report.printable import visible

if TYPE_CHECKING:
    from rich.console import Console


def console(stream: TextIO | None = None) -> "Console":
    r"""Return a rich console that takes every text as it is: no markup, no emoji codes, no guessed colours.

    Args:
        stream: Where it writes; None is standard output.

    Returns:
        The console; it honours NO_COLOR, COLUMNS and TERM, and is plain in a pipe.

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

    Args:
        sentence: One or more lines.

    Example:
        >>> say("")
    """
    for line in sentence.splitlines():
        click.echo(visible(line), err=True)


def check_output(output: str | None, *inputs: str | None, option: str = "--output") -> None:
    """Check before hours of work that a report can be written where it is asked for.

    Args:
        output: The file, or None or ``-`` for standard output.
        inputs: The paths that are read, or written besides, none of which may be overwritten.
        option: The option that names the file, for errors.

    Raises:
        UserError: when the folder does not exist, the path is a folder, or it is one of the inputs.

    Example:
        >>> check_output("-")
    """
    if output in {None, "-"}:
        return
    path = Path(str(output))
    if path.is_dir():
        raise UserError(f"{option} names the folder {str(output)!r}; name a file in it")
    if not path.absolute().parent.is_dir():
        raise UserError(f"The folder of {option} {str(output)!r} does not exist; make it first")
    for given in inputs:
        if given is not None and _is_same_file(path, given):
            raise UserError(f"{option} {str(output)!r} would overwrite what is read; name another file")


def _is_same_file(path: Path, given: str) -> bool:
    try:
        return path.samefile(given)
    except (OSError, ValueError):
        return False


def forget_old(output: str | None) -> None:
    """Remove an earlier report, so that it is not taken for one of this run if this run fails.

    Args:
        output: The file, or None or ``-`` for standard output.

    Raises:
        UserError: when the file cannot be removed.

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
    why = error.strerror or type(error).__name__
    return UserError(f"--output {output!r} cannot be written ({why}); name another file")


def write_report(text: str, output: str | None) -> None:
    """Write a report to standard output, or to a file that is replaced in one step.

    Args:
        text: The report.
        output: The file, or None or ``-`` for standard output.

    Raises:
        UserError: when the file cannot be written.

    Example:
        >>> write_report("text", "-")
        text
    """
    if output is None or output == "-":
        click.echo(text.removesuffix("\n"))
        return
    path = Path(output)
    try:
        if path.exists() and not path.is_file():  # a pipe or a device cannot be replaced
            path.write_text(text, encoding="utf-8", errors="backslashreplace")
        else:
            _replace(path, text)
    except OSError as error:
        raise _cannot_write(output, error) from None


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
