"""Why a remedy came to nothing: the table cannot be done, or what was declared cannot be."""

from qidguard.core.errors import DeclarationError, NotMeasurable, UserError


class UnreachableError(UserError):
    """The anonymizer cannot make the policy hold; nothing is published."""


def refused(anonymizer: str, reason: NotMeasurable) -> UserError:
    """Return the error of a remedy that cannot be done: of what it was declared, or of the table.

    Example:
        >>> refused("mdav", NotMeasurable("too few persons"))
        UnreachableError('The remedy mdav cannot make the policy hold: too few persons')
        >>> refused("hybrid_dp", DeclarationError("no bounds"))
        DeclarationError('The remedy hybrid_dp is declared wrongly: no bounds')
    """
    if isinstance(reason, DeclarationError):
        return DeclarationError(f"The remedy {anonymizer} is declared wrongly: {reason}")
    return UnreachableError(f"The remedy {anonymizer} cannot make the policy hold: {reason}")
