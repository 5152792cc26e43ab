"""Labels from the dictionary of an SPSS system file (``.sav``, ``.zsav``); its records are not read.

The layout is that of the PSPP developer's guide, "System File Format": a header of 176 bytes, then records
that begin with their type, until type 999. Only the data that follow are ever compressed.
"""

import codecs
import struct

from qidguard.core.codebook import Codebook

_HEADER_BYTES, _LAYOUT_AT = 176, 64
_VARIABLE, _VALUE_LABELS, _VALUE_VARIABLES, _DOCUMENT, _EXTENSION, _END = 2, 3, 4, 6, 7, 999
_LONG_NAMES, _ENCODING = 13, 20
_LINE_BYTES = 80
_MOST_BYTES = 1 << 26


def spss_labels(content: bytes) -> Codebook:
    """Return the labels of the variables, by their long names, and which have labels of values."""
    content = content[:_MOST_BYTES]
    if content[:4] not in {b"$FL2", b"$FL3"}:
        raise ValueError("it is no SPSS system file")
    order = "<" if struct.unpack_from("<i", content, _LAYOUT_AT)[0] in {2, 3} else ">"
    try:
        dictionary = _Dictionary(content, order)
        labels, long_names, encoding = dictionary.read()
    except struct.error:
        raise ValueError("its dictionary ends before its last record") from None
    texts = {short.decode(encoding, "replace").strip(): label for short, label in labels.items()}
    names = dict(
        pair.split("=", 1) for pair in long_names.decode(encoding, "replace").split("\t") if "=" in pair
    )
    coded = (short.decode(encoding, "replace").strip() for short in dictionary.coded)
    return Codebook(
        labels={
            names.get(short, short): text
            for short, label in texts.items()
            if (text := label.decode(encoding, "replace").strip())
        },
        coded=frozenset(names.get(short, short) for short in coded),
    )


class _Dictionary:
    """The records of a dictionary, read one after the other."""

    def __init__(self, content: bytes, order: str) -> None:
        self._content, self._order, self._at = content, order, _HEADER_BYTES
        self._labels: dict[bytes, bytes] = {}
        self._long_names, self._encoding = b"", "utf-8"
        self._places: list[bytes] = []
        self.coded: set[bytes] = set()

    def read(self) -> tuple[dict[bytes, bytes], bytes, str]:
        """Return short name → label, the long names as they stand, and the encoding."""
        while (record := self._number()) != _END:
            if record == _VARIABLE:
                self._variable()
            elif record == _VALUE_LABELS:
                for _ in range(self._number()):
                    self._bytes(8)
                    length = self._bytes(1)[0]
                    self._bytes(length + (-(length + 1)) % 8)
            elif record == _VALUE_VARIABLES:
                for _ in range(self._number()):
                    place = self._number()  # counted from 1, in records of 8 bytes
                    if 1 <= place <= len(self._places):
                        self.coded.add(self._places[place - 1])
            elif record == _DOCUMENT:
                self._bytes(_LINE_BYTES * self._number())
            elif record == _EXTENSION:
                self._extension()
            else:
                raise ValueError(f"its dictionary has a record of the unknown type {record}")
        return self._labels, self._long_names, self._encoding

    def _variable(self) -> None:
        kind, has_label, missing, _, _ = (self._number() for _ in range(5))
        name = self._bytes(8)
        label = b""
        if has_label:
            length = self._number()
            label = self._bytes(length)
            self._bytes(-length % 4)
        self._bytes(8 * abs(missing))
        self._places.append(name)
        if kind >= 0 and label:  # a long text goes on in further records of kind -1
            self._labels[name] = label

    def _extension(self) -> None:
        kind, size, count = (self._number() for _ in range(3))
        data = self._bytes(size * count)
        if kind == _LONG_NAMES:
            self._long_names = data
        elif kind == _ENCODING:
            try:
                self._encoding = codecs.lookup(data.decode("ascii")).name
            except (LookupError, UnicodeDecodeError):
                self._encoding = "utf-8"

    def _number(self) -> int:
        (number,) = struct.unpack(f"{self._order}i", self._bytes(4))
        return int(number)

    def _bytes(self, count: int) -> bytes:
        found = self._content[self._at : self._at + count]
        if count < 0 or len(found) < count:
            raise struct.error
        self._at += count
        return found
