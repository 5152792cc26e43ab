"""A policy inside an expectation: its arguments, and the policy of one batch."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from qidguard.core.address import shown_address
from qidguard.core.errors import UserError
from qidguard.policy.origin import value_digest

if TYPE_CHECKING:
    from qidguard.core.metric import Metric
    from qidguard.host import Host
    from qidguard.policy import HierarchySettings, Policy, Threshold


_FILES = (("source", "codebook"), ("population", "path"), ("lexicon", "path"))
"""The sections, with their fields, that name a file."""


def policy_kwargs(policy: "Policy") -> dict[str, Any]:
    """Return what the expectation of a whole policy is given."""
    from qidguard.anonymizing.hierarchy.policy import hierarchy_paths

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
    if policy.source.codebook is not None:
        written["source"]["codebook"] = seen_from_here(policy, policy.source.codebook, of="codebook")
    if policy.lexicon is not None and policy.lexicon.path is not None:
        written["lexicon"]["path"] = seen_from_here(policy, policy.lexicon.path, of="lexicon")
    kwargs = {"policy": written, "policy_sha256": value_digest(written)}
    source = policy.source.path
    has_secret = source is not None and shown_address(source) != source
    # line by line, so that a changed limit is one changed line in a review
    lines = policy.text.replace("\r\n", "\n").split("\n")
    return kwargs | ({"policy_text": lines} if policy.text and not has_secret else {})


def without_places(policy: "Policy") -> dict[str, Any]:
    """Return what a policy says, of the files beside it their names alone: they lie elsewhere for a batch.

    Example:
        >>> from qidguard.policy import load_policy
        >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
        >>> fields |= {"thresholds": [{"metric": "k_anonymity", "at_least": 5}]}
        >>> fields["source"] = {"path": "data/visits.csv", "codebook": "data/codes.csv"}
        >>> without_places(load_policy(fields))["source"]
        {'codebook': 'codes.csv'}
    """
    from qidguard.anonymizing.hierarchy.policy import hierarchy_paths

    said = policy.model_dump(mode="json", exclude_defaults=True)
    said.get("source", {}).pop("path", None)
    files = [(said.get(name), field) for name, field in _FILES]
    files += [(said["hierarchies"][column], field) for column, field in hierarchy_paths(policy)]
    for section, field in files:
        if section and field in section:
            section[field] = PurePosixPath(section[field].replace("\\", "/")).name
    return {name: section for name, section in said.items() if section or name != "source"}


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


def batch_policy(
    policy: "Policy", host: "Host", *, has_history: bool, has_original: bool
) -> "tuple[Policy, Mapping[str, str]]":
    """Return a policy without the thresholds that somebody leaves to the release.

    Example:
        >>> from qidguard.policy import load_policy
        >>> from qidguard.host import load_host
        >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
        >>> fields["thresholds"] = [
        ...     {"metric": "k_anonymity", "at_least": 5},
        ...     {"metric": "intersection_k_anonymity", "at_least": 5},
        ... ]
        >>> left, names = batch_policy(load_policy(fields), load_host(), has_history=False, has_original=True)
        >>> [threshold.metric for threshold in left.thresholds], names
        (['k_anonymity'], {'intersection_k_anonymity': 'the earlier ones'})
    """
    removed: dict[str, str] = {}

    def unknown(metric: "Metric") -> str:
        if metric.needs_history and not has_history:
            return "the earlier ones"
        return "the original" if metric.needs_original and not has_original else ""

    def kept(thresholds: "tuple[Threshold, ...]") -> "tuple[Threshold, ...]":
        found = {t.metric: unknown(host.metric(t.metric)) for t in thresholds}
        removed.update({name: what for name, what in found.items() if what})
        return tuple(t for t in thresholds if t.metric not in removed)

    main = kept(policy.thresholds)
    others = tuple(c.model_copy(update={"thresholds": kept(c.thresholds)}) for c in policy.combinations)
    if not removed:
        return policy, {}
    if not main and not policy.preset_thresholds and not any(c.thresholds for c in others):
        raise UserError(
            "Every threshold of the policy is left to the release, so nothing would be left for a batch; add"
            " one that a table is judged by alone."
        )
    changes: dict[str, object] = {"thresholds": main, "combinations": others, **_places_from_here(policy)}
    if "combinations" not in policy.model_fields_set:
        del changes["combinations"]
    return policy.model_copy(update=changes), dict(sorted(removed.items()))


def _places_from_here(policy: "Policy") -> dict[str, object]:
    """Return the sections of a policy that name files, with their paths as seen from here."""
    changes: dict[str, object] = {}
    if policy.population is not None:
        # a changed policy is no longer the one in the file, so its paths are not beside that
        path = seen_from_here(policy, policy.population.path)
        changes["population"] = policy.population.model_copy(update={"path": path})
    if policy.hierarchies:
        changes["hierarchies"] = _hierarchies_from_here(policy)
    if policy.lexicon is not None and policy.lexicon.path is not None:
        path = seen_from_here(policy, policy.lexicon.path, of="lexicon")
        changes["lexicon"] = policy.lexicon.model_copy(update={"path": path})
    book = policy.source.codebook
    if policy.source.path is not None or book is not None:
        # nor does a batch need to know where a table is
        seen = {} if book is None else {"codebook": seen_from_here(policy, book, of="codebook")}
        changes["source"] = policy.source.model_copy(update={"path": None, **seen})
    return changes


def _hierarchies_from_here(policy: "Policy") -> "Mapping[str, HierarchySettings]":
    from qidguard.anonymizing.hierarchy.policy import hierarchy_paths

    hierarchies = dict(policy.hierarchies)
    for (column, field), path in hierarchy_paths(policy).items():
        seen = seen_from_here(policy, path, of="hierarchy")
        hierarchies[column] = hierarchies[column].model_copy(update={field: seen})
    return MappingProxyType(hierarchies)
