"""What a table of a lexicon's TOML must be, whoever wrote it, and the words that stand in it."""

from collections.abc import Collection
from difflib import get_close_matches
from typing import Any

from qidguard_standard.recognizers.lexicon.concepts import LANGUAGES

_TEXTS = ("title", "kind", "tier", "category", "topic", "note", "flag")
_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    **dict.fromkeys(_TEXTS, ((str,), "a text")),
    **dict.fromkeys(("anywhere", "weak"), ((bool,), "true or false")),
    **dict.fromkeys(("confidence", "least_share"), ((int, float), "a number")),
    **dict.fromkeys(("most_values", "fewest_values"), ((int,), "a whole number")),
}


def check_table(
    where: str, name: str, table: object, fields: Collection[str], known: Collection[str]
) -> None:
    """Refuse what is no table of a concept; one of words alone must be of a concept that is known.

    Raises:
        ValueError: When it is none; the sentence names the file, the concept and what to write.

    Example:
        >>> check_table("a.toml", "incom", {"en": ["gage"]}, ["en"], ["income_wealth", "income"])
        Traceback (most recent call last):
        ...
        ValueError: a.toml: there is no concept 'incom'; did you mean 'income'?
    """
    if not isinstance(table, dict):
        raise ValueError(f"{where}: {name!r} is no table of a concept; write [{name}]")  # noqa: TRY004 - what is wrong is a text
    if unknown := sorted(set(table) - set(fields)):
        raise ValueError(f"{where}: {name!r} has {unknown[0]!r}, which a concept has not; mend the file")
    for field, given in table.items():
        _check(where, name, field, given)
    if name not in known and not {"title", "roles", "kind"} & set(table):
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "give it title, roles and kind to make it one"
        raise ValueError(f"{where}: there is no concept {name!r}; {hint}")


def _check(where: str, name: str, field: str, given: object) -> None:
    if field == "alone":
        if not isinstance(given, dict) or not set(given) <= set(LANGUAGES):
            raise ValueError(f"{where}: {name!r} has an alone that is no table of languages; correct it")
        for language, words in given.items():
            _check(where, name, language, words)
    elif field in _TYPES:
        kind, words = _TYPES[field]
        if not isinstance(given, kind):
            raise ValueError(f"{where}: {field} of {name!r} must be {words}; correct it")
    elif not (isinstance(given, list) and all(isinstance(one, str) for one in given)):
        raise ValueError(f"{where}: {field} of {name!r} must be a list of texts; correct it")


def listed(table: Any, names: Collection[str] | None = None) -> Any:
    """Return a table in which words that stand in one text, with spaces between them, are a list.

    A text is read many times as quickly as a list, and there are tens of thousands of words. ``names`` are
    the names under which words stand; without it they stand under all. What is no table stays what it is.

    Example:
        >>> listed({"title": "pay of a month", "en": "wage gross_pay", "de": ["lohn"]}, {"en", "de"})
        {'title': 'pay of a month', 'en': ['wage', 'gross_pay'], 'de': ['lohn']}
    """
    if not isinstance(table, dict):
        return table
    return {
        name: given.split() if isinstance(given, str) and (names is None or name in names) else given
        for name, given in table.items()
    }
