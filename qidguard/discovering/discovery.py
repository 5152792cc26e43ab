"""The result of a search for quasi-identifiers, as a Python caller holds it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from qidguard.auditing.proposed import asked
from qidguard.core.parameter import ParameterValue
from qidguard.core.recognizer import RoleProposal
from qidguard.core.result_table import ResultTable
from qidguard.core.role import DecidedBy, Role, RoleAssignment
from qidguard.discovering.found import ColumnFinding, EntryStep, FoundSet, WeighedMetric
from qidguard.measuring.cost import SubsetPlan
from qidguard.plot.plot import Plot
from qidguard.search.protocol import SearchResult

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Discovery:
    """Which sets of columns single people out most, and why; it prints well in a terminal and a notebook.

    It holds counts, figures and column names, and no value of the table.

    Args:
        source: What was searched, as the user named it.
        records: Number of records.
        entities: Number of entities, or None in a table without an entity column.
        columns: All columns in the table's order.
        objective: The objective's name.
        terms: What the objective weighs.
        strategy: The search strategy's name.
        strategy_reason: Why that one was taken.
        parameters: The strategy's parameters, defaults included.
        budget_seconds: Seconds after which the search was to stop, or None.
        largest: The largest number of columns a set could have.
        sets: The best sets that were seen, best first; never empty.
        front: The sets that no other one beats in every term (the Pareto front), best fitness first.
        explained: For the first of ``sets``, the way from no column to the whole set.
        truth: The true quasi-identifiers, where somebody gave them.
        with_names: Recognition scores of the best set together with what recognizers know by name.
        plan: How figures were measured, and why so.
        search: The search itself: evolution, evaluations, seed, why it ended.
        notes: Sentences worth reading.
        engine: The engine's name.
        versions: Distribution → version of every loaded plugin and of the host.
        seconds: Wall time of everything, loading included.
        without_preference: What the same search finds by the objective alone, where columns were preferred
            that outsiders can plausibly know; else None. A note says where the time was not enough for it.
    """

    source: str
    records: int
    entities: int | None
    columns: tuple[ColumnFinding, ...]
    objective: str
    terms: tuple[WeighedMetric, ...]
    strategy: str
    strategy_reason: str
    parameters: Mapping[str, ParameterValue]
    budget_seconds: float | None
    largest: int
    sets: tuple[FoundSet, ...]
    front: tuple[FoundSet, ...]
    explained: tuple[tuple[EntryStep, ...], ...]
    truth: tuple[str, ...] | None
    with_names: Mapping[str, float]
    plan: SubsetPlan
    search: SearchResult
    notes: tuple[str, ...]
    engine: str
    versions: Mapping[str, str]
    seconds: float
    without_preference: FoundSet | None = None

    @property
    def best(self) -> FoundSet:
        """The set with the highest fitness, or the one that the strategy chose by a rule of its own."""
        return self.sets[0]

    @property
    def prefers_known(self) -> bool:
        """Whether sets of columns that outsiders can plausibly know were preferred."""
        return self.best.preferred_fitness is not None

    @property
    def names(self) -> tuple[str, ...]:
        """All columns of the table."""
        return tuple(column.facts.name for column in self.columns)

    @property
    def classification(self) -> tuple[RoleProposal, ...]:
        """The roles that the strategy found, with confidence and reason; most strategies find none."""
        return self.search.classification

    @property
    def tables(self) -> tuple[ResultTable, ...]:
        """What the strategy shows of its work; none in most."""
        return self.search.tables

    @property
    def plots(self) -> tuple[Plot, ...]:
        """The same, drawn."""
        return self.search.plots

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns of the best set, in the table's order."""
        return self.best.qids

    @property
    def candidates(self) -> tuple[str, ...]:
        """The columns that were searched."""
        return tuple(column.facts.name for column in self.columns if not column.why_not)

    @property
    def left_out(self) -> dict[str, str]:
        """Column → why it was not searched."""
        return {column.facts.name: column.why_not for column in self.columns if column.why_not}

    def roles(self) -> tuple[RoleAssignment, ...]:
        """Return the role that follows for every column, in the table's order.

        What the search found is a quasi-identifier. What it did not find keeps the role that the policy or a
        recognizer gives it, a quasi-identifier included: a search adds and takes nothing away. Where the
        strategy classifies columns, that adds too: a person, and a direct identifier or a quasi-identifier
        known by name, go before it. A column that nobody knows stays unclassified, and is never taken for
        safe: that one is harmless, or may be something, is a question.

        Returns:
            One assignment for each column, with who decided it and why.

        Example:
            >>> from qidguard.discovering.example import small
            >>> [(role.column, role.role.value, role.decided_by.value) for role in small().roles()][:2]
            [('age', 'quasi_identifier', 'lexicon'), ('ward', 'quasi_identifier', 'statistics')]
        """
        classified = {one.assignment.column: one for one in self.search.classification}
        return tuple(
            _classified(_assignment(self, column), column, classified.get(column.facts.name))
            for column in self.columns
        )

    def why(self, column: str) -> str:
        """Return why a column of the best set is in it: how often, and what it moved when it entered.

        Args:
            column: The column.

        Returns:
            A phrase without a value of the table.

        Units:
            Figures that moved are in their metric's unit.

        Raises:
            ValueError: When the column is not in the best set.

        Example:
            >>> from qidguard.discovering.example import small
            >>> small().why("ward")
            'in 1 of the 2 best sets; raised distinction by 0.25'
        """
        if column not in self.quasi_identifiers:
            raise ValueError(f"{column!r} is not in the best set")
        share = next(c.share for c in self.columns if c.facts.name == column)
        sets = len(self.sets)
        often = f"in {round(share * sets)} of the {sets} best sets" if sets > 1 else "in the best set"
        entry = next((e for way in self.explained[:1] for e in way if e.columns == (column,)), None)
        if entry is None:
            return often
        moved = "the first to enter" if entry.gain is None else moved_most(entry, self.terms)
        return f"{often}; {moved}" if moved else often

    def to_frame(self) -> "pd.DataFrame":
        """Return the best sets as a table, best first.

        Returns:
            One row a set: its columns, its size, its fitness by the objective, where columns were preferred
            ``preferred_fitness`` (by which the rows are sorted) and ``plausibility`` (the mean over its
            columns, a share), the figure of each term of the objective in the
            metric's unit, and its scores (shares 0..1) where the truth was given.

        Example:
            >>> from qidguard.discovering.example import small
            >>> small().to_frame()[["quasi_identifiers", "size"]].to_dict("records")[0]
            {'quasi_identifiers': ('age', 'ward'), 'size': 2}
        """
        import pandas as pd

        labels = [term.label for term in self.terms]
        return pd.DataFrame(
            [
                {"quasi_identifiers": one.qids, "size": len(one.qids), "fitness": one.fitness}
                | self._preferred(one)
                | dict(zip(labels, one.figures, strict=True))
                | dict(one.scores)
                for one in self.sets
            ]
        )

    def _preferred(self, one: FoundSet) -> dict[str, float | None]:
        if not self.prefers_known:
            return {}
        shares = {c.facts.name: c.plausibility.share for c in self.columns if c.plausibility is not None}
        mean = sum(shares[name] for name in one.qids) / len(one.qids)
        return {"preferred_fitness": one.preferred_fitness, "plausibility": mean}

    def to_dict(self) -> dict[str, Any]:
        """Return the document ``qidguard-discovery/1`` as plain values that JSON knows.

        Returns:
            What ``qidguard schema discovery`` describes; counts, figures and column names.

        Example:
            >>> from qidguard.discovering.example import small
            >>> small().to_dict()["quasi_identifiers"]
            ['age', 'ward']
        """
        from qidguard.discovering.document import document

        return document(self)

    def to_json(self) -> str:
        """Return the document ``qidguard-discovery/1``, which ``qidguard schema discovery`` describes.

        Returns:
            JSON text without a bare infinity or NaN.

        Units:
            Figures in their metric's unit, which stands beside them; shares 0..1; seconds of wall time.

        Example:
            >>> from qidguard.discovering.example import small
            >>> small().to_json().splitlines()[1]
            '  "format": "qidguard-discovery/1",'
        """
        from qidguard.discovering.document import json_text

        return json_text(self)

    def __str__(self) -> str:
        from qidguard.discovering.console import console_text

        return console_text(self)

    __repr__ = __str__

    def __rich_console__(self, console: Any, options: Any) -> Any:
        from qidguard.discovering.console import parts

        yield from parts(self, min(options.max_width, 120), is_ascii=options.ascii_only)

    def _repr_html_(self) -> str:
        from qidguard.discovering.console import to_html_fragment

        return to_html_fragment(self)


def _classified(
    found: RoleAssignment, column: ColumnFinding, proposal: RoleProposal | None
) -> RoleAssignment:
    """Return a role with what the strategy found it to be; the more careful of two roles stays."""
    if proposal is None or found.decided_by is DecidedBy.PERSON or found.role is Role.DIRECT_IDENTIFIER:
        return found
    role, said = proposal.assignment.role, proposal.assignment
    if not proposal.is_sure or role in {Role.INSENSITIVE, Role.UNCLASSIFIED}:
        # only a person makes a column harmless
        is_open = found.role is Role.UNCLASSIFIED and role is not Role.UNCLASSIFIED
        return replace(found, reason=asked(proposal)) if is_open else found
    is_known = column.known is not None and column.known.role is Role.QUASI_IDENTIFIER
    if {found.role, role} <= {Role.QUASI_IDENTIFIER, Role.SENSITIVE}:
        if found.role is role:
            return found
        reason = "; ".join(filter(None, (found.reason, said.reason)))
        by = found.decided_by if found.role is Role.QUASI_IDENTIFIER else DecidedBy.STATISTICS
        return RoleAssignment(
            column=found.column,
            role=Role.QUASI_IDENTIFIER,
            decided_by=by,
            reason=reason,
            is_also_sensitive=True,
        )
    return found if is_known else said


def _assignment(discovery: "Discovery", column: ColumnFinding) -> RoleAssignment:
    name = column.facts.name
    known = column.known
    if column.is_found:
        why = discovery.why(name)
        if known is None or known.role is not Role.QUASI_IDENTIFIER:
            by = DecidedBy.STATISTICS
            return RoleAssignment(column=name, role=Role.QUASI_IDENTIFIER, decided_by=by, reason=why)
        why = f"{known.reason}; {why}" if known.reason else why
        return replace(known, reason=why)
    if known is not None:
        return known
    return RoleAssignment(
        column=name,
        role=Role.UNCLASSIFIED,
        decided_by=DecidedBy.NOBODY,
        reason="no recognizer knows it, and the search did not find it",
    )


def moved_most(entry: EntryStep, terms: tuple[WeighedMetric, ...]) -> str:
    """Return in words what helped the fitness most when a column entered; empty where nothing did.

    Example:
        >>> from qidguard.core.metric import Unit
        >>> term = WeighedMetric(metric="separation", title="Separation", unit=Unit.SHARE, weight=0.5)
        >>> entry = EntryStep(columns=("a",), fitness=0.3, gain=0.1, figures=(0.6,), moves=(0.2,))
        >>> moved_most(entry, (term,))
        'raised separation by 0.2'
    """
    helped = [
        (term.weight * (-1 if term.is_divisor else 1) * move, term.label, move)
        for term, move in zip(terms, entry.moves, strict=True)
        if move and not term.is_change
    ]
    if not helped or max(helped)[0] <= 0:
        return ""
    _, label, move = max(helped)
    return f"{'raised' if move > 0 else 'lowered'} {label} by {abs(move):.3g}"
