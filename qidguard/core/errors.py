"""The errors of qidguard; each is one sentence: the rule, the offending value, the remedy."""

from enum import IntEnum


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


class UserError(QidguardError):
    """A mistake in what the user gave: arguments, a policy or a file."""

    exit_code = ExitCode.USER_ERROR


class DataError(UserError):
    """The input cannot be read without guessing, so it is not read."""


class MemoryLimitError(UserError):
    """The memory limit is too small for the work, spilling to disk included."""


class PolicyError(UserError):
    """The policy is not valid, or does not fit the table."""


class PluginError(QidguardError):
    """A plugin is broken or missing; the message names it and its version."""


class InternalError(QidguardError):
    """Something that should be impossible happened inside qidguard."""


class NotMeasurable(Exception):  # noqa: N818 - it is an answer ("no number exists"), not a failure
    """Raised by a metric when no number exists for this table; the message says why.

    A measurement without a value never satisfies a threshold.
    """
