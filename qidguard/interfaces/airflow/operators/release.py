"""Judge a table and publish it, only where its policy holds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qidguard.interfaces.airflow.operators.table import TableOperator
from qidguard.interfaces.airflow.place import destination, is_left_out

if TYPE_CHECKING:
    from airflow.sdk import Context

    from qidguard.interfaces.airflow.judged import Judged


class QidguardReleaseOperator(TableOperator):
    """Publishes a table in one step, only where its policy holds; a retry never publishes twice.

    Its outlets are updated only by a release, and their events carry ``data_set``, ``release_id``,
    ``audit_id`` and ``address``.

    Args:
        policy: The policy's file (templated).
        source: The table's path or URL (templated); None takes the policy's ``source.path``.
        to: An absolute folder or a URL (templated); None takes the policy's ``release.destination``.
        release_id: The release's own name (templated), changed into a valid one where it is none; by default
            made of the names of DAG and run, so that every try of a run makes the same release.
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

    def __init__(
        self, *, to: Any = None, release_id: Any = "{{ dag.dag_id }}-{{ run_id }}", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.to = to
        self.release_id = release_id

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
        said = super().execute(context)
        for asset in self._assets():
            told = {name: said[name] for name in ("data_set", "release_id", "audit_id", "address")}
            context["outlet_events"][asset].extra.update(told)
        return said

    def judge(self, context: "Context") -> "Judged":
        """Return what came of the release."""
        from qidguard.core.address import shown_address
        from qidguard.interfaces.airflow.run_name import release_name
        from qidguard.interfaces.airflow.verdicts import of_release
        from qidguard.releasing.run import release

        rules, path, source = self.table(context)
        name = release_name(str(self.release_id))
        with self.wishes(context, release_id=name) as wishes:
            made = release(
                source, policy=rules, to=None if is_left_out(self.to) else destination(self.to), wishes=wishes
            )
        if made.is_repeated:
            self.log.info("%s %s was published already; nothing was done.", made.data_set, made.release_id)
        return of_release(made, rules, path, shown_address(source))
