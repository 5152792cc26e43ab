"""A ward with tables and policies, and a try of a task that works on them without a running Airflow."""

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

SECRET = "Zanzibar-7f"  # noqa: S105 - a value of the table, no password
"""A value that is alone in its class; nothing that a task leaves may ever show it."""

GOOD = "age,sex,illness\n34,f,flu\n34,f,asthma\n35,m,flu\n35,m,flu\n"
BAD = f"age,sex,illness\n34,f,flu\n34,f,asthma\n35,m,flu\n{SECRET},m,flu\n"

POLICY = """qidguard: 1
name: ward-statistics
roles:
  quasi_identifiers: [age, sex]
  sensitive: [illness]
thresholds:
  - {metric: k_anonymity, at_least: 2}
  - {metric: persons_isolated_over_releases, at_most: 0, parameters: {k: 2}}
release: {data_set: ward}
"""

SENTENCES = (
    "k-anonymity is 1 record, must be at least 2 (1 short), over age, sex.",
    (
        "persons isolated over releases (k=2, most_recent=0) is 2 records, must be at most 0 (2 over),"
        " over age, sex."
    ),
)
"""Why the bad table is blocked."""

FAILURE = f"ward is blocked for 2 reasons:\n- {SENTENCES[0]}\n- {SENTENCES[1]}"
"""How a task that judges the bad table fails."""


@dataclass
class Ward:
    """A folder with a good and a bad table, a policy, and a home for ledger and keys."""

    folder: Path
    home: Path
    published: Path

    def write(self, name: str, text: str) -> str:
        """Write a file and return its path."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return str(self.folder / name)

    @property
    def entries(self) -> list[Any]:
        """What stands in the ledger."""
        from qidguard.ledger import open_ledger

        with open_ledger(str(self.home / "ledger.db"), must_exist=True) as ledger:
            return list(ledger.entries())

    @property
    def releases(self) -> list[str]:
        """The releases that can be seen."""
        return sorted(p.parent.name for p in self.published.glob("*/*/manifest.json"))


@dataclass
class Tried:
    """One try of a task instance, as an operator sees it."""

    folder: Path
    run_id: str = "manual__2026-11-21T12:00:00+00:00"
    try_number: int = 1
    map_index: int = -1
    left: dict[str, Any] = field(default_factory=dict)
    events: dict[Any, Any] = field(default_factory=dict)

    def xcom_push(self, key: str, value: Any) -> None:
        """Keep what the task leaves."""
        self.left[key] = value

    def context(self, operator: Any) -> dict[str, Any]:
        """Return what Airflow gives to ``execute``."""
        ti = SimpleNamespace(
            dag_id="gate",
            task_id=operator.task_id,
            run_id=self.run_id,
            map_index=self.map_index,
            try_number=self.try_number,
            xcom_push=self.xcom_push,
        )
        events = {asset: SimpleNamespace(extra={}, asset_alias_events=[]) for asset in operator.outlets}
        self.events = events
        dag = SimpleNamespace(dag_id="gate", folder=str(self.folder))
        return {"ti": ti, "dag": dag, "run_id": self.run_id, "task": operator, "outlet_events": events}

    def execute(self, operator: Any) -> dict[str, Any]:
        """Render the templates of a task and execute it."""
        context = self.context(operator)
        operator.render_template_fields(context, _environment())
        return operator.execute(context)


def _environment() -> Any:
    from jinja2.nativetypes import NativeEnvironment

    return NativeEnvironment()
