"""The questions of a measurement without a policy: metrics, and the columns that they are asked of."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qidguard.auditing.recognizing import recognize
from qidguard.core.choice import Choice
from qidguard.core.errors import PluginError, UserError
from qidguard.core.metric import Direction, Metric
from qidguard.core.parameter import Arguments, bind
from qidguard.core.role import Role
from qidguard.core.verdict import Bound
from qidguard.engines.base import Table
from qidguard.host import Host
from qidguard.measuring.question import Question
from qidguard.policy.spelling import did_you_mean

Names = str | Iterable[str]
"""One name, or several."""


@dataclass(frozen=True, kw_only=True)
class NamedColumns:
    """The columns that a measurement names."""

    qids: tuple[str, ...] | None
    sensitive: tuple[str, ...]
    target: str | None
    treatment: str | None
    entity: str | None
    weight: str | None
    rest: tuple[str, ...] | None

    @classmethod
    def of(cls, names: Sequence[str], **given: Any) -> "NamedColumns":
        """Return the columns; UserError where the table lacks one, or two roles cannot be of one."""
        for what, said in given.items():
            every = () if said is None else (said,) if isinstance(said, str) else said
            for at, name in enumerate(every):
                if name not in names:
                    hint = did_you_mean(str(name), names, is_listed=False) or "look at its header"
                    raise UserError(f"{what}: the table has no column {name!r}; {hint}")
                if name in every[:at]:
                    raise UserError(f"{what}: {name!r} is named twice; name it once")
        columns = cls(**given)
        if columns.qids == ():
            raise UserError("qids names no column; name some, or leave it out to take what is proposed")
        for what in ("target", "treatment", "entity", "weight"):
            name = given[what]
            if name is not None and name in (columns.qids or ()):
                raise UserError(f"{name!r} cannot be the {what} and one of the qids; take it out of one")
        return columns

    def beside(self, metric: Metric) -> tuple[str | None, ...]:
        """Return the columns that a metric is measured beside, one measurement each."""
        if metric.is_sensitive:
            if not self.sensitive:
                raise UserError(f"{metric.name} needs a sensitive column; name one as sensitive")
            return self.sensitive
        if metric.attribute is None:
            return (None,)
        named = {Role.TARGET: self.target, Role.TREATMENT: self.treatment, Role.WEIGHT: self.weight}
        name = named[metric.attribute]
        if name is None:
            role = metric.attribute.value
            raise UserError(f"{metric.name} needs a {role} column; name one as {role}")
        return (name,)


def listed(names: Names) -> tuple[str, ...]:
    """Return names as a tuple; a text is one."""
    return (names,) if isinstance(names, str) else tuple(names)


def wanted_metrics(
    metric: str | Sequence[str], parameters: Mapping[str, object] | None, host: Host
) -> list[tuple[Metric, Arguments]]:
    """Return the metrics with their checked arguments."""
    given: object = metric
    if not isinstance(given, (str, Sequence)) or not all(isinstance(one, str) for one in metric):
        raise UserError(f"metric must be a name or a list of names, not {given!r}; see: qidguard explain")
    if not isinstance(metric, str) and parameters:
        raise UserError("parameters belong to one metric; write them in brackets: share_below_k[k=5]")
    found = []
    for written in [metric] if isinstance(metric, str) else metric:
        choice = Choice.read(written, "metric")
        one = host.metric(choice.name)
        if one.change_of:
            raise UserError(
                f"{one.name} is the change of {one.change_of} within a search; measure {one.change_of}"
            )
        try:
            arguments = bind(one.parameters, choice.parameters_with(parameters or {}, "metric"))
        except UserError as error:
            raise UserError(f"{one.name}: {error}") from None
        found.append((one, arguments))
    if not found:
        raise UserError("metric names none; see: qidguard explain")
    return found


def questions_of(
    wanted: Sequence[tuple[Metric, Arguments]],
    columns: NamedColumns,
    qids: tuple[str, ...],
    knows_any: int | None,
    host: Host,
) -> list[Question]:
    """Return one question for each metric, and for each column that one is measured beside."""
    return [
        Question(
            metric=metric,
            arguments=arguments,
            qids=_without(qids, attribute, metric),
            attribute=attribute,
            bound=_bound(metric, knows_any),
            owner=host.owner("metrics", metric.name),
            rest=columns.rest,
            knows_any=None
            if knows_any is None or metric.needs_rest
            else min(knows_any, len(_without(qids, attribute, metric))),
        )
        for metric, arguments in wanted
        for attribute in columns.beside(metric)
    ]


def _without(qids: tuple[str, ...], attribute: str | None, metric: Metric) -> tuple[str, ...]:
    """Return the QIDs beside which an attribute is measured: what is to be learned is not known yet."""
    left = tuple(qid for qid in qids if qid != attribute)
    if not left:
        raise UserError(
            f"{metric.name}: {attribute!r} is the only quasi-identifier, and it is measured beside the"
            " others; name another one"
        )
    return left


def _bound(metric: Metric, knows_any: int | None) -> Bound:
    if knows_any is not None and metric.direction is Direction.NEITHER:
        raise UserError(f"{metric.name} has no safe side, so no subset is the worst; leave out knows_any")
    return Bound.AT_LEAST if metric.direction is Direction.HIGHER_IS_SAFER else Bound.AT_MOST


def check_any(knows_any: object) -> None:
    """Raise UserError for a number of known QIDs that is none."""
    if knows_any is None:
        return
    if isinstance(knows_any, bool) or not isinstance(knows_any, int) or knows_any < 1:
        raise UserError(f"knows_any must be a whole number from 1 on, not {knows_any!r}; correct it")


def kept_columns(names: Sequence[str], questions: Iterable[Question]) -> tuple[str, ...] | None:
    """Return the columns that the engine has to keep, as an audit would; None for all."""
    asked = list(questions)
    if any(question.metric.needs_every_column for question in asked):
        return None
    named = {name for question in asked for name in (*question.qids, question.attribute)}
    return tuple(name for name in names if name in named)


def proposed_qids(table: Table, columns: NamedColumns, host: Host) -> tuple[str, ...]:
    """Return the QIDs that recognizers propose; UserError where there is none, PluginError for a fault."""
    recognition = recognize(table, host)
    if recognition.blocks:
        raise PluginError("; ".join(block.sentence for block in recognition.blocks))
    others = {columns.target, columns.treatment, columns.entity, columns.weight}
    found = tuple(
        facts.name
        for facts in table.columns
        if (proposal := recognition.proposals.get(facts.name)) is not None
        and proposal.is_sure
        and proposal.assignment.role is Role.QUASI_IDENTIFIER
        and facts.name not in others
    )
    if not found:
        raise UserError("no recognizer proposes a quasi-identifier; name them as qids")
    return found
