"""Singling out: a condition read from the published table that holds for exactly one original person."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from qidguard.sdk import Arguments, Attacked, AttackResult, NotMeasurable, Parameter
from qidguard_standard.attacks.attacked_table import AttackedTable, column_match
from qidguard_standard.attacks.attempt import Targets
from qidguard_standard.attacks.column_match import ColumnMatch, SourceColumn
from qidguard_standard.attacks.finding import Wording, finding
from qidguard_standard.attacks.parameters import KNOWN, TARGETS
from qidguard_standard.attacks.persons import Persons
from qidguard_standard.attacks.predicates import Cell, Condition, Group, chance_of_one, univariate

_STEP = 50
"""Conditions between two reports of progress."""


class SinglingOut:
    """The attacker reads conditions from the published table; success is one that holds for one person.

    ``multivariate``: a published person is drawn and the cells of ``known`` of their QIDs, drawn at random,
    are the condition, so that the rate is the share of published persons whose own cells single somebody
    out. ``univariate``: each value that one published person has, and the lowest and highest published number
    of each QID. How a cell becomes a condition where the value in it was changed, see ``Cell``. Persons are
    counted, not records. ``with_sensitive`` takes the sensitive attributes into the conditions, too: they are
    published as they are, so most tables single people out by them.

    Control: the same conditions on as many withheld people, drawn from them without replacement, or with it
    where there are too few: the chance that exactly one of those drawn meets the condition. Where few are
    withheld rare traits are missing among them, so the control is low and the excess high. A condition from a
    record holds for its own person at least, so of traits that many share the control may succeed more
    often, and the excess be below 0.

    ``people`` is the number of published persons singled out by a condition from their own record, or, of
    univariate conditions, of different persons singled out. The interval is Wilson's over the conditions, a
    sample of all that could be made. NULL is a value.

    Literature: Giomi et al. 2023, A unified framework for quantifying privacy risk in synthetic data,
    singling out.
    """

    name: ClassVar[str] = "singling_out"
    title: ClassVar[str] = "conditions that hold for one person only"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        KNOWN,
        TARGETS,
        Parameter(
            name="conditions",
            type=str,
            default="multivariate",
            choices=("multivariate", "univariate"),
            meaning="whether a condition is on several columns or on one",
        ),
        Parameter(
            name="with_sensitive",
            type=bool,
            default=False,
            meaning="whether conditions may be on sensitive attributes, too",
        ),
    )

    def attack(self, attacked: Attacked, arguments: Arguments) -> AttackResult:
        """Return how many conditions single a person out; NotMeasurable where there is none to make."""
        table = AttackedTable.of(attacked)
        names, columns = _columns(table, attacked, is_wide=arguments["with_sensitive"])
        is_many = arguments["conditions"] == "multivariate"
        predicates = (
            list(_multivariate(table, columns, attacked, arguments))
            if is_many
            else list(univariate(columns, table.published))
        )
        source = tuple(SourceColumn.original(column.before) for column in columns)
        groups = [Group.of(source, columns, table.persons)]
        withheld = attacked.withheld
        if withheld is not None and withheld.records:
            pairs = zip(names, columns, strict=True)
            source = tuple(SourceColumn.withheld(withheld.column(n), column.before) for n, column in pairs)
            groups.append(Group.of(source, columns, Persons.of(withheld, attacked.task.entity)))
        meeting = np.zeros((len(groups), len(predicates)), dtype=np.int64)
        singled: set[int] = set()
        for place, predicate in enumerate(predicates):
            if not place % _STEP:
                attacked.task.progress.step(f"attack {self.name}", place, len(predicates))
            for number, group in enumerate(groups):
                meeting[number, place], somebody = group.meeting(predicate)
                if not number and meeting[number, place] == 1:
                    singled.add(somebody)
        attacked.task.progress.step(f"attack {self.name}", len(predicates), len(predicates))
        control = None
        if len(groups) > 1:
            control = chance_of_one(meeting[1], groups[1].persons.count, table.persons.count)
        return finding(
            attack=self.name,
            arguments=arguments,
            published=(meeting[0] == 1).astype(np.float64),
            control=control,
            persons=len(np.unique(table.published)) if is_many else table.persons.count,
            people=None if is_many else float(len(singled)),
            wording=Wording(
                trials="conditions",
                success="hold for exactly one person",
                control="of them, tried on withheld persons,",
            ),
        )


def _columns(
    table: AttackedTable, attacked: Attacked, *, is_wide: bool
) -> tuple[tuple[str, ...], tuple[ColumnMatch, ...]]:
    """Return the columns that conditions may be on."""
    after = attacked.changes.after.names
    more = [name for name in attacked.task.sensitive if is_wide and name in after and name not in table.qids]
    columns = (*table.columns, *(column_match(attacked.changes, name) for name in more))
    if not columns:
        raise NotMeasurable(
            "Conditions are on published quasi-identifiers, and none is published; nobody can be singled out."
        )
    return (*table.qids, *more), columns


def _multivariate(
    table: AttackedTable, columns: tuple[ColumnMatch, ...], attacked: Attacked, arguments: Arguments
) -> Iterator[tuple[Condition, ...]]:
    """Yield for each drawn person the cells of some columns of one of their published records."""
    distinct, number = np.unique(table.published, return_inverse=True)
    persons = Persons(of_record=number, count=len(distinct), has_entities=table.persons.has_entities)
    targets = Targets.drawn(
        persons,
        qids=len(columns),
        known=arguments["known"],
        most=arguments["targets"],
        generator=np.random.default_rng([attacked.task.seed, 0]),
    )
    for record, known in zip(targets.records.tolist(), targets.known, strict=True):
        yield tuple(Cell(column=c, published=int(columns[c].after.codes[record])) for c in known)
