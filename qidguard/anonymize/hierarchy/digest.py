"""The files that a policy's hierarchies are read from: which they are, and their digests for the record."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidguard.core.policy import Policy

_OF_FILES = ("file", "taxonomy")
"""The ways to make a hierarchy that name a file."""


def hierarchy_paths(policy: "Policy") -> dict[tuple[str, str], str]:
    """Return the files that a policy's hierarchies name, as they are written.

    Args:
        policy: The policy.

    Returns:
        Column and field, which is ``file`` or ``taxonomy`` → path, in the policy's order; nothing for a
        hierarchy that is made without a file.

    Units:
        None.

    Raises:
        Nothing of its own.

    Example:
        >>> from qidguard.core.policy import load_policy
        >>> fields = {"qidguard": 1, "name": "p", "preset": "pdpc-sg-5"}
        >>> fields["roles"] = {"quasi_identifiers": ["age", "job"]}
        >>> fields["hierarchies"] = {"age": "auto", "job": {"taxonomy": "jobs.yaml"}}
        >>> hierarchy_paths(load_policy(fields))
        {('job', 'taxonomy'): 'jobs.yaml'}
    """
    return {
        (column, settings.way): getattr(settings, settings.way)
        for column, settings in policy.hierarchies.items()
        if settings.way in _OF_FILES
    }


def hierarchy_digests(policy: "Policy") -> dict[str, str]:
    r"""Return the digests of the files of a policy's hierarchies, as they are now.

    Args:
        policy: The policy.

    Returns:
        Column → SHA-256 of its file's bytes, hex, in the policy's order; equal bytes have equal digests,
        whatever the file is called. Nothing where no hierarchy has a file.

    Units:
        None.

    Raises:
        PolicyError: At the line of the declaration, when a file cannot be read.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from qidguard.core.policy import load_policy
        >>> fields = {"qidguard": 1, "name": "p", "preset": "pdpc-sg-5"}
        >>> fields["roles"] = {"quasi_identifiers": ["sex"]}
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "sex.csv")
        ...     _ = path.write_bytes(b"f;*\nm;*\n")
        ...     fields["hierarchies"] = {"sex": {"file": str(path)}}
        ...     hierarchy_digests(load_policy(fields))["sex"][:8]
        'b5b0b7f9'
    """
    return {
        column: _digest(policy, column, written) for (column, _), written in hierarchy_paths(policy).items()
    }


def _digest(policy: "Policy", column: str, written: str) -> str:
    try:
        with Path(policy.beside(written)).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or "its name is not a path"
        sentence = f"the hierarchy's file cannot be read ({why}); check its path and rights"
        raise policy.error(sentence, "hierarchies", column) from None
