"""What is raised when the ledger cannot be relied upon."""

from qidguard.core.errors import ExitCode, QidguardError, UserError


class LedgerError(QidguardError):
    """The ledger cannot be opened, read or written, or what it says of itself does not agree."""

    exit_code = ExitCode.INTERNAL_ERROR


class ConnectionLostError(LedgerError):
    """The database went away in the middle, so it is not known whether the last commit was kept."""


class IdTakenError(UserError):
    """The id stands in the ledger with other content."""
