"""What is raised when the ledger cannot be relied upon."""

from qidguard.core.errors import ExitCode, QidguardError, UserError


class LedgerError(QidguardError):
    """The ledger cannot be opened, read or written, or what it says of itself does not agree."""

    exit_code = ExitCode.INTERNAL_ERROR


class ConnectionLostError(LedgerError):
    """The database went away in the middle, so it is not known whether the last commit was kept."""


class IdTakenError(UserError):
    """The id stands in the ledger with other content."""


class LostError(LedgerError):
    """This machine knows of entries of a ledger, and in its place there is none."""


class UnanchoredError(LedgerError):
    """A ledger has entries and this machine no sound anchor of it, so nobody can tell whether it was cut."""


class NoLedgerError(UserError):
    """Where a ledger should be there is none, or something else."""
