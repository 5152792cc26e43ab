"""Algorithm 1, lines 27–40: columns classified by their risk between two thresholds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from qidguard.sdk import (
    ColumnFacts,
    EngineSettings,
    Needs,
    Plot,
    Preprocessing,
    ReadOptions,
    ResultTable,
    UserError,
    ValueType,
)
from qidguard_qir.preprocessing import ColumnPreprocessing, report_preprocessing
from qidguard_qir.risk import AS_READ, NOTHING, AttributeRisk, opened, risks_of, wanted_columns
from qidguard_qir.thresholds import Thresholds, both_or_none, propose_thresholds

if TYPE_CHECKING:
    import pandas as pd

IDENTIFIER_FROM = 90.0
"""The risk in percent from which a column is set apart: the paper presumes that identifiers were removed."""
ASKED_FROM = 50.0
"""The risk in percent from which a person is asked whether the column is a direct identifier."""
_MEASURED = {ValueType.NUMBER, ValueType.DATE, ValueType.TIMESTAMP}


class AttributeClass(StrEnum):
    """What a column is by its risk alone."""

    DIRECT_IDENTIFIER = "ID"
    SENSITIVE = "SA"
    QUASI_IDENTIFIER = "QID"
    NON_SENSITIVE = "NS"


@dataclass(frozen=True, kw_only=True)
class ClassifiedAttribute:
    """A column with its risk and what follows from it.

    Args:
        risk: The risk, g-distinct and class sizes of the column.
        attribute_class: What it is.
        margin: How far the risk is from the nearest threshold, in percentage points, ≥ 0.
        why: The reason in plain words, without a value of the table.
        question: What a person should decide, or nothing.
    """

    risk: AttributeRisk
    attribute_class: AttributeClass
    margin: float
    why: str
    question: str = ""

    @property
    def column(self) -> str:
        """The column's name."""
        return self.risk.column


@dataclass(frozen=True, kw_only=True)
class Classification:
    """The columns of a table as QIR classifies them; it prints well. No value of the table is in it.

    Args:
        attributes: The columns, in the order in which they were asked for.
        thresholds: α and β, and where they come from.
        preprocessing: What preprocessing did and would do to each column, in the same order.
        persons: Number of persons: entities where there is an entity column, else records.
        entity: The entity column, or None.
        g: The class size that g-distinct is shown for.
    """

    attributes: tuple[ClassifiedAttribute, ...]
    thresholds: Thresholds
    preprocessing: tuple[ColumnPreprocessing, ...]
    persons: int
    entity: str | None = None
    g: int = 1

    @property
    def by_risk(self) -> tuple[ClassifiedAttribute, ...]:
        """The columns, the highest risk first."""
        return tuple(sorted(self.attributes, key=lambda one: -one.risk.risk))

    def columns(self, attribute_class: AttributeClass) -> tuple[str, ...]:
        """Return the columns of one class, the highest risk first."""
        return tuple(one.column for one in self.by_risk if one.attribute_class is attribute_class)

    @property
    def direct_identifiers(self) -> tuple[str, ...]:
        """The columns that tell nearly everybody apart, and were set apart; the highest risk first."""
        return self.columns(AttributeClass.DIRECT_IDENTIFIER)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The columns above α, the highest risk first."""
        return self.columns(AttributeClass.SENSITIVE)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns from β to α, the highest risk first: the order in which Algorithm 2 takes them."""
        return self.columns(AttributeClass.QUASI_IDENTIFIER)

    @property
    def non_sensitive(self) -> tuple[str, ...]:
        """The columns below β, the highest risk first."""
        return self.columns(AttributeClass.NON_SENSITIVE)

    def __getitem__(self, column: str) -> ClassifiedAttribute:
        """Return what is known of a column; KeyError for one that was not asked for."""
        for one in self.attributes:
            if one.column == column:
                return one
        raise KeyError(column)

    def after(self, risk_percent: float) -> AttributeClass:
        """Return the class that a column with this risk would have, percent."""
        return _class_of(risk_percent, self.thresholds)

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a column, the highest risk first.

        Returns:
            ``column``, ``attribute_class``, ``risk`` and ``g_distinct`` (shares 0..1), ``classes``,
            ``margin`` (percentage points), ``why`` and ``question``.
        """
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "column": one.column,
                    "attribute_class": str(one.attribute_class),
                    "risk": one.risk.risk,
                    "g_distinct": one.risk.g_distinct(self.g),
                    "classes": one.risk.classes,
                    "margin": one.margin,
                    "why": one.why,
                    "question": one.question,
                }
                for one in self.by_risk
            ]
        )

    @property
    def headline(self) -> str:
        """One sentence: how many columns of each class, by which thresholds."""
        from qidguard_qir.classification_text import headline

        return headline(self)

    def tables(self) -> tuple[ResultTable, ...]:
        """Return the columns with their risks, and what preprocessing did and would do."""
        from qidguard_qir.classification_text import tables

        return tables(self)

    def plot(self) -> Plot:
        """Return the risks as sorted bars with the thresholds drawn (the paper's Figures 3 and 5)."""
        from qidguard_qir.risk_plot import risk_plot

        return risk_plot(self)

    def __str__(self) -> str:
        from qidguard_qir.classification_text import lines

        return "\n".join(lines(self))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"


def classify(  # noqa: PLR0913 - each argument is one decision about the classification
    source: Any,
    columns: Iterable[str] | None = None,
    *,
    without: Iterable[str] = (),
    alpha: float | None = None,
    beta: float | None = None,
    entity: str | None = None,
    g: int = 1,
    preprocessing: Mapping[str, Preprocessing] = NOTHING,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
) -> Classification:
    """Classify the columns of a table by their re-identification risk (Mansour et al. 2021, Algorithm 1).

    The risk of a column is the mean over persons of 1 / class size. Above α the column is a sensitive
    attribute, from β to α a quasi-identifier, below β neither; risks are compared unrounded. Risk alone is
    weak evidence: it knows no meaning of a column, nor what outsiders know. A column with a risk from 90 % on
    is set apart as a direct identifier, because the paper presumes these removed.

    Args:
        source: An opened table, or whatever ``qidguard.audit`` takes. It is never changed.
        columns: The columns to classify; None takes all but the entity.
        without: Columns to leave out.
        alpha: α in percent, 0..100; None, together with beta, proposes both.
        beta: β in percent, 0..alpha.
        entity: The column whose values are the persons, where a person has several records.
        g: The class size that g-distinct is shown for, persons, ≥ 1.
        preprocessing: Column → what of its values is taken as one value before classes are counted. Nothing
            is done to other columns; what could be done to them is in the result.
        read: How the source is read.
        settings: Memory limit and threads.

    Returns:
        Every column with its class, its margin to the threshold and why; the same table gives the same.

    Units:
        Thresholds and risks in percent, margins in percentage points; ``to_frame`` has shares.

    Raises:
        UserError: When a threshold is no percentage, β lies above α, one of the two is missing, or a column
            does not exist.
        NotMeasurable: When thresholds are to be proposed and the risks do not suggest any.

    NULL is a value of its own, and so is ``?``. A column of one value has the least risk, 1 / persons.

    Example:
        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [30, 30, 41, 52], "sex": ["f", "f", "m", "f"], "site": ["x"] * 4})
        >>> found = classify(table, alpha=60, beta=30)
        >>> found.sensitive, found.quasi_identifiers, found.non_sensitive
        (('age',), ('sex',), ('site',))
    """
    thresholds = both_or_none(alpha, beta)
    needs = Needs(columns=() if entity is None and not preprocessing else None, entity=entity)
    with opened(source, needs, read=read, settings=settings) as table:
        left_out = set(wanted_columns(table, without, entity))
        wanted = tuple(one for one in wanted_columns(table, columns, entity) if one not in left_out)
        if not wanted:
            raise UserError("there is no column to classify; name some")
        facts = {one.name: one for one in table.columns}
        before = dict(zip(wanted, risks_of(table, wanted), strict=True))
        now = (
            dict(zip(wanted, risks_of(table, wanted, preprocessing), strict=True))
            if preprocessing
            else before
        )
        reports = tuple(
            report_preprocessing(
                table, facts[name], before[name], now[name], preprocessing.get(name, AS_READ)
            )
            for name in wanted
        )
    if thresholds is None:
        told = [one for one in now.values() if one.classes > 1 and one.risk_percent < ASKED_FROM]
        thresholds = propose_thresholds([one.risk_percent for one in told], _apart(now.values()))
    attributes = tuple(_classified(now[name], facts[name], thresholds) for name in wanted)
    return Classification(
        attributes=attributes,
        thresholds=thresholds,
        preprocessing=reports,
        persons=attributes[0].risk.persons,
        entity=entity,
        g=g,
    )


def _apart(risks: Iterable[AttributeRisk]) -> str:
    """Return how many columns no threshold is proposed from, and why not."""
    constant = sum(one.classes == 1 for one in risks)
    high = sum(one.classes > 1 and one.risk_percent >= ASKED_FROM for one in risks)
    counts = ((high, f"with a risk from {ASKED_FROM:g} % on"), (constant, "with one value"))
    said = ", ".join(f"{count} {why}" for count, why in counts if count)
    return f"columns set apart: {said}" if said else ""


def _class_of(risk: float, thresholds: Thresholds) -> AttributeClass:
    if risk >= IDENTIFIER_FROM:
        return AttributeClass.DIRECT_IDENTIFIER
    if risk > thresholds.alpha:
        return AttributeClass.SENSITIVE
    return AttributeClass.QUASI_IDENTIFIER if risk >= thresholds.beta else AttributeClass.NON_SENSITIVE


def _classified(risk: AttributeRisk, facts: ColumnFacts, thresholds: Thresholds) -> ClassifiedAttribute:
    percent, alpha, beta = risk.risk_percent, thresholds.alpha, thresholds.beta
    found = _class_of(percent, thresholds)
    why = {
        AttributeClass.DIRECT_IDENTIFIER: "nearly everybody has a value of their own",
        AttributeClass.SENSITIVE: f"its risk of {percent:.4g} % is above α ({alpha:.4g} %)",
        AttributeClass.QUASI_IDENTIFIER: (
            f"its risk of {percent:.4g} % lies between β ({beta:.4g} %) and α ({alpha:.4g} %)"
        ),
        AttributeClass.NON_SENSITIVE: f"its risk of {percent:.4g} % is below β ({beta:.4g} %)",
    }[found]
    limits = [IDENTIFIER_FROM] if found is AttributeClass.DIRECT_IDENTIFIER else [alpha, beta]
    question = ""
    if percent >= ASKED_FROM:
        question = "is it a direct identifier, which is never published"
        question += ", or a measured figure to be rounded?" if facts.value_type in _MEASURED else "?"
    return ClassifiedAttribute(
        risk=risk,
        attribute_class=found,
        margin=min(abs(percent - limit) for limit in limits),
        why=why,
        question=question,
    )
