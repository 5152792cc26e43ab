"""What a scheduled DAG has to judge, one mapping for each mapped task: names and paths, never a table."""

from pathlib import Path
from typing import TYPE_CHECKING

from qidguard_provider.fault import answered
from qidguard_provider.hooks.qidguard import DEFAULT_CONNECTION, QidguardHook

if TYPE_CHECKING:
    from qidguard.releasing.history.published import Published


def audits(policies: str, dag_file: str) -> list[dict[str, str]]:
    """Return what ``QidguardAuditOperator`` takes for each policy of a folder.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "ward.yaml").write_text("not yet a policy")
        ...     [work["data_set"] for work in audits(folder, "/srv/dags/audit.py")]
        ['ward']
    """
    from qidguard.interfaces.policy_folder import listed_policies

    listed_files = answered(lambda: listed_policies(Path(dag_file).parent / policies))
    return [{"policy": f"{policies}/{listed.file}", "data_set": listed.data_set} for listed in listed_files]


def reaudits(
    policies: str, dag_file: str, qidguard_conn_id: str = DEFAULT_CONNECTION
) -> list[dict[str, str]]:
    """Return what ``QidguardReauditOperator`` takes for each published release and each policy about it."""
    from qidguard.interfaces.policy_folder import policies_of_releases

    listed = answered(
        lambda: policies_of_releases(Path(dag_file).parent / policies, _published(qidguard_conn_id))
    )
    return [
        {"policy": f"{policies}/{file}", "data_set": release.data_set, "release_id": release.release_id}
        for release, file in listed
    ]


def _published(qidguard_conn_id: str) -> "tuple[Published, ...]":
    """Return what the ledger says is out there; a ledger that is not there is a mistake, not an empty one."""
    from qidguard.evidence.home import Home
    from qidguard.ledger import open_ledger
    from qidguard.releasing.history.published import published

    with QidguardHook(qidguard_conn_id).options() as options:
        home = Home.at(options["home"])
        url = options["ledger"] or home.default_ledger()
        with open_ledger(url, anchors=home.anchors_file(), must_exist=True) as ledger:
            return published(ledger)
