"""What the options of ``qidguard discover`` say, as values."""

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from qidguard.core.errors import UserError
from qidguard.interfaces.reading import listed_names


def weights(pairs: Iterable[str], option: str) -> dict[str, float]:
    """Return metric → weight.

    Example:
        >>> weights(["distinction=5", "separation = .5"], "--weight")
        {'distinction': 5.0, 'separation': 0.5}
    """
    found: dict[str, float] = {}
    for name, value in _pairs(pairs, option, "metric=weight, such as distinction=5"):
        try:
            found[name] = float(value)
        except ValueError:
            raise UserError(f"{option}: the weight of {name!r} must be a number, not {value!r}") from None
        if not math.isfinite(found[name]):
            raise UserError(f"{option}: the weight of {name!r} must be finite, not {value!r}")
    return found


def objective(text: str | None) -> str | Mapping[str, float] | None:
    """Return an objective's name, or the metrics with their weights that it is made of.

    Example:
        >>> objective("recognition"), objective("distinction=5,separation=.5")
        ('recognition', {'distinction': 5.0, 'separation': 0.5})
    """
    if text is None or "=" not in text:
        return text
    return weights(text.split(","), "--objective")


def truth(text: str | None) -> tuple[str, ...] | None:
    """Return the true quasi-identifiers.

    Example:
        >>> truth("age, sex")
        ('age', 'sex')
    """
    if text is None:
        return None
    path = Path(text)
    try:
        is_file = path.is_file()
    except (OSError, ValueError):  # a list of names may be longer than a path can be
        is_file = False
    if not is_file:
        return listed_names(text, "--truth")
    if path.suffix in {".yaml", ".yml"}:
        from qidguard.policy import load_policy

        named = load_policy(path).roles.qids
    else:
        named = _lines(path, text)
    if not named:
        raise UserError(f"--truth: {text!r} names no column; write one a line")
    return named


def columns(text: str | None, option: str) -> tuple[str, ...] | None:
    """Return columns, or None where nothing was given.

    Example:
        >>> columns(None, "--candidates") is None
        True
    """
    return None if text is None else listed_names(text, option)


def sensitive(text: str | None) -> tuple[str, ...]:
    """Return the sensitive columns, none where nothing was given."""
    return columns(text, "--sensitive") or ()


def read(reader: Callable[..., Any], *more: Any) -> Callable[..., Any]:
    """Return the callback of an option whose text a function reads."""
    return lambda _context, _option, text: reader(text, *more)


def _lines(path: Path, text: str) -> tuple[str, ...]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise UserError(f"--truth: {text!r} cannot be read as UTF-8 text; write one column a line") from None
    return tuple(line.strip() for line in lines if line.strip())


def _pairs(pairs: Iterable[str], option: str, form: str) -> Iterable[tuple[str, str]]:
    seen = set()
    for pair in pairs:
        name, sign, value = (part.strip() for part in pair.partition("="))
        if not (name and sign and value):
            raise UserError(f"{option} takes {form}; not {pair!r}")
        if name in seen:
            raise UserError(f"{option}: {name!r} is given twice; keep one of them")
        seen.add(name)
        yield name, value
