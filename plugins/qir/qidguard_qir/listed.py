"""Lists that are typed on the command line."""

from collections.abc import Sequence

from qidguard.sdk import UserError, listed_names


def numbers(text: str, option: str) -> tuple[int, ...]:
    """Return the whole numbers in a list with commas.

    Example:
        >>> numbers("5, 15", "--k")
        (5, 15)
    """
    try:
        return tuple(int(one) for one in text.split(","))
    except ValueError:
        raise UserError(
            f"{option} takes whole numbers with commas between them, such as 5,15; not {text!r}"
        ) from None


def shares(text: str, option: str) -> Sequence[float | None]:
    """Return the shares of a list of percents with commas; 100 percent is the whole table as it stands.

    Example:
        >>> shares("10, 2.5%, 100", "--sizes")
        (0.1, 0.025, None)
    """
    try:
        percents = [float(one.strip().removesuffix("%")) for one in text.split(",")]
    except ValueError:
        percents = [0.0]
    if not all(0 < percent <= 100 for percent in percents):  # noqa: PLR2004 - percent
        raise UserError(
            f"{option} takes percents above 0 and up to 100 with commas between them, such as 10,50; not"
            f" {text!r}"
        )
    return tuple(None if percent == 100 else percent / 100 for percent in percents)  # noqa: PLR2004 - percent


def named(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the name and the columns of a choice.

    Example:
        >>> named("mine=age,sex")
        ('mine', ('age', 'sex'))
    """
    name, equals, columns = text.partition("=")
    if not name.strip() or not equals:
        raise UserError(f"--set takes a name and columns, such as mine=age,sex; not {text!r}")
    return name.strip(), listed_names(columns, "--set")
