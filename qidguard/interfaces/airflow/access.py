"""What a connection says of ledger and keys, checked."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from qidguard.core.errors import UserError
from qidguard.interfaces.airflow.pem import is_pem, pem_lines

FIELDS = ("ledger", "home", "signing_key", "history_key")
"""The fields of a connection's extra."""

HIDDEN = "_secret"
"""Airflow hides a field from those who may read connections by its name alone; this ending makes it do so."""

_RELATIVE_SQLITE = "sqlite:///"


@dataclass(frozen=True, kw_only=True)
class Access:
    """Where the ledger is and what signs; None leaves a part to the environment.

    Args:
        name: The connection's name, for sentences.
        ledger: The ledger's URL.
        home: The home folder.
        signing_key: The key that signs, as PEM text or as the path of its file.
        history_key: The key of the histories, 64 hexadecimal digits.
        passphrase: Opens the signing key.
    """

    name: str
    ledger: str | None = field(default=None, repr=False)
    home: str | None = None
    signing_key: str | None = field(default=None, repr=False)
    history_key: str | None = field(default=None, repr=False)
    passphrase: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        places = {"home": self.home, "ledger": self.ledger, "signing_key": self.signing_key}
        for part, text in places.items():
            if text is not None and not is_pem(text) and _is_relative(text):
                raise UserError(
                    f"The {part} of the connection {self.name!r} must be an absolute path: a relative one"
                    " would depend on where the worker runs."
                )
        if self.history_key is None:
            return
        if self.home is not None:
            raise UserError(
                f"The connection {self.name!r} gives both home and history_key, and a home folder has its own"
                " history key; leave one of them out."
            )
        if self.ledger is None:
            raise UserError(
                f"The connection {self.name!r} gives a history_key and no ledger, so every worker would keep"
                " a ledger of its own; give the ledger's address as well."
            )

    @classmethod
    def of(cls, connection: Any) -> Self:
        """Return what a connection says.

        Args:
            connection: Airflow's connection.

        Returns:
            The same, checked.

        Raises:
            UserError: When it is of another type, or its extra holds something else than the known fields.

        Example:
            >>> from airflow.sdk import Connection
            >>> text = '{"ledger": "/srv/ledger.db"}'
            >>> Access.of(Connection(conn_id="gate", conn_type="qidguard", extra=text)).ledger
            '/srv/ledger.db'
        """
        name = str(connection.conn_id)
        if connection.conn_type not in {None, "", "qidguard"}:
            raise UserError(
                f"The connection {name!r} is of type {connection.conn_type!r}, not 'qidguard'; name another."
            )
        return cls(name=name, passphrase=connection.password or None, **_fields(name, connection.extra))

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every text that must not be logged."""
        found = [self.history_key, self.passphrase]
        if self.signing_key is not None and is_pem(self.signing_key):
            found += [self.signing_key, *pem_lines(self.signing_key)[1:-1]]
        if self.ledger is not None and (password := urlsplit(self.ledger).password):
            found += [self.ledger, password, unquote(password)]
        return tuple(text for text in found if text)


def _is_relative(text: str) -> bool:
    if text.startswith(_RELATIVE_SQLITE):
        return not text.removeprefix(_RELATIVE_SQLITE).startswith("/")
    return "://" not in text and not Path(text).expanduser().is_absolute()


def _fields(name: str, extra: str | None) -> dict[str, str]:
    try:
        said = json.loads(extra) if extra else {}
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise UserError(f"The extra of the connection {name!r} must be a JSON object; correct it.")
    found: dict[str, str] = {}
    for key, value in said.items():
        plain = str(key).removesuffix(HIDDEN)
        if plain not in FIELDS:
            raise UserError(
                f"The extra of the connection {name!r} has a field {key!r}, and the known ones are"
                f" {', '.join(FIELDS)}; correct it."
            )
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            raise UserError(f"The field {key!r} of the connection {name!r} must be text; correct it.")
        if plain in found:
            raise UserError(f"The connection {name!r} gives {plain} twice; leave one of them out.")
        found[plain] = value.strip()
    return found
