"""What a run of the hybrid scheme is asked for: its parameters, and k from the policy."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from qidguard.sdk import AnonymizationTask, Arguments, Bound, DeclarationError, Parameter
from qidguard_hybrid_dp.noise.column import NoiseScale
from qidguard_hybrid_dp.patterns.categories import CategoryLimits


class Clustered(StrEnum):
    """Which records are clustered: both partitions, or the violating one alone (Algorithm 2)."""

    BOTH = "both"
    VIOLATING = "violating"


PARAMETERS = (
    Parameter(
        name="k",
        type=int,
        default=0,
        minimum=0,
        meaning="persons in the smallest cluster; 0 takes the policy's k_anonymity limit",
        policy_limits=("k_anonymity",),
    ),
    Parameter(
        name="bounds",
        type=Fraction,
        per="column",
        many=2,
        default={},
        meaning="lower and upper end of what a numeric QID may hold, known without looking at the table",
    ),
    Parameter(
        name="estimate",
        type=Fraction,
        per="column",
        minimum=0,
        default={},
        meaning="ε by which a tighter range is estimated within a column's bounds; columns without one keep"
        " their bounds",
    ),
    Parameter(
        name="epsilon_violating",
        type=Fraction,
        default=Fraction(3),
        minimum=0,
        meaning="ε of each numeric QID of a violating record",
    ),
    Parameter(
        name="epsilon_other",
        type=Fraction,
        default=Fraction(5),
        minimum=0,
        meaning="ε of each numeric QID of any other record",
    ),
    Parameter(
        name="scale",
        type=str,
        default="range",
        choices=("range", "unit"),
        meaning="range: noise of scale (upper − lower) / ε protects a value wherever it lies; unit: noise of"
        " scale 1 / ε protects one unit of difference only",
    ),
    Parameter(
        name="step",
        type=Fraction,
        per="column",
        default={},
        minimum=0,
        meaning="grid of a numeric QID's published values, in its unit; where none is set, 1 for whole"
        " numbers, else at least 65,536 steps from bound to bound",
    ),
    Parameter(
        name="cluster",
        type=str,
        default="both",
        choices=("both", "violating"),
        meaning="which records form clusters of k on categorical QIDs: all, or the violating ones only",
    ),
    Parameter(
        name="l",
        type=int,
        default=1,
        minimum=1,
        meaning="distinct values of each sensitive attribute in a cluster",
    ),
    Parameter(
        name="t_div",
        type=float,
        default=0.0,
        minimum=0.0,
        meaning="entropy of a sensitive attribute, nats, below which a cluster is generalized to the average"
        " level (T_div); 0 never does",
    ),
    Parameter(
        name="strict",
        type=bool,
        default=False,
        meaning="whether numeric QIDs are published as intervals of their cluster, so that k holds over all"
        " QIDs",
    ),
    Parameter(
        name="pattern_friendly",
        type=bool,
        per="column",
        default={},
        meaning="whether a categorical QID is pattern-friendly; where any is named, no forest is asked",
    ),
    Parameter(
        name="public_membership",
        type=str,
        per="column",
        default={},
        meaning="the values that do not violate, with | between several, known without looking at the table",
    ),
    Parameter(
        name="minor",
        type=float,
        default=0.05,
        minimum=0.0,
        maximum=1.0,
        meaning="share of the records below which a value is minor",
    ),
    Parameter(
        name="super_minor",
        type=float,
        default=0.01,
        minimum=0.0,
        maximum=1.0,
        meaning="share of the records below which a value is super minor",
    ),
    Parameter(
        name="is_major_violating",
        type=bool,
        default=True,
        meaning="whether a major value violates too; else only minor and super minor ones",
    ),
    Parameter(
        name="as_category",
        type=bool,
        per="column",
        default={},
        meaning="whether a QID of numbers is taken as categories, which get no noise",
    ),
    Parameter(
        name="contributions",
        type=int,
        default=0,
        minimum=0,
        meaning="most records of a person; 0 counts them in the table",
    ),
)


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """What a run is asked for.

    Args:
        k: Persons in the smallest cluster, ≥ 1.
        bounds: Numeric QID → what it may hold, declared.
        epsilon_violating: ε of each numeric QID in the violating partition, > 0.
        epsilon_other: ε of each numeric QID in the other partition, > 0.
        scale: ``range`` for (U − L)/ε, ``unit`` for 1/ε in the column's unit.
        steps: Numeric QID → its grid step, in the column's unit.
        estimates: Numeric QID → ε of estimating a tighter range within its bounds, > 0.
        cluster: Which records are clustered.
        l: Distinct sensitive values wanted in each cluster, ≥ 1.
        t_div: Entropy of a sensitive attribute, nats; below it a cluster is generalized to the average
            level. 0 is off.
        is_strict: Whether numeric QIDs are published as intervals of their cluster.
        friendly: The pattern-friendly QIDs that the policy declares; None leaves it to the forest.
        limits: The limits of categories.
        is_major_other: Whether a major value does not violate.
        membership: Pattern-friendly QID → values that do not violate, declared in public; empty takes the
            categories, which depend on the data.
        as_category: QIDs of numbers that are taken as categories.
        contributions: Most records of a person; 0 counts them in the table.
    """

    k: int
    bounds: Mapping[str, tuple[Fraction, Fraction]] = field(default_factory=dict)
    epsilon_violating: Fraction = Fraction(3)
    epsilon_other: Fraction = Fraction(5)
    scale: NoiseScale = NoiseScale.RANGE
    steps: Mapping[str, Fraction] = field(default_factory=dict)
    estimates: Mapping[str, Fraction] = field(default_factory=dict)
    cluster: Clustered = Clustered.BOTH
    l: int = 1  # noqa: E741 - the field's own name of it
    t_div: float = 0.0
    is_strict: bool = False
    friendly: tuple[str, ...] | None = None
    limits: CategoryLimits = field(default_factory=CategoryLimits)
    is_major_other: bool = False
    membership: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    as_category: tuple[str, ...] = ()
    contributions: int = 0


def asked_of(arguments: Arguments, task: AnonymizationTask) -> RunRequest:
    """Return what the parameters ask for.

    Raises:
        DeclarationError: When nobody says k; an ε is 0; limits of categories are in the wrong order;
            a range is estimated for the unit scale; ``strict`` is asked for with clusters of violating
            records only; or ``l`` or ``t_div`` is, without a sensitive attribute.
    """
    limits = [
        target.limit.value
        for target in task.targets
        if target.metric.name == "k_anonymity" and target.limit.bound is Bound.AT_LEAST
    ]
    k = arguments["k"] or math.ceil(max(limits, default=0))
    if k < 1:
        raise DeclarationError("k is set neither here nor as a k_anonymity limit of the policy; set k")
    _check(arguments, task)
    named = arguments["pattern_friendly"]
    membership = {name: _several(name, text) for name, text in arguments["public_membership"].items()}
    friendly = tuple(name for name, is_friendly in named.items() if is_friendly) if named else None
    if membership and friendly is not None and set(friendly) != set(membership):
        raise DeclarationError(
            "pattern_friendly and public_membership must name the same columns, since membership is declared"
            " for each pattern-friendly one; name the same, or leave pattern_friendly out"
        )
    return RunRequest(
        k=k,
        bounds=arguments["bounds"],
        epsilon_violating=arguments["epsilon_violating"],
        epsilon_other=arguments["epsilon_other"],
        scale=NoiseScale(arguments["scale"]),
        steps=arguments["step"],
        estimates=arguments["estimate"],
        cluster=Clustered(arguments["cluster"]),
        l=arguments["l"],
        t_div=arguments["t_div"],
        is_strict=arguments["strict"],
        friendly=tuple(membership) if membership else friendly,
        limits=CategoryLimits(minor=arguments["minor"], super_minor=arguments["super_minor"]),
        is_major_other=not arguments["is_major_violating"],
        membership=membership,
        as_category=tuple(name for name, is_one in arguments["as_category"].items() if is_one),
        contributions=arguments["contributions"],
    )


def _check(arguments: Arguments, task: AnonymizationTask) -> None:
    for name in ("epsilon_violating", "epsilon_other"):
        if arguments[name] <= 0:
            raise DeclarationError(
                f"{name} must be above 0, not {arguments[name]}; set a positive one, such as 3"
            )
    if arguments["estimate"] and arguments["scale"] != NoiseScale.RANGE:
        raise DeclarationError(
            "estimate finds a range for noise, and the unit scale is made for one unit; set scale: range, or"
            " leave estimate out"
        )
    if arguments["super_minor"] > arguments["minor"]:
        raise DeclarationError(
            f"super_minor = {arguments['super_minor']} must not be above minor = {arguments['minor']}, since"
            " the rarest values are super minor; lower it"
        )
    if arguments["strict"] and arguments["cluster"] != Clustered.BOTH:
        raise DeclarationError(
            "strict = true proves k over all quasi-identifiers, which needs every record in a cluster; set"
            " cluster: both, or leave strict out"
        )
    for name, least in (("l", 1), ("t_div", 0)):
        if arguments[name] > least and not task.sensitive:
            raise DeclarationError(
                f"{name} = {arguments[name]} is about sensitive attributes, and none is declared; declare"
                f" one, or leave {name} out"
            )


def _several(name: str, text: str) -> tuple[str, ...]:
    values = tuple(part.strip() for part in text.split("|"))
    if not all(values):
        raise DeclarationError(
            f"public_membership of {name!r} must be values with | between them; none may be empty"
        )
    return values
