"""The standard streams of the command: what cannot be written there is said by its cause."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from qidguard.core.errors import UserError
from qidguard.core.system import why

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


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
