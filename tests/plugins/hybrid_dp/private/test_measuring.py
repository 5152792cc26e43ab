"""Measurements of a plan, with noise by hand: none, or what a test says."""

from fractions import Fraction

import numpy as np
import pytest

from private_tables import texts
from qidguard.sdk import NotMeasurable
from qidguard_hybrid_dp.private.domain import Categories
from qidguard_hybrid_dp.private.measuring import measured
from qidguard_hybrid_dp.private.mechanisms import SeededMechanisms
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


class First(Exact):
    """Exact counts, and the first of all choices."""

    def highest(self, scores, scale):
        """Choose the first pair: which one is chosen is another part."""
        return 0


def of(**values):
    """Return declared categories, each a letter."""
    return {name: Categories(name=name, values=tuple(letters)) for name, letters in values.items()}


def run(columns, declared, structure="star", delta=Fraction(0), mechanisms=None, step=lambda *_: None):
    """Return what is measured of columns around the first of them."""
    plan = plan_of(
        tuple(columns), declared, structure=Structure(structure), center=next(iter(columns)),
        epsilon=Fraction(1), delta=delta, weights={},
    )  # fmt: skip
    held = {name: texts(name, values) for name, values in columns.items()}
    return measured(held, plan, mechanisms or Exact(), step)


def without(columns, gone):
    """Return the columns without one record."""
    return {name: values[:gone] + values[gone + 1 :] for name, values in columns.items()}


FIVE = {"y": ["p", "p", "q", "q", None], "a": ["u", "v", "u", None, "w"], "b": ["s", "s", "t", "t", "t"]}
DECLARED = of(y="pq", a="uv", b="st")


def test_pairs_are_counted_cell_by_cell():
    """Five records by hand; what is missing has the last row or column."""
    [marginal] = run({"y": FIVE["y"], "a": FIVE["a"]}, of(y="pq", a="uv")).marginals
    assert marginal.columns == ("y", "a")
    assert marginal.counts.tolist() == [[1, 1, 0], [1, 0, 1], [0, 0, 1]]


@pytest.mark.parametrize(
    ("values", "counts"), [("uuuvv", [[3, 2], [0, 0]]), (["u", "u", "u", None, None, None], [[3, 3], [0, 0]])]
)
def test_rare_categories_that_nobody_declared_are_not_told(values, counts):
    """Only what is above the threshold is one; a missing value never is; the rest shares the last cell."""
    done = run({"y": ["p"] * len(values), "a": list(values)}, of(y="p"), delta=Fraction(1, 1000))
    assert (done.domains["a"].values, done.marginals[0].counts.tolist()) == (("u",), counts)


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
    whole = run(FIVE, DECLARED, structure, mechanisms=First())
    for gone in range(5):
        less = run(without(FIVE, gone), DECLARED, structure, mechanisms=First())
        for one, other in zip(whole.marginals, less.marginals, strict=True):
            assert (one.columns, np.abs(one.counts - other.counts).sum()) == (other.columns, 1)


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
    declared = of(y="pqr", a="pqr", b="pqr", c="pqr")
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
        seen.clear()
        run(without(columns, gone), declared, structure, mechanisms=Watching())
        for one, other in zip(whole, seen, strict=True):
            assert np.abs(one - other).max() <= 1


def test_an_empty_table_is_measured_like_any_other():
    """That it is empty must not be told: its counts are noise."""
    done = run({"y": []}, of(y="p"), mechanisms=SeededMechanisms(1))
    assert done.marginals[0].counts.shape == (2,)


def test_found_categories_may_make_a_marginal_too_large():
    """It is refused by a sentence, after their share of the budget is spent."""
    many = [f"v{at}" for at in range(600) for _ in range(3)]
    with pytest.raises(NotMeasurable, match="more than 250,000"):
        run({"y": many, "a": many}, {}, delta=Fraction(1, 1000))


def test_steps_are_told_from_none_to_all():
    """Each measurement is a step."""
    heard = []
    run({"y": ["p"], "a": ["u"]}, of(y="p", a="u"), "tree", step=lambda *now: heard.append(now))
    assert (heard[0], heard[-1]) == ((0, 4), (4, 4))
