"""Share of persons whom the columns outside the quasi-identifiers tell apart.

Example:
    >>> REST_UNIQUE_SHARE.needs_rest
    True
"""

from typing import TYPE_CHECKING, cast

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    TableFunction,
    TableView,
    Unit,
)

if TYPE_CHECKING:
    from qidguard.sdk import RestView


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the share; counted on hashes, since these columns are kept as no codes that could be grouped."""
    counted = cast("RestView", view).alone(grouping.qids)
    if not counted.persons:
        raise NotMeasurable("The table has no records, so there is nobody to tell apart.")
    return counted.share


REST_UNIQUE_SHARE = Metric(
    name="rest_unique_share",
    title="share of persons unique outside the QIDs",
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    direction=Direction.LOWER_IS_SAFER,
    method=TableFunction(measure=_measure),
    needs_rest=True,
    explanation=Explanation(
        meaning="Which part of the people is alone with what is published of them outside the QIDs, all of "
        "it together. Whoever knows enough of it, from another file or from the person, finds their record "
        "however large the classes of the QIDs are. Sensitive attributes count like any other column: a "
        "diagnosis, a procedure and a length of stay may be known of somebody who is alone with them. "
        "Columns that the policy accepts by themselves, with a reason, do not count.",
        formula="persons in a class of size 1 over all published columns that are no QIDs / persons;"
        " with an entity column an entity counts when any of its classes holds nobody else",
        source="Bethlehem, Keller & Pannekoek 1990, Disclosure control of microdata (sample uniques); "
        "Sweeney 2000, Simple demographics often identify people uniquely",
        good_value="No source sets a number: the limit is your own. A figure near 1 says that k-anonymity of "
        "the QIDs holds only as long as nobody knows more than them.",
        missing="NULL is a value like any other: two persons who lack a value agree on it.",
        empty="A table without records has no figure; without such a column it is 0.",
        single_class="0, or 1 in a table of one person.",
    ),
)
"""The share of persons who are alone on what is published outside the QIDs."""
