"""Codebooks: labels of columns from CSV, DDI, Stata and SPSS files.

The layout is that of the PSPP developer's guide, "System File Format": a header of 176 bytes, then records
that begin with their type, until type 999. Only the data that follow are ever compressed.
"""

import codecs
import csv
import hashlib
import struct
from dataclasses import replace
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING
from xml.parsers import expat

from qidguard.core.codebook import Codebook
from qidguard.core.errors import UserError

if TYPE_CHECKING:
    from pandas.io.stata import StataReader


def stata_labels(content: bytes) -> Codebook:
    """Return the labels of the variables that have one, and which have labels of values."""
    from pandas.io.stata import StataReader

    try:
        with StataReader(BytesIO(content)) as reader:
            labels = reader.variable_labels()
            coded = _coded(reader)
    except struct.error:
        raise ValueError("it is no Stata file") from None
    return Codebook(
        labels={name: label.strip() for name, label in labels.items() if label.strip()}, coded=coded
    )


def _coded(reader: "StataReader") -> frozenset[str]:
    """Return the variables whose values have labels: pandas reads them as categories."""
    if not reader.value_labels():
        return frozenset()
    try:
        first = reader.read(nrows=1, convert_categoricals=True)
    except ValueError:  # two values have one label; then nothing is known
        return frozenset()
    return frozenset(str(name) for name in first.columns if first[name].dtype == "category")


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


_VARIABLES = {"var", "variable"}
_LABEL_TAGS = {"labl", "label"}
_QUESTIONS = {"qstnlit"}
_NAME_TAGS = {"variablename"}
_CODED = {"catgry", "coderepresentation"}
_NOT_OF_THE_VARIABLE = {"catgry", "catgrygrp", "category", "code", "representation", "variablerepresentation"}


def markup_labels(content: bytes) -> Codebook:
    """Return the labels of a DDI file; the question stands in where a variable has no label."""
    reader = _MarkupReader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.EntityDeclHandler = _refuse_entity
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise ValueError(f"it is no XML ({error})") from error
    return Codebook(labels=reader.labels, coded=frozenset(reader.coded))


def _refuse_entity(*_: object) -> None:
    raise ValueError("it declares entities, which no codebook needs; remove them")


class _MarkupReader:
    """What is open while a file is read, and the labels found so far."""

    def __init__(self) -> None:
        self.labels: dict[str, str] = {}
        self.coded: set[str] = set()
        self._is_coded = False
        self._open: list[str] = []
        self._name = self._label = self._question = ""

    def start(self, element: str, attributes: dict[str, str]) -> None:
        """Open an element; a variable of version 2 has its name as an attribute."""
        local = element.rpartition(" ")[2].casefold()
        self._open.append(local)
        if local in _VARIABLES:
            self._name, self._label, self._question = attributes.get("name", ""), "", ""
            self._is_coded = False
        elif local in _CODED:
            self._is_coded = True

    def text(self, data: str) -> None:
        """Take text for what is open."""
        within = set(self._open)
        if not within & _VARIABLES or within & _NOT_OF_THE_VARIABLE:
            return
        if within & _LABEL_TAGS:
            self._label += data
        elif within & _QUESTIONS:
            self._question += data
        elif within & _NAME_TAGS:
            self._name += data

    def end(self, element: str) -> None:
        """Close an element; a variable that has a name and a label is kept."""
        self._open.pop()
        if element.rpartition(" ")[2].casefold() in _VARIABLES:
            label = " ".join((self._label.strip() or self._question).split())
            if self._name.strip() and label:
                self.labels.setdefault(self._name.strip(), label)
            if self._name.strip() and self._is_coded:
                self.coded.add(self._name.strip())


_DELIMITERS = ",;\t|"
_NAMES = (
    "name",
    "variable",
    "variable_name",
    "column",
    "column_name",
    "field",
    "field_name",
    "var",
    "varname",
)
_LABELS = (
    "label",
    "variable_label",
    "description",
    "question",
    "question_text",
    "title",
    "meaning",
    "definition",
)


def delimited_labels(content: bytes) -> Codebook:
    """Return the labels of a CSV, whose delimiter is the one that its first line has most of."""
    text = content.decode("utf-8-sig")
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    rows = [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if any(map(str.strip, row))]
    if not rows:
        return Codebook(labels={})
    header = [field.strip().casefold().replace(" ", "_") for field in rows[0]]
    at_name, at_label = _place(header, _NAMES), _place(header, _LABELS)
    if at_name is None or at_label is None:
        at_name, at_label = 0, 1
    else:
        rows = rows[1:]
    labels: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        if len(row) <= max(at_name, at_label):
            raise ValueError(f"its entry {number} has no label; give each line a name and a label")
        name, label = row[at_name].strip(), row[at_label].strip()
        if labels.setdefault(name, label) != label:
            # the table itself, given for its codebook, has values where names would stand
            raise ValueError(f"its entry {number} gives a name another label than one before it; keep one")
    return Codebook(labels=labels)


def _place(header: list[str], words: tuple[str, ...]) -> int | None:
    return next((header.index(word) for word in words if word in header), None)


_READERS = {
    ".csv": delimited_labels,
    ".tsv": delimited_labels,
    ".txt": delimited_labels,
    ".xml": markup_labels,
    ".dta": stata_labels,
    ".sav": spss_labels,
    ".zsav": spss_labels,
}


def read_codebook(path: "str | PathLike[str]") -> Codebook:
    r"""Return the labels of columns that a file holds.

    Args:
        path: A CSV of names and labels (with a header such as ``name,label``, or two columns without), a DDI
            codebook (XML, version 2 or 3), or a Stata (``.dta``) or SPSS (``.sav``, ``.zsav``) file, of which
            only the labels are read. Files of SAS and the older SPSS ``.por`` are not read: write their
            labels as a CSV.

    Returns:
        The codebook.

    Raises:
        UserError: When there is no such file, its kind is not known, it cannot be read, it has no label, or
            one name has two labels.

    Example:
        >>> from tempfile import mkdtemp
        >>> file = Path(mkdtemp()) / "labels.csv"
        >>> _ = file.write_text("name,label\nv012,Age of respondent\n")
        >>> read_codebook(file).label("v012")
        'Age of respondent'
    """
    file = Path(path)
    reader = _READERS.get(file.suffix.casefold())
    if reader is None:
        raise UserError(
            f"A codebook is a .csv, .tsv, .xml (DDI), .dta or .sav file, and {file.name!r} is none; "
            "write its names and labels as a CSV."
        )
    try:
        # read once: the digest is of the very bytes that the labels come from
        content = file.read_bytes()
        book: Codebook = reader(content)
    except OSError as error:
        raise UserError(f"The codebook {file.name!r} cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise UserError(f"The codebook {file.name!r} cannot be read: {error}.") from error
    if not book.labels:
        raise UserError(f"The codebook {file.name!r} has no label of a column; give one that has.")
    return replace(book, sha256=hashlib.sha256(content).hexdigest())


__all__ = ["read_codebook"]
