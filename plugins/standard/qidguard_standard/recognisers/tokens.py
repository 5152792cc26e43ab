"""Column names as tokens: the whole words a name is made of, however it joins them."""

import unicodedata

# letters that Unicode does not take apart into a base letter and an accent
_FOLDED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})


def split_name(name: str) -> tuple[str, ...]:
    """Return the tokens of a column name: lower case, accents folded, camelCase and snake_case split.

    Args:
        name: A column name of any script and length.

    Returns:
        Tokens of letters or of digits, in order; empty for a name without either.

    Units:
        None; text.

    Raises:
        TypeError: when ``name`` is not text.

    Example:
        >>> split_name("patientID_2"), split_name("Prénom"), split_name("HTTPServer")
        (('patient', 'id', '2'), ('prenom',), ('http', 'server'))
    """
    letters = [c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c)]
    words: list[str] = []
    for at, character in enumerate(letters):
        before = letters[at - 1] if at else " "
        after = letters[at + 1] if at + 1 < len(letters) else " "
        if not character.isalnum():
            continue
        if _is_start(before, character, after):
            words.append("")
        words[-1] += character
    return tuple(word.casefold().translate(_FOLDED) for word in words)


def _is_start(before: str, character: str, after: str) -> bool:
    """Whether a token starts here: after a separator, between letters and digits, at the hump of a camel."""
    if not before.isalnum() or before.isdigit() != character.isdigit():
        return True
    return character.isupper() and (before.islower() or (before.isupper() and after.islower()))


def is_within(tokens: tuple[str, ...], sequence: tuple[str, ...]) -> bool:
    """Return whether ``sequence`` stands in ``tokens``, as whole tokens next to each other.

    Args:
        tokens: Of a column name.
        sequence: Of a synonym.

    Returns:
        True or False; an empty sequence stands everywhere.

    Units:
        None.

    Raises:
        TypeError: when an argument is not a sequence.

    Example:
        >>> is_within(("date", "of", "birth"), ("of", "birth")), is_within(("report",), ("ort",))
        (True, False)
    """
    return any(tokens[at : at + len(sequence)] == sequence for at in range(len(tokens) - len(sequence) + 1))
