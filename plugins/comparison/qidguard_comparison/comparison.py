"""What a comparison of methods found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from qidguard.core.choice import Choice, choice_parts
from qidguard.core.errors import ExitCode, NotMeasurable, UserError
from qidguard.core.parameter import Parameter
from qidguard.trials.comparing.recommendation import MethodRecommendation, recommendation_of
from qidguard.trials.comparing.row import AVERAGE_RISK, MethodRow, Status, by_loss, position

if TYPE_CHECKING:
    import pandas as pd

    from qidguard.host import Host
    from qidguard.plot.plot import Plot


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Methods beside one another on one table under one policy; it holds no value of the table.

    Args:
        source: What was anonymized, as the user named it.
        policy: The policy's name.
        records: Number of records of the source.
        original: The table as it is.
        methods: One row a method: those that pass first, then by what they lose.
        limits: Metric → the policy's limit on it over all QIDs, where it has one.
        seed: The seed of all methods; it is not to be published.
        is_interrupted: Whether methods are missing because somebody stopped it.
        versions: Distribution → version of what took part.
    """

    source: str
    policy: str
    records: int
    original: MethodRow
    methods: tuple[MethodRow, ...]
    limits: Mapping[str, float] = field(default_factory=dict)
    seed: int = field(default=0, repr=False)
    is_interrupted: bool = False
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def best(self) -> MethodRow | None:
        """The method that loses least among those that pass; None where none passes."""
        passed = [row for row in self.methods if row.is_passed]
        return min(passed, key=by_loss, default=None)

    @property
    def recommendation(self) -> MethodRecommendation | None:
        """What to take: by which measures it leads, by which not, and where one misleads; None for nothing.

        Measures are NCP, one- and two-way tables, correlations, means, information loss and, where models
        were trained, their scores, as far as they were measured on the methods on which the policy holds.
        """
        return recommendation_of(self)

    @property
    def frontier(self) -> tuple[MethodRow, ...]:
        """The tables, the original included, that no other beats in both risk and loss, by what they lose."""
        rows = [row for row in (self.original, *self.methods) if position(row) is not None]
        points = {row.label: position(row) or (0.0, 0.0) for row in rows}
        kept = [
            row for row in rows if not any(_beats(points[other.label], points[row.label]) for other in rows)
        ]
        return tuple(sorted(kept, key=lambda row: (points[row.label], row.label)))

    @property
    def exit_code(self) -> ExitCode:
        """0 where a method passes, 3 where a plugin failed, else 1."""
        if any(row.status is Status.FAILED for row in self.methods):
            return ExitCode.INTERNAL_ERROR
        return ExitCode.BLOCKED if self.best is None else ExitCode.PASSED

    def plot(self, *, risk: str = AVERAGE_RISK) -> "Plot":
        """Return the risk that is left beside what was lost, a point a method.

        Args:
            risk: The metric of the risk: ``prosecutor_risk_average`` or ``prosecutor_risk_max``.

        Returns:
            A plot.

        Units:
            Both axes are shares, 0..1.

        Raises:
            NotMeasurable: When no method has both figures.

        Example:
            >>> import pandas as pd, qidguard
            >>> table = pd.DataFrame({"age": [30, 31, 30, 41], "sex": ["f", "f", "f", "m"]})
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "example",
            ...     "roles": {"quasi_identifiers": ["age", "sex"]},
            ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            ... }
            >>> found = qidguard.compare(table, policy=policy, anonymizers="mondrian")
            >>> found.plot().title
            'Risk left and utility lost'
        """
        from qidguard.trials.comparing.frontier_plot import frontier_plot

        if all(position(row, risk) is None for row in self.methods):
            raise NotMeasurable("no method has both a risk and a loss, so there is nothing to draw")
        return frontier_plot(self, risk)

    def to_frame(self) -> "pd.DataFrame":
        """Return the comparison as a table: the original first, then the methods in their order.

        Returns:
            One row a method: its label, how it ended, its figures in their metrics' units, records
            suppressed, cells changed, and the method's own wall time in seconds.

        Example:
            >>> from qidguard.trials.comparing.example import small
            >>> small().to_frame()[["label", "k_anonymity", "ncp"]].values.tolist()
            [['as it is', 1, 0.0], ['mondrian', 2, 0.25], ['rounding', 1, 0.125]]
        """
        import pandas as pd

        rows = [
            {"label": row.label, "method": row.method, "status": row.status.value}
            | {"is_passed": row.is_passed, **row.figures, "records_suppressed": row.records_suppressed}
            | {"cells_changed": row.cells_changed, "changed_share": row.changed_share, "seconds": row.seconds}
            for row in (self.original, *self.methods)
        ]
        return pd.DataFrame(rows)

    def to_dict(self) -> "dict[str, Any]":
        """Return the document ``qidguard-comparison/1`` as plain values that JSON knows.

        Returns:
            What ``qidguard schema comparison`` describes. It holds the seed, which is not to be published.

        Example:
            >>> from qidguard.trials.comparing.example import small
            >>> small().to_dict()["best"]
            'mondrian'
        """
        from qidguard.trials.comparing.document import document

        return document(self)

    def to_json(self) -> str:
        """Return ``to_dict`` as JSON text, the same as ``qidguard compare --format json`` writes.

        Example:
            >>> from qidguard.trials.comparing.example import small
            >>> small().to_json().splitlines()[1]
            '  "format": "qidguard-comparison/1",'
        """
        from qidguard.trials.comparing.document import json_text

        return json_text(self)

    def __str__(self) -> str:
        from qidguard.trials.comparing.console import console_text

        return console_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from qidguard.trials.comparing.console import html_text

        return html_text(self)


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one != other and one[0] <= other[0] and one[1] <= other[1]


ALL = "all"
"""What stands for every anonymizer that is installed."""

SUBJECT = "the anonymizers"
"""What errors call the text."""


def choices(written: str) -> tuple[Choice, ...]:
    """Return the anonymizers of a text such as ``mondrian,mdav[k=5, publish=means]``, each once.

    Raises:
        UserError: When a text is none of these, or a parameter or a choice stands twice.

    Example:
        >>> [str(one) for one in choices("mondrian, mdav[k=5,publish=means]")]
        ['mondrian', 'mdav[k=5, publish=means]']
    """
    parts = choice_parts(written)
    if not parts:
        raise UserError(f"{SUBJECT} name no anonymizer; name some, as qidguard plugins lists them.")
    chosen = tuple(Choice.read(part, SUBJECT) for part in parts)
    labels = [str(choice) for choice in chosen]
    for label in labels:
        if labels.count(label) > 1:
            raise UserError(f"{SUBJECT} name {label} twice; keep one of them")
    return chosen


def expanded(given: Sequence[Choice], host: "Host") -> tuple[Choice, ...]:
    """Return the choices with ``all`` replaced by every other anonymizer that takes k from the policy.

    These are the installed ones that have a parameter k and need none to be set.

    Args:
        given: The choices.
        host: The plugins.

    Returns:
        The choices, each once, in order.

    Raises:
        UserError: When no anonymizer is installed that would be taken, or none is named.

    Example:
        >>> from types import SimpleNamespace
        >>> expanded([Choice(name="mdav")], SimpleNamespace(anonymizers={}))[0].name
        'mdav'
    """
    taken: dict[str, Choice] = {}
    named = {choice.name for choice in given}
    for choice in given:
        if choice.name != ALL:
            taken[str(choice)] = choice
            continue
        for name, anonymizer in host.anonymizers.items():
            if name not in named and _can_stand_alone(anonymizer.parameters):
                taken[name] = Choice(name=name)
    if not taken:
        raise UserError("There is no anonymizer to compare; name some, as qidguard plugins lists them.")
    return tuple(taken.values())


def _can_stand_alone(parameters: Sequence[Parameter]) -> bool:
    has_k = any(parameter.name == "k" for parameter in parameters)
    return has_k and all(parameter.default is not None for parameter in parameters)
