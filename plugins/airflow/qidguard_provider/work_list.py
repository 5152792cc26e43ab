"""What a scheduled DAG has to judge, one mapping for each mapped task: names and paths, never a table.

A folder of policies is a list of work: each says which table it judges.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from qidguard import PolicyError, UserError, load_policy
from qidguard_provider.fault import answered
from qidguard_provider.hooks.qidguard import DEFAULT_CONNECTION, QidguardHook

if TYPE_CHECKING:
    from collections.abc import Sequence

SUFFIXES = (".yaml", ".yml")

UNKNOWN = "unknown"
"""Stands for the releases that a policy is about that cannot be read."""


def audits(policies: str, dag_file: str) -> list[dict[str, str]]:
    """Return what ``QidguardAuditOperator`` takes for each policy of a folder.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "ward.yaml").write_text("not yet a policy")
        ...     [work["data_set"] for work in audits(folder, "/srv/dags/audit.py")]
        ['ward']
    """
    listed_files = answered(lambda: listed_policies(Path(dag_file).parent / policies))
    return [{"policy": f"{policies}/{listed.file}", "data_set": listed.data_set} for listed in listed_files]


def reaudits(
    policies: str, dag_file: str, qidguard_conn_id: str = DEFAULT_CONNECTION
) -> list[dict[str, str]]:
    """Return what ``QidguardReauditOperator`` takes for each published release and each policy about it."""

    def listed() -> tuple[tuple[str, str, str], ...]:
        published = QidguardHook(qidguard_conn_id).access_to_work().published()
        names = [(release.data_set, release.release_id) for release in published]
        return policies_of_releases(Path(dag_file).parent / policies, names)

    return [
        {"policy": f"{policies}/{file}", "data_set": data_set, "release_id": release_id}
        for data_set, release_id, file in answered(listed)
    ]


@dataclass(frozen=True, kw_only=True)
class ListedPolicy:
    """A policy of a folder.

    Args:
        data_set: The data set that it judges; where the policy cannot be read, the file's name.
        file: The file's name in the folder.
        is_readable: Whether it can be read as a policy.
    """

    data_set: str
    file: str
    is_readable: bool = True


def listed_policies(folder: str | Path) -> tuple[ListedPolicy, ...]:
    """Return the policies of a folder by file name; those that cannot be read too, so that somebody is told.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "ward.yaml").write_text("not yet a policy")
        ...     listed_policies(folder)
        (ListedPolicy(data_set='ward', file='ward.yaml', is_readable=False),)
    """
    try:
        names = sorted(
            path.name
            for path in Path(folder).iterdir()
            if not path.name.startswith(".") and not path.is_dir() and not _is_note(path)
        )
    except OSError as error:
        raise UserError(
            f"The folder of policies {str(folder)!r} cannot be read ({error.strerror}); set"
            " QIDGUARD_POLICIES to yours"
        ) from None
    strange = next((name for name in names if Path(name).suffix.lower() not in SUFFIXES), None)
    if strange is not None:
        raise UserError(
            f"The folder of policies {str(folder)!r} holds {strange!r}, which is no .yaml file, so nothing is"
            " judged by it; give it that ending if it is a policy, else put it elsewhere"
        )
    if not names:
        raise UserError(
            f"The folder of policies {str(folder)!r} holds no .yaml file, so there is nothing to judge by;"
            " write a policy with: qidguard policy init DATA"
        )
    return tuple(_listed(Path(folder, name)) for name in names)


def policies_of_releases(
    folder: str | Path, releases: "Sequence[tuple[str, str]]"
) -> tuple[tuple[str, str, str], ...]:
    """Return each published release, data set and name, with each policy of a folder that is about it.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "other.yaml").write_text("not yet a policy")
        ...     policies_of_releases(folder, [("ward", "r1")])
        (('ward', 'r1', 'ward.yaml'), ('other', 'unknown', 'other.yaml'))
    """
    listed = listed_policies(folder)
    judged = tuple(
        (data_set, release_id, file)
        for data_set, release_id in releases
        for file in [policy.file for policy in listed if policy.data_set == data_set] or [f"{data_set}.yaml"]
    )
    told = {file for *_, file in judged}
    unread = [policy for policy in listed if not policy.is_readable and policy.file not in told]
    return judged + tuple((policy.data_set, UNKNOWN, policy.file) for policy in unread)


def _listed(path: Path) -> ListedPolicy:
    from qidguard.sdk import policy_data_set

    try:
        return ListedPolicy(data_set=policy_data_set(load_policy(path), path), file=path.name)
    except PolicyError:
        return ListedPolicy(data_set=path.stem, file=path.name, is_readable=False)


def _is_note(path: Path) -> bool:
    suffix = path.suffix.lower()
    return suffix == ".md" or (suffix not in SUFFIXES and path.name.upper().startswith("README"))
