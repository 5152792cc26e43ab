"""What a connection says of keys, ledger and passwords, PEM texts included."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, unquote_plus

from qidguard.core.errors import UserError

_BEGIN, _END, _DASHES = "-----BEGIN ", "-----END ", "-----"


def is_pem(text: str) -> bool:
    """Return whether a text is a key itself, and not the path of one.

    Example:
        >>> is_pem("/srv/signing.key")
        False
    """
    return _BEGIN in text


def pem_lines(text: str) -> list[str]:
    r"""Return the lines of a key; line ends that became spaces, or ``\n`` in letters, are line ends again."""
    plain = text.replace("\\n", "\n")
    kind, _, rest = plain.partition(_BEGIN)[2].partition(_DASHES)
    body = rest.partition(_END)[0]
    return [f"{_BEGIN}{kind}{_DASHES}", *body.split(), f"{_END}{kind}{_DASHES}"]


FIELDS = ("ledger", "home", "signing_key", "history_key", "anchors")
"""The fields of a connection's extra."""

HIDDEN = "_secret"
"""Airflow hides a field from those who may read connections by its name alone; this ending makes it do so."""

_USER_PASSWORD = re.compile(r"://[^:/]*:([^@]*)@")
_PATIENCE_SECONDS = 10.0


@dataclass(frozen=True, kw_only=True)
class Access:
    """Where the ledger is and what signs; None leaves a part to the environment.

    Args:
        name: The connection's name, for sentences.
        ledger: The ledger's URL.
        home: The home folder.
        signing_key: The key that signs, as PEM text or as the path of its file.
        history_key: The key of the histories, 64 hexadecimal digits.
        anchors: Beside a history key, the folder in which the worker remembers how far the ledger had come.
        passphrase: Opens the signing key.
    """

    name: str
    ledger: str | None = field(default=None, repr=False)
    home: str | None = None
    signing_key: str | None = field(default=None, repr=False)
    history_key: str | None = field(default=None, repr=False)
    anchors: str | None = None
    passphrase: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        places = {"home": self.home, "signing_key": self.signing_key, "anchors": self.anchors}
        wrong = [part for part, text in places.items() if text and not is_pem(text) and _is_relative(text)]
        if self.ledger is not None and _is_relative_ledger(self.ledger):
            wrong.append("ledger")
        if wrong:
            raise UserError(
                f"The {wrong[0]} of the connection {self.name!r} must be an absolute path: a relative one"
                " would depend on where the worker runs."
            )
        if self.history_key is None:
            if self.anchors is not None:
                raise UserError(
                    f"The connection {self.name!r} gives anchors and no history_key, and a home folder keeps"
                    " its own anchors; leave anchors out."
                )
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
        secrets = [self.history_key, self.passphrase]
        if self.signing_key is not None and is_pem(self.signing_key):
            secrets += [self.signing_key, *pem_lines(self.signing_key)[1:-1]]
        if self.ledger is not None and (passwords := _passwords(self.ledger)):
            secrets += [self.ledger, *passwords]
        return tuple(text for text in secrets if text)


def _is_relative(text: str) -> bool:
    return not Path(text).expanduser().is_absolute()


def _is_relative_ledger(url: str) -> bool:
    """Whether it is a relative file, however it is spelled; what is no ledger is said when it opens."""
    from qidguard.ledger.databases.sqlite import SqliteDatabase
    from qidguard.ledger.location import database_at

    try:
        database = database_at(url, lock_seconds=_PATIENCE_SECONDS)
    except UserError:
        return "://" not in url and not Path(url).is_absolute()
    return isinstance(database, SqliteDatabase) and not Path(database.shown).is_absolute()


def _passwords(url: str) -> list[str]:
    """Return the passwords in a ledger's URL, before the host or in the query, as written and as meant."""
    head, _, query = url.rpartition("?") if "?" in url.rpartition("@")[2] else (url, "", "")
    passwords = [match[1] for match in _USER_PASSWORD.finditer(head)]
    parts = [part.partition("=") for part in query.split("&")]
    passwords += [value for name, _, value in parts if "pass" in unquote_plus(name).lower()]
    return [spelled for text in passwords if text for spelled in (text, unquote(text), unquote_plus(text))]


def _fields(name: str, extra: str | None) -> dict[str, str]:
    try:
        given = json.loads(extra) if extra else {}
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise UserError(f"The extra of the connection {name!r} must be a JSON object; correct it.")
    fields: dict[str, str] = {}
    for key, value in given.items():
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
        if plain in fields:
            raise UserError(f"The connection {name!r} gives {plain} twice; leave one of them out.")
        fields[plain] = value.strip()
    return fields
