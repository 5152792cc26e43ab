"""Plugins made for a test: anonymizers, attacks and metrics of one's own beside the installed ones."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from qidguard.anonymizing.attack import AttackResult, Rate
from qidguard.anonymizing.protocol import ChosenAnonymizer
from qidguard.host import Host, load_host
from qidguard.host.host import PluginInfo
from qidguard.sdk import (
    Anonymized,
    DecidedBy,
    Direction,
    Explanation,
    Guarantee,
    Metric,
    Original,
    Recoded,
    Role,
    RoleAssignment,
    RoleProposal,
    TableFunction,
    Unit,
    ValueType,
)

OWNER = "plugin 'tried' of tried-dist 1.0"


def host_with(
    anonymizers: Iterable[Any] = (),
    attacks: Iterable[Any] = (),
    metrics: Iterable[Any] = (),
    recognizers: Iterable[Any] = (),
) -> Host:
    """Return the installed host with more offers, by a plugin called ``tried``."""
    host = load_host()
    offers = {
        "anonymizers": anonymizers,
        "attacks": attacks,
        "metrics": metrics,
        "recognizers": recognizers,
    }
    named = {kind: {item.name: item for item in items} for kind, items in offers.items()}
    registry = {
        kind: MappingProxyType({**host.registry[kind], **named.get(kind, {})}) for kind in host.registry
    }
    told = {kind: tuple(items) for kind, items in named.items()}
    plugin = PluginInfo(name="tried", distribution="tried-dist", version="1.0", offers=told)
    return replace(host, plugins=(*host.plugins, plugin), registry=MappingProxyType(registry))


def chosen(anonymizer, arguments=None):
    """Return an anonymizer with its arguments, ready to run."""
    return ChosenAnonymizer(anonymizer=anonymizer, arguments=arguments or {}, owner=OWNER)


class Doing:
    """An anonymizer that does what a function says."""

    title = "what a test does"
    parameters = ()

    def __init__(self, do: Callable[..., Any], name: str = "doing", **more: Any) -> None:
        self.name = name
        self.do = do
        vars(self).update(more)

    def anonymize(self, records: Any, arguments: Any, task: Any) -> Any:
        """Return what the function returns."""
        return self.do(records, arguments, task)


class Coarse(Doing):
    """Publishes one interval for all ages and keeps all records; it claims what it is told to claim."""

    def __init__(
        self, column: str = "age", text: str = "[20, 40]", claims: tuple[Guarantee, ...] = ()
    ) -> None:
        super().__init__(self._coarse, "coarse")
        self._column, self._text, self._claims = column, text, claims

    def _coarse(self, records: Any, _: Any, __: Any) -> Anonymized:
        codes = np.zeros(records.records, dtype=np.int32)
        return Anonymized(
            kept=np.ones(records.records, dtype=np.bool_),
            columns={self._column: Recoded(codes=codes, values=(self._text,))},
            guarantees=self._claims,
        )


def kept_as_it_is(records: Any, *_: Any) -> Anonymized:
    """Return every record, each cell its own original value."""
    columns = {}
    for name in records.names:
        column = records.column(name)
        originals = tuple(map(Original, range(column.distinct + 1)))
        columns[name] = Recoded(codes=column.codes, values=originals)
    return Anonymized(kept=np.ones(records.records, dtype=np.bool_), columns=columns)


class WholeNumbers:
    """A recognizer that takes every column of whole numbers for a quasi-identifier."""

    name = "whole_numbers"
    title = "whole numbers"

    def propose(self, columns: Iterable[Any]) -> list[RoleProposal]:
        """Return a proposal for each column of whole numbers."""
        return [
            RoleProposal(
                assignment=RoleAssignment(
                    column=facts.name,
                    role=Role.QUASI_IDENTIFIER,
                    decided_by=DecidedBy.CONTENT,
                    reason="numbers",
                ),
                confidence=0.9,
            )
            for facts in columns
            if facts.value_type is ValueType.INTEGER
        ]


class Counting:
    """An attack that counts whom it was given."""

    title = "counting"
    parameters = ()

    def __init__(self, name: str = "counting") -> None:
        self.name = name
        self.seen: list[Any] = []

    def attack(self, attacked: Any, arguments: Any) -> AttackResult:
        """Return how many records were published and withheld."""
        self.seen.append(attacked)
        published, withheld = attacked.changes.before.records, attacked.withheld.records
        return AttackResult(
            attack=self.name,
            arguments=arguments,
            published=Rate(successes=0, trials=published, low=0, high=1),
            control=Rate(successes=0, trials=withheld, low=0, high=1),
            excess=0.0,
            excess_low=-0.5,
            excess_high=0.5,
            people=0.0,
            sentence=f"{published} were attacked and {withheld} withheld.",
        )


def share_changed(name: str = "share_changed") -> Metric:
    """Return a metric of loss: the share of published QID cells that are not the original's."""

    def measure(view: Any, grouping: Any, _: Any) -> float:
        changes = view.changes
        differ = []
        for qid in grouping.qids:
            before, after = changes.before.column(qid), changes.after.column(qid)
            was = [before.texts[code] for code in before.codes[changes.kept]]
            differ += [a != after.texts[b] for a, b in zip(was, after.codes, strict=True)]
        return sum(differ) / len(differ)

    return Metric(
        name=name,
        title="share of cells changed",
        unit=Unit.SHARE,
        minimum=0,
        maximum=1,
        direction=Direction.NEITHER,
        method=TableFunction(measure=measure),
        explanation=Explanation(
            meaning="m", formula="f", source="s", good_value="g", missing="m", empty="e", single_class="s"
        ),
        needs_original=True,
    )
