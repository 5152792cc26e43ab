"""A policy as a suite carries it: the whole document with a digest of its own."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.core.address import shown_address
from qidguard.core.errors import UserError
from qidguard.core.policy.origin import value_digest

if TYPE_CHECKING:
    from qidguard.core.policy import Policy


def policy_kwargs(policy: "Policy") -> dict[str, Any]:
    """Return what the expectation of a whole policy is given.

    Args:
        policy: The policy.

    Returns:
        ``policy``, the fields that are written in it but for the table's path, and ``policy_sha256``, the
        digest of just these. The paths of the population and of hierarchies are as seen from the working
        directory, since a suite is no file of a policy.

    Units:
        None.

    Raises:
        UserError: When an address in the policy holds a secret.

    Example:
        >>> from qidguard.core.policy import load_policy
        >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
        >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
        >>> policy_kwargs(load_policy(fields))["policy"] == fields
        True
    """
    from qidguard.anonymize.hierarchy.digest import hierarchy_paths

    written = policy.model_dump(mode="json", exclude_unset=True)
    if "source" in written:
        # a batch is there already, and the address of a table may hold a password
        written["source"].pop("path", None)
        if not written["source"]:
            del written["source"]
    if policy.population is not None:
        written["population"]["path"] = seen_from_here(policy, policy.population.path)
    for (column, field), path in hierarchy_paths(policy).items():
        written["hierarchies"][column][field] = seen_from_here(policy, path, of="hierarchy")
    return {"policy": written, "policy_sha256": value_digest(written)}


def seen_from_here(policy: "Policy", path: str, *, of: str = "population") -> str:
    """Return a path of the policy as seen from the working directory, relative where it lies below it.

    A suite is a file that people share, so UserError for an address with a secret.
    """
    if shown_address(path) != path:
        raise UserError(
            f"The {of}'s address {shown_address(path)!r} is written with a user, a password or a query,"
            " which would stand in the suite's file; write it without, and give the secret in the environment"
        )
    found = policy.beside(path)
    if "://" in found:
        return found
    here = Path.cwd()
    place = Path(found)
    return place.relative_to(here).as_posix() if place.is_absolute() and place.is_relative_to(here) else found
