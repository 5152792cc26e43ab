"""Judge a table and publish it, only where its policy holds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airflow.sdk import Asset, AssetAlias
from airflow.sdk.definitions.asset import AssetRef

from qidguard.core.errors import UserError
from qidguard.interfaces.airflow.operators.table import TableOperator
from qidguard.interfaces.airflow.place import destination, is_left_out, mask_address

if TYPE_CHECKING:
    from airflow.sdk import Context

    from qidguard.interfaces.airflow.judged import Judged


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
        data_set: The data set's name (templated); None takes the policy's or the file's.
        qidguard_conn_id: The connection with ledger and keys (templated).
        fail_on_block: Whether the task fails where the table is blocked.
        kwargs: What every operator takes.

    Example:
        >>> operator = QidguardReleaseOperator(
        ...     task_id="publish", policy="/srv/ward.yaml", to="/srv/published"
        ... )
        >>> operator.release_id
        '{{ dag.dag_id }}-{{ run_id }}'
    """

    template_fields: Sequence[str] = (*TableOperator.template_fields, "to", "release_id")

    def __init__(self, *, to: Any = None, release_id: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        mask_address(to)
        self.to = to
        self.release_id = NAMED_BY_RUN if release_id is None else release_id

    def execute(self, context: "Context") -> dict[str, Any]:
        """Publish, or say why not; the events of outlets say what was published.

        Args:
            context: What Airflow knows of this run.

        Returns:
            What ``Judged.xcom`` says.

        Raises:
            AirflowFailException: When the table is blocked, or the user made a mistake; not retried.
            AirflowException: When the ledger, a plugin or qidguard itself failed; retried.
        """
        # an outlet that Airflow cannot resolve is found before anything is published
        outlets = [outlet for outlet in self.outlets if isinstance(outlet, (Asset, AssetAlias, AssetRef))]
        events = [context["outlet_events"][outlet] for outlet in outlets]
        said = super().execute(context)
        told = {name: said[name] for name in ("data_set", "release_id", "audit_id", "address")}
        for event in events:
            event.extra.update(told)
            for named in event.asset_alias_events:  # what an alias stands for in this run
                named.extra.update(told)
        return said

    def judge(self, context: "Context") -> "Judged":
        """Return what came of the release."""
        from qidguard.core.address import shown_address
        from qidguard.interfaces.airflow.verdicts import of_release
        from qidguard.releasing.run import release

        rules, path, source = self.table(context)
        name = self._name(context)
        with self.wishes(context, release_id=name) as wishes:
            made = release(
                source, policy=rules, to=None if is_left_out(self.to) else destination(self.to), wishes=wishes
            )
        if made.is_repeated:
            self.log.info("%s %s was published already; nothing was done.", made.data_set, made.release_id)
        return of_release(made, rules, path, shown_address(source))

    def _do_render_template_fields(self, parent: Any, *given: Any, **named: Any) -> None:
        """Render, so that Airflow shows the release's name."""
        context = named["context"] if "context" in named else given[1]
        if parent is self and self.release_id == NAMED_BY_RUN:
            self.release_id = self._name(context)
        super()._do_render_template_fields(parent, *given, **named)

    def _name(self, context: "Context") -> str:
        from qidguard.interfaces.airflow.run_name import release_name, run_name

        if self.release_id == NAMED_BY_RUN:
            ti = context["ti"]
            return run_name(ti.dag_id, ti.run_id, ti.map_index)
        if is_left_out(self.release_id) or str(self.release_id).strip() == "None":
            raise UserError(
                f"The release has no name: release_id came to {self.release_id!r}; give one, or leave"
                " release_id out to name it by its run."
            )
        return release_name(str(self.release_id))
