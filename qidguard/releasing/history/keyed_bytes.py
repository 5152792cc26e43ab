"""What is kept of a release, as bytes: keyed classes and columns, exactly, and nothing that is run when read.

The form, version 1: a magic of 16 bytes; the length of the header, 4 bytes, little-endian; the header, JSON,
with each array's type, shape, bytes and whether they are compressed by zlib; the arrays, row by row,
little-endian, in the header's order; a SHA-256 of all of that. Whole numbers take the narrowest type that
holds them. Hashes do not compress, so they are not: a person takes 16 bytes, a class 16 bytes, a person's
class 1 to 4.
"""

import json
import struct
import zlib
from collections.abc import Sequence
from hashlib import sha256
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qidguard.core.canonical import compact
from qidguard.core.errors import DataError, InternalError
from qidguard.core.versions import BUCKETS, PublishedColumn
from qidguard.engines.base import KeyedClasses

_MAGIC = b"qidguard-keyed\x00\x01"
_PREFIX = struct.Struct("<16sI")
_DIGEST = 32
_HASH = 16
_TYPES = {kind: np.dtype(kind) for kind in ("|u1", "<u2", "<u4", "<i8")}
_SAMPLE = 1 << 16
_PAYS_BELOW = 0.9


def classes_bytes(classes: KeyedClasses) -> bytes:
    """Return keyed classes as bytes.

    Args:
        classes: The persons and classes of one release.

    Returns:
        The bytes; equal classes may have other bytes under another version of zlib.

    Raises:
        InternalError: When the engine's arrays are not what ``KeyedClasses`` promises.

    Example:
        >>> one = np.zeros((1, 16), dtype=np.uint8)
        >>> classes = KeyedClasses(persons=one, classes={"default": one}, class_of={"default": np.array([0])})
        >>> classes_from(classes_bytes(classes)).class_of["default"].tolist()
        [0]
    """
    if fault := fault_of(classes):
        raise InternalError(f"The engine's keyed classes cannot be kept: {fault}.")
    arrays = [classes.persons]
    for name in classes.classes:
        arrays += [classes.classes[name], _narrow(classes.class_of[name])]
    return _packed("classes", list(classes.classes), arrays)


def classes_from(blob: bytes) -> KeyedClasses:
    """Return the keyed classes in ``blob``.

    Args:
        blob: What ``classes_bytes`` gave.

    Returns:
        The same classes.

    Raises:
        DataError: When the bytes are damaged, of another version, or of anything else.

    Example:
        >>> try:
        ...     classes_from(b"something else")
        ... except DataError as error:
        ...     print(str(error).partition(".")[0])
        What was kept of an earlier release cannot be used: it is cut short
    """
    names, (persons, *rest) = _unpacked(blob, "classes", lambda names: 1 + 2 * len(names))
    if not _is_unique(names):
        raise _damaged("its combinations are not named once each")
    classes = KeyedClasses(
        persons=persons,
        classes=dict(zip(names, rest[::2], strict=True)),
        class_of={name: row.astype(np.int64) for name, row in zip(names, rest[1::2], strict=True)},
    )
    if fault := fault_of(classes):
        raise _damaged(fault)
    return classes


def columns_bytes(columns: Sequence[PublishedColumn]) -> bytes:
    """Return published columns as bytes.

    Args:
        columns: The columns of one release, in their order.

    Returns:
        The bytes.

    Raises:
        InternalError: When the engine's columns are not what ``PublishedColumn`` promises.

    Example:
        >>> age = PublishedColumn(name="age", value_type="integer", buckets=np.ones(1025, dtype=np.int64))
        >>> [column.name for column in columns_from(columns_bytes([age]))]
        ['age']
    """
    if any(column.buckets.shape != (BUCKETS + 1,) or (column.buckets < 0).any() for column in columns):
        raise InternalError(
            f"The engine's keyed columns cannot be kept: one has not {BUCKETS + 1} counts ≥ 0."
        )
    if not _is_unique([column.name for column in columns]):
        raise InternalError("The engine's keyed columns cannot be kept: they are not named once each.")
    counts = np.array([column.buckets for column in columns], dtype=np.int64).reshape(-1, BUCKETS + 1)
    described = [[column.name, column.value_type] for column in columns]
    return _packed("columns", described, [_narrow(counts)])


def columns_from(blob: bytes) -> tuple[PublishedColumn, ...]:
    """Return the published columns in ``blob``.

    Args:
        blob: What ``columns_bytes`` gave.

    Returns:
        The same columns.

    Raises:
        DataError: When the bytes are damaged, of another version, or of anything else.

    Example:
        >>> columns_from(columns_bytes([]))
        ()
    """
    described, (counts,) = _unpacked(blob, "columns", lambda _: 1)
    if not all(isinstance(pair, list) and list(map(type, pair)) == [str, str] for pair in described):
        raise _damaged("its columns lack a name or a type")
    if not _is_unique([name for name, _ in described]):
        raise _damaged("its columns are not named once each")
    if counts.shape != (len(described), BUCKETS + 1) or (counts < 0).any():
        raise _damaged(f"its columns have not {BUCKETS + 1} counts each")
    return tuple(
        PublishedColumn(name=name, value_type=kind, buckets=row.astype(np.int64))
        for (name, kind), row in zip(described, counts, strict=True)
    )


def fault_of(classes: KeyedClasses) -> str:
    """Return what is wrong with keyed classes.

    Args:
        classes: The persons and classes of one release.

    Returns:
        A phrase; empty where all is as ``KeyedClasses`` promises.

    Example:
        >>> two = np.zeros((2, 16), dtype=np.uint8)
        >>> fault_of(KeyedClasses(persons=two, classes={}, class_of={}))
        'its persons are no ascending hashes of 16 bytes'
    """
    if not _is_ascending(classes.persons):
        return "its persons are no ascending hashes of 16 bytes"
    if not (classes.classes.keys() == classes.class_of.keys() and classes.classes):
        return "its combinations have not both classes and persons"
    for name, rows in classes.classes.items():
        if not _is_ascending(rows):
            return "its classes are no ascending hashes of 16 bytes"
        class_of = classes.class_of[name]
        if class_of.shape != (len(classes.persons),) or class_of.dtype != np.int64:
            return "its persons have not one class each"
        if len(class_of) and (class_of.min() < 0 or class_of.max() >= len(rows)):
            return "its persons are in classes that there are not"
    return ""


def as_texts(hashes: NDArray[np.uint8]) -> NDArray[np.bytes_]:
    """Return hashes of 16 bytes as comparable texts, shape (rows,).

    Texts are compared without their trailing zero bytes; of two that differ in 16 bytes that says the same.
    """
    return np.ascontiguousarray(hashes).view("S16").ravel()


def _is_ascending(rows: NDArray[Any]) -> bool:
    if rows.dtype != np.uint8 or rows.ndim != 2 or rows.shape[1] != _HASH:  # noqa: PLR2004 - rows of bytes
        return False
    keys = as_texts(rows)
    return bool((keys[1:] > keys[:-1]).all())


def _is_unique(names: Sequence[Any]) -> bool:
    return all(isinstance(name, str) for name in names) and len(set(names)) == len(names)


def _narrow(numbers: NDArray[np.int64]) -> NDArray[Any]:
    largest = int(numbers.max(initial=0))
    kind = (
        "|u1" if largest < 1 << 8 else "<u2" if largest < 1 << 16 else "<u4" if largest < 1 << 32 else "<i8"
    )
    return numbers.astype(kind)


def _packed(kind: str, described: Sequence[Any], arrays: Sequence[NDArray[Any]]) -> bytes:
    stored, headers = [], []
    for array in arrays:
        raw = array.tobytes()
        sample = raw[:_SAMPLE]
        is_compressed = len(zlib.compress(sample, 1)) < _PAYS_BELOW * len(sample)
        stored.append(zlib.compress(raw, 6) if is_compressed else raw)
        headers.append([array.dtype.str, list(array.shape), len(stored[-1]), is_compressed])
    header = compact({"arrays": headers, "describes": list(described), "kind": kind}).encode("ascii")
    content = b"".join([_PREFIX.pack(_MAGIC, len(header)), header, *stored])
    return content + sha256(content).digest()


def _unpacked(blob: bytes, kind: str, arrays_of: Any) -> tuple[list[Any], list[NDArray[Any]]]:
    if len(blob) < _PREFIX.size + _DIGEST:
        raise _damaged("it is cut short")
    content, digest = memoryview(blob)[:-_DIGEST], blob[-_DIGEST:]
    if sha256(content).digest() != digest:
        raise _damaged("its digest does not match")
    magic, length = _PREFIX.unpack_from(content)
    if magic != _MAGIC:
        raise _damaged("it is of another form or version")
    place = _PREFIX.size + length
    described, headers = _header(bytes(content[_PREFIX.size : place]), kind)
    if len(headers) != arrays_of(described):
        raise _damaged("it holds another number of arrays than it describes")
    arrays = []
    for header in headers:
        arrays.append(_array(header, content[place : place + header[2]]))
        place += header[2]
    if place != len(content):
        raise _damaged("it holds more or less than it describes")
    return described, arrays


def _header(text: bytes, kind: str) -> tuple[list[Any], list[Any]]:
    try:
        header = json.loads(text)
        is_ours = compact(header).encode("ascii") == text and header["kind"] == kind
        described, headers = header["describes"], header["arrays"]
        is_ours &= len(header) == 3 and isinstance(described, list)  # noqa: PLR2004 - kind, describes, arrays
        for dtype, shape, length, is_compressed in headers:
            is_ours &= dtype in _TYPES and isinstance(is_compressed, bool)
            is_ours &= all(type(number) is int and number >= 0 for number in [*shape, length])
    except (ValueError, KeyError, TypeError, RecursionError):
        is_ours = False
    if not is_ours:
        raise _damaged(f"its header describes no {kind}")
    return described, headers


def _array(header: Sequence[Any], stored: memoryview) -> NDArray[Any]:
    dtype, shape, length, is_compressed = header
    size = prod(shape) * _TYPES[dtype].itemsize
    raw: bytes | memoryview = stored
    if is_compressed:
        reader = zlib.decompressobj()
        try:
            raw = reader.decompress(stored, size + 1)
        except zlib.error:
            raise _damaged("an array does not decompress") from None
        if not reader.eof or reader.unused_data:
            raise _damaged("an array is compressed another way")
    if len(stored) != length or len(raw) != size:
        raise _damaged("an array has another size than it describes")
    return np.frombuffer(raw, dtype=_TYPES[dtype]).reshape(shape)


def _damaged(why: str) -> DataError:
    return DataError(
        f"What was kept of an earlier release cannot be used: {why}. Restore the ledger from a copy; "
        "without its earlier releases a table cannot be measured against them."
    )
