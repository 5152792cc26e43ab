"""The connection of the gate: ledger, home folder, signing key and history key."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Unpack

from airflow.sdk import BaseHook
from airflow.sdk.exceptions import AirflowNotFoundException
from airflow.sdk.log import mask_secret

from qidguard.core.errors import QidguardError, UserError
from qidguard_provider.hooks.access import Access

if TYPE_CHECKING:
    from qidguard.evidence.keys import PublicKey, SigningKey
    from qidguard.releasing.context import RunOptions

DEFAULT_CONNECTION = "qidguard_default"

_PATIENCE_SECONDS = 10.0


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

    def access(self) -> Access:
        """Return what the connection says; its secrets are masked in logs from here on.

        Example:
            >>> import os
            >>> os.environ["AIRFLOW_CONN_GATE"] = '{"conn_type": "qidguard", "extra": {"home": "/srv/gate"}}'
            >>> QidguardHook("gate").access().home
            '/srv/gate'
        """
        try:
            connection = self.get_connection(self.qidguard_conn_id)
        except AirflowNotFoundException:
            connection = None
        if connection is None:
            if self.qidguard_conn_id == DEFAULT_CONNECTION:
                return Access(name=DEFAULT_CONNECTION)
            raise UserError(
                f"There is no connection {self.qidguard_conn_id!r}; make one of type qidguard, or leave"
                " qidguard_conn_id out."
            )
        access = Access.of(connection)
        for secret in access.secrets:
            mask_secret(secret)
        return access

    @contextmanager
    def options(self, **given: Unpack["RunOptions"]) -> Iterator["RunOptions"]:
        """Yield what a release may be told; keys that the connection holds as text are files meanwhile.

        Example:
            >>> with QidguardHook().options(origin={"door": "airflow"}) as options:
            ...     options["origin"]
            {'door': 'airflow'}
        """
        from qidguard_provider.hooks.key_files import run_options

        with run_options(self.access_to_work(), **given) as options:
            yield options

    def access_to_work(self) -> Access:
        """Return what the connection says, and warn where a run by it would notice too little."""
        access = self.access()
        if access.history_key is not None and access.anchors is None:
            self.log.warning(
                "The connection %r names no folder of anchors, so a ledger that was cut is not noticed here;"
                " name one that stays on the worker.",
                self.qidguard_conn_id,
            )
        return access

    def signing_key(self) -> "SigningKey":
        """Return the key that signs."""
        from qidguard.evidence.keys import load_private_key
        from qidguard_provider.hooks.key_files import key_files

        with key_files(self.access()) as files:
            file = files.resolved_key()
            if file is None:
                raise UserError(
                    f"The connection {self.qidguard_conn_id!r} has no signing key; write one into its extra"
                    " as signing_key."
                )
            return load_private_key(file, files.passphrase)

    def trusted_keys(self) -> "tuple[PublicKey, ...]":
        """Return the public keys that are trusted: the connection's own, and those of role release."""
        from qidguard.evidence.key_roles import trusted_keys
        from qidguard_provider.hooks.key_files import key_files

        access = self.access()
        own = () if access.signing_key is None else (self.signing_key().public,)
        with key_files(access) as files:
            return (*own, *trusted_keys(files.resolved_home().keys_folder))

    def test_connection(self) -> tuple[bool, str]:
        """Return whether the ledger can be opened and the key loaded; nothing is made."""
        try:
            return True, self._tested()
        except QidguardError as error:
            return False, str(error)
        except Exception as error:  # noqa: BLE001 - the words of a foreign error could carry a password
            return False, f"The connection could not be tried ({type(error).__name__})."

    def _tested(self) -> str:
        from qidguard.evidence.keys import load_private_key
        from qidguard.ledger import open_ledger
        from qidguard.ledger.location import database_at
        from qidguard_provider.hooks.key_files import key_files

        with key_files(self.access()) as files:
            home, file = files.resolved_home(), files.resolved_key()
            key = None if file is None else load_private_key(file, files.passphrase)
            signing = "nothing signs" if key is None else f"key {key.public.id[:12]} signs"
            url = files.ledger or home.default_ledger()
            if not database_at(url, lock_seconds=_PATIENCE_SECONDS).is_there():
                return f"There is no ledger yet, and the first task makes it; {signing}."
            with open_ledger(
                url, anchors=home.anchors_file(), must_exist=True, lock_seconds=_PATIENCE_SECONDS
            ) as ledger:
                return f"The ledger has {ledger.head()[0]:,} entries; {signing}."
