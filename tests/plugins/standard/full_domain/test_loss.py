"""What levels lose, and that no bound of the search is above what a node loses."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from levelled_tables import Table, first, hierarchy, tens
from qidguard_standard.anonymizers.full_domain.classes import collapsed
from qidguard_standard.anonymizers.full_domain.domain import covered_losses, domain_of, height_losses
from qidguard_standard.anonymizers.full_domain.lattice import Lattice
from qidguard_standard.anonymizers.full_domain.loss import LOSSES, loss_of

ANY = settings(max_examples=examples(30), deadline=None, derandomize=True, database=None)

RECORDS = st.tuples(st.sampled_from([21, 25, 34, 38]), st.sampled_from(["aa", "ab", "ba"]))


def losses(values, *levels, is_by_width=True):
    """Return for each level the loss of each record."""
    column = Table(x=values).column("x")
    domain = domain_of(column, hierarchy(column, *levels), "*")
    return [lost[column.codes].tolist() for lost in covered_losses(domain, is_by_width=is_by_width)]


def test_numbers_lose_the_width_that_is_covered():
    """Of 20..40 the twenties cover 20..27; the ends of the label play no part."""
    assert losses([20, 23, 27, 40], tens) == [[0, 0, 0, 0], [0.35, 0.35, 0.35, 0], [1, 1, 1, 1]]


def test_other_values_lose_by_their_number():
    """Of three towns and a missing one two share a letter: 1 of 3."""
    third = pytest.approx(1 / 3)
    assert losses(["aa", "ab", "ba", None], first) == [[0, 0, 0, 0], [third, third, 0, 0], [1, 1, 1, 1]]


def test_granularity_counts_the_values_of_numbers_too():
    """Three of four ages are in their twenties: 2 of 3."""
    part = pytest.approx(2 / 3)
    assert losses([20, 23, 27, 40], tens, is_by_width=False)[1] == [part, part, part, 0]


def test_a_column_of_one_value_loses_nothing_below_the_mark():
    """It loses 1 once it is published as the mark, whatever it held."""
    assert losses([20, 20], tens) == [[0, 0], [0, 0], [1, 1]]
    assert losses(["aa"], first) == [[0], [0], [1]]
    assert losses([None, None], tens) == [[0, 0], [0, 0], [1, 1]]


def test_heights_are_shares_of_the_top():
    """Sweeney's precision: level / highest level."""
    column = Table(x=[20, 30]).column("x")
    assert [lost[0] for lost in height_losses(domain_of(column, hierarchy(column, tens), "*"))] == [0, 0.5, 1]


@pytest.mark.parametrize(
    ("balance", "kept", "expected"),
    [
        (0.5, [True, True], 0.5),
        # 40 is suppressed and counts 1; with s = 1/2 it counts 0 + 1/2, the three 2/3 + 1/2·1/3
        (0.5, [True, False], 0.75),
        (0.25, [True, False], 0.625),
        (0.25, [False, True], 0.625),
        # with g = 1/2 the three count (1/2·3/4 − 1/8) / (1 − 1/8) = 2/7
        (0.75, [True, True], 3 / 14),
        (0.75, [True, False], 3 / 14 + 1 / 4),
        (1.0, [True, True], 0.0),
    ],
)
def test_the_loss_of_arx_by_hand(balance, kept, expected):
    """Of four ages three are in their twenties and lose 2/3; with a column that is exact, √1.5 − 1."""
    table = Table(age=[20, 23, 27, 40], town=["aa"] * 4)
    columns = [table.column("age"), table.column("town")]
    domains = [
        domain_of(column, hierarchy(column, level), "*")
        for column, level in zip(columns, (tens, first), strict=True)
    ]
    exact = collapsed([columns[0].codes], {}, None)[0]
    alone, loss = Lattice(domains[:1], exact), loss_of("geometric_loss", domains[:1], exact, balance)
    assert loss.of((1,), alone.classes((1,)), np.array(kept)) == pytest.approx(expected)
    both = collapsed([column.codes for column in columns], {}, None)[0]
    loss = loss_of("geometric_loss", domains, both)
    classes = Lattice(domains, both).classes((1, 0))
    assert loss.of((1, 0), classes, np.array([True, True])) == pytest.approx(1.5**0.5 - 1)


@pytest.mark.parametrize("name", LOSSES)
def test_no_bound_is_above_a_loss(name):
    """Whatever a coarser node must suppress, the finer ones suppress too; and they may suppress more."""

    @ANY
    @given(
        rows=st.lists(RECORDS, min_size=1, max_size=10), data=st.data(),
    )  # fmt: skip
    def holds(rows, data):
        table = Table(age=[age for age, _ in rows], town=[town for _, town in rows])
        columns = [table.column("age"), table.column("town")]
        trees = [hierarchy(columns[0], tens), hierarchy(columns[1], first)]
        domains = [domain_of(column, tree, "*") for column, tree in zip(columns, trees, strict=True)]
        exact, of = collapsed([column.codes for column in columns], {}, None)
        lattice, loss = Lattice(domains, exact), loss_of(name, domains, exact)
        least = loss.least()
        # records that finer nodes leave out; a coarser node is told of some of them
        out = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
        nodes = list(product(range(3), range(3)))
        for fine, coarse in product(nodes, nodes):
            if any(low > high for low, high in zip(fine, coarse, strict=True)):
                continue
            fine_classes, coarse_classes = lattice.classes(fine), lattice.classes(coarse)
            mine = lattice.numbered(fine, exact)[0][of]
            kept = ~np.isin(np.arange(fine_classes.count), mine[out])
            whole = lattice.numbered(coarse, exact)[0][of]
            removed = np.bincount(whole[~kept[mine]], minlength=coarse_classes.count).astype(float)
            lost = loss.of(fine, fine_classes, kept)
            below = tuple(slice(0, level + 1) for level in coarse)
            assert loss.finer(coarse, coarse_classes, removed, least[below])[fine] <= lost + 1e-9
            assert least[fine] <= lost + 1e-9
            everyone = np.ones(coarse_classes.count, dtype=bool)
            assert loss.coarser(fine_classes) <= loss.of(coarse, coarse_classes, everyone) + 1e-9

    holds()
