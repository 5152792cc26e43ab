"""The example DAGs as a user has them after ``qidguard init``, run one at a time by ``airflow dags test``."""

import atexit
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from qidguard.evidence.key_roles import KeyRole, declare_role
from qidguard.evidence.keys import PublicKey, new_key_pair
from qidguard.evidence.verify import verify_release
from qidguard.interfaces.starter.working_set import RAW_TABLE, TABLE, working_set
from qidguard.ledger import open_ledger

MOMENT = "2026-06-01T06:00:00+00:00"
"""The logical date of a run, which names it: the same one again is the same run, cleared."""
RUN_SECONDS = 300
SECRET = "Zanzibar-7f"  # noqa: S105 - a value of the table, no password
"""The insurance of one visit of the table that is blocked; nothing may ever show it."""

# what Airflow's own API does with an answer, but for the login; the arguments are the names and the answer
_ANSWER = """
import json, sys
from types import SimpleNamespace
from airflow.api_fastapi.app import create_auth_manager
from airflow.api_fastapi.core_api.datamodels.hitl import UpdateHITLDetailPayload
from airflow.api_fastapi.core_api.routes.public.hitl import update_hitl_detail
from airflow.utils.session import create_session

dag_id, run_id, task_id, option, said = sys.argv[1:]
officer = SimpleNamespace(get_id=lambda: "roe", get_name=lambda: "A. Roe")
answer = UpdateHITLDetailPayload(chosen_options=[option], params_input=json.loads(said))
create_auth_manager()  # which decides whether this officer may answer
with create_session() as session:
    update_hitl_detail(dag_id, run_id, task_id, answer, officer, session, -1)
"""


# `airflow dags test` would give each run another name; with the same one it is as good as a cleared run
_NAMED_BY_MOMENT = """
def dag_policy(dag):
    from airflow.models.dagrun import DagRun

    DagRun.generate_run_id = staticmethod(lambda **of: f"manual__{of['logical_date'].isoformat()}")
"""

_INSTEAD = """

def task_policy(task):
    operator = type(task)
    if task.task_id != {task_id!r} or hasattr(operator, "original"):
        return
    operator.original = operator.execute

    def instead(self, context):
        execute = lambda context: self.original(context)
        if self.task_id == {task_id!r}:
{body}
        return execute(context)

    operator.execute = instead
"""


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What came of one run.

    Args:
        code: What the command ended with.
        log: All that it wrote.
        tasks: AnonymizationTask → its state; a mapped task is named with what Airflow calls it.
    """

    code: int
    log: str
    tasks: Mapping[str, str | None]


class Deployment:
    """A folder of DAGs, policies and tables with an Airflow, a ledger and keys of its own.

    Args:
        root: An empty folder.
    """

    def __init__(self, root: Path) -> None:
        self.site, self.home, self._airflow = root / "site", root / "home", root / "airflow"
        working_set(self.site, has_gx=False).write()
        visits = self.raw_table.read_text(encoding="utf-8")
        self.raw_table.write_text(visits.replace(",public,", f",{SECRET},", 1), encoding="utf-8")
        signing = new_key_pair(self.home / "keys", "signing")
        declare_role(self.home / "keys", signing, KeyRole.RELEASE, "signing")
        self.approver = new_key_pair(root / "approver", "roe")
        self._airflow.mkdir()
        shutil.copy(_migrated(), self._airflow / "airflow.db")
        self._write_settings()
        self.settings: dict[str, str] = {}
        key = json.dumps(
            {"conn_type": "qidguard", "extra": {"signing_key": str(root / "approver" / "roe.key")}}
        )
        self.settings["AIRFLOW_CONN_QIDGUARD_APPROVER"] = key
        for dag in self.dags.glob("*.py"):
            self.edit(dag, "timedelta(minutes=1)", "timedelta(seconds=1)", is_needed=False)

    @property
    def dags(self) -> Path:
        """The folder of the DAGs."""
        return self.site / "dags"

    @property
    def policy(self) -> Path:
        """The policy of the demo."""
        return self.dags / "policies" / "demo.yaml"

    @property
    def table(self) -> Path:
        """The table that the policy lets through."""
        return self.site / TABLE

    @property
    def raw_table(self) -> Path:
        """The table that the policy blocks."""
        return self.site / RAW_TABLE

    @property
    def published(self) -> list[str]:
        """The names of what stands where releases go, hidden things too."""
        folder = self.site / "published" / "demo"
        return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []

    def edit(self, file: Path, old: str, new: str, *, is_needed: bool = True) -> None:
        """Replace a text in a file."""
        text = file.read_text(encoding="utf-8")
        assert not is_needed or old in text, f"{file} has no {old!r}"
        file.write_text(text.replace(old, new), encoding="utf-8")

    def allow_exceptions(self) -> None:
        """Write the approver into the policy."""
        approver = json.dumps([{"name": "A. Roe", "key": self.approver.text}])
        self.edit(self.policy, "approvers: []", f"approvers: {approver}")

    def write_policy(self, data_set: str, table: Path) -> Path:
        """Write another policy like the demo's."""
        text = self.policy.read_text(encoding="utf-8")
        text = text.replace("data_set: demo", f"data_set: {data_set}").replace(
            "../../data/demo.csv", str(table)
        )
        file = self.policy.with_name(f"{data_set}.yaml")
        file.write_text(text, encoding="utf-8")
        return file

    def intervene(self, task_id: str, lines: str) -> None:
        """Run lines instead of a task: ``execute`` is what it would have done, ``context`` what it gets."""
        body = "\n".join(f"            {line}" for line in lines.strip().splitlines())
        self._write_settings(_INSTEAD.format(task_id=task_id, body=body))

    def run(
        self,
        dag_id: str,
        *,
        moment: str = MOMENT,
        answer: tuple[str, Mapping[str, Any]] | None = None,
        **params: Any,
    ) -> Ran:
        """Run a DAG by ``airflow dags test``.

        Args:
            dag_id: The DAG.
            moment: Its logical date.
            answer: What the officer answers as soon as a task asks: the option and the form's fields.
            params: The run's parameters.
        """
        conf = ["--conf", json.dumps(params)] if params else []
        log = self._airflow / f"{dag_id}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "airflow", "dags", "test", dag_id, moment, *conf],
                env=self._environment(),
                cwd=self._airflow,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
            try:
                if answer is not None:
                    self._answer(dag_id, process.poll, *answer)
                code = process.wait(RUN_SECONDS)
            finally:
                process.kill()
                process.wait()
        return Ran(code=code, log=log.read_text(errors="replace"), tasks=self._tasks(dag_id))

    def asked(self) -> list[str]:
        """Return the texts that people were asked with."""
        return [body for (body,) in self._rows("SELECT subject || body FROM hitl_detail")]

    def answered_by(self) -> list[str]:
        """Return who answered."""
        said = self._rows("SELECT responded_by FROM hitl_detail WHERE responded_by IS NOT NULL")
        return [json.loads(officer)["name"] for (officer,) in said]

    def events(self) -> list[dict[str, Any]]:
        """Return what the events of Assets say, oldest first."""
        return [json.loads(extra) for (extra,) in self._rows("SELECT extra FROM asset_event ORDER BY id")]

    def passed_on(self) -> list[str]:
        """Return all that tasks left for each other."""
        return [str(value) for (value,) in self._rows("SELECT value FROM xcom")]

    def entries(self, *kinds: str) -> list[Any]:
        """Return the ledger's entries."""
        with open_ledger(f"sqlite:///{self.home / 'ledger.db'}") as ledger:
            return list(ledger.entries(kinds=set(kinds) if kinds else None))

    def faults(self, release_id: str) -> tuple[str, ...]:
        """Return what verifying a release finds."""
        address = self.site / "published" / "demo" / release_id
        keys: list[PublicKey] = [_public_key(self.home / "keys" / "signing.pub")]
        return verify_release(str(address), keys=keys, data_set="demo", release_id=release_id).faults

    def _write_settings(self, more: str = "") -> None:
        folder = self._airflow / "config"
        folder.mkdir(exist_ok=True)
        (folder / "airflow_local_settings.py").write_text(_NAMED_BY_MOMENT + more, encoding="utf-8")

    def _answer(
        self, dag_id: str, has_ended: Callable[[], Any], option: str, said: Mapping[str, Any]
    ) -> None:
        waiting = "SELECT run_id, task_id FROM task_instance WHERE dag_id = ? AND state = 'awaiting_input'"
        end = time.monotonic() + RUN_SECONDS
        while not (found := self._rows(waiting, dag_id)):
            if has_ended() is not None or time.monotonic() > end:
                return
            time.sleep(0.3)
        names = (dag_id, *found[0], option, json.dumps(said))
        done = subprocess.run(
            [sys.executable, "-c", _ANSWER, *names],
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def _tasks(self, dag_id: str) -> dict[str, str | None]:
        query = (
            "SELECT task_id, map_index, rendered_map_index, t.state FROM task_instance t JOIN dag_run r"
            " USING (dag_id, run_id) WHERE dag_id = ?"
            " AND r.id = (SELECT max(id) FROM dag_run WHERE dag_id = ?) ORDER BY task_id, map_index"
        )
        return {
            task if index < 0 else f"{task} {name}": state
            for task, index, name, state in self._rows(query, dag_id, dag_id)
        }

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        database = sqlite3.connect(f"file:{self._airflow / 'airflow.db'}?mode=ro", uri=True, timeout=30)
        try:
            return database.execute(query, values).fetchall()
        finally:
            database.close()

    def _environment(self) -> dict[str, str]:
        return (
            airflow_environment(self._airflow, self.dags) | {"QIDGUARD_HOME": str(self.home)} | self.settings
        )


def airflow_environment(home: Path, dags: Path) -> dict[str, str]:
    """Return the environment of an Airflow of its own, with nothing of the caller's Airflow or qidguard."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AIRFLOW", "QIDGUARD", "PYTEST"))
    }
    own = {
        "CORE__DAGS_FOLDER": dags,
        "CORE__LOAD_EXAMPLES": False,
        "CORE__UNIT_TEST_MODE": False,
        "DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home / 'airflow.db'}",
        "LOGGING__COLORED_CONSOLE_LOG": False,
        "OPENLINEAGE__DISABLED": True,
        "USAGE_DATA_COLLECTION__ENABLED": False,
    }
    settings = {f"AIRFLOW__{name}": str(value) for name, value in own.items()}
    return {**kept, **settings, "AIRFLOW_HOME": str(home)}


@cache
def _migrated() -> Path:
    """Return an empty database of Airflow's, made once."""
    home = Path(tempfile.mkdtemp(prefix="qidguard-dags-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    command = [sys.executable, "-m", "airflow", "db", "migrate"]
    subprocess.run(command, env=airflow_environment(home, home), check=True, capture_output=True, timeout=240)
    return home / "airflow.db"


def _public_key(file: Path) -> PublicKey:
    from qidguard.evidence.keys import load_public_key

    return load_public_key(file)
