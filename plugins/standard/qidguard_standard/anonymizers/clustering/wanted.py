"""What the classes have to keep: k persons, l sensitive values, t from the table."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from qidguard.sdk import AnonymizationTask, Arguments, Bound, Guarantee, Limit, NotMeasurable, Parameter

K = Parameter(
    name="k",
    type=int,
    default=0,
    minimum=0,
    meaning="smallest class, persons; 0 takes the policy's k_anonymity limit",
    policy_limits=("k_anonymity",),
)
L = Parameter(
    name="l",
    type=int,
    default=0,
    minimum=0,
    meaning="fewest distinct values of each sensitive attribute in a class; 0 takes the policy's "
    "distinct_l_diversity limits, and asks for none where there are none",
    policy_limits=("distinct_l_diversity",),
)
T = Parameter(
    name="t",
    type=float,
    default=0.0,
    minimum=0.0,
    maximum=1.0,
    meaning="largest distance, equal-distance EMD, of a class's sensitive values from the table's; 0 takes "
    "the policy's t_closeness limits, and asks for none where there are none",
    policy_limits=("t_closeness",),
)
"""The parameters that the anonymizers of this folder share."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What every class has to keep.

    Args:
        k: Persons in the smallest class, ≥ 1.
        l: Sensitive attribute → distinct values in each class, ≥ 2; those that are not named need not differ.
        t: Sensitive attribute → largest equal-distance EMD between a class and the table, 0..1.
    """

    k: int
    l: Mapping[str, int] = field(default_factory=dict)  # noqa: E741 - the letter of the model
    t: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_k_alone(self) -> bool:
        """Whether nothing but the number of persons counts."""
        return not self.l and not self.t

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive attributes that matter, in order of name."""
        return tuple(sorted({*self.l, *self.t}))

    @property
    def words(self) -> tuple[str, ...]:
        """What is wanted, one phrase each, sensitive attributes in order of name."""
        of_l = (f"l = {least} of {name!r}" for name, least in sorted(self.l.items()))
        of_t = (f"t = {most:g} of {name!r}" for name, most in sorted(self.t.items()))
        return f"k = {self.k}", *of_l, *of_t


def as_they_are(asked: Wanted, task: AnonymizationTask) -> tuple[str, ...]:
    """Return the QIDs that are published as they are, in order of name: sensitive ones that a limit is on.

    Shown by class such a QID would have one value in each class, and nobody's limit on it would hold.
    """
    limited = {target.sensitive for target in task.targets if target.sensitive is not None}
    return tuple(sorted({*asked.sensitive, *limited} & {*task.quasi_identifiers}))


def wanted(arguments: Arguments, task: AnonymizationTask) -> Wanted:
    """Return what the classes have to keep, from the parameters or else from the policy's limits."""
    k = arguments["k"] or math.ceil(max(_limits(task, "k_anonymity", Bound.AT_LEAST).values(), default=0))
    if k < 1:
        raise NotMeasurable("k is set neither here nor as a k_anonymity limit of the policy; set k")
    least, most = int(arguments.get("l", 0)), float(arguments.get("t", 0.0))
    for name, value in (("l", least), ("t", most)):
        if value and not task.sensitive:
            raise NotMeasurable(
                f"{name} = {value:g} needs a sensitive attribute, and none is declared; declare one or leave"
                f" {name} out"
            )
    by_l = _limits(task, "distinct_l_diversity", Bound.AT_LEAST) if "l" in arguments else {}
    by_t = _limits(task, "t_closeness", Bound.AT_MOST) if "t" in arguments else {}
    each_l = {name: math.ceil(value) for name, value in by_l.items()}
    if least:
        each_l = dict.fromkeys(task.sensitive, least)
    return Wanted(
        k=k,
        l={name: value for name, value in each_l.items() if value > 1},
        t=dict.fromkeys(task.sensitive, most) if most else by_t,
    )


def _limits(task: AnonymizationTask, metric: str, bound: Bound) -> dict[str, float]:
    """Return the strictest limit on a metric for each sensitive attribute, "" where there is none."""
    limits: dict[str, float] = {}
    for target in task.targets:
        if target.metric.name == metric and target.limit.bound is bound:
            name, value = target.sensitive or "", float(target.limit.value)
            strictest = max if bound is Bound.AT_LEAST else min
            limits[name] = strictest(limits.get(name, value), value)
    return limits


def guarantees(wanted: Wanted, combinations: Iterable[tuple[str, ...]]) -> tuple[Guarantee, ...]:
    """Return the claims of a table whose classes keep what is wanted, for each combination.

    Where an attribute is to be learned, the other QIDs are known; a combination of it alone claims nothing.

    Example:
        >>> [claim.metric for claim in guarantees(Wanted(k=5), [("age",)])]
        ['k_anonymity']
    """
    claims = []
    for qids in combinations:
        limit = Limit(bound=Bound.AT_LEAST, value=wanted.k)
        claims.append(Guarantee(metric="k_anonymity", limit=limit, qids=qids))
        for metric, bound, limits in (
            ("distinct_l_diversity", Bound.AT_LEAST, wanted.l),
            ("t_closeness", Bound.AT_MOST, wanted.t),
        ):
            claims += [
                Guarantee(metric=metric, limit=Limit(bound=bound, value=value), qids=beside, sensitive=name)
                for name, value in limits.items()
                if (beside := tuple(qid for qid in qids if qid != name))
            ]
    return tuple(claims)
