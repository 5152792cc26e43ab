"""A policy without the thresholds that no batch can answer."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from qidguard.core.errors import UserError
from qidguard.interfaces.suite.embedded import seen_from_here

if TYPE_CHECKING:
    from qidguard.core.metric import Metric
    from qidguard.core.policy import HierarchySettings, Policy, Threshold
    from qidguard.host import Host


def batch_policy(
    policy: "Policy", host: "Host", *, has_history: bool, has_original: bool
) -> "tuple[Policy, Mapping[str, str]]":
    """Return a policy without the thresholds that somebody leaves to the release.

    Args:
        policy: The policy.
        host: The plugins, whose metrics it names.
        has_history: Whether thresholds over time stay.
        has_original: Whether thresholds on what was lost against the original stay.

    Returns:
        The policy that is left, and metric → what the release knows and a batch does not, for each that was
        taken out, sorted; the policy itself where there is none.

    Units:
        None.

    Raises:
        UserError: When a metric does not exist, nothing would be left, or an address holds a secret.
        PluginError: When a metric is missing and a plugin's fault may be why.

    Example:
        >>> from qidguard.core.policy import load_policy
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
    changes: dict[str, object] = {"thresholds": main, "combinations": others}
    if policy.population is not None:
        # a changed policy is no longer the one in the file, so its paths are not beside that
        path = seen_from_here(policy, policy.population.path)
        changes["population"] = policy.population.model_copy(update={"path": path})
    if policy.hierarchies:
        changes["hierarchies"] = _hierarchies_from_here(policy)
    if policy.source.path is not None:
        # nor does a batch need to know where a table is
        changes["source"] = policy.source.model_copy(update={"path": None})
    if "combinations" not in policy.model_fields_set:
        del changes["combinations"]
    return policy.model_copy(update=changes), dict(sorted(removed.items()))


def _hierarchies_from_here(policy: "Policy") -> "Mapping[str, HierarchySettings]":
    from qidguard.anonymize.hierarchy.digest import hierarchy_paths

    found = dict(policy.hierarchies)
    for (column, field), path in hierarchy_paths(policy).items():
        seen = seen_from_here(policy, path, of="hierarchy")
        found[column] = found[column].model_copy(update={field: seen})
    return MappingProxyType(found)
