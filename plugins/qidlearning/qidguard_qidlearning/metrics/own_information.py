"""Own information: what the quasi-identifiers tell, what two of them share counted once."""

import math
from weakref import WeakKeyDictionary

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Metric,
    Parameter,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_qidlearning.metrics.dependence_tree import DependenceTrees
from qidguard_qidlearning.metrics.wording import EMPTY, NO_LIMIT, QID_NULL

_KNOWN: "WeakKeyDictionary[TableView, dict[float, DependenceTrees]]" = WeakKeyDictionary()
"""For each table, and each ``most_alone`` asked for, what was measured of it."""


def own_information(view: TableView, grouping: Grouping, arguments: Arguments) -> float:
    """Return the entropy of the QIDs' dependence tree, in bits; it compares columns: no group-by."""
    known, most_alone = _KNOWN.setdefault(view, {}), arguments["most_alone"]
    if most_alone not in known:
        known[most_alone] = DependenceTrees(view, most_alone)
    return known[most_alone].bits(view, grouping.qids)


OWN_INFORMATION = Metric(
    name="own_information",
    title="own information of the QIDs",
    unit=Unit.BITS,
    minimum=0.0,
    maximum=math.inf,
    direction=Direction.LOWER_IS_SAFER,
    method=TableFunction(measure=own_information),
    parameters=(
        Parameter(
            name="most_alone",
            type=float,
            default=0.1,
            minimum=0,
            maximum=1,
            meaning="share of persons alone in a column by itself above which it counts as a measurement "
            "that nobody outside holds, and tells 0 bits; dates excepted",
        ),
    ),
    explanation=Explanation(
        meaning="How much the QIDs tell together, what two of them both tell counted once. A column that "
        "another one determines adds nothing, and a flag that is nearly constant next to nothing. Unlike "
        "separation, distinction and the entropy of the classes it does not stop growing when the first "
        "few QIDs make most persons unique, so that it still sees a weak QID; in return it does not see "
        "what only three columns together share. A column in which many are alone by itself counts as a "
        "measurement recorded here only, except a date: others know days of birth and of stays, however many "
        "there are.",
        formula="Σ H(c) over QIDs c − Σ I(c; d) over the edges of the spanning tree with the largest sum: "
        "the entropy of the tree of dependences that fits best. Entropies with Miller's correction "
        "(classes − 1) / (2 n ln 2). 0 for c where more than most_alone of the persons are alone in c; for "
        "such a date, I(c; d) = H(d) where d is a function of it, else 0",
        source="Chow & Liu 1968, Approximating discrete probability distributions with dependence trees; "
        "Miller 1955, Note on the bias of information estimates; dates: 45 CFR 164.514(b)(2)(i)(C), a rule "
        "of 2000",
        good_value=f"{NO_LIMIT} It is a term of a search's objective.",
        missing=f"{QID_NULL} The same holds for pairs of columns.",
        empty=EMPTY,
        single_class="0 bits: a column with one value tells nothing.",
    ),
)
"""What the QIDs tell, each thing once."""
