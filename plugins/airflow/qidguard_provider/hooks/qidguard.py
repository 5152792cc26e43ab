"""The connection of the gate: ledger, home folder, signing key and history key."""

import json
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseHook
from airflow.sdk.exceptions import AirflowNotFoundException
from airflow.sdk.log import mask_secret

from qidguard import QidguardError, UserError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from qidguard.sdk import RunAccess, RunOptions

DEFAULT_CONNECTION = "qidguard_default"

FIELDS = ("ledger", "home", "signing_key", "history_key", "anchors")
"""The fields of a connection's extra."""

HIDDEN = "_secret"
"""Airflow hides a field from those who may read connections by its name alone; this ending makes it do so."""


class QidguardHook(BaseHook):
    """Gives tasks the ledger and the keys that a connection names.

    Its password is the passphrase of the signing key. Its extra may hold ``ledger`` (a URL), ``home`` (a
    folder), ``signing_key`` (PEM text or a file) and ``history_key`` (hexadecimal), each also with
    ``_secret`` behind its name, so that Airflow hides it from those who may read connections. Beside a
    history key there is no home folder, and ``anchors`` names a folder that stays on the worker: by what is
    remembered there a ledger that was cut or rewritten is noticed.

    Args:
        qidguard_conn_id: The connection. A missing ``qidguard_default`` leaves all to the environment
            (``QIDGUARD_HOME``, ``QIDGUARD_LEDGER``, ``QIDGUARD_KEY``, ``QIDGUARD_KEY_PASSPHRASE``).
        kwargs: What every hook takes.
    """

    conn_name_attr = "qidguard_conn_id"
    default_conn_name = DEFAULT_CONNECTION
    conn_type = "qidguard"
    hook_name = "qidguard"

    def __init__(self, qidguard_conn_id: str = DEFAULT_CONNECTION, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.qidguard_conn_id = qidguard_conn_id

    def access(self) -> "RunAccess":
        """Return what the connection says; its secrets are masked in logs from here on.

        Example:
            >>> import os
            >>> os.environ["AIRFLOW_CONN_GATE"] = '{"conn_type": "qidguard", "extra": {"home": "/srv/gate"}}'
            >>> QidguardHook("gate").access().home
            '/srv/gate'
        """
        from qidguard.sdk import RunAccess

        try:
            connection = self.get_connection(self.qidguard_conn_id)
        except AirflowNotFoundException:
            connection = None
        if connection is None:
            if self.qidguard_conn_id == DEFAULT_CONNECTION:
                return RunAccess(label=_label(DEFAULT_CONNECTION))
            raise UserError(
                f"There is no connection {self.qidguard_conn_id!r}; make one of type qidguard, or leave"
                " qidguard_conn_id out."
            )
        name = str(connection.conn_id)
        if connection.conn_type not in {None, "", self.conn_type}:
            raise UserError(
                f"The connection {name!r} is of type {connection.conn_type!r}, not 'qidguard'; name another."
            )
        fields = _fields(name, connection.extra)
        access = RunAccess(label=_label(name), passphrase=connection.password or None, **fields)
        for secret in access.secrets:
            mask_secret(secret)
        return access

    def options(self, **given: Any) -> "AbstractContextManager[RunOptions]":
        """Return what a run may be told; keys that the connection holds as text are files meanwhile.

        Example:
            >>> with QidguardHook().options(origin={"door": "airflow"}) as options:
            ...     options["origin"]
            {'door': 'airflow'}
        """
        return self.access_to_work().options(**given)

    def access_to_work(self) -> "RunAccess":
        """Return what the connection says, and warn where a run by it would notice too little."""
        access = self.access()
        if access.history_key is not None and access.anchors is None:
            self.log.warning(
                "The connection %r names no folder of anchors, so a ledger that was cut is not noticed here;"
                " name one that stays on the worker.",
                self.qidguard_conn_id,
            )
        return access

    def test_connection(self) -> tuple[bool, str]:
        """Return whether the ledger can be opened and the key loaded; nothing is made."""
        try:
            return True, self.access().tried()
        except QidguardError as error:
            return False, str(error)
        except Exception as error:  # noqa: BLE001 - the words of a foreign error could carry a password
            return False, f"The connection could not be tried ({type(error).__name__})."


def _label(name: str) -> str:
    return f"connection {name!r}"


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
