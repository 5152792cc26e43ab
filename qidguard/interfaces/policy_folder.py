"""A folder of policies as a list of work: each says which table it judges."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from qidguard.core.errors import PolicyError, UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qidguard.core.policy import Policy
    from qidguard.releasing.published import Published

SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, kw_only=True)
class ListedPolicy:
    """A policy of a folder.

    Args:
        data_set: The data set that it judges; where the policy cannot be read, the file's name.
        file: The file's name in the folder.
    """

    data_set: str
    file: str


def listed_policies(folder: str | Path) -> tuple[ListedPolicy, ...]:
    """Return the policies of a folder by file name; those that cannot be read too, so that somebody is told.

    Args:
        folder: The folder; hidden files and folders in it are passed over.

    Returns:
        One for each YAML file.

    Units:
        None.

    Raises:
        UserError: When the folder cannot be read or holds no policy: nothing to judge is no pass.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "ward.yaml").write_text("not yet a policy")
        ...     listed_policies(folder)
        (ListedPolicy(data_set='ward', file='ward.yaml'),)
    """
    try:
        names = sorted(
            path.name
            for path in Path(folder).iterdir()
            if path.suffix in SUFFIXES and not path.name.startswith(".") and not path.is_dir()
        )
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise UserError(
            f"The folder of policies {str(folder)!r} cannot be read ({why}); set QIDGUARD_POLICIES to yours"
        ) from None
    if not names:
        raise UserError(
            f"The folder of policies {str(folder)!r} holds no .yaml file, so there is nothing to judge by;"
            " write a policy with: qidguard policy init DATA"
        )
    return tuple(ListedPolicy(data_set=_data_set(Path(folder, name)), file=name) for name in names)


def policies_of_releases(
    folder: str | Path, releases: "Sequence[Published]"
) -> "tuple[tuple[Published, str], ...]":
    """Return each published release with each policy of a folder that is about its data set.

    Args:
        folder: The folder of policies.
        releases: What the ledger says is out there.

    Returns:
        The release and the name of the policy's file. A release without a policy comes with the name that the
        file should have, so that whoever judges it finds none and says so.

    Units:
        None.

    Raises:
        UserError: When the folder cannot be read or holds no policy.

    Example:
        >>> import tempfile
        >>> from qidguard.releasing.published import Published
        >>> release = Published(
        ...     data_set="ward", release_id="r1", address="/srv/ward/r1", released_at="2026-11-21"
        ... )
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "other.yaml").write_text("not yet a policy")
        ...     [file for _, file in policies_of_releases(folder, [release])]
        ['ward.yaml']
    """
    listed = listed_policies(folder)
    return tuple(
        (release, file)
        for release in releases
        for file in [policy.file for policy in listed if policy.data_set == release.data_set]
        or [f"{release.data_set}.yaml"]
    )


def policy_data_set(policy: "Policy", file: str | Path) -> str:
    """Return the data set that a policy judges: the one that it names, else its table's, else its own name.

    Args:
        policy: The policy.
        file: The policy's file.

    Returns:
        The name under which releases of it are kept.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> from qidguard.core.policy import parse_policy
        >>> text = "{qidguard: 1, name: p, preset: pdpc-sg-5, roles: {quasi_identifiers: [age]}}"
        >>> policy_data_set(parse_policy(text), "policies/ward.yaml")
        'ward'
    """
    from qidguard.releasing.job import data_set_name

    try:
        return data_set_name(policy.source_path, policy, None)
    except PolicyError:
        return Path(file).stem


def _data_set(path: Path) -> str:
    from qidguard.core.policy import load_policy

    try:
        return policy_data_set(load_policy(path), path)
    except PolicyError:
        return path.stem
