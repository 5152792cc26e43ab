"""What an anonymiser of this folder claims of its result."""

from qidguard import Bound, Guarantee, Limit, Task
from qidguard_standard.anonymisers.clustering.wanted import Wanted

MOST_CLAIMS = 200
"""Combinations that claims are made for: a receipt with twenty thousand sentences is read by nobody."""


def claims(asked: Wanted, task: Task) -> tuple[Guarantee, ...]:
    """Return the claim of what is wanted over each combination of a task.

    Args:
        asked: What every class keeps.
        task: Its combinations.

    Returns:
        One claim a combination and rule; those of the first 200 combinations, where there are more.

    Units:
        Those of the metrics.

    Raises:
        Nothing.

    Example:
        >>> task = Task(combinations=(("age",),), entity=None, sensitive=(), seed=0)
        >>> claims(Wanted(k=5), task)[0].limit.value
        5
    """
    found = []
    for qids in task.combinations[:MOST_CLAIMS]:
        found.append(_claim("k_anonymity", Bound.AT_LEAST, asked.k, qids))
        found += [
            _claim("distinct_l_diversity", Bound.AT_LEAST, least, qids, name)
            for name, least in sorted(asked.l.items())
        ]
        found += [
            _claim("t_closeness", Bound.AT_MOST, most, qids, name) for name, most in sorted(asked.t.items())
        ]
    return tuple(found)


def claims_note(task: Task) -> tuple[str, ...]:
    """Return a sentence where there are more combinations than claims; nothing elsewhere."""
    many = len(task.combinations)
    if many <= MOST_CLAIMS:
        return ()
    return (f"the same holds for all {many:,} combinations; the claims name the first {MOST_CLAIMS}",)


def _claim(
    metric: str, bound: Bound, value: float, qids: tuple[str, ...], sensitive: str | None = None
) -> Guarantee:
    limit = Limit(bound=bound, value=value)
    return Guarantee(metric=metric, limit=limit, qids=qids, sensitive=sensitive)
