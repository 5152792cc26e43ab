"""Codebooks: labels of columns from CSV, DDI, Stata and SPSS files."""

import hashlib
from dataclasses import replace
from os import PathLike
from pathlib import Path

from qidguard.core.codebook import Codebook
from qidguard.core.errors import UserError
from qidguard.engines.codebook.delimited import delimited_labels
from qidguard.engines.codebook.markup import markup_labels
from qidguard.engines.codebook.spss import spss_labels
from qidguard.engines.codebook.stata import stata_labels

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
