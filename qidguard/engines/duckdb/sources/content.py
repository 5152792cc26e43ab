"""The text of a file: its encoding and compression, as a sample or as a plain UTF-8 file."""

import codecs
import gzip
import shutil
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from qidguard.core.errors import DataError, UserError

_CHUNK = 1 << 22
_GZIP = b"\x1f\x8b"
_WIDE_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_HEAD = 1 << 16
_BINARY_MARKS = {
    b"PAR1": ("a Parquet file", "set `format: parquet`"),
    b"PK\x03\x04": ("an Excel workbook or a zip archive", "export the table as CSV"),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("an old Excel workbook", "export the table as CSV"),
    b"SQLite format 3\0": ("an SQLite database", "export the table as CSV"),
    b"ARROW1": ("an Arrow file", "convert it to Parquet"),
    b"BZh": ("a bzip2 archive", "unpack it"),
    b"\xfd7zXZ\0": ("an xz archive", "unpack it"),
    b"\x28\xb5\x2f\xfd": ("a zstd archive", "unpack it"),
    _GZIP: ("a gzip archive", "unpack it"),
    b"%PDF-": ("a PDF document", "name a text file"),
    b"\x89PNG\r\n\x1a\n": ("a PNG image", "name a text file"),
    b"\xff\xd8\xff": ("a JPEG image", "name a text file"),
    b"GIF87a": ("a GIF image", "name a text file"),
    b"GIF89a": ("a GIF image", "name a text file"),
    b"\x7fELF": ("a program", "name a text file"),
}
_DUCKDB = b"DUCK"


@dataclass(frozen=True, kw_only=True)
class TextContent:
    """A text file to be read.

    Args:
        path: The file.
        label: Its name in messages.
        skipped: Lines at its beginning that are no part of the table.
        encoding: Python's canonical name of its encoding.
        is_compressed: Whether it is a gzip file.
        is_cut: Whether it is only the beginning of the text.
    """

    path: Path
    label: str
    encoding: str
    is_compressed: bool
    is_cut: bool = False
    skipped: int = 0

    @property
    def is_plain(self) -> bool:
        """Whether the file itself is UTF-8 text already."""
        return self.encoding == "utf-8" and not self.is_compressed


@dataclass(frozen=True, kw_only=True)
class TextSample:
    """The beginning of a text.

    Args:
        text: Whole lines, without a byte order mark.
        is_whole: Whether it is the whole text.
    """

    text: str
    is_whole: bool


def look_at(path: Path, label: str, encoding: str | None) -> TextContent:
    """Return how the text of a file is stored.

    Example:
        >>> look_at(Path("nothing.csv"), "nothing.csv", "klingon")
        Traceback (most recent call last):
        ...
        qidguard.core.errors.UserError: The encoding 'klingon' is not known; name one such as 'latin-1'.
    """
    name = _canonical(encoding)
    with path.open("rb") as file:
        head = file.read(16)
    if not head:
        raise DataError(f"The file {label!r} is empty; nothing can be measured.")
    is_compressed = head.startswith(_GZIP)
    if is_compressed:
        head = _unpacked_head(path)
    _check_text(head, label, inside=" inside of gzip" if is_compressed else "")
    if not is_compressed:
        wide = _WIDE_MARKS.get(head[:2])
        if wide and name == "utf-8":
            raise DataError(
                f"The file {label!r} begins with a UTF-16 mark and is no UTF-8; set `encoding: utf-16`."
            )
        if name == "utf-16" and not wide:
            raise DataError(
                f"The file {label!r} does not begin with a UTF-16 mark, so it is not read as UTF-16; correct"
                " `encoding:`."
            )
    return TextContent(path=path, label=label, encoding=name, is_compressed=is_compressed)


def _check_text(head: bytes, label: str, inside: str) -> None:
    """Check that the first bytes are not those of a known binary format."""
    binary = next((known for mark, known in _BINARY_MARKS.items() if head.startswith(mark)), None)
    if head[8:12] == _DUCKDB and b"\0" in head:
        binary = ("a DuckDB database", "set `format: duckdb`")
    if binary:
        kind, remedy = binary
        raise DataError(
            f"The file {label!r} is read as CSV and is {kind}{inside}, which is binary; {remedy}."
        )


def _unpacked_head(path: Path) -> bytes:
    try:
        with gzip.open(path, "rb") as file:
            return file.read(16)
    except (OSError, EOFError, zlib.error):
        # whatever is wrong is said when the text is read
        return b""


def read_sample(content: TextContent, size: int) -> TextSample:
    """Return whole lines from the beginning of a text: ``size`` bytes, or more until there is a line."""
    parts: list[str] = []
    length = 0
    is_whole = not content.is_cut
    for part in _decoded(content, min(_CHUNK, size)):
        parts.append(part)
        length += len(part)
        if length >= size and ("\n" in part or "\r" in part):
            is_whole = False
            break
    text = "".join(parts).removeprefix("\ufeff")
    if not is_whole:
        end = max(text.rfind("\n"), text.rfind("\r", 0, -1)) + 1
        text = text[:end]
    lines = text.split("\n", content.skipped)
    if len(lines) <= content.skipped and is_whole:
        raise DataError(
            f"`skip_lines:` leaves out {content.skipped} lines, and {content.label!r} has no more; correct"
            " it."
        )
    return TextSample(text=lines[content.skipped] if len(lines) > content.skipped else "", is_whole=is_whole)


def to_plain(content: TextContent, new_path: Callable[[str], Path]) -> Path:
    """Return the path of the text as plain UTF-8: the file itself, or a copy at ``new_path(suffix)``."""
    if content.is_plain:
        return content.path
    target = new_path(".csv")
    try:
        with target.open("wb") as file:
            for part in _decoded(content, _CHUNK):
                file.write(part.encode())
    except UnicodeEncodeError:
        raise _undecodable(content, None) from None
    except OSError as error:
        raise DataError(
            f"The file {content.label!r} cannot be copied to UTF-8 ({error.strerror or 'unknown reason'});"
            " convert it"
            " beforehand."
        ) from error
    return target


def without_lines(source: Path, target: Path, lines: int) -> None:
    """Copy a plain text without the lines at its beginning, and without a byte order mark."""
    with source.open("rb") as read, target.open("wb") as write:
        for _ in range(lines):
            read.readline()
        write.write(read.readline().removeprefix(codecs.BOM_UTF8))
        shutil.copyfileobj(read, write)


def check_utf8(
    data: bytes, decoder: codecs.IncrementalDecoder, offset: int, label: str, *, is_last: bool
) -> None:
    """Check one chunk of bytes that begins at ``offset``; DataError names the first byte that is no UTF-8."""
    pending = len(decoder.getstate()[0])
    try:
        decoder.decode(data, is_last)
    except UnicodeDecodeError as error:
        raise _not_utf8(label, "utf-8", offset - pending + error.start) from None


def _canonical(encoding: str | None) -> str:
    try:
        name = codecs.lookup("utf-8" if encoding is None else encoding).name
        "a".encode(name)  # a codec that is no text encoding refuses here
    except (LookupError, ValueError):
        raise UserError(f"The encoding {encoding!r} is not known; name one such as 'latin-1'.") from None
    return "utf-8" if name == "utf-8-sig" else name


def _decoded(content: TextContent, size: int) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(content.encoding)()
    offset = 0
    for data, is_last in _chunks(content, size):
        pending = len(decoder.getstate()[0])
        try:
            yield decoder.decode(data, is_last and not content.is_cut)
        except UnicodeDecodeError as error:
            raise _undecodable(content, offset - pending + error.start) from None
        except UnicodeError:
            raise _undecodable(content, None) from None
        offset += len(data)


def _chunks(content: TextContent, size: int) -> Iterator[tuple[bytes, bool]]:
    try:
        with _open(content) as file:
            data = file.read(size)
            while data:
                following = file.read(size)
                yield data, not following
                data = following
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise DataError(f"The gzip file {content.label!r} is damaged; compress it again.") from None


def _open(content: TextContent) -> BinaryIO:
    if content.is_compressed:
        return cast("BinaryIO", gzip.open(content.path, "rb"))
    return content.path.open("rb")


def _undecodable(content: TextContent, offset: int | None) -> DataError:
    if content.encoding == "utf-8" and b"\0" in next(_chunks(content, _HEAD), (b"", True))[0]:
        return DataError(
            f"The file {content.label!r} holds NUL characters, so it is a binary file or text in UTF-16; name"
            " a text file, or set `encoding: utf-16`."
        )
    return _not_utf8(content.label, content.encoding, offset)


def _not_utf8(label: str, encoding: str, offset: int | None) -> DataError:
    where = "" if offset is None else f" (byte {offset})"
    remedy = "set `encoding:`, for instance latin-1" if encoding == "utf-8" else "correct `encoding:`"
    return DataError(f"The file {label!r} is not valid {encoding.upper()}{where}; {remedy}.")
