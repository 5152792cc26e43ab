"""Measurements of a plan, with noise by hand: none, or what a test says."""

from fractions import Fraction

import numpy as np
import pytest

from private_tables import texts
from qidguard.sdk import NotMeasurable
from qidguard_hybrid_dp.private.domain import Categories
from qidguard_hybrid_dp.private.measuring import measured
from qidguard_hybrid_dp.private.mechanisms import Rehearsed
from qidguard_hybrid_dp.private.plan import Structure, plan_of


class Exact:
    """Mechanisms without any noise."""

    def counts(self, codes, cells, scale):
        """Return the counts themselves."""
        return np.bincount(codes, minlength=cells)

    def frequent(self, codes, scale, threshold):
        """Return the codes of more than two records."""
        counts = np.bincount(codes)
        return {int(code): int(counts[code]) for code in np.flatnonzero(counts > 2)}

    def highest(self, scores, scale):
        """Return the highest."""
        return int(np.argmax(scores))


def silent(done, total):
    """Hear nothing."""


def run(columns, declared, structure="star", delta=Fraction(0), mechanisms=None, step=silent):
    """Return what is measured of columns around the first of them."""
    plan = plan_of(
        tuple(columns),
        declared,
        structure=Structure(structure),
        center=next(iter(columns)),
        epsilon=Fraction(1),
        delta=delta,
        weights={},
    )
    held = {name: texts(name, values) for name, values in columns.items()}
    return measured(held, plan, mechanisms or Exact(), step)


def test_pairs_are_counted_cell_by_cell():
    """Five records by hand; what is missing has the last row or column."""
    done = run(
        {"y": ["p", "p", "q", "q", None], "a": ["u", "v", "u", None, "w"]},
        {"y": Categories(name="y", values=("p", "q")), "a": Categories(name="a", values=("u", "v"))},
    )
    [marginal] = done.marginals
    assert marginal.columns == ("y", "a")
    assert marginal.counts.tolist() == [[1, 1, 0], [1, 0, 1], [0, 0, 1]]


def test_rare_categories_that_nobody_declared_are_not_told():
    """Only what is above the threshold is a category; the rest shares the last cell."""
    done = run(
        {"y": ["p"] * 5, "a": ["u", "u", "u", "v", "v"]},
        {"y": Categories(name="y", values=("p",))},
        delta=Fraction(1, 1000),
    )
    assert done.domains["a"].values == ("u",)
    assert done.marginals[0].counts.tolist() == [[3, 2], [0, 0]]


def test_a_missing_value_is_no_category_however_frequent():
    """It stands in the last cell, which has no value."""
    done = run(
        {"y": ["p"] * 6, "a": ["u", "u", "u", None, None, None]},
        {"y": Categories(name="y", values=("p",))},
        delta=Fraction(1, 1000),
    )
    assert done.domains["a"].values == ("u",)
    assert done.marginals[0].counts.tolist() == [[3, 3], [0, 0]]


def test_a_tree_joins_what_depends_on_each_other():
    """One pair of columns is equal, and another: they are joined first, and any third edge connects them."""
    y = ["p", "q"] * 4
    a = ["u", "u", "v", "v"] * 2
    columns = {"y": y, "a": a, "b": [f"b{value}" for value in a], "c": [f"c{value}" for value in y]}
    declared = {name: Categories(name=name, values=tuple(sorted(set(of)))) for name, of in columns.items()}
    done = run(columns, declared, "tree")
    pairs = [marginal.columns for marginal in done.marginals if len(marginal.columns) == 2]
    assert set(pairs[:2]) == {("a", "b"), ("y", "c")}
    assert len(pairs) == 3


@pytest.mark.parametrize("structure", ["star", "augmented_star", "tree"])
def test_one_record_more_or_less_moves_one_cell_by_one(structure):
    """The sensitivity that each part states, on every marginal of every neighbor of a table."""
    columns = {
        "y": ["p", "p", "q", "q", None],
        "a": ["u", "v", "u", None, "w"],
        "b": ["s", "s", "t", "t", "t"],
    }
    declared = {
        "y": Categories(name="y", values=("p", "q")),
        "a": Categories(name="a", values=("u", "v")),
        "b": Categories(name="b", values=("s", "t")),
    }

    class Fixed(Exact):
        def highest(self, scores, scale):
            """Choose the first pair: which one is chosen is another part."""
            return 0

    whole = run(columns, declared, structure, mechanisms=Fixed())
    for gone in range(5):
        less = {name: values[:gone] + values[gone + 1 :] for name, values in columns.items()}
        for one, other in zip(
            whole.marginals, run(less, declared, structure, mechanisms=Fixed()).marginals, strict=True
        ):
            assert one.columns == other.columns
            assert np.abs(one.counts - other.counts).sum() == 1


def test_an_augmented_star_looks_at_what_links_columns_beyond_the_center():
    """Columns a and b depend on y alone, and c equals b whatever y is: the tree begins with b and c."""
    y = [at // 8 for at in range(32)]
    a = [f"{of}{at % 2}" for at, of in enumerate(y)]
    b = [f"{of}{at // 2 % 4}" for at, of in enumerate(y)]
    columns = {"y": [str(of) for of in y], "a": a, "b": b, "c": b}
    declared = {name: Categories(name=name, values=tuple(sorted(set(of)))) for name, of in columns.items()}
    done = run(columns, declared, "augmented_star")
    threes = [marginal for marginal in done.marginals if len(marginal.columns) == 3]
    assert threes[0].columns == ("y", "b", "c")
    assert len(threes) == 2


@pytest.mark.parametrize("structure", ["tree", "augmented_star"])
def test_a_choice_scores_change_by_one_at_most(structure):
    """Given the same noisy single columns, one record more or less changes no score by more than 1."""
    random = np.random.default_rng(0)
    columns = {name: random.choice(list("pqr"), 40).tolist() for name in "yabc"}
    declared = {name: Categories(name=name, values=("p", "q", "r")) for name in columns}
    seen = []

    class Watching(Exact):
        def counts(self, codes, cells, scale):
            """Return single columns as if they were published: the same for every neighbor."""
            return np.arange(cells) + 7

        def highest(self, scores, scale):
            """Keep the scores."""
            seen.append(scores)
            return 0

    run(columns, declared, structure, mechanisms=Watching())
    whole, seen = seen, []
    for gone in range(0, 40, 7):
        less = {name: values[:gone] + values[gone + 1 :] for name, values in columns.items()}
        seen.clear()
        run(less, declared, structure, mechanisms=Watching())
        for one, other in zip(whole, seen, strict=True):
            assert np.abs(one - other).max() <= 1


def test_an_empty_table_is_measured_like_any_other():
    """That it is empty must not be told: its counts are noise."""
    domain = Categories(name="y", values=("p",))
    done = run({"y": []}, {"y": domain}, mechanisms=Rehearsed(1))
    assert done.marginals[0].counts.shape == (2,)


def test_found_categories_may_make_a_marginal_too_large():
    """It is refused by a sentence, after their share of the budget is spent."""
    many = [f"v{at}" for at in range(600) for _ in range(3)]
    with pytest.raises(NotMeasurable, match="more than 250,000"):
        run({"y": many, "a": many}, {}, delta=Fraction(1, 1000))


def test_steps_are_told_from_none_to_all():
    """Each measurement is a step."""
    heard = []
    run(
        {"y": ["p"], "a": ["u"]},
        {"y": Categories(name="y", values=("p",)), "a": Categories(name="a", values=("u",))},
        "tree",
        step=lambda done, total: heard.append((done, total)),
    )
    assert heard[0] == (0, 4)
    assert heard[-1] == (4, 4)
