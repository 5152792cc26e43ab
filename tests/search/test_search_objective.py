import math

import pytest

from qidguard.sdk import Objective, Term

INF = math.inf


def made(terms, divisors=()):
    """Return an objective with these weights."""
    named = [[Term(metric=f"m{i}", weight=w) for i, w in enumerate(some)] for some in (terms, divisors)]
    return Objective(name="x", title="X", terms=tuple(named[0]), divisors=tuple(named[1]))


@pytest.mark.parametrize(
    ("terms", "divisors", "figures", "expected"),
    [
        ((2.0, -1.0), (), (3.0, 4.0), 2.0),
        ((1.0,) * 10, (), (0.1,) * 10, 1.0),
        ((1.0,), (2.0,), (3.0, 0.5), 3.0),
        ((1.0,), (2.0,), (3.0, 0.0), -INF),
        ((1.0,), (-2.0,), (3.0, 1.0), -INF),
        ((1.0, 1.0), (), (math.nan, 1.0), -INF),
        ((0.0, 1.0), (), (math.nan, 1.0), -INF),
        ((1.0, -1.0), (), (INF, INF), -INF),
        ((1.0, 1.0), (), (INF, 1.0), INF),
        ((1.0, 1.0), (), (1e308, 1e308), -INF),
        ((1.0,), (1.0,), (1.0, INF), 0.0),
        ((1.0,), (1.0,), (INF, INF), -INF),
    ],
)
def test_fitness_is_the_weighted_sum_by_the_divisors(terms, divisors, figures, expected):
    """A sum that is exactly rounded; −inf wherever there is no number."""
    assert expected == made(terms, divisors).fitness(figures)


def test_every_term_has_a_figure():
    """One figure too few is a mistake."""
    with pytest.raises(ValueError, match="shorter"):
        made((1.0, 1.0)).fitness([1.0])


@pytest.mark.parametrize("terms", [(), ("distinction",)])
def test_an_objective_has_at_least_one_term_and_terms_only(terms):
    """Without a term every set would be as good as any other."""
    with pytest.raises(ValueError, match="at least one term, and terms only"):
        Objective(name="x", title="X", terms=terms)


def test_divisors_alone_are_no_objective():
    """What a sum is divided by is no sum."""
    with pytest.raises(ValueError, match="at least one term"):
        made((), (1.0,))
