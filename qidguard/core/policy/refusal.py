"""How a validator refuses a value: one phrase that follows the field's path, and what to write instead."""

from collections.abc import Callable, Mapping

from pydantic_core import PydanticCustomError

from qidguard.core.policy.spelling import did_you_mean

LONGEST_SHOWN = 40
"""Characters of an offending value that an error repeats."""

LARGEST_NUMBER = 1e15
"""No count of persons and no share comes near it, and every whole number below is exact as a float."""


def refusal(sentence: str, *, remedy: str = "", at: int | str | None = None) -> PydanticCustomError:
    """Return the error that a validator raises; the field's path is put in front of it later.

    Args:
        sentence: What is wrong, beginning with a verb: ``must be text, not 5``.
        remedy: What to write; empty where an example of the field says it.
        at: Position in the list, or key, where the fault lies.

    Returns:
        The error to raise.

    Units:
        None.

    Raises:
        TypeError: when ``sentence`` is not text.

    Example:
        >>> str(refusal("must be text, not 5"))
        'must be text, not 5'
    """
    return PydanticCustomError("refused", "{sentence}", {"sentence": sentence, "remedy": remedy, "at": at})


def shown(value: object) -> str:
    """Return an offending value as an error repeats it: in YAML's words, and short.

    Args:
        value: Anything that a policy held.

    Returns:
        Text of at most some 50 characters.

    Units:
        None; text.

    Raises:
        TypeError: when the value cannot be printed.

    Example:
        >>> shown(True), shown("five"), shown(["a"]), shown(None)
        ('true', "'five'", 'a list', 'empty')
    """
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
        return "a huge number"
    text = repr(value) if isinstance(value, (str, float)) else str(value)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def choice(*allowed: str) -> Callable[[object], str]:
    """Return a validator that lets only some words through.

    Args:
        allowed: The words.

    Returns:
        A validator for pydantic.

    Units:
        None.

    Raises:
        TypeError: when a word is not text; the validator itself raises a refusal.

    Example:
        >>> choice("csv", "parquet")("csv")
        'csv'
    """

    def validate(value: object) -> str:
        if value not in allowed:
            words = ", ".join(allowed[:-1]) + f" or {allowed[-1]}" if len(allowed) > 1 else allowed[0]
            hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
            remedy = hint if hint.startswith("did") else ""
            raise refusal(f"must be {words}, not {shown(value)}", remedy=remedy)
        return str(value)

    return validate
