"""Files that pandas read, which may have made other values of theirs: they are read again as they are."""

from collections.abc import Mapping
from os import PathLike
from typing import Any

from qidguard.sdk import DataError, ReadOptions, shown_address

_OF_TEXT = frozenset({"read_csv", "read_table"})
_INFERRING = frozenset({"read_excel", "read_fwf", "read_html", "read_json", "read_xml", "read_clipboard"})
"""Readers that find out the types of values, so that 01067 and 1067 may be one number and NA a gap."""

_OF_VALUES = frozenset(
    {"dtype", "dtype_backend", "converters", "true_values", "false_values", "na_values", "keep_default_na"}
    | {"na_filter", "parse_dates", "date_format", "dayfirst", "cache_dates", "thousands", "decimal"}
    | {"float_precision", "engine", "low_memory", "memory_map", "compression", "storage_options", "verbose"}
)
"""Options that change no record; what values mean is the policy's business."""

_USUAL: Mapping[str, object] = {
    "index_col": False,
    "skip_blank_lines": True,
    "doublequote": True,
    "quoting": 0,
    "on_bad_lines": "error",
    "encoding_errors": "strict",
}
"""What an option may say that has no other meaning here."""

_PLACES = ("path", "filepath_or_buffer", "path_or_buf", "io")
_TEXTS = frozenset({"str", "string", "object", "str[python]", "string[python]", "string[pyarrow]"})


def file_of(spec: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, ReadOptions] | None:
    """Return the file of a batch of pandas and how it is read, or None where the frame holds its own values.

    Raises:
        DataError: When types were found out while the file was read, and it cannot be read another way.

    Example:
        >>> file_of({"reader_method": "read_csv", "path": "t.csv", "reader_options": {"sep": ";"}}, ())[0]
        't.csv'
        >>> file_of({"batch_data": "a frame"}, ()) is None
        True
    """
    method = spec.get("reader_method") or ""
    method = method if method.startswith("read_") else f"read_{method}"
    options = spec.get("reader_options") or {}
    given = {name: value for name, value in options.items() if value is not None or name == "header"}
    place = next((place for name in _PLACES if (place := spec.get(name) or given.pop(name, None))), None)
    place = str(place) if isinstance(place, PathLike) else place
    if method == "read_parquet" and isinstance(place, str) and not set(given) - _OF_VALUES:
        return place, ReadOptions(format="parquet")
    if method not in _OF_TEXT | _INFERRING or _keeps_texts(given, names):
        return None
    read = _as_read(method, given) if method in _OF_TEXT and not spec.get("partitioner_method") else None
    if read is None or not isinstance(place, str):
        raise DataError(
            f"The data source reads {shown_address(str(place))!r} by {method}, which may make one value of"
            " several (01067 and 1067, NA and None), and with options that cannot be followed here; leave out"
            " all but sep, header, names, encoding, quotechar and skiprows, or give every column the dtype"
            " str and keep_default_na=False."
        )
    return place, read


def _keeps_texts(given: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    """Whether every value is kept as it is written."""
    if given.get("dtype") is False:  # of JSON
        return given.get("convert_dates") is False
    dtype = given.get("dtype")
    kinds = {name: str(kind) for name, kind in dtype.items()} if isinstance(dtype, Mapping) else {}
    return given.get("keep_default_na") is False and all(kinds.get(name) in _TEXTS for name in names)


def _as_read(method: str, given: Mapping[str, Any]) -> ReadOptions | None:
    """Return options of pandas as ours; None where one of them is not known to choose the same records."""
    left = {name: value for name, value in given.items() if name not in _OF_VALUES}
    delimiter = left.pop("sep", None) or left.pop("delimiter", None)
    if method == "read_table" and delimiter is None:
        delimiter = "\t"
    if delimiter in {r"\s+", " +"} or left.pop("delim_whitespace", False):
        delimiter = "whitespace"
    columns = left.pop("names", None)
    header = left.pop("header", "infer" if columns is None else None)
    skipped = left.pop("skiprows", 0)
    read = ReadOptions(
        format="csv",
        delimiter=delimiter,
        quote=left.pop("quotechar", None),
        has_header={"infer": None, 0: True}.get(header, False),
        columns=None if columns is None else tuple(columns),
        encoding=left.pop("encoding", None),
        skip_lines=skipped or None,
    )
    is_usual = all(name in _USUAL and _USUAL[name] == value for name, value in left.items())
    is_known = isinstance(skipped, int) and len(delimiter or ",") in {1, len("whitespace")}
    # columns without a name are numbers in pandas, and names beside a header take its place
    is_named = header in {"infer", 0} if columns is None else header is None
    return read if is_usual and is_known and is_named else None
