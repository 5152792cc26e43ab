"""What a receipt says beyond counts: limits taken, columns that tell nothing, unused hierarchies."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from qidguard.anonymizing.protocol import PolicyLimit
from qidguard.core.hierarchy import Hierarchy
from qidguard.core.parameter import Arguments, Parameter
from qidguard.core.verdict import Bound

if TYPE_CHECKING:
    from qidguard.anonymizing.records import SnapshotRecords


def limits_taken(
    parameters: Sequence[Parameter], arguments: Arguments, targets: Sequence[PolicyLimit]
) -> dict[str, str]:
    """Return for each parameter that stands at its default which of the policy's limits it takes.

    Of several limits on one metric and attribute the strictest is told; without any the text is empty.

    Example:
        >>> k = Parameter(name="k", type=int, default=0, policy_limits=("k_anonymity",))
        >>> limits_taken([k], {"k": 0}, []), limits_taken([k], {"k": 5}, [])
        ({'k': ''}, {})
    """
    return {
        one.name: ", ".join(_limits(one.policy_limits, targets))
        for one in parameters
        if one.policy_limits and arguments[one.name] == one.default
    }


def _limits(metrics: Sequence[str], targets: Sequence[PolicyLimit]) -> Iterator[str]:
    for metric in metrics:
        values: dict[str | None, list[float]] = {}
        bound = Bound.AT_LEAST
        for target in targets:
            if target.metric.name == metric:
                bound = target.limit.bound
                values.setdefault(target.sensitive, []).append(float(target.limit.value))
        for sensitive, of in values.items():
            strictest = max(of) if bound is Bound.AT_LEAST else min(of)
            yield f"{strictest:g}" + ("" if sensitive is None else f" of {sensitive}")


MOST_SUPPRESSED = 0.5
"""Share of the records from which on a column of suppression marks is warned of."""


def telling_nothing(
    before: "SnapshotRecords", after: "SnapshotRecords", changed: Sequence[str], mark: str
) -> tuple[str, ...]:
    """Return a warning for each changed column that has one value left, or the mark in most records."""
    warnings = []
    for name in changed:
        column = after.column(name)
        values = len(set(column.codes.tolist()))
        if values == 1 and before.column(name).distinct > 1:
            warnings.append(f"{name!r} has the same value in every record, so it tells nothing any more")
            continue
        marks = [code for code, text in enumerate(column.texts) if text == mark]
        suppressed = sum(int((column.codes == code).sum()) for code in marks)
        if suppressed > MOST_SUPPRESSED * len(column.codes):
            share = suppressed / len(column.codes)
            warnings.append(
                f"{name!r} is suppressed in {suppressed:,} of {len(column.codes):,} records ({share:.1%})"
            )
    return tuple(warnings)


def unused_hierarchies(
    anonymizer: str, after: "SnapshotRecords", changed: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> tuple[str, ...]:
    """Return a note on columns with a hierarchy of which nothing is published although they were changed."""
    unused = []
    for name in changed:
        if name in hierarchies:
            labels = {label for level in hierarchies[name].labels[1:-1] for label in level} - {None}
            column = after.column(name)
            if not labels & {column.texts[code] for code in set(column.codes.tolist())}:
                unused.append(name)
    if not unused:
        return ()
    listed = " and ".join([", ".join(unused[:-1]), unused[-1]] if unused[1:] else unused)
    word = "hierarchies" if unused[1:] else "hierarchy"
    return (f"{word} of {listed}: not used by {anonymizer} in what it publishes",)
