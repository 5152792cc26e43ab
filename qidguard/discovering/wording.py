"""Words and figures that the console and notebooks share."""

import math
from typing import TYPE_CHECKING

from qidguard.auditing.proposed import SPOKEN_ROLES
from qidguard.discovering.found import EntryStep, FoundSet, WeighedMetric
from qidguard.rendering.printable import listed, shown_name, visible
from qidguard.search.protocol import StoppedBy

if TYPE_CHECKING:
    from qidguard.discovering.discovery import Discovery

MISSING = "–"
"""In the place of a figure that does not exist."""

SHOWN_TERMS = 6
"""Figures of a set that one line shows."""

SHORT_SET = 6
"""Columns of a set that is always written out."""

SCORED = 3
"""Sets that are held against the truth."""

_STOPPED = {
    StoppedBy.FINISHED: "finished",
    StoppedBy.BUDGET: "stopped by its budget",
    StoppedBy.INTERRUPTED: "interrupted",
}


def headline(discovery: "Discovery") -> str:
    """Return the best set in a sentence.

    Example:
        >>> from qidguard.discovering.example import small
        >>> headline(small())
        'age, ward (2 of 2 columns searched).'
    """
    several = len(discovery.candidates)
    names, size = listed(discovery.quasi_identifiers, 12), len(discovery.best.qids)
    return f"{names} ({size} of {several} columns searched)."


def table_sentence(discovery: "Discovery") -> str:
    """Return the size of the table.

    Example:
        >>> from qidguard.discovering.example import small
        >>> table_sentence(small())
        'ward.csv: 4 records, 3 columns'
    """
    persons = "" if discovery.entities is None else f" of {discovery.entities:,} entities"
    columns = len(discovery.columns)
    return f"{visible(discovery.source)}: {discovery.records:,} records{persons}, {columns} columns"


def search_sentence(discovery: "Discovery") -> str:
    """Return how the search went.

    Example:
        >>> from qidguard.discovering.example import small
        >>> search_sentence(small()).partition(", ")[2]
        'fitness 1.0000, 3 sets in 0.0 s, finished; the optimum, proven'
    """
    search = discovery.search
    proof = "; the optimum, proven" if search.is_optimum else ""
    return (
        f"{discovery.strategy} search, fitness {compared(discovery.best)},"
        f" {search.evaluations:,} sets in {search.seconds:.1f} s, {_STOPPED[search.stopped_by]}{proof}"
    )


def fitness(value: float) -> str:
    """Return a fitness as it is printed.

    Example:
        >>> fitness(0.93126)
        '0.9313'
    """
    return f"{value:.4f}"


def compared(one: FoundSet) -> str:
    """Return by which fitness a set is compared, and what the objective says where that is another one.

    Example:
        >>> from dataclasses import replace
        >>> from qidguard.discovering.example import small
        >>> best = small().best
        >>> compared(best), compared(replace(best, preferred_fitness=0.75))
        ('1.0000', '0.7500 preferred, 1.0000 by the objective')
    """
    if one.preferred_fitness is None:
        return fitness(one.fitness)
    return f"{fitness(one.compared)} preferred, {fitness(one.fitness)} by the objective"


def preference_sentence(best: FoundSet, plain: FoundSet, candidates: int, *, is_whole: bool) -> str:
    """Return what was preferred, what would have been best without, and how to have it so.

    Example:
        >>> from qidguard.discovering.example import small
        >>> best, other = small().sets
        >>> preference_sentence(best, other, 20, is_whole=True).partition(": ")[2].partition("; ")[0]
        'by the objective alone the search finds age (0.7500)'
    """
    finds = "the search finds" if is_whole else "the best set seen is"
    found = "this set, too" if set(plain.qids) == set(best.qids) else listed(plain.qids, 12)
    return (
        f"Of {candidates:,} columns, sets of those that outsiders can plausibly know are preferred, fitness"
        " being multiplied by the chance that four columns drawn from a set are known: by the objective alone"
        f" {finds} {found} ({fitness(plain.fitness)}); --no-prefer-known or prefer_known=False searches by it"
        " alone."
    )


def compared_by(discovery: "Discovery") -> str:
    """Return what the height of a set is.

    Example:
        >>> from qidguard.discovering.example import small
        >>> compared_by(small())
        'fitness by the objective weighted'
    """
    words = f"fitness by the objective {shown_name(discovery.objective)}"
    return f"preferred fitness, then {words}" if discovery.prefers_known else words


def shown(value: float | None) -> str:
    """Return a term's figure to four digits; shares stay shares, since sets differ in the digits behind.

    Example:
        >>> shown(0.5), shown(None)
        ('0.5', '–')
    """
    if value is not None and math.isinf(value):
        return "infinite" if value > 0 else "minus infinite"
    return MISSING if value is None else f"{value:,.4g}"


def columns_of(one: FoundSet, first: FoundSet) -> str:
    """Return the columns of a set; of a large one, how it differs from the first.

    Example:
        >>> from dataclasses import replace
        >>> from qidguard.discovering.example import small
        >>> large = replace(small().best, qids=tuple("abcdefgh"))
        >>> columns_of(small().best, large), columns_of(replace(large, qids=tuple("abcdefgx")), large)
        ('age, ward', 'set 1 with x, without h')
    """
    more = [name for name in one.qids if name not in first.qids]
    less = [name for name in first.qids if name not in one.qids]
    if len(one.qids) <= SHORT_SET or not more + less or len(more + less) >= len(one.qids):
        return listed(one.qids, 12)
    words = ([f"with {listed(more)}"] if more else []) + ([f"without {listed(less)}"] if less else [])
    return f"set 1 {', '.join(words)}"


def figures(one: FoundSet, terms: tuple[WeighedMetric, ...]) -> str:
    """Return the figures of a set on one line, without the changes.

    Example:
        >>> from qidguard.discovering.example import small
        >>> figures(small().best, small().terms)
        'distinction 1'
    """
    pairs = [(t, f) for t, f in zip(terms, one.figures, strict=True) if not t.is_change]
    words = [f"{shown_name(term.label)} {shown(value)}" for term, value in pairs[:SHOWN_TERMS]]
    more = [f"{len(pairs) - SHOWN_TERMS} more"] if len(pairs) > SHOWN_TERMS else []
    return ", ".join((*words, *more))


def step(entry: EntryStep, terms: tuple[WeighedMetric, ...]) -> tuple[str, str, str]:
    """Return the column that enters, the fitness with it, and what moved.

    Example:
        >>> from qidguard.discovering.example import small
        >>> step(small().explained[0][1], small().terms)
        ('ward', '1.0000 (+0.2500)', 'distinction +0.25')
    """
    name = shown_name(entry.columns[0]) if len(entry.columns) == 1 else f"{len(entry.columns)} more columns"
    gained = "" if entry.gain is None else f" ({entry.gain:+.4f})"
    moves = [
        f"{shown_name(term.label)} {shown(value) if move is None else f'{move:+.3g}'}"
        for term, value, move in zip(terms, entry.figures, entry.moves, strict=True)
        if not term.is_change and (move is None or move)
    ]
    return name, fitness(entry.fitness) + gained, ", ".join(moves) or "nothing moved"


def why_found(discovery: "Discovery", name: str) -> str:
    """Return what helped most when a column of the best set entered; empty where nothing stands out.

    Example:
        >>> from qidguard.discovering.example import small
        >>> why_found(small(), "ward")
        'raised distinction by 0.25'
    """
    return discovery.why(name).partition("; ")[2]


def score_header(discovery: "Discovery") -> tuple[str, ...]:
    """Return what is held against the truth: the best sets, and the best one with what names say.

    Example:
        >>> from qidguard.discovering.example import small
        >>> score_header(small())
        ('set 1', 'set 2', 'set 1 and names')
    """
    return (*(f"set {place}" for place, _ in enumerate(discovery.sets[:SCORED], start=1)), "set 1 and names")


def score_rows(discovery: "Discovery") -> list[tuple[str, tuple[str, ...]]]:
    """Return each score with its figures, in the order of ``score_header``.

    Example:
        >>> from qidguard.discovering.example import small
        >>> score_rows(small())
        [('recall', ('1.00', '0.50', '1.00'))]
    """
    every = (*(one.scores for one in discovery.sets[:SCORED]), discovery.with_names)
    return [(name, tuple(f"{scores[name]:.2f}" for scores in every)) for name in discovery.best.scores]


def how_measured(discovery: "Discovery") -> str:
    """Return the way that figures were measured, with the estimates.

    Example:
        >>> from qidguard.discovering.example import small
        >>> how_measured(small())
        'lattice: 3 subsets share one walk.'
    """
    plan = discovery.plan
    return f"{plan.path.value}: {visible(plan.reason)}"


def estimates(discovery: "Discovery") -> str:
    """Return the estimated seconds of every way; empty where there is no estimate.

    Example:
        >>> from qidguard.discovering.example import small
        >>> estimates(small())
        ''
    """
    return ", ".join(f"{path.value} {seconds:.3g} s" for path, seconds in discovery.plan.seconds.items())


MOST_ROWS = 40
"""Rows of a table that are shown; the JSON document has them all."""

HEADER = ("column", "found to be", "confidence", "why")
"""What stands above the classification."""


def choice_sentence(discovery: "Discovery") -> str:
    """Return why the set is the chosen one, and which fitter one was not taken; empty where none was chosen.

    Example:
        >>> from qidguard.discovering.example import answered
        >>> choice_sentence(answered()).partition("; ")[2]
        'the fittest set seen, age, ward (1.0000), was not taken for that.'
    """
    choice = discovery.search.choice
    if choice is None:
        return ""
    why = f" ({visible(choice.reason)})" if choice.reason else ""
    best = f"{discovery.best.compared:.4f}"
    chosen = f"The strategy chose {listed(discovery.quasi_identifiers, 12)} by a rule of its own{why}"
    fittest = [name for name in discovery.names if name in choice.fittest.qids]
    if set(fittest) == set(discovery.quasi_identifiers):
        return f"{chosen}, which is the fittest set seen ({best}), too."
    if choice.fittest.own_fitness == discovery.best.compared:
        return f"{chosen}; no set seen is fitter ({best})."
    other = f"{listed(fittest, 12)} ({choice.fittest.own_fitness:.4f})"
    return f"{chosen}, with the fitness {best}; the fittest set seen, {other}, was not taken for that."


def classified_rows(discovery: "Discovery") -> list[tuple[str, str, str, str]]:
    """Return the classification as rows of texts, in the order of the columns.

    Example:
        >>> from qidguard.discovering.example import answered
        >>> classified_rows(answered())
        [('ward', 'a sensitive attribute', '0.80', 'two values only')]
    """
    return [
        (
            shown_name(one.assignment.column),
            SPOKEN_ROLES[one.assignment.role] if one.is_sure else f"{SPOKEN_ROLES[one.assignment.role]}?",
            f"{one.confidence:.2f}",
            visible(one.assignment.reason),
        )
        for one in discovery.search.classification
    ]


def more_rows(rows: int) -> str:
    """Return what is said of rows that are not shown; empty where all are.

    Example:
        >>> more_rows(41)
        '1 more rows; the JSON document has them all.'
    """
    return f"{rows - MOST_ROWS:,} more rows; the JSON document has them all." if rows > MOST_ROWS else ""
