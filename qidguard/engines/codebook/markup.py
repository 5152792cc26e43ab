"""Labels from a DDI codebook: version 2 (``var``, ``labl``) and version 3 (``Variable``, ``Label``)."""

from xml.parsers import expat

from qidguard.core.codebook import Codebook

_VARIABLES = {"var", "variable"}
_LABELS = {"labl", "label"}
_QUESTIONS = {"qstnlit"}
_NAMES = {"variablename"}
_CODED = {"catgry", "coderepresentation"}
_NOT_OF_THE_VARIABLE = {"catgry", "catgrygrp", "category", "code", "representation", "variablerepresentation"}


def markup_labels(content: bytes) -> Codebook:
    """Return the labels of a DDI file; the question stands in where a variable has no label."""
    reader = _Reader()
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


class _Reader:
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
        if within & _LABELS:
            self._label += data
        elif within & _QUESTIONS:
            self._question += data
        elif within & _NAMES:
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
