"""What the options of ``qidguard discover`` say, as values."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path

from qidguard.core.errors import UserError
from qidguard.core.parameter import ParameterValue
from qidguard.interfaces.reading import listed_names

_WORDS: dict[str, ParameterValue] = {"true": True, "false": False}


def weights(pairs: Iterable[str], option: str) -> dict[str, float]:
    """Return metric → weight.

    Args:
        pairs: Texts such as ``distinction=5``.
        option: The option they were given to, for errors.

    Returns:
        The weights, in their order.

    Units:
        Weights have the reciprocal units of their metrics.

    Raises:
        UserError: When a text is no pair, a weight is no finite number, or a metric stands twice.

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

    Args:
        text: A name, or ``metric=weight`` with commas between.

    Returns:
        What ``qidguard.discover`` takes.

    Raises:
        UserError: When a weight is wrong.

    Example:
        >>> objective("recognition"), objective("distinction=5,separation=.5")
        ('recognition', {'distinction': 5.0, 'separation': 0.5})
    """
    if text is None or "=" not in text:
        return text
    return weights(text.split(","), "--objective")


def parameters(pairs: Iterable[str]) -> dict[str, ParameterValue] | None:
    """Return the strategy's parameters: numbers, true, false, and all else as text.

    Args:
        pairs: Texts such as ``population=50``.

    Returns:
        Parameter → value; None where nothing was given.

    Raises:
        UserError: When a text is no pair, or a parameter stands twice.

    Example:
        >>> parameters(["population=50", "mutation=.2", "adaptive=true", "objectives=pareto"])
        {'population': 50, 'mutation': 0.2, 'adaptive': True, 'objectives': 'pareto'}
    """
    found = {name: _value(text) for name, text in _pairs(pairs, "--set", "parameter=value")}
    return found or None


def truth(text: str | None) -> tuple[str, ...] | None:
    """Return the true quasi-identifiers.

    Args:
        text: Columns with commas between, a file with one column a line, or a policy that names them.

    Returns:
        The columns; None where nothing was given.

    Raises:
        UserError: When a file cannot be read, or names no column.
        PolicyError: When a policy is not valid.

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
        from qidguard.core.policy import load_policy

        named = load_policy(path).roles.qids
    else:
        named = _lines(path, text)
    if not named:
        raise UserError(f"--truth: {text!r} names no column; write one a line")
    return named


def columns(text: str | None, option: str) -> tuple[str, ...] | None:
    """Return columns, or None where nothing was given.

    Args:
        text: Columns with commas between.
        option: The option, for errors.

    Raises:
        UserError: When a name is empty.

    Example:
        >>> columns(None, "--candidates") is None
        True
    """
    return None if text is None else listed_names(text, option)


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


def _value(text: str) -> ParameterValue:
    if text in _WORDS:
        return _WORDS[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
