"""Release a table, under a name that a repeated run has again."""

import json
import re
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from airflow.sdk import Asset, AssetAlias
from airflow.sdk.definitions.asset import AssetRef

from qidguard import UserError
from qidguard_provider.operators.gate import UNSAID, handing_on
from qidguard_provider.operators.table import TableOperator
from qidguard_provider.place import destination, is_left_out, mask_address

if TYPE_CHECKING:
    from airflow.sdk import Context

    from qidguard_provider.verdicts import Judged


LONGEST = 100
"""Longest name of a release, in characters."""

_DIGITS = 8
_DIGITS_OF_A_RUN = 12
_FORBIDDEN = re.compile(r"[^A-Za-z0-9._-]+")


def release_name(text: str) -> str:
    """Return a text as the name of a release: a short hash is added where it had to be changed."""
    name = _valid(text)
    if name == text and len(name) <= LONGEST:
        return name
    return _marked(name, sha256(text.encode()).hexdigest()[:_DIGITS])


def run_name(dag_id: str, run_id: str, map_index: int = -1) -> str:
    """Return the name of the release that a run makes: no two runs of any DAGs share one."""
    parts = [dag_id, run_id, *([str(map_index)] if map_index >= 0 else [])]
    mark = sha256(json.dumps(parts).encode()).hexdigest()[:_DIGITS_OF_A_RUN]
    return _marked(_valid("-".join(parts)), mark)


def _valid(text: str) -> str:
    name = _FORBIDDEN.sub("-", text)
    return name if name and name[0] not in ".-" else f"_{name}"


def _marked(name: str, mark: str) -> str:
    return f"{name[: LONGEST - len(mark) - 1]}-{mark}"


NAMED_BY_RUN = "{{ dag.dag_id }}-{{ run_id }}"
"""Stands for the default name until the run is known; a hash tells apart what reads the same."""


class QidguardReleaseOperator(TableOperator):
    """Publishes a table in one step, only where its policy holds; a retry never publishes twice.

    Its outlets are updated only by a release, and their events carry ``data_set``, ``release_id``,
    ``audit_id`` and ``address``.

    Args:
        policy: The policy's file (templated).
        source: The table's path or URL (templated); None takes the policy's ``source.path``.
        to: An absolute folder or a URL (templated); None takes the policy's ``release.destination``.
        release_id: The release's own name (templated), changed into a valid one where it is none; None takes
            the names of DAG and run, the index of a mapped task, and a short hash over them, so that every
            try of a run makes the same release and no other run makes one of its name.
        data_set: The data set's name (templated), where the policy's ``release.data_set`` gives none; without
            both it is the file's.
        qidguard_conn_id: The connection with ledger and keys (templated).
        fail_on_block: Whether the task fails where the table is blocked.
        deferrable: Whether the work goes on outside of the worker slot (see ``WorkOperator``).
        kwargs: What every operator takes.

    Example:
        >>> operator = QidguardReleaseOperator(
        ...     task_id="publish", policy="/srv/ward.yaml", to="/srv/published"
        ... )
        >>> operator.release_id
        '{{ dag.dag_id }}-{{ run_id }}'
    """

    template_fields: Sequence[str] = (*TableOperator.template_fields, "to", "release_id")

    @handing_on(TableOperator)
    def __init__(self, *, to: Any = UNSAID, release_id: Any = UNSAID, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.to = self.said("to", to)
        mask_address(self.to)
        given = self.said("release_id", release_id)
        self.release_id = NAMED_BY_RUN if given is None else given

    def execute(self, context: "Context") -> dict[str, Any]:
        """Publish, or say why not; the events of outlets say what was published."""
        self._events(context)  # an outlet that Airflow cannot resolve is found before anything is published
        return super().execute(context)

    def concluded(self, judged: "Judged", context: "Context") -> dict[str, Any]:
        """Return what was published, and tell those who wait for the outlets."""
        events = self._events(context)
        value = super().concluded(judged, context)
        published = {name: value[name] for name in ("data_set", "release_id", "audit_id", "address")}
        for event in events:
            event.extra.update(published)
            for named in event.asset_alias_events:  # what an alias stands for in this run
                named.extra.update(published)
        return value

    def _events(self, context: "Context") -> list[Any]:
        outlets = [outlet for outlet in self.outlets if isinstance(outlet, (Asset, AssetAlias, AssetRef))]
        return [context["outlet_events"][outlet] for outlet in outlets]

    def rest_of_work(self, context: "Context") -> dict[str, Any]:
        """Return the kind of the work, where it goes and under which name."""
        name = self._name(context)
        return {
            "kind": "release",
            "to": None if is_left_out(self.to) else destination(self.to),
            "release_id": name,
        }

    def render_template(self, content: Any, context: "Context", *given: Any, **named: Any) -> Any:
        """Return what a template says; Airflow shows the release's name."""
        if content == NAMED_BY_RUN:
            return self._name(context)
        return super().render_template(content, context, *given, **named)

    def _name(self, context: "Context") -> str:
        if self.release_id == NAMED_BY_RUN:
            ti = context["ti"]
            return run_name(ti.dag_id, ti.run_id, ti.map_index)
        if is_left_out(self.release_id) or str(self.release_id).strip() == "None":
            raise UserError(
                f"The release has no name: release_id came to {self.release_id!r}; give one, or leave"
                " release_id out to name it by its run."
            )
        return release_name(str(self.release_id))
