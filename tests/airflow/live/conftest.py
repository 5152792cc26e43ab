"""One real Airflow for all tests of this folder: the project's own DAGs, a policy, keys, small tables."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from releases import Place, people, policy
from standalone import Standalone

# as in the folder above: without the extra these files cannot be imported
collect_ignore_glob = [] if find_spec("airflow") else ["test_*.py"]

DEFERRED = """
from airflow.sdk import DAG
from qidguard_provider.operators import QidguardReleaseOperator

with DAG("deferred_gate", schedule=None, params={"source": None}):
    QidguardReleaseOperator(
        task_id="publish",
        policy="POLICY",
        data_set="demo",
        source="{{ params.source }}",
        deferrable=True,
        retries=0,
    )
"""
"""A DAG whose release holds no worker slot."""

DAGS = Path(__file__).resolve().parents[3] / "dags"
PASSPHRASE = "a passphrase of the tests"  # noqa: S105 - opens a key that lives as long as the tests
AUDITS = {"audited", "checked", "failed"}
LARGE = 200_000
"""Records of the table whose publishing takes long enough to be killed in its middle."""


class Gate(Place):
    """Home folder, keys, policy and tables of the data set that the DAGs are about."""

    data_set = "demo"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.policies = root / "policies"
        self.policy_file = self.policies / f"{self.data_set}.yaml"
        self.elsewhere = root / "elsewhere"
        signer = _new_key(self.home / "keys", "signing", "release", PASSPHRASE)
        approver = _new_key(root / "officer", "officer", "approver")
        self._tables()
        self._write_policy(signer, approver)

    def table(self, name: str) -> str:
        """Return the path of a table: good, poor (k = 2), bad (k = 1) or large."""
        return str(self.root / f"{name}.csv")

    def environment(self) -> dict[str, str]:
        """Return what Airflow is told: everything by connections, nothing by the account."""
        officer = (self.root / "officer" / "officer.key").read_text(encoding="ascii")
        gate = {"conn_type": "qidguard", "password": PASSPHRASE, "extra": {"home": str(self.home)}}
        approver = {"conn_type": "qidguard", "extra": {"signing_key": officer}}
        return {
            "QIDGUARD_POLICIES": str(self.policies),
            "QIDGUARD_OFFICERS": "officer",
            "QIDGUARD_HOME": str(self.elsewhere),  # which nothing may need
            "AIRFLOW_CONN_QIDGUARD_DEFAULT": json.dumps(gate),
            "AIRFLOW_CONN_QIDGUARD_APPROVER": json.dumps(approver),
        }

    def written(self, run_id: str) -> list[tuple[str, Any]]:
        """Return kind and payload of every entry that a run left in the ledger, oldest first."""
        entries = self.entries()
        audits = [entry for entry in entries if entry.kind in AUDITS]
        mine = {a.payload["audit_id"] for a in audits if a.payload["by"].get("run_id") == run_id}
        return [(entry.kind, entry.payload) for entry in entries if entry.payload.get("audit_id") in mine]

    def qidguard(self, *arguments: str | Path) -> str:
        """Return what the command line prints; any exit code but 0 fails the test."""
        return _qidguard(*arguments, QIDGUARD_HOME=str(self.home))

    def _tables(self) -> None:
        good = people()
        few = people(groups=1, size=2, first=900).assign(age=99)
        tables = {
            "good": good,
            "poor": pd.concat([good, few]),
            "bad": pd.concat([good, few[:1]]),
            "large": people(groups=8, size=LARGE // 8),
        }
        for name, table in tables.items():
            table.to_csv(self.table(name), index=False)

    def _write_policy(self, signer: str, approver: str) -> None:
        self.policies.mkdir()
        release = {
            "data_set": self.data_set,
            "destination": str(self.to),
            "signature": "required",
            "signers": [signer],
        }
        rules = policy(
            source={"path": self.table("good")},
            release=release,
            exceptions={"approvers": [{"name": "A. Roe, privacy officer", "key": approver}]},
        )
        self.policy_file.write_text(json.dumps(rules))


def _qidguard(*arguments: str | Path, **environment: str) -> str:
    command = [Path(sys.executable).with_name("qidguard"), *arguments]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _new_key(folder: Path, name: str, role: str, passphrase: str | None = None) -> str:
    """Make a key pair as a user does, and return the public key as policies name it."""
    secret = {} if passphrase is None else {"QIDGUARD_KEY_PASSPHRASE": passphrase}
    printed = _qidguard("keys", "new", "--name", name, "--role", role, "--folder", folder, **secret)
    (text,) = [line.split()[1] for line in printed.splitlines() if line.startswith("text ")]
    return text


@pytest.fixture(scope="session")
def gate(tmp_path_factory) -> Gate:
    """Return the home, keys, policy and tables of the data set."""
    return Gate(tmp_path_factory.mktemp("gate"))


@pytest.fixture(scope="session")
def airflow(gate) -> Iterator[Standalone]:
    """Return a running Airflow that has the project's DAGs; those that no test starts stay paused."""
    dags = gate.root / "dags"
    shutil.copytree(DAGS, dags, ignore=shutil.ignore_patterns("policies", "__pycache__"))
    (dags / "deferred_gate.py").write_text(DEFERRED.replace("POLICY", str(gate.policy_file)))
    with Standalone(gate.root / "airflow", dags, gate.environment()) as running:
        running.unpause("gate_and_publish", "publish_on_arrival", "human_sign_off", "published_consumer")
        running.unpause("deferred_gate")
        yield running
