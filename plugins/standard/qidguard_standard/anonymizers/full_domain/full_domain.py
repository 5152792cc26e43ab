"""Full-domain generalization: each column at one level of its hierarchy, the combination that loses least."""

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard.sdk import (
    AnonymizationTask,
    Anonymized,
    Arguments,
    NotMeasurable,
    Original,
    Parameter,
    Recoded,
    Records,
)
from qidguard_standard.anonymizers.full_domain.classes import SortedClasses, collapsed
from qidguard_standard.anonymizers.full_domain.domain import (
    STARRED,
    Domain,
    check_marks,
    covered_losses,
    read_domains,
)
from qidguard_standard.anonymizers.full_domain.judging import Judge, Levels, measured
from qidguard_standard.anonymizers.full_domain.lattice import Lattice
from qidguard_standard.anonymizers.full_domain.loss import LOSSES, loss_of, second_loss
from qidguard_standard.anonymizers.full_domain.requirement import Requirements, check_order, requirements_of
from qidguard_standard.anonymizers.full_domain.search import FullDomainSolution, descent, optimum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.sdk import ColumnValues

MOST_NODES = 2_000_000
"""Nodes up to which the optimum is searched with proof: the bounds of all of them are held in memory."""


class FullDomain:
    """Generalize every value of a column to one level, and suppress what is still exposed.

    All combinations of levels make a lattice. Of those that keep every requirement with at most
    ``most_suppressed`` of the records suppressed, the one of the smallest loss is published, and it is proven
    that no other loses less: see ``search.optimum``. A class that breaks a criterion of its own (k, l, t, the
    highest risk) is suppressed; t is taken anew over what is left. While a limit on the whole table does not
    hold (an average, a share, any registered metric of classes), the smallest classes are suppressed, all of
    one size together. Every combination of the policy is kept, and every set that an attacker who knows any m
    of the QIDs may know. Persons are entities where there is an entity column, while the share that may be
    suppressed and the losses count records.

    Several combinations often lose as much. Of those the one of the smallest ``ties`` is published, a second
    loss; of what is equal in both the one whose first column in the policy's order has the lower level, then
    the second. So the answer is one, and the proof covers it.

    ``granularity`` and ``geometric_loss`` count the values of the column that a published value covers, each
    column by itself: (values − 1) / (values in the column − 1). Their mean over the columns is what ARX calls
    granularity; the notes tell it column by column, as ARX shows it. ARX counts the rows of the hierarchy
    where some do not occur in the table, and the width of a range or the length of a mask where a hierarchy
    is a rule and no list: there its figures are others. ``geometric_loss`` aggregates by the geometric mean
    as ARX does, with its factor for generalization and suppression: see ``loss.GeometricLoss``.

    The order of records decides nothing; nothing is random, so the seed plays no part.

    Literature: Samarati 2001, Protecting respondents' identities in microdata release; El Emam et al. 2009, A
    globally optimal k-anonymity method for the de-identification of health data (OLA); Kohlmayer et al. 2012,
    Flash: efficient, stable and optimal k-anonymity; Prasser et al. 2020, Flexible data anonymization using
    ARX (the measure Loss and its aggregate functions).

    Example:
        >>> FullDomain().parameters[0].name
        'k'
    """

    name: ClassVar[str] = "full_domain"
    title: ClassVar[str] = "full-domain generalization with a proven optimum"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="k", type=int, default=0, minimum=0,
            meaning="smallest class, persons; 0 takes the policy's k_anonymity limit",
            policy_limits=("k_anonymity",),
        ),
        Parameter(
            name="l", type=float, default=0.0, minimum=0.0,
            meaning="values of each sensitive attribute in a class; 0 takes the policy's limits",
            policy_limits=("distinct_l_diversity", "entropy_l_diversity", "recursive_l_diversity"),
        ),
        Parameter(
            name="diversity", type=str, default="distinct", choices=("distinct", "entropy", "recursive"),
            meaning="which l-diversity l is of",
        ),
        Parameter(
            name="c", type=float, default=3.0, minimum=1e-6, maximum=1e6,
            meaning="the factor c of recursive (c,l)-diversity; no unit",
        ),
        Parameter(
            name="t", type=float, default=0.0, minimum=0.0, maximum=1.0,
            meaning="largest distance of a class to the table, 0..1; 0 takes the policy's limits",
            policy_limits=("t_closeness", "t_closeness_ordered"),
        ),
        Parameter(
            name="distance", type=str, default="equal", choices=("equal", "ordered"),
            meaning="which t-closeness t is of: all values equally far, or moving along their order",
        ),
        Parameter(
            name="most_suppressed", type=float, default=0.02, minimum=0.0, maximum=1.0,
            meaning="largest share of the records that may be suppressed",
        ),
        Parameter(
            name="suppress", type=str, default="records", choices=("records", "cells"),
            meaning="whether suppressed records are left out, or published with the mark in each QID",
        ),
        Parameter(
            name="loss", type=str, default="ncp", choices=LOSSES,
            meaning="what is made small; a suppressed record counts 1 a cell, or as a class of all records",
        ),
        Parameter(
            name="ties", type=str, default="ncp", choices=LOSSES,
            meaning="what decides among combinations that lose as much; not loss itself, but discernibility",
        ),
        Parameter(
            name="balance", type=float, default=0.5, minimum=0.0, maximum=1.0,
            meaning="for geometric_loss: below 0.5 suppression costs less, above it generalization does",
        ),
        Parameter(
            name="search", type=str, default="auto", choices=("auto", "optimal", "greedy"),
            meaning="optimal, the proven optimum, or greedy, a way down without proof; auto takes the optimum"
            f" up to {MOST_NODES:,} combinations of levels, and a note says which it was",
        ),
    )  # fmt: skip

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return the columns on the best levels, and which records are kept.

        Example:
            >>> FullDomain().parameters[6].default
            0.02
        """
        requirements = requirements_of(arguments, task)
        domains = read_domains(records, task, requirements.sensitive)
        if arguments["suppress"] == "cells":
            check_marks(domains)
        names = tuple(domain.column.name for domain in domains)
        entity = None if task.entity is None else records.column(task.entity).codes
        sensitive = {name: records.column(name) for name in requirements.sensitive}
        coded = {name: records.codes((name,))[:, 0] for name in sensitive}
        orders = {name: column.order(task.suppression_mark) for name, column in sensitive.items()}
        check_order(requirements, {name: bool((codes == 0).any()) for name, codes in coded.items()}, orders)
        classes, of = collapsed(
            [domain.column.codes for domain in domains],
            coded,
            entity,
        )
        lattice = Lattice(domains, classes)
        numbers = {name: _numbers(column, coded[name]) for name, column in sensitive.items()}
        requirements = _reckoned(requirements, classes, lattice, numbers)
        judge = Judge(
            domains,
            requirements,
            most=int(Fraction(repr(arguments["most_suppressed"])) * records.records),
            is_by_cells=arguments["suppress"] == "cells",
            numbers=numbers,
        )
        found = _searched(lattice, judge, arguments, task)
        if found.levels is None:
            raise NotMeasurable(
                f"none of the {lattice.nodes:,} combinations of levels keeps what is required of"
                f" {', '.join(sorted({claim.metric for claim in requirements.claims}))} with at most"
                f" {arguments['most_suppressed'] * 100:.4g} % of the records suppressed; raise"
                " most_suppressed or lower the limits"
            )
        best = lattice.classes(found.levels)
        group = _class_of(lattice, found.levels, best, of)
        kept = judge.judge(found.levels, best).kept[group]
        is_by_cells = arguments["suppress"] == "cells"
        suppressed = int((~kept).sum())
        return Anonymized(
            kept=np.ones(len(kept), dtype=np.bool_) if is_by_cells else kept,
            suppressed_by={} if is_by_cells or not suppressed else {", ".join(names): suppressed},
            columns={
                domain.column.name: published(domain, level, kept if is_by_cells else None)
                for domain, level in zip(domains, found.levels, strict=True)
                if level or (is_by_cells and suppressed)
            },
            guarantees=requirements.claims,
            notes=notes_on(lattice, found, arguments, requirements, kept),
        )


def _numbers(column: "ColumnValues", codes: "NDArray[np.int32]") -> "NDArray[np.float64] | None":
    """Return the number of each code, the smallest where several values have one; None for texts."""
    if column.numbers is None:
        return None
    numbers = np.full(int(codes.max(initial=0)) + 1, np.nan)
    np.fmin.at(numbers, codes, column.numbers[column.codes])
    numbers[0] = np.nan
    return numbers


def _reckoned(
    requirements: Requirements,
    classes: SortedClasses,
    lattice: Lattice,
    numbers: "dict[str, NDArray[np.float64] | None]",
) -> Requirements:
    """Return the requirements without limits on what classes do not tell; those are left to the audit."""
    top = lattice.classes(tuple(levels - 1 for levels in lattice.shape))
    left = []
    unreckoned = dict.fromkeys(requirements.unreckoned)
    for target in requirements.exact:
        for some in (classes, top):
            try:
                measured(some, target, numbers)
            except NotMeasurable:
                continue
            left.append(target)
            break
        else:
            unreckoned[target.metric.name] = None
    claims = tuple(claim for claim in requirements.claims if claim.metric not in unreckoned)
    if not left and not requirements.criteria:
        raise NotMeasurable(
            f"{', '.join(unreckoned)} cannot be told from classes, and nothing else has to hold; set k"
        )
    return replace(requirements, exact=tuple(left), claims=claims, unreckoned=tuple(unreckoned))


def _searched(
    lattice: Lattice, judge: Judge, arguments: Arguments, task: AnonymizationTask
) -> FullDomainSolution:
    exact = lattice.classes((0,) * len(lattice.shape))
    loss, tie = (
        loss_of(name, lattice.domains, exact, arguments["balance"])
        for name in (arguments["loss"], second_loss(arguments))
    )
    is_large = lattice.nodes > MOST_NODES
    if arguments["search"] == "greedy" or (arguments["search"] == "auto" and is_large):
        return descent(lattice, judge, loss, tie, task.progress)
    if is_large:
        raise NotMeasurable(
            f"the lattice has {lattice.nodes:,} combinations of levels, and the optimum is proven up to"
            f" {MOST_NODES:,}; give hierarchies with fewer levels, or leave search out, which proves"
            " nothing then"
        )
    return optimum(lattice, judge, loss, tie, task.progress)


def _class_of(
    lattice: Lattice, levels: Levels, classes: SortedClasses, of: "NDArray[np.int64]"
) -> "NDArray[np.int64]":
    """Return for each record its class of a node: both are numbered in the order of their groups."""
    exact = lattice.classes((0,) * len(levels))
    return lattice.numbered(levels, exact)[0].take(of) if classes.count else of


def published(domain: Domain, level: int, kept: "NDArray[np.bool_] | None") -> Recoded:
    """Return what is published in place of a column."""
    codes = domain.column.codes
    if level:
        groups, values = domain.groups[level].take(codes), domain.labels[level]
        if kept is not None:
            groups = np.where(kept, groups, STARRED)
        return Recoded(codes=groups, values=values)
    mark = domain.labels[0][STARRED]
    exact = np.where(kept, codes + 1, 0) if kept is not None else codes + 1
    return Recoded(codes=exact, values=(mark, *(Original(code) for code in range(len(domain.column.texts)))))


def notes_on(
    lattice: Lattice,
    solution: FullDomainSolution,
    arguments: Arguments,
    requirements: Requirements,
    kept: "NDArray[np.bool_]",
) -> tuple[str, ...]:
    """Return the receipt's sentences."""
    marked = int((~kept).sum()) if arguments["suppress"] == "cells" else 0
    levels = ", ".join(
        f"{domain.column.name} {level} of {domain.levels - 1}"
        for domain, level in zip(lattice.domains, solution.levels or (), strict=True)
    )
    if not solution.is_proven:
        proof = (
            f"greedy: {solution.checked:,} of {lattice.nodes:,} combinations of levels were checked; a"
            f" smaller {arguments['loss']} may exist"
        )
    else:
        proof = (
            f"optimal: {solution.checked:,} of {lattice.nodes:,} combinations of levels were checked; every"
            f" other one is proven to break a limit or to have no smaller {arguments['loss']}"
        )
    second = second_loss(arguments)
    left = ", ".join(
        f"{domain.column.name} {_granularity(domain, level, kept):.3g}"
        for domain, level in zip(lattice.domains, solution.levels or (), strict=True)
    )
    notes = [
        f"levels: {levels}",
        f"{proof} than {solution.loss:.6g}",
        (
            f"of an equal {arguments['loss']} the smallest {second} is taken, {solution.tie:.6g}, and of"
            " these the lowest levels in the order of the columns"
        ),
        f"granularity left, column by column: {left}",
    ]
    if marked:
        notes.append(f"{marked:,} records are published with the suppression mark in each quasi-identifier")
    if requirements.unreckoned:
        notes.append(
            f"not reckoned with, left to the audit: {', '.join(requirements.unreckoned)}, which the classes"
            " of one table do not tell"
        )
    exact = sorted({t.metric.name for t in requirements.exact if not t.metric.is_monotone})
    if exact:
        notes.append(
            f"no level was ruled out by {', '.join(exact)}, which need not improve on coarser levels"
        )
    return tuple(notes)


def _granularity(domain: Domain, level: int, kept: "NDArray[np.bool_]") -> float:
    """Return the share of a column's detail that is left, 0..1: 1 − the mean part of its values covered."""
    lost = covered_losses(domain, is_by_width=False)[level].take(domain.column.codes)
    return 1 - float(np.where(kept, lost, 1.0).mean()) if len(lost) else 1.0
