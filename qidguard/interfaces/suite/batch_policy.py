"""A policy without the thresholds that no batch can answer."""

from typing import TYPE_CHECKING

from qidguard.core.errors import UserError
from qidguard.interfaces.suite.embedded import seen_from_here

if TYPE_CHECKING:
    from qidguard.core.policy import Policy, Threshold
    from qidguard.host import Host


def without_history(policy: "Policy", host: "Host") -> "tuple[Policy, tuple[str, ...]]":
    """Return a policy without its thresholds over time, for whoever leaves these to the release.

    Args:
        policy: The policy.
        host: The plugins, whose metrics it names.

    Returns:
        The policy that is left, and the names of the metrics that were taken out, sorted; the policy itself
        where it has none.

    Units:
        None.

    Raises:
        UserError: When a metric does not exist, or nothing would be left.
        PluginError: When a metric is missing and a plugin's fault may be why.

    Example:
        >>> from qidguard.core.policy import load_policy
        >>> from qidguard.host import load_host
        >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
        >>> fields["thresholds"] = [
        ...     {"metric": "k_anonymity", "at_least": 5},
        ...     {"metric": "intersection_k_anonymity", "at_least": 5},
        ... ]
        >>> left, names = without_history(load_policy(fields), load_host())
        >>> [threshold.metric for threshold in left.thresholds], names
        (['k_anonymity'], ('intersection_k_anonymity',))
    """
    removed: set[str] = set()

    def kept(thresholds: "tuple[Threshold, ...]") -> "tuple[Threshold, ...]":
        removed.update(t.metric for t in thresholds if host.metric(t.metric).needs_history)
        return tuple(t for t in thresholds if t.metric not in removed)

    main = kept(policy.thresholds)
    others = tuple(c.model_copy(update={"thresholds": kept(c.thresholds)}) for c in policy.combinations)
    if not removed:
        return policy, ()
    if not main and not policy.preset_thresholds and not any(c.thresholds for c in others):
        raise UserError(
            "Every threshold of the policy is over time, so nothing would be left for a batch; add one."
        )
    changes: dict[str, object] = {"thresholds": main, "combinations": others}
    if policy.population is not None:
        # a changed policy is no longer the one in the file, so its paths are not beside that
        path = seen_from_here(policy, policy.population.path)
        changes["population"] = policy.population.model_copy(update={"path": path})
    if policy.source.path is not None:
        # nor does a batch need to know where a table is
        changes["source"] = policy.source.model_copy(update={"path": None})
    if "combinations" not in policy.model_fields_set:
        del changes["combinations"]
    return policy.model_copy(update=changes), tuple(sorted(removed))
