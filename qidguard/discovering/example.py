"""A discovery in a table of four records, for the examples in this package's documentation and its tests."""

from dataclasses import replace
from types import MappingProxyType

from qidguard.core.column import ColumnFacts, ValueType
from qidguard.core.metric import Unit
from qidguard.core.recognizer import RoleProposal
from qidguard.core.result_table import ResultTable
from qidguard.core.role import DecidedBy, Role, RoleAssignment
from qidguard.discovering.discovery import Discovery
from qidguard.discovering.found import ColumnFinding, EntryStep, FoundSet, WeighedMetric
from qidguard.measuring.cost import Path, SubsetPlan
from qidguard.search.protocol import Evaluation, SearchResult, SearchStep, SetChoice, StoppedBy


def _column(name: str, distinct: int, share: float, why_not: str = "") -> ColumnFinding:
    reason = "its name has 'age' (age)"
    role = RoleAssignment(
        column=name, role=Role.QUASI_IDENTIFIER, decided_by=DecidedBy.LEXICON, reason=reason
    )
    return ColumnFinding(
        facts=ColumnFacts(name=name, value_type=ValueType.INTEGER, records=4, distinct=distinct, missing=0),
        share=share,
        is_found=share > 0,
        why_not=why_not,
        known=role if name == "age" else None,
    )


def small() -> Discovery:
    """Return what a search for the highest distinction finds in age 30, 30, 41, 52 and ward a, b, a, b.

    Returns:
        The discovery: both columns, which single everybody out.

    Units:
        Distinction is a share.

    Example:
        >>> small().best.fitness
        1.0
    """
    sets = (
        FoundSet(qids=("age", "ward"), fitness=1.0, figures=(1.0,), scores={"recall": 1.0}),
        FoundSet(qids=("age",), fitness=0.75, figures=(0.75,), scores={"recall": 0.5}),
    )
    steps = (
        EntryStep(columns=("age",), fitness=0.75, gain=None, figures=(0.75,), moves=(None,)),
        EntryStep(columns=("ward",), fitness=1.0, gain=0.25, figures=(1.0,), moves=(0.25,)),
    )
    ranked = tuple(
        Evaluation(qids=frozenset(s.qids), fitness=s.fitness, own_fitness=s.fitness, values=(s.fitness,))
        for s in sets
    )
    return Discovery(
        source="ward.csv",
        records=4,
        entities=None,
        columns=(
            _column("age", 3, 1.0),
            _column("ward", 2, 0.5),
            _column("site", 1, 0.0, "it has one value only"),
        ),
        objective="weighted",
        terms=(WeighedMetric(metric="distinction", title="Distinction", unit=Unit.SHARE, weight=1.0),),
        strategy="exhaustive",
        strategy_reason="3 sets are few enough to try each one",
        parameters=MappingProxyType({}),
        budget_seconds=60.0,
        largest=2,
        sets=sets,
        front=sets[:1],
        explained=(steps, steps[:1]),
        truth=("age", "ward"),
        with_names=MappingProxyType({"recall": 1.0}),
        plan=SubsetPlan(path=Path.LATTICE, reason="3 subsets share one walk.", seconds={}, bytes=0),
        search=SearchResult(
            best=ranked[0],
            ranked=ranked,
            front=ranked[:1],
            evaluations=3,
            evolution=(SearchStep(evaluations=3, best=1.0, mean=0.75, seconds=0.01),),
            is_optimum=True,
            stopped_by=StoppedBy.FINISHED,
            reason="every set was tried",
            seconds=0.01,
            seed=0,
            state=MappingProxyType({}),
        ),
        notes=("A person decides.",),
        engine="duckdb",
        versions=MappingProxyType({"qidguard": "0.1.0"}),
        seconds=0.02,
    )


def answered() -> Discovery:
    """Return the same where the strategy chose age alone, calls ward sensitive, and shows a table.

    Example:
        >>> answered().quasi_identifiers
        ('age',)
    """
    found = small()
    fittest, chosen = found.search.ranked
    ward = RoleAssignment(
        column="ward", role=Role.SENSITIVE, decided_by=DecidedBy.STATISTICS, reason="two values only"
    )
    search = replace(
        found.search,
        best=chosen,
        ranked=(chosen, fittest),
        is_optimum=False,
        choice=SetChoice(reason="one column does", fittest=fittest),
        classification=(RoleProposal(assignment=ward, confidence=0.8),),
        tables=(
            ResultTable(
                name="risk",
                title="Risk of each column",
                columns=("column", "risk, share"),
                rows=(("age", 0.75), ("ward", 0.5)),
                note="Shares of the records.",
            ),
        ),
    )
    columns = tuple(
        replace(one, is_found=one.facts.name == "age", share=1.0 if one.facts.name == "age" else one.share)
        for one in found.columns
    )
    return replace(
        found,
        columns=columns,
        sets=found.sets[::-1],
        explained=found.explained[::-1],
        search=search,
    )
