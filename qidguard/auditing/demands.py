"""Turn a policy into questions and their limits, checking every name against the host's metrics."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.core.errors import PolicyError, UserError
from qidguard.core.metric import Direction, Metric
from qidguard.core.noised import NoisedReading
from qidguard.core.parameter import bind
from qidguard.core.role import Role
from qidguard.core.statistic import Number
from qidguard.core.verdict import Bound, Limit
from qidguard.measuring.question import Question
from qidguard.policy.rules import RESERVED_NAME

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard.policy import Combination, Policy, Threshold


@dataclass(frozen=True, kw_only=True)
class Demand:
    """One question, the limit that its answer must keep, and how it reads QIDs with noise."""

    question: Question
    limit: Limit
    reading: NoisedReading = NoisedReading.AS_PUBLISHED


def demands(
    policy: "Policy", qids: tuple[str, ...], host: "Host", sensitive: tuple[str, ...] = ()
) -> list[Demand]:
    """Return every demand of a policy whose main quasi-identifiers are ``qids``.

    A QID that is sensitive, too, is measured as a sensitive attribute beside the other QIDs. ``sensitive``
    are the columns that recognizers call so.

    Raises:
        PolicyError: When a threshold does not fit its metric.
        UserError: When a metric does not exist.
        PluginError: When a metric is missing and a plugin's fault may be why.

    Example:
        >>> from qidguard.host import load_host
        >>> from qidguard.policy import parse_policy
        >>> text = "{qidguard: 1, name: p, preset: pdpc-sg-5, roles: {quasi_identifiers: [age]}}"
        >>> [demand.question.metric.name for demand in demands(parse_policy(text), ("age",), load_host())]
        ['k_anonymity', 'rest_unique_share']
    """
    asked: list[Demand] = []
    of_rest: set[tuple[str, Bound, int | float, bool]] = set()
    for combination in policy.all_combinations(qids):
        for threshold in combination.thresholds:
            found = _of_threshold(_Context(policy, combination, threshold, host, sensitive))
            same = (threshold.metric, threshold.bound, threshold.value, threshold.on_miss == "block")
            if same in of_rest:
                continue  # what is published outside the QIDs is the same beside every combination
            if any(demand.question.metric.needs_rest for demand in found):
                of_rest.add(same)
            asked += found
    return asked


@dataclass(frozen=True)
class _Context:
    """One threshold where it stands."""

    policy: "Policy"
    combination: "Combination"
    threshold: "Threshold"
    host: "Host"
    recognized: tuple[str, ...]

    def error(self, sentence: str) -> PolicyError:
        """Return an error with the threshold's line; one of a preset stands where the preset is named."""
        mine = self.policy.thresholds
        path: tuple[str | int, ...] = ("preset",)
        if self.threshold in mine:
            path = ("thresholds", mine.index(self.threshold))
        for at, other in enumerate(self.policy.combinations):
            if other.name == self.combination.name and self.threshold in other.thresholds:
                path = ("combinations", at, "thresholds", other.thresholds.index(self.threshold))
        return self.policy.error(f"threshold on {self.threshold.metric}: {sentence}", *path)


def _of_threshold(context: _Context) -> list[Demand]:
    threshold, host = context.threshold, context.host
    try:
        metric = host.metric(threshold.metric)
        arguments = bind(metric.parameters, threshold.parameters)
    except UserError as error:
        raise context.error(str(error)) from None
    if metric.change_of:
        raise context.error(
            f"it is the change of {metric.change_of} within a search; ask for {metric.change_of}"
        )
    limit = _limit(context, metric)
    if threshold.reading is NoisedReading.LEFT_OUT:
        _check_left_out(context, metric)
    attacker = context.combination.attacker
    return [
        Demand(
            limit=limit,
            reading=threshold.reading,
            question=Question(
                metric=metric,
                arguments=arguments,
                qids=qids,
                attribute=attribute,
                bound=limit.bound,
                owner=host.owner("metrics", metric.name),
                knows_any=(
                    None
                    if isinstance(attacker, str) or metric.needs_rest
                    else min(attacker.knows_any, len(qids))
                ),
            ),
        )
        for attribute in _attributes(context, metric)
        for qids in [_qids_beside(context, attribute)]
    ]


def _check_left_out(context: _Context, metric: Metric) -> None:
    """Refuse to leave columns out of what is not about who agrees in the QIDs of this one table."""
    reasons = (
        (metric.needs_original, "is a loss, and a column that is left out would hide it"),
        (metric.needs_history, "is over several releases, whose classes are kept over all QIDs"),
        (metric.needs_every_column, "is over all columns, whichever are QIDs"),
        (metric.needs_rest, "is of what is published outside the QIDs"),
    )
    for is_so, why in reasons:
        if is_so:
            raise context.error(f"it {why}, so noised: left_out does not apply; remove it")


def _limit(context: _Context, metric: Metric) -> Limit:
    threshold = context.threshold
    fault = limit_fault(metric, threshold.bound, threshold.value)
    if fault:
        raise context.error(fault)
    return threshold.limit(context.combination.name)


def _attributes(context: _Context, metric: Metric) -> tuple[str | None, ...]:
    named = context.threshold.sensitive
    if not metric.is_sensitive:
        if named:
            raise context.error("it is not measured per sensitive attribute; remove sensitive")
        return (_attribute_of_role(context, metric),)
    every = tuple(dict.fromkeys((*context.policy.roles.sensitive, *context.recognized)))
    attributes = every if named is None else (named,) if isinstance(named, str) else tuple(named)
    if not attributes:
        raise context.error("it needs a sensitive attribute, but roles.sensitive names none")
    return attributes


def _qids_beside(context: _Context, attribute: str | None) -> tuple[str, ...]:
    """Return the QIDs beside which an attribute is measured: what is to be learned is not known yet."""
    qids = tuple(qid for qid in context.combination.quasi_identifiers if qid != attribute)
    if not qids:
        name = context.combination.name
        place = "" if name == RESERVED_NAME else f" of combination {name!r}"
        raise context.error(
            f"the sensitive column {attribute!r} is the only quasi-identifier{place}, and it is measured"
            " beside the others; name another one"
        )
    return qids


def _attribute_of_role(context: _Context, metric: Metric) -> str | None:
    """Return the target, treatment or weight that a metric is measured beside; None for none."""
    if metric.attribute is None:
        return None
    roles = context.policy.roles
    named = {Role.TARGET: roles.target, Role.TREATMENT: roles.treatment, Role.WEIGHT: roles.weight}
    column = named[metric.attribute]
    if column is None:
        raise context.error(f"it needs a {metric.attribute} column; name one as roles.{metric.attribute}")
    if column in context.combination.quasi_identifiers:
        raise context.error(
            f"the {metric.attribute} column {column!r} is one of the quasi-identifiers, and it is measured"
            " beside them; take it out of one of the two"
        )
    return column


def limit_fault(metric: Metric, bound: Bound, value: Number) -> str:
    """Return what is wrong with a limit on a metric, in words with a remedy; empty where it can judge.

    Args:
        metric: The metric; its range, its direction and whether its figures are whole decide.
        bound: Which side of the limit is allowed.
        value: The limit, in the metric's unit.

    Returns:
        One phrase, or nothing.

    Raises:
        TypeError: When the limit is no number.

    Example:
        >>> from qidguard.host import load_host
        >>> k = load_host().metric("k_anonymity")
        >>> limit_fault(k, Bound.AT_LEAST, 1)
        'at_least 1 can never be missed, since the figure is never below 1; write at least 2'
        >>> limit_fault(k, Bound.AT_LEAST, 1.5)
        'at_least 1.5 lies between two figures, which are whole numbers; write 2'
        >>> limit_fault(k, Bound.AT_LEAST, 2)
        ''
    """
    if not metric.minimum <= value <= metric.maximum:
        return (
            f"{bound.value} {value} lies outside the metric's range"
            f" {metric.minimum:g}..{metric.maximum:g} ({metric.unit.value}); correct the limit"
        )
    safe = {Direction.HIGHER_IS_SAFER: Bound.AT_LEAST, Direction.LOWER_IS_SAFER: Bound.AT_MOST}
    if safe.get(metric.direction, bound) is not bound:
        higher = "higher" if bound is Bound.AT_MOST else "lower"
        return (
            f"it is safer the {higher} it is, so {bound.value} would let every unsafe table through;"
            f" write {safe[metric.direction].value}"
        )
    return _never_missed(metric, bound, value) or _between(metric, bound, value)


def _never_missed(metric: Metric, bound: Bound, value: Number) -> str:
    is_least = bound is Bound.AT_LEAST
    end = metric.minimum if is_least else metric.maximum
    # ends are compared as verdicts compare: what is as good as the end is the end
    if not math.isclose(value, end, rel_tol=1e-12):
        return ""
    side, beyond = ("below", "above") if is_least else ("above", "below")
    step = end + 1 if is_least else end - 1
    remedy = (
        f"at {'least' if is_least else 'most'} {step:g}" if metric.is_whole else f"a limit {beyond} {end:g}"
    )
    never = f"{bound.value} {value:g} can never be missed, since the figure is never {side} {end:g}"
    return f"{never}; write {remedy}"


def _between(metric: Metric, bound: Bound, value: Number) -> str:
    if not metric.is_whole or value == math.floor(value):
        return ""
    meant = math.ceil(value) if bound is Bound.AT_LEAST else math.floor(value)
    return f"{bound.value} {value:g} lies between two figures, which are whole numbers; write {meant}"
