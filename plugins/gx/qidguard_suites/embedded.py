"""A policy inside an expectation: its arguments, and the policy of one batch."""

from collections.abc import Mapping
from functools import reduce
from operator import getitem
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from qidguard.sdk import UserError, load_host, shown_address, value_digest

if TYPE_CHECKING:
    from qidguard.sdk import Metric, Policy

_CALLED = {"hierarchies": "hierarchy", "source": "codebook"}
"""What a section of the policy has a file for, where that is called otherwise."""


def policy_kwargs(policy: "Policy") -> dict[str, Any]:
    """Return what the expectation of a whole policy is given."""
    written = policy.model_dump(mode="json", exclude_unset=True)
    if "source" in written:
        # a batch is there already, and the address of a table may hold a password
        written["source"].pop("path", None)
        if not written["source"]:
            del written["source"]
    for (*sections, field), path in _files_from_here(policy).items():
        reduce(getitem, sections, written)[field] = path
    kwargs = {"policy": written, "policy_sha256": value_digest(written)}
    source = policy.source.path
    has_secret = source is not None and shown_address(source) != source
    # line by line, so that a changed limit is one changed line in a review
    lines = policy.text.replace("\r\n", "\n").split("\n")
    return kwargs | ({"policy_text": lines} if policy.text and not has_secret else {})


def seen_from_here(policy: "Policy", path: str, *, of: str = "population") -> str:
    """Return a path of the policy as seen from the working directory, relative where it lies below it.

    A suite is a file that people share, so UserError for an address with a secret.
    """
    if shown_address(path) != path:
        raise UserError(
            f"The {of}'s address {shown_address(path)!r} is written with a user, a password or a query,"
            " which would stand in the suite's file; write it without, and give the secret in the environment"
        )
    resolved = policy.resolve(path)
    if "://" in resolved:
        return resolved
    here = Path.cwd()
    place = Path(resolved)
    return (
        place.relative_to(here).as_posix() if place.is_absolute() and place.is_relative_to(here) else resolved
    )


def _files_from_here(policy: "Policy") -> dict[tuple[str, ...], str]:
    return {
        place: seen_from_here(policy, path, of=_CALLED.get(place[0], place[0]))
        for place, path in policy.files_beside.items()
    }


def without_places(policy: "Policy") -> dict[str, Any]:
    """Return what a policy says, of the files beside it their names alone: they lie elsewhere for a batch.

    Example:
        >>> from qidguard.sdk import load_policy
        >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
        >>> fields |= {"thresholds": [{"metric": "k_anonymity", "at_least": 5}]}
        >>> fields["source"] = {"path": "data/visits.csv", "codebook": "data/codes.csv"}
        >>> without_places(load_policy(fields))["source"]
        {'codebook': 'codes.csv'}
    """
    said = policy.model_dump(mode="json", exclude_defaults=True)
    said.get("source", {}).pop("path", None)
    for (*sections, field), path in policy.files_beside.items():
        reduce(getitem, sections, said)[field] = PurePosixPath(path.replace("\\", "/")).name
    return {name: section for name, section in said.items() if section or name != "source"}


def batch_policy(
    policy: "Policy", *, has_history: bool, has_original: bool
) -> "tuple[Policy, Mapping[str, str]]":
    """Return a policy without the thresholds that somebody leaves to the release.

    Example:
        >>> from qidguard.sdk import load_policy
        >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
        >>> fields["thresholds"] = [
        ...     {"metric": "k_anonymity", "at_least": 5},
        ...     {"metric": "intersection_k_anonymity", "at_least": 5},
        ... ]
        >>> left, names = batch_policy(load_policy(fields), has_history=False, has_original=True)
        >>> [threshold.metric for threshold in left.thresholds], names
        (['k_anonymity'], {'intersection_k_anonymity': 'the earlier ones'})
    """

    def unknown(metric: "Metric") -> str:
        if metric.needs_history and not has_history:
            return "the earlier ones"
        return "the original" if metric.needs_original and not has_original else ""

    host = load_host()
    every = (*policy.thresholds, *(one for c in policy.combinations for one in c.thresholds))
    found = {one.metric: unknown(host.metric(one.metric)) for one in every}
    removed = {name: what for name, what in sorted(found.items()) if what}
    if not removed:
        return policy, {}
    main = tuple(one for one in policy.thresholds if one.metric not in removed)
    others = tuple(
        c.model_copy(update={"thresholds": tuple(t for t in c.thresholds if t.metric not in removed)})
        for c in policy.combinations
    )
    if not main and not policy.preset_thresholds and not any(c.thresholds for c in others):
        raise UserError(
            "Every threshold of the policy is left to the release, so nothing would be left for a batch; add"
            " one that a table is judged by alone."
        )
    changes: dict[str, object] = {"thresholds": main, **_sections_from_here(policy)}
    if "combinations" in policy.model_fields_set:
        changes["combinations"] = others
    return policy.model_copy(update=changes), removed


def _sections_from_here(policy: "Policy") -> dict[str, Any]:
    """Return the sections of a policy that name files, with their paths as seen from here.

    A changed policy is no longer the one in the file, so its paths are not beside that. Nor does a batch need
    to know where a table is.
    """
    changed: dict[str, Any] = {}
    if policy.source.path is not None:
        changed["source"] = policy.source.model_copy(update={"path": None})
    hierarchies = dict(policy.hierarchies)
    for (section, *inner, field), path in _files_from_here(policy).items():
        if section == "hierarchies":
            hierarchies[inner[0]] = hierarchies[inner[0]].model_copy(update={field: path})
        else:
            said = changed.get(section, getattr(policy, section))
            changed[section] = said.model_copy(update={field: path})
    return changed | ({"hierarchies": MappingProxyType(hierarchies)} if hierarchies else {})
