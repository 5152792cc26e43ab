"""Names of months in texts."""

from functools import cache

_NAMES = (
    "january januar janvier enero januari gennaio janeiro jän jänner",
    "february februar février fevrier febrero februari febbraio fevereiro",
    "march märz maerz mars marzo maart março mrz mrt",
    "april avril abril aprile",
    "may mai mayo mei maggio maio",
    "june juni juin junio giugno junho",
    "july juli juillet julio luglio julho",
    "august août aout agosto augustus",
    "september septembre septiembre settembre setembro setiembre",
    "october oktober octobre octubre ottobre outubro",
    "november novembre noviembre novembro",
    "december dezember décembre decembre diciembre dicembre dezembro",
)
"""English, German, French, Spanish, Dutch, Italian and Portuguese; what begins no name stands by itself."""

_SHORTEST = 3


@cache
def month_of(word: str) -> int | None:
    """Return the month, 1..12, that a word of small letters names or begins to name; None for any other.

    Example:
        >>> month_of("jan"), month_of("mrz"), month_of("août"), month_of("jui"), month_of("sep.")
        (1, 3, 8, None, None)
    """
    if len(word) < _SHORTEST:
        return None
    months = {
        month
        for month, names in enumerate(_NAMES, start=1)
        if any(name.startswith(word) for name in names.split())
    }
    return months.pop() if len(months) == 1 else None
