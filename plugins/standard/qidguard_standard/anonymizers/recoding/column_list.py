"""Lists of columns, and numbers by column, written as one text: ``age, sex`` or ``age=5, income=1000``."""

import json
from collections.abc import Mapping, Sequence

from qidguard.sdk import NotMeasurable, UserError


def column_list(parameter: str, text: str) -> tuple[str, ...]:
    """Return the columns that a parameter names."""
    if text.strip().startswith("["):
        columns = _json(parameter, text)
        if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
            raise UserError(f"parameter {parameter!r} must be a list of column names; write them in quotes")
        return tuple(dict.fromkeys(columns))
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def numbers_by_column(parameter: str, text: str) -> dict[str, str]:
    """Return what a parameter says of each column, as text."""
    if text.strip().startswith("{"):
        numbers = _json(parameter, text)
        if not isinstance(numbers, dict):
            raise UserError(f"parameter {parameter!r} must be an object of column and number")
        return {name: str(value) for name, value in numbers.items()}
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
    """Raise NotMeasurable when a parameter names a column that may not be changed."""
    for name in names:
        if name not in allowed:
            raise NotMeasurable(
                f"parameter {parameter!r} names {name!r}, which is none of the columns it may change;"
                f" name some of {', '.join(map(repr, allowed)) or 'none'}"
            )


def _json(parameter: str, text: str) -> object:
    try:
        parsed: object = json.loads(text)
    except ValueError as error:
        raise UserError(f"parameter {parameter!r} is no valid JSON ({error}); mend it") from None
    return parsed
