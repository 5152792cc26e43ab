"""The search strategies ``qir`` and ``sqi``: a set chosen by a rule, not by an objective."""

from collections.abc import Sequence

from qidguard.sdk import (
    Arguments,
    DecidedBy,
    Evidence,
    NotMeasurable,
    Parameter,
    Problem,
    ResultTable,
    Role,
    RoleProposal,
    SearchStrategy,
    Termination,
)
from qidguard_qir.classification import AttributeClass, Classification, classify
from qidguard_qir.dimension import find_dimension_in
from qidguard_qir.dimensions import Dimensions
from qidguard_qir.gain import ANONYMIZER, RehearsedGain
from qidguard_qir.recognizer import GIVEN, PROPOSED
from qidguard_qir.sqi import ALGORITHMS, MOST_NOMINATED, NOMINATED, CountedSet, nominate, select
from qidguard_qir.thresholds import THRESHOLD_PARAMETERS, given_thresholds

ROLES = {
    AttributeClass.DIRECT_IDENTIFIER: Role.DIRECT_IDENTIFIER,
    AttributeClass.SENSITIVE: Role.SENSITIVE,
    AttributeClass.QUASI_IDENTIFIER: Role.QUASI_IDENTIFIER,
}
"""What a class of the paper is among qidguard's roles. NS has none: a low risk makes no column safe."""
ASKED = 0.3
"""How sure it is that a column of a high risk is sensitive or an identifier: a question to a person."""


class Qir:
    """QIR: classify the columns by their risk, then choose how many of the quasi-identifiers to anonymize.

    Mansour et al. 2021, Algorithms 1 and 2. The objective decides nothing: the set that the rule chooses is
    the answer. Every column of the class QID is told as such, those beyond the dimension too, for the
    dimension says how many to anonymize and not what an outsider knows.
    """

    name = "qir"
    title = "QIR: columns classified by their risk, and how many of them to anonymize"
    words = tuple(str(one) for one in AttributeClass)
    parameters = (
        *THRESHOLD_PARAMETERS,
        Parameter(name="k", type=int, default=5, minimum=2, meaning="smallest class, persons"),
        Parameter(
            name="sample", type=float, default=10.0, minimum=0.001, maximum=100.0,
            meaning="size of a sample, percent of the persons",
        ),
        Parameter(name="samples", type=int, default=10, minimum=1, meaning="samples that are drawn"),
        Parameter(
            name="anonymizer", type=str, default=ANONYMIZER,
            meaning="the anonymizer inside; from Python with parameters in brackets",
        ),
    )  # fmt: skip

    def search(self, problem: Problem, arguments: Arguments, seed: int) -> Termination:
        """Classify, rehearse and choose."""
        alpha, beta = given_thresholds(arguments)
        classified = classify(problem.table, problem.candidates, alpha=alpha, beta=beta)
        qids = classified.quasi_identifiers[: problem.largest]
        if not qids:
            raise NotMeasurable(
                "no column has a risk between beta and alpha, so there is no quasi-identifier; lower beta or"
                " raise alpha"
            )
        problem.evaluate([frozenset(qids[:size]) for size in range(1, len(qids) + 1)])
        records = problem.records(columns=qids)
        found = find_dimension_in(
            records,
            qids,
            RehearsedGain(
                label=arguments["anonymizer"],
                entity=records.entity,
                host=problem.host,
                seconds_left=lambda: problem.seconds_left,
            ),
            k=(arguments["k"],),
            sizes=(arguments["sample"] / 100,),
            seeds=arguments["samples"],
            seed=seed,
            progress=_Told(problem),
            is_stopped=lambda: problem.is_stopped,
        )
        if found.is_interrupted and not problem.is_stopped:
            raise KeyboardInterrupt  # the host tells how it ended
        return _answer(classified, found)


class _Told:
    """Tells a problem of finished rehearsals."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    def step(self, title: str, done: int, total: int) -> None:
        """Report a step, the first and the last of which say nothing new."""
        if 0 < done < total:
            self._problem.report(title, done, total)


def _answer(classified: Classification, found: Dimensions) -> Termination:
    tables = (_classes(classified), _means(found))
    as_qid = PROPOSED if classified.thresholds.is_proposed else GIVEN
    roles = tuple(
        RoleProposal.of(
            one.column,
            role,
            as_qid if role is Role.QUASI_IDENTIFIER else ASKED,
            Evidence(by=DecidedBy.STATISTICS, sentence=one.why),
        )
        for one in classified.attributes
        if (role := ROLES.get(one.attribute_class)) is not None
    )
    if found.dimension is None:
        return Termination(
            reason=_why_none(found),
            classification=roles,
            tables=(_classes(classified),),
            plots=(classified.plot(),),
        )
    (one,) = found.chosen
    return Termination(
        reason=f"{len(found.runs)} of {found.asked} rehearsals are done",
        classification=roles,
        chosen=frozenset(found.quasi_identifiers),
        chosen_because=(
            f"of {len(found.qids)} quasi-identifiers by risk, {found.dimension} have the best balance of"
            f" privacy gain and information kept at k = {one.k}, in {100 * one.stability:.0f} % of"
            f" {len(one.choices)} samples; the others stay as exposed as they are"
        ),
        tables=tables,
        plots=(classified.plot(), *found.plots()),
    )


def _why_none(found: Dimensions) -> str:
    """Return why no dimension was chosen."""
    if found.is_interrupted:
        done = f"{len(found.runs)} of {len(found.qids)} dimensions"
        return f"the time was too short for one whole sample, {done} were tried; take a smaller sample"
    return f"no dimension can be anonymized: {found.runs[0].reason}"


def _classes(classified: Classification) -> ResultTable:
    """Return the columns with their classes, the highest risk first: names and declared words only."""
    limits = classified.thresholds
    return ResultTable(
        name="classes",
        title=f"Classes by risk, alpha {limits.alpha:.4g} %, beta {limits.beta:.4g} %",
        columns=("column", "class", "risk_percent", "margin_points"),
        rows=tuple(
            (one.column, str(one.attribute_class), one.risk.risk_percent, one.margin)
            for one in classified.by_risk
        ),
        note=f"Thresholds: {limits.reason}.",
    )


def _means(found: Dimensions) -> ResultTable:
    """Return the means of each dimension without the size of the samples, which is one."""
    means = next(table for table in found.tables() if table.name == "means")
    at = means.columns.index("size")
    return ResultTable(
        name=means.name,
        title=f"{means.title} of {100 * float(found.chosen[0].size or 1):.4g} %",
        columns=(*means.columns[:at], *means.columns[at + 1 :]),
        rows=tuple((*row[:at], *row[at + 1 :]) for row in means.rows),
    )


class Sqi:
    """SQI, the baseline: the set of nominated attributes with the most distinct combinations of values.

    Omer & Mohamad 2016, as Mansour et al. 2021 describe it. The candidates of the search are nominated; of
    many, those of the most distinct values.
    """

    name = "sqi"
    title = "SQI: the set with the most distinct combinations (a baseline)"
    words: tuple[str, ...] = ()
    parameters = (
        Parameter(
            name="algorithm", type=str, default="decompose", choices=ALGORITHMS,
            meaning="whether single attributes are compared, or all sets of them",
        ),
        Parameter(
            name="nominated", type=int, default=NOMINATED, minimum=1, maximum=MOST_NOMINATED,
            meaning="attributes at most, those of the most distinct values",
        ),
    )  # fmt: skip

    def search(self, problem: Problem, arguments: Arguments, seed: int) -> Termination:  # noqa: ARG002 - nothing is drawn
        """Count and choose."""
        records = problem.records()
        nominated = nominate(records, problem.candidates, arguments["nominated"])
        found = select(records, nominated, algorithm=arguments["algorithm"])
        fitting = [one for one in found.sets if len(one.columns) <= problem.largest]
        problem.evaluate([frozenset(fitting[0].columns)])
        problem.report("counting combinations", 1, 1)
        return Termination(
            reason=f"{len(found.sets)} sets of {len(nominated)} nominated attributes are counted",
            chosen=frozenset(fitting[0].columns),
            chosen_because=(
                f"it has the most distinct combinations, {fitting[0].distinct:,}; a larger set never has"
                " fewer"
            ),
            tables=(_counts(fitting),),
        )


_SHOWN = 20


def _counts(sets: Sequence[CountedSet]) -> ResultTable:
    """Return the first of the sets; one with a comma in a name stands there by its size alone."""
    return ResultTable(
        name="combinations",
        title="The sets with the most distinct combinations",
        columns=("attributes", "size", "distinct"),
        rows=tuple((_names(one), len(one.columns), one.distinct) for one in sets[:_SHOWN]),
    )


def _names(one: CountedSet) -> str | None:
    # the host takes texts that are names with commas between them, and nothing else
    return None if any(", " in name for name in one.columns) else ", ".join(one.columns)


SEARCH_STRATEGIES: tuple[SearchStrategy, ...] = (Qir(), Sqi())
"""Both, by name."""
