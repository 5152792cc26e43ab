"""A real ``airflow standalone`` on this machine's loopback: started, asked, killed and stopped."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import Any, Self

from airflow_api import USERS, AirflowApi, run_path
from sessions import Process, descendants, kill, send, session

ENDED = {"success", "failed"}
"""The states in which a run stays."""

_SCHEDULER = "-m airflow scheduler"
_TRIGGERER = "-m airflow triggerer"
_LOOK_SECONDS = 0.25
_TAIL = 6000

# standalone finds this as `airflow`: the servers of logs would listen on every address of the machine
_COMMAND = """#!/bin/sh
case "$1" in scheduler|triggerer) set -- "$@" --skip-serve-logs;; esac
exec "{python}" -m airflow "$@"
"""

# shorter than Airflow's own, so that the tests wait less; all in seconds
_INTERVALS = {
    "SCHEDULER__JOB_HEARTBEAT_SEC": 2,
    "SCHEDULER__SCHEDULER_HEARTBEAT_SEC": 1,
    "SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": 0.2,
    "SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": 12,  # a scheduler that is silent so long is dead
    "SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL": 3,
    "SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": 60,
    "DAG_PROCESSOR__REFRESH_INTERVAL": 60,
    "DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": 3600,  # no file changes while the tests run
    "CORE__DEFAULT_TASK_RETRY_DELAY": 1,
    "TRIGGERER__JOB_HEARTBEAT_SEC": 2,
}


class Standalone(AirflowApi):
    """An Airflow of its own; as a context manager it is started, waited for, and leaves no process behind.

    Args:
        home: A new folder for all that it writes.
        dags: The folder of DAG files.
        environment: Further environment variables.
    """

    def __init__(self, home: Path, dags: Path, environment: Mapping[str, str] | None = None) -> None:
        self._port, self._password = _free_port(), secrets.token_hex(8)
        super().__init__(f"http://127.0.0.1:{self._port}", self._password)
        self.home = home
        self.seconds_to_start = 0.0
        self._started: list[subprocess.Popen[bytes]] = []
        self._programs = home / "bin"
        self._environment = self._settings(dags) | dict(environment or {})

    def __enter__(self) -> Self:
        """Start it."""
        # whoever ends the tests by a signal must not leave an Airflow behind either
        self._on_term = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it."""
        self.stop()
        signal.signal(signal.SIGTERM, self._on_term)

    def start(self) -> None:
        """Start everything and wait until all of it is healthy."""
        began = time.monotonic()
        self._programs.mkdir(parents=True)
        command = self._programs / "airflow"
        command.write_text(_COMMAND.format(python=sys.executable))
        command.chmod(0o755)
        (self.home / "passwords.json").write_text(json.dumps(dict.fromkeys(USERS, self._password)))
        self._run("standalone")
        self.until(self.is_healthy, "Airflow to be healthy", seconds=240)
        self.seconds_to_start = time.monotonic() - began

    def stop(self) -> None:
        """End every process that was started here, and theirs; none of them outlives this."""
        for started in self._started:
            while left := session(started.pid):  # some may be born while others die
                kill(left)
            started.wait()
        self._started.clear()

    def is_healthy(self) -> bool:
        """Whether database, scheduler, triggerer and DAG processor all say that they are well."""
        assert all(p.poll() is None for p in self._started[:1]), "standalone ended by itself" + self.log()
        try:
            parts = self.ask("GET", "/api/v2/monitor/health", user=None).document
        except (OSError, HTTPException):
            return False
        return all(part["status"] == "healthy" for part in parts.values() if part is not None)

    def unpause(self, *dag_ids: str) -> None:
        """Wait until DAGs are parsed, and let them run."""

        def is_parsed(dag_id: str) -> bool:
            errors = self.api("GET", "/importErrors")["import_errors"]
            assert errors == [], errors
            return self.ask("GET", f"/api/v2/dags/{dag_id}").status == 200

        def is_let_run(dag_id: str) -> bool:
            return self.ask("PATCH", f"/api/v2/dags/{dag_id}", {"is_paused": False}).status == 200

        for dag_id in dag_ids:
            self.until(lambda name=dag_id: is_parsed(name), f"DAG {dag_id} to be parsed", seconds=90)
            # while Airflow's own SQLite is busy with parsing, the server answers 500
            self.until(lambda name=dag_id: is_let_run(name), f"DAG {dag_id} to be let run", seconds=90)

    def wait(self, dag_id: str, run_id: str, *, seconds: float = 150) -> str:
        """Wait until a run has ended and return its state."""
        words = f"run {run_id} of {dag_id} to end"
        self.until(lambda: self.state(dag_id, run_id) in ENDED, words, seconds=seconds, run=(dag_id, run_id))
        return self.state(dag_id, run_id)

    def question(self, dag_id: str, run_id: str, task_id: str) -> str:
        """Wait until a task asks a person, and return where it is answered.

        The worker must have ended before, and the scheduler have heard of it: an earlier answer puts the task
        back into the queue while its first part still counts as running, and the scheduler fails it.
        """
        words = f"{task_id} to ask"

        def is_asking() -> bool:
            return self.tasks(dag_id, run_id).get(task_id) == "awaiting_input"

        self.until(is_asking, words, seconds=120, run=(dag_id, run_id))
        at_work = str(self.task(dag_id, run_id, task_id)["id"])
        self.until(lambda: at_work not in self._titles(), "the worker to end", seconds=30)
        time.sleep(3)
        return f"/api/v2{run_path(dag_id, run_id)}/taskInstances/{task_id}/-1/hitlDetails"

    def events(self, uri: str) -> list[Any]:
        """Return the events of an asset, oldest first."""
        path = f"/assets/events?asset_id={self.asset(uri)}&order_by=timestamp&limit=100"

        def is_told() -> bool:
            """Airflow answers 500 as long as a run that an event starts has not begun."""
            return self.ask("GET", f"/api/v2{path}").status == 200

        self.until(is_told, f"the events of {uri}", seconds=60)
        return list(self.api("GET", path)["asset_events"])

    @contextmanager
    def killed_scheduler(self, *, with_tasks: bool) -> Iterator[None]:
        """Kill the scheduler without warning, alone or with its tasks; start another at the end."""
        scheduler = self._scheduler()
        kill([scheduler, *(descendants(scheduler.pid) if with_tasks else [])])
        try:
            yield
        finally:
            self._run("scheduler")

    @contextmanager
    def killed_triggerer(self) -> Iterator[None]:
        """Kill the triggerer without warning; start another at the end."""
        found = [process for process in self.processes() if _TRIGGERER in process.title]
        assert found, "there is no triggerer"
        kill([*found, *(child for process in found for child in descendants(process.pid))])
        try:
            yield
        finally:
            self._run("triggerer")

    @contextmanager
    def frozen_tasks(self) -> Iterator[Callable[[], None]]:
        """Let the workers and the tasks in them stand still, and go on at the end.

        Yields:
            What lets the tasks alone go on, while the workers that watch over them still cannot stop them.
        """
        frozen = descendants(self._scheduler().pid)
        workers = {process.parent for process in frozen}
        send(frozen, signal.SIGSTOP)
        try:
            yield lambda: send([p for p in frozen if p.pid not in workers], signal.SIGCONT)
        finally:
            send(frozen, signal.SIGCONT)

    def processes(self) -> list[Process]:
        """Return every process that belongs to it."""
        return [process for started in self._started for process in session(started.pid)]

    def memory_bytes(self) -> int:
        """Return the resident memory of all its processes; what they share counts once for each."""
        return sum(process.memory_bytes for process in self.processes())

    def until(
        self,
        is_so: Callable[[], Any],
        words: str,
        *,
        seconds: float,
        run: tuple[str, str] | None = None,
        look_seconds: float = _LOOK_SECONDS,
    ) -> None:
        """Wait until something is so; the failure says what was waited for, and ends with the logs."""
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > end:
                states = "" if run is None else f"\ntasks: {self.tasks(*run)}"
                logs = "" if run is None else self.task_logs(*run)
                raise AssertionError(f"waited {seconds} s for {words}{states}{logs}{self.log()}")
            time.sleep(look_seconds)

    def log(self) -> str:
        """Return the end of what all components wrote."""
        parts = [_tail(self.home / f"{name}.log") for name in ("standalone", "scheduler")]
        return "".join(parts)

    def task_logs(self, dag_id: str, run_id: str) -> str:
        """Return the ends of what a run's tasks wrote."""
        folder = self.home / "logs" / f"dag_id={dag_id}" / f"run_id={run_id}"
        return "".join(_tail(file) for file in sorted(folder.rglob("*.log")))

    def _scheduler(self) -> Process:
        (scheduler,) = [process for process in self.processes() if _SCHEDULER in process.title]
        return scheduler

    def _titles(self) -> str:
        """Return what all processes are called; that of a worker carries the id of its task."""
        return "\n".join(process.title for process in self.processes())

    def _run(self, command: str) -> None:
        with (self.home / f"{command}.log").open("ab") as log:
            self._started.append(
                subprocess.Popen(
                    [self._programs / "airflow", command],
                    cwd=self.home,
                    env=self._environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            )

    def _settings(self, dags: Path) -> dict[str, str]:
        own = {
            "CORE__DAGS_FOLDER": dags,
            "CORE__LOAD_EXAMPLES": False,
            "CORE__EXECUTOR": "LocalExecutor",
            "CORE__PARALLELISM": 3,
            "CORE__EXECUTION_API_SERVER_URL": f"{self.url}/execution/",
            "CORE__SIMPLE_AUTH_MANAGER_USERS": ",".join(f"{name}:{role}" for name, role in USERS.items()),
            "CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": self.home / "passwords.json",
            "API__HOST": "127.0.0.1",
            "API__PORT": self._port,
            "API__BASE_URL": self.url,
            "API__SECRET_KEY": secrets.token_hex(32),
            "API_AUTH__JWT_SECRET": secrets.token_hex(32),
            "DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{self.home / 'airflow.db'}",
            "LOGGING__COLORED_CONSOLE_LOG": False,
            "LOGGING__NAMESPACE_LEVELS": "http.access=WARNING",  # else it is all that the log's end says
            "OPENLINEAGE__DISABLED": True,
            "USAGE_DATA_COLLECTION__ENABLED": False,
        }
        mine = ("AIRFLOW", "QIDGUARD", "PYTEST")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(mine)}
        return {
            **kept,
            **{f"AIRFLOW__{name}": str(value) for name, value in (own | _INTERVALS).items()},
            "AIRFLOW_HOME": str(self.home),
            "PATH": f"{self._programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
        }


def _tail(file: Path) -> str:
    words = file.read_text(errors="replace")[-_TAIL:] if file.exists() else ""
    return f"\n--- {file.name}\n{words}" if words else ""


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
