"""What the ledger asks of a database that differs from one to the next."""

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection, Engine

    from qidguard.core.errors import QidguardError


class Database(Protocol):
    """One place where a ledger can be."""

    shown: str
    """What messages call it: no user, no password."""

    identity: str
    """The same text for the same place, however it is written: no user, no password."""

    read_options: "Mapping[str, Any]"
    """Execution options of a transaction that reads one consistent state."""

    write_options: "Mapping[str, Any]"
    """Execution options of a transaction that writes."""

    create_triggers: tuple[str, ...]
    """Statements that make the database refuse changes, run where a ledger is made."""

    def is_there(self) -> bool:
        """Whether there is anything to look into."""

    def prepare(self) -> None:
        """Make what a first connection needs."""

    def engine(self) -> "Engine":
        """Return an engine without pooled connections, so that a fork or a restarted server does no harm."""

    def begin_writing(self, connection: "Connection") -> None:
        """Say how long to wait for a lock, at the beginning of a transaction that writes."""

    def lock_schema(self, connection: "Connection") -> None:
        """Wait until no other process migrates; the lock ends with the transaction."""

    def check_vacant(self, connection: "Connection") -> None:
        """Raise UserError unless a new ledger may be made here."""

    def alone(self) -> "AbstractContextManager[None]":
        """Keep other processes of this machine out, where one that only reads may change the state."""

    def state(self, connection: "Connection") -> str | None:
        """Return what is another text after any change but an append; None where nobody can tell."""

    def state_after(self, state: str | None) -> str | None:
        """Return the state after a transaction that appended is over, of which ``state`` was that before."""

    def other_triggers(self, connection: "Connection") -> tuple[str, ...]:
        """Return the names of triggers that are gone, switched off or changed, and of any that are more."""

    def damages(self, connection: "Connection") -> tuple[str, ...]:
        """Return what the database finds wrong with its own file."""

    def translate(self, error: Exception) -> "QidguardError":
        """Return what to say of a driver's error; the driver's own words stay out, they name users."""
