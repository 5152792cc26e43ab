"""A folder of policies as a list of work: each says which table it judges."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from qidguard.core.errors import PolicyError, UserError
from qidguard.core.system import why

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qidguard.policy import Policy
    from qidguard.releasing.history.published import Published

SUFFIXES = (".yaml", ".yml")

UNKNOWN = "unknown"
"""Stands for the releases that a policy is about that cannot be read."""


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
            f"The folder of policies {str(folder)!r} cannot be read ({why(error)}); set"
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
    folder: str | Path, releases: "Sequence[Published]"
) -> "tuple[tuple[Published, str], ...]":
    """Return each published release with each policy of a folder that is about its data set.

    Example:
        >>> import tempfile
        >>> from qidguard.releasing.history.published import Published
        >>> release = Published(
        ...     data_set="ward", release_id="r1", address="/srv/ward/r1", released_at="2026-11-21"
        ... )
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "other.yaml").write_text("not yet a policy")
        ...     [file for _, file in policies_of_releases(folder, [release])]
        ['ward.yaml', 'other.yaml']
    """
    from qidguard.releasing.history.published import Published

    listed = listed_policies(folder)
    judged = tuple(
        (release, file)
        for release in releases
        for file in [policy.file for policy in listed if policy.data_set == release.data_set]
        or [f"{release.data_set}.yaml"]
    )
    told = {file for _, file in judged}
    unread = [policy for policy in listed if not policy.is_readable and policy.file not in told]
    return judged + tuple(
        (Published(data_set=policy.data_set, release_id=UNKNOWN, address="", released_at=""), policy.file)
        for policy in unread
    )


def policy_data_set(policy: "Policy", file: str | Path) -> str:
    """Return the data set that a policy judges: the one that it names, else its table's, else its own name.

    Example:
        >>> from qidguard.policy import parse_policy
        >>> text = "{qidguard: 1, name: p, preset: pdpc-sg-5, roles: {quasi_identifiers: [age]}}"
        >>> policy_data_set(parse_policy(text), "policies/ward.yaml")
        'ward'
    """
    from qidguard.releasing.context import data_set_name

    try:
        return data_set_name(policy.source_path, policy, None)
    except PolicyError:
        return Path(file).stem


def _listed(path: Path) -> ListedPolicy:
    from qidguard.policy import load_policy

    try:
        return ListedPolicy(data_set=policy_data_set(load_policy(path), path), file=path.name)
    except PolicyError:
        return ListedPolicy(data_set=path.stem, file=path.name, is_readable=False)


def _is_note(path: Path) -> bool:
    suffix = path.suffix.lower()
    return suffix == ".md" or (suffix not in SUFFIXES and path.name.upper().startswith("README"))
