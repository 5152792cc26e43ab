"""The errors of qidguard; each is one sentence: the rule, the offending value, the remedy."""

from enum import IntEnum

from qidguard.core.address import without_secrets


class ExitCode(IntEnum):
    """How a run ended, as the operating system is told."""

    PASSED = 0
    BLOCKED = 1
    USER_ERROR = 2
    INTERNAL_ERROR = 3


class QidguardError(Exception):
    """Anything qidguard says on purpose; ``exit_code`` is what a command line returns for it.

    ``is_transient`` says that the same run may succeed a little later, so that a schedule tries it again.
    """

    exit_code = ExitCode.INTERNAL_ERROR
    is_transient = False

    def __init__(self, *said: object) -> None:
        # whoever makes a sentence of an address, its password stays behind
        super().__init__(*(without_secrets(part) if isinstance(part, str) else part for part in said))


class UserError(QidguardError):
    """A mistake in what the user gave: arguments, a policy or a file."""

    exit_code = ExitCode.USER_ERROR


class DataError(UserError):
    """The input cannot be read without guessing, so it is not read."""


class EmptyRecordsError(DataError):
    """Records hold no value at all, and nobody said that they are skipped."""


class ChangedError(DataError):
    """The source changed while it was read."""

    is_transient = True


class MemoryLimitError(UserError):
    """The memory limit is too small for the work, spilling to disk included."""


class PolicyError(UserError):
    """The policy is not valid, or does not fit the table."""


class PluginError(QidguardError):
    """A plugin is broken or missing; the message names it and its version.

    ``is_owned`` is False while a message does not yet say whose fault it is.
    """

    is_owned = True

    @classmethod
    def of_somebody(cls, sentence: str) -> "PluginError":
        """Return a fault that the guard around the plugin's code gives its owner."""
        error = cls(sentence)
        error.is_owned = False
        return error


class InternalError(QidguardError):
    """Something that should be impossible happened inside qidguard."""


class NotMeasurable(Exception):  # noqa: N818 - it is an answer ("no number exists"), not a failure
    """Raised by a metric when no number exists for this table; the message says why.

    A measurement without a value never satisfies a threshold.
    """


class DeclarationError(UserError, NotMeasurable):
    """What was declared to a method cannot be: its parameters contradict one another, the task or the table.

    A run of that method alone ends as a user's mistake; where several methods are tried it is one that
    cannot be done, with the reason.

    Example:
        >>> issubclass(DeclarationError, NotMeasurable), DeclarationError.exit_code.name
        (True, 'USER_ERROR')
    """


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
