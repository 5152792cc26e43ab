"""The connection of the gate: ledger, home folder, signing key and history key."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseHook
from airflow.sdk.exceptions import AirflowNotFoundException
from airflow.sdk.log import mask_secret

from qidguard.core.errors import QidguardError, UserError
from qidguard.interfaces.airflow.access import Access

if TYPE_CHECKING:
    from qidguard.evidence.keys import PublicKey, SigningKey
    from qidguard.releasing.prepare import Wishes

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

    Example:
        >>> QidguardHook().qidguard_conn_id
        'qidguard_default'
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

        Returns:
            Where ledger and keys are.

        Raises:
            UserError: When there is no such connection, or it is not as it must be.

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
    def wishes(self, **given: Any) -> Iterator["Wishes"]:
        """Yield what a release may be told; keys that the connection holds as text are files meanwhile.

        Args:
            given: What ``Wishes`` takes beside ledger and keys.

        Yields:
            The wishes.

        Raises:
            UserError: When the connection is not as it must be.

        Example:
            >>> with QidguardHook().wishes(data_set="ward") as wishes:
            ...     wishes.data_set
            'ward'
        """
        from qidguard.interfaces.airflow.key_files import key_files
        from qidguard.releasing.prepare import Wishes

        access = self.access()
        if access.history_key is not None and access.anchors is None:
            self.log.warning(
                "The connection %r names no folder of anchors, so a ledger that was cut is not noticed here;"
                " name one that stays on the worker.",
                self.qidguard_conn_id,
            )
        with key_files(access) as files:
            yield Wishes(
                ledger=files.ledger, key=files.key, passphrase=files.passphrase, home=files.home, **given
            )

    def signing_key(self) -> "SigningKey":
        """Return the key that signs.

        Returns:
            The connection's key, else that of the home folder.

        Raises:
            UserError: When there is none, or it cannot be opened.

        Example:
            >>> import inspect
            >>> list(inspect.signature(QidguardHook.signing_key).parameters)
            ['self']
        """
        from qidguard.evidence.keys import load_private_key
        from qidguard.interfaces.airflow.key_files import key_files

        with key_files(self.access()) as files:
            file = files.found_key()
            if file is None:
                raise UserError(
                    f"The connection {self.qidguard_conn_id!r} has no signing key; write one into its extra"
                    " as signing_key."
                )
            return load_private_key(file, files.passphrase)

    def trusted_keys(self) -> "tuple[PublicKey, ...]":
        """Return the public keys that are trusted: of the connection's own key, and of the keys folder.

        Returns:
            The keys; none where there are none.

        Raises:
            UserError: When a key cannot be opened, or others could add one to the folder.

        Example:
            >>> import inspect
            >>> list(inspect.signature(QidguardHook.trusted_keys).parameters)
            ['self']
        """
        from qidguard.evidence.keys import trusted_keys
        from qidguard.interfaces.airflow.key_files import key_files

        access = self.access()
        own = () if access.signing_key is None else (self.signing_key().public,)
        with key_files(access) as files:
            return (*own, *trusted_keys(files.found_home().keys_folder))

    def test_connection(self) -> tuple[bool, str]:
        """Return whether the ledger can be opened and the key loaded; nothing is made.

        Returns:
            Whether both are well, and a sentence without secrets.

        Example:
            >>> import inspect
            >>> list(inspect.signature(QidguardHook.test_connection).parameters)
            ['self']
        """
        try:
            return True, self._tested()
        except QidguardError as error:
            return False, str(error)
        except Exception as error:  # noqa: BLE001 - the words of a foreign error could carry a password
            return False, f"The connection could not be tried ({type(error).__name__})."

    def _tested(self) -> str:
        from qidguard.evidence.keys import load_private_key
        from qidguard.interfaces.airflow.key_files import key_files
        from qidguard.ledger import open_ledger
        from qidguard.ledger.location import database_at

        with key_files(self.access()) as files:
            home, file = files.found_home(), files.found_key()
            key = None if file is None else load_private_key(file, files.passphrase)
            said = "nothing signs" if key is None else f"key {key.public.id[:12]} signs"
            url = files.ledger or home.default_ledger()
            if not database_at(url, lock_seconds=_PATIENCE_SECONDS).is_there():
                return f"There is no ledger yet, and the first task makes it; {said}."
            with open_ledger(
                url, anchors=home.anchors_file(), must_exist=True, lock_seconds=_PATIENCE_SECONDS
            ) as ledger:
                return f"The ledger has {ledger.head()[0]:,} entries; {said}."
