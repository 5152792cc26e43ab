"""What a scheduled DAG has to judge, one mapping for each mapped task: names and paths, never a table."""

from pathlib import Path
from typing import TYPE_CHECKING

from qidguard.interfaces.airflow.fault import answered
from qidguard.interfaces.airflow.hook import DEFAULT_CONNECTION, QidguardHook

if TYPE_CHECKING:
    from qidguard.releasing.published import Published


def audits(policies: str, dag_file: str) -> list[dict[str, str]]:
    """Return what ``QidguardAuditOperator`` takes for each policy of a folder.

    Args:
        policies: The folder of policies; a relative path is looked up beside the file of the DAG.
        dag_file: The file of the DAG.

    Returns:
        ``policy`` and ``data_set`` of each table, by the name of the policy's file.

    Units:
        None.

    Raises:
        AirflowFailException: When the folder cannot be read or holds no policy.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "ward.yaml").write_text("not yet a policy")
        ...     [work["data_set"] for work in audits(folder, "/srv/dags/audit.py")]
        ['ward']
    """
    from qidguard.interfaces.policy_folder import listed_policies

    found = answered(lambda: listed_policies(Path(dag_file).parent / policies))
    return [{"policy": f"{policies}/{listed.file}", "data_set": listed.data_set} for listed in found]


def reaudits(
    policies: str, dag_file: str, qidguard_conn_id: str = DEFAULT_CONNECTION
) -> list[dict[str, str]]:
    """Return what ``QidguardReauditOperator`` takes for each published release and each policy about it.

    Args:
        policies: The folder of policies; a relative path is looked up beside the file of the DAG.
        dag_file: The file of the DAG.
        qidguard_conn_id: The connection with the ledger, which says what is published.

    Returns:
        ``policy``, ``data_set`` and ``release_id`` of each release; a release that no policy is about comes
        with a policy that is not there, so that its task fails.

    Units:
        None.

    Raises:
        AirflowFailException: When there is no ledger, or the folder cannot be read or holds no policy.
        AirflowException: When the ledger cannot be read.

    Example:
        >>> import inspect
        >>> list(inspect.signature(reaudits).parameters)
        ['policies', 'dag_file', 'qidguard_conn_id']
    """
    from qidguard.interfaces.policy_folder import policies_of_releases

    found = answered(
        lambda: policies_of_releases(Path(dag_file).parent / policies, _published(qidguard_conn_id))
    )
    return [
        {"policy": f"{policies}/{file}", "data_set": release.data_set, "release_id": release.release_id}
        for release, file in found
    ]


def _published(qidguard_conn_id: str) -> "tuple[Published, ...]":
    """Return what the ledger says is out there; a ledger that is not there is a mistake, not an empty one."""
    from qidguard.evidence.home import Home
    from qidguard.ledger import open_ledger
    from qidguard.releasing.published import published

    with QidguardHook(qidguard_conn_id).wishes() as wishes:
        home = Home.at(wishes.home)
        url = wishes.ledger or home.default_ledger()
        with open_ledger(url, anchors=home.anchors_file(), must_exist=True) as ledger:
            return published(ledger)
