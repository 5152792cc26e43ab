"""A PostgreSQL server for tests, made from the machine's own programs and gone when the tests end.

A conftest that imports ``postgres_server`` has the fixture; all of them share one server.
"""

import atexit
import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from functools import cache
from pathlib import Path
from urllib.parse import quote

import pytest

USER = "qidguard"


class PostgresServer:
    """A server on a socket in a folder of its own, for nobody but the tests.

    Args:
        programs: The folder of ``initdb`` and ``pg_ctl``.
    """

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="qidguard-pg-"))
        self._account = {}
        if os.geteuid() == 0:  # PostgreSQL does not run as root
            owner = _unprivileged()
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self._account = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}

    def start(self) -> None:
        """Make a cluster and start its server."""
        self._run(
            "initdb", "--auth=trust", f"--username={USER}", "--encoding=UTF8", "--locale=C", "--no-sync"
        )
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "fsync": "off",
            "max_connections": "60",
            "shared_buffers": "16MB",
        }
        options = " ".join(f"-c {name}='{value}'" for name, value in settings.items())
        self._run("pg_ctl", "start", "--wait", f"--log={self.folder}/log", f"--options={options}")

    def stop(self) -> None:
        """Stop the server and remove its folder."""
        if (self.folder / "data" / "postmaster.pid").exists():
            self._run("pg_ctl", "stop", "--wait", "--mode=immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def create_database(self) -> str:
        """Make an empty database and return its URL."""
        name = f"t{uuid.uuid4().hex}"
        self._command(f"CREATE DATABASE {name}")
        return f"postgresql://{USER}@/{name}?host={quote(str(self.folder), safe='')}"

    def drop_database(self, url: str) -> None:
        """Remove a database, whoever is connected to it."""
        name = url.split("?", maxsplit=1)[0].rsplit("/", maxsplit=1)[1]
        self._command(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _command(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(
            host=str(self.folder), user=USER, dbname="postgres", autocommit=True
        ) as connection:
            connection.execute(statement)

    def _run(self, program: str, *arguments: str) -> None:
        # a file, since pg_ctl leaves a server behind that would keep a pipe open
        with tempfile.TemporaryFile() as said:
            done = subprocess.run(
                [self._programs / program, "--pgdata", self.folder / "data", *arguments],
                cwd=self.folder,
                env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "HOME": str(self.folder)},
                stdout=said,
                stderr=said,
                check=False,
                **self._account,
            )
            said.seek(0)
            words = said.read()[-2000:].decode(errors="replace")
        if done.returncode:
            log = self.folder / "log"
            words += log.read_text(errors="replace")[-2000:] if log.exists() else "; no log"
            raise RuntimeError(f"{program} ended with {done.returncode}: {words}")


def _unprivileged() -> pwd.struct_passwd:
    """Return an account that may not do much."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RuntimeError("PostgreSQL does not run as root, and there is no account postgres or nobody")


def _programs() -> Path | None:
    """Return the folder of PostgreSQL's programs; those of the newest version where there are several."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: float(p.parent.name))[::-1]
    return next((f for f in folders if (f / "initdb").exists() and (f / "pg_ctl").exists()), None)


@cache
def _running(programs: Path) -> PostgresServer:
    server = PostgresServer(programs)
    atexit.register(server.stop)
    server.start()
    return server


@pytest.fixture(scope="session")
def postgres_server() -> PostgresServer:
    """Return the server; without PostgreSQL's programs a test fails in CI and skips elsewhere."""
    programs = _programs()
    if programs is None:
        reason = "no initdb and pg_ctl on PATH or below /usr/lib/postgresql; install PostgreSQL"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return _running(programs)
