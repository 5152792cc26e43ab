"""Lists, bounds and budgets that are typed on the command line."""

from fractions import Fraction

from qidguard.sdk import UserError


def whole_numbers(text: str, option: str) -> tuple[int, ...]:
    """Return the whole numbers in a list with commas.

    Example:
        >>> whole_numbers("5, 10", "--k")
        (5, 10)
    """
    try:
        return tuple(dict.fromkeys(int(one) for one in text.split(",")))
    except ValueError:
        raise UserError(
            f"{option} takes whole numbers with commas between them, such as 5,10; not {text!r}"
        ) from None


def fractions(text: str, option: str) -> tuple[Fraction, ...]:
    """Return the exact numbers above 0 in a list with commas.

    Example:
        >>> fractions("0.1, 1/3", "--epsilon")
        (Fraction(1, 10), Fraction(1, 3))
    """
    try:
        found = tuple(dict.fromkeys(Fraction(one.strip()) for one in text.split(",")))
    except (ValueError, ZeroDivisionError):
        found = ()
    if not found or min(found) <= 0:
        raise UserError(
            f"{option} takes numbers above 0 with commas between them, such as 0.1,1; not {text!r}"
        )
    return found


def bounds(text: str | None, option: str) -> dict[str, tuple[Fraction, Fraction]]:
    """Return declared bounds by column.

    Example:
        >>> bounds("age=17:90", "--bounds")
        {'age': (Fraction(17, 1), Fraction(90, 1))}
    """
    found = {}
    for one in [] if text is None else text.split(","):
        name, is_there, ends = one.rpartition("=")
        low, colon, high = ends.partition(":")
        try:
            if not (is_there and colon and name.strip()):
                raise ValueError  # noqa: TRY301 - worded in one place
            found[name.strip()] = Fraction(low.strip()), Fraction(high.strip())
        except (ValueError, ZeroDivisionError):
            raise UserError(
                f"{option} takes NAME=LOW:HIGH with commas between them, such as age=17:90; not {one!r}"
            ) from None
    for name, (least, most) in found.items():
        if not least < most:
            raise UserError(f"{option}: the bounds of {name!r} hold a range, not {least} to {most}")
    return found


def choices(text: str, option: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words in a list with commas, each one of those that are known.

    Example:
        >>> choices("both", "--cluster", ("violating", "both"))
        ('both',)
    """
    found = tuple(dict.fromkeys(one.strip() for one in text.split(",")))
    for one in found:
        if one not in known:
            raise UserError(f"{option} takes {' or '.join(known)}, or several with commas; not {one!r}")
    return found
