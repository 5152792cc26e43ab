"""A real ``airflow api-server`` on this machine's loopback, with a database of its own and no scheduler."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from http.client import HTTPException
from pathlib import Path
from typing import Any, Self

from airflow_api import USERS, AirflowApi
from sessions import kill, session

_START_SECONDS = 120
_TAIL = 6000
_DEFAULT = "qidguard_default"


class ApiServer(AirflowApi):
    """An Airflow of its own that only shows; a context manager that leaves no process behind.

    Args:
        home: A new folder for all that it writes.
        dags: The folder of DAG files.
        environment: Further environment variables.
        below: The path below which it is served, such as ``/airflow``; empty for none.
    """

    def __init__(
        self, home: Path, dags: Path, environment: Mapping[str, str] | None = None, *, below: str = ""
    ) -> None:
        self.port, self.password = _free_port(), secrets.token_hex(8)
        self.origin = f"http://127.0.0.1:{self.port}"
        super().__init__(f"{self.origin}{below}", self.password)
        self.home = home
        self._environment = self._settings(dags) | dict(environment or {})
        self._started: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Make the database, read the DAGs, start, and wait until it answers."""
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "passwords.json").write_text(json.dumps(dict.fromkeys(USERS, self.password)))
        try:
            self._run("db", "migrate").wait(_START_SECONDS)
            self._run("dags", "reserialize").wait(_START_SECONDS)
            self._started = self._run("api-server", "--apps", "core", "--workers", "1")
            end = time.monotonic() + _START_SECONDS
            while not self._answers():
                assert self._started.poll() is None, self.log()
                assert time.monotonic() < end, self.log()
                time.sleep(0.25)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End every process of it."""
        if self._started is not None:
            while running := session(self._started.pid):
                kill(running)
            self._started.wait()
            self._started = None

    def say_where(self, ledger: str | None) -> None:
        """Let the default connection name a ledger; None leaves no such connection."""
        self.ask("DELETE", f"/api/v2/connections/{_DEFAULT}")
        if ledger is not None:
            extra = json.dumps({"ledger": ledger})
            body = {"connection_id": _DEFAULT, "conn_type": "qidguard", "extra": extra}
            self.api("POST", "/connections", body)

    def log(self) -> str:
        """Return the end of what it wrote."""
        return (self.home / "server.log").read_text(errors="replace")[-_TAIL:]

    def _answers(self) -> bool:
        try:
            return self.ask("GET", "/api/v2/version", user=None).status == 200
        except (OSError, HTTPException):
            return False

    def _run(self, *arguments: str) -> "subprocess.Popen[bytes]":
        with (self.home / "server.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "airflow", *arguments],
                cwd=self.home,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _settings(self, dags: Path) -> dict[str, str]:
        own: dict[str, Any] = {
            "CORE__DAGS_FOLDER": dags,
            "CORE__LOAD_EXAMPLES": False,
            "CORE__DAGS_ARE_PAUSED_AT_CREATION": False,
            "CORE__SIMPLE_AUTH_MANAGER_USERS": ",".join(f"{name}:{role}" for name, role in USERS.items()),
            "CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": self.home / "passwords.json",
            "API__HOST": "127.0.0.1",
            "API__PORT": self.port,
            "API__BASE_URL": self.url,
            "API__SECRET_KEY": secrets.token_hex(32),
            "API_AUTH__JWT_SECRET": secrets.token_hex(32),
            "DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{self.home / 'airflow.db'}",
            "LOGGING__COLORED_CONSOLE_LOG": False,
            "USAGE_DATA_COLLECTION__ENABLED": False,
        }
        mine = ("AIRFLOW", "QIDGUARD", "PYTEST")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(mine)}
        here = {"AIRFLOW_HOME": str(self.home), "QIDGUARD_HOME": str(self.home / "qidguard")}
        alone = {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
        return kept | here | alone | {f"AIRFLOW__{name}": str(value) for name, value in own.items()}


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
