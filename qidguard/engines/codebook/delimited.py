"""Labels from a CSV of names and labels."""

import csv

from qidguard.core.codebook import Codebook

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
            raise ValueError(f"it gives {name!r} two labels; keep one")
    return Codebook(labels=labels)


def _place(header: list[str], words: tuple[str, ...]) -> int | None:
    return next((header.index(word) for word in words if word in header), None)
