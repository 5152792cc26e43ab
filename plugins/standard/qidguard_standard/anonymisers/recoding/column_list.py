"""Lists of columns, and numbers by column, written as one text: ``age, sex`` or ``age=5, income=1000``."""

import json
from collections.abc import Mapping, Sequence

from qidguard import NotMeasurable, UserError


def column_list(parameter: str, text: str) -> tuple[str, ...]:
    """Return the columns that a parameter names.

    Args:
        parameter: The parameter's name, for errors.
        text: Names between commas; a JSON list of names where a name holds a comma.

    Returns:
        The names in their order, each once; none for an empty text.

    Units:
        None.

    Raises:
        UserError: When a JSON list is broken or holds anything but texts.

    Example:
        >>> column_list("columns", "age, sex"), column_list("columns", '["a, b"]')
        (('age', 'sex'), ('a, b',))
    """
    if text.strip().startswith("["):
        found = _json(parameter, text)
        if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
            raise UserError(f"parameter {parameter!r} must be a list of column names; write them in quotes")
        return tuple(dict.fromkeys(found))
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def numbers_by_column(parameter: str, text: str) -> dict[str, str]:
    """Return what a parameter says of each column, as text.

    Args:
        parameter: The parameter's name, for errors.
        text: ``column=number`` between commas; a JSON object where a name holds a comma or ``=``.

    Returns:
        Column → what stands behind it.

    Units:
        Those of the parameter.

    Raises:
        UserError: When a part has no ``=``, a column stands twice or a JSON object is broken.

    Example:
        >>> numbers_by_column("base", "age=5, income=1e3")
        {'age': '5', 'income': '1e3'}
    """
    if text.strip().startswith("{"):
        found = _json(parameter, text)
        if not isinstance(found, dict):
            raise UserError(f"parameter {parameter!r} must be an object of column and number")
        return {name: str(value) for name, value in found.items()}
    parts: dict[str, str] = {}
    for part in (one.strip() for one in text.split(",")):
        if not part:
            continue
        name, sign, value = part.rpartition("=")
        if not sign or not name.strip() or not value.strip():
            raise UserError(f"parameter {parameter!r} must read column=number, not {part!r}")
        if name.strip() in parts:
            raise UserError(f"parameter {parameter!r} names {name.strip()!r} twice; leave one out")
        parts[name.strip()] = value.strip()
    return parts


def check_columns(
    parameter: str, names: Sequence[str] | Mapping[str, object], allowed: Sequence[str]
) -> None:
    """Raise NotMeasurable when a parameter names a column that may not be changed.

    Args:
        parameter: The parameter's name.
        names: The columns it names.
        allowed: The columns that may be named.

    Units:
        None.

    Raises:
        NotMeasurable: For the first column that is not among them.

    Example:
        >>> check_columns("columns", ["age"], ["age", "sex"])
    """
    for name in names:
        if name not in allowed:
            raise NotMeasurable(
                f"parameter {parameter!r} names {name!r}, which is none of the columns it may change;"
                f" name some of {', '.join(map(repr, allowed)) or 'none'}"
            )


def _json(parameter: str, text: str) -> object:
    try:
        found: object = json.loads(text)
    except ValueError as error:
        raise UserError(f"parameter {parameter!r} is no valid JSON ({error}); mend it") from None
    return found
