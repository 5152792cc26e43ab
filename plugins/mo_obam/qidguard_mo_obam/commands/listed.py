"""Lists that are typed on the command line."""

from qidguard.sdk import UserError

FREE = "free"
"""What stands for a number of clusters that MO-OBAM finds itself."""


def whole_numbers(text: str, option: str) -> tuple[int, ...]:
    """Return the whole numbers in a list with commas; ``4-30`` stands for all from 4 to 30.

    Example:
        >>> whole_numbers("5, 15", "--k"), whole_numbers("4-7,10", "--n-c")
        ((5, 15), (4, 5, 6, 7, 10))
    """
    found: list[int] = []
    try:
        for one in text.split(","):
            first, dash, last = one.strip().partition("-")
            found += range(int(first), int(last) + 1) if dash else [int(first)]
    except ValueError:
        found = []
    if not found:
        raise UserError(
            f"{option} takes whole numbers with commas between them, such as 5,15 or 4-30; not {text!r}"
        )
    return tuple(dict.fromkeys(found))


def clusters(text: str, option: str) -> tuple[int | None, ...]:
    """Return numbers of clusters; ``free`` leaves the number to MO-OBAM.

    Example:
        >>> clusters("30,free", "--n-c")
        (30, None)
    """
    found: list[int | None] = []
    for one in text.split(","):
        found += [None] if one.strip() == FREE else whole_numbers(one, option)
    return tuple(dict.fromkeys(found))


def decimals(text: str, option: str) -> tuple[float, ...]:
    """Return the numbers in a list with commas.

    Example:
        >>> decimals("1, 1e-4", "--lambda")
        (1.0, 0.0001)
    """
    try:
        return tuple(dict.fromkeys(float(one) for one in text.split(",")))
    except ValueError:
        raise UserError(
            f"{option} takes numbers with commas between them, such as 1,0.001; not {text!r}"
        ) from None
