"""The rule that chooses a dimension, on the rows that the paper prints and on small ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard_qir.dimensions import choose

ADULT = {
    5: (
        (33.8, 30.41), (55.34, 44.65), (77.94, 22.05), (79.53, 20.46), (83.62, 16.37),
        (85.91, 14.08), (86.65, 13.34), (90.51, 9.48), (92.68, 7.31), (91.59, 8.4),
    ),
    15: (
        (38.35, 21.05), (76.86, 23.13), (83.17, 16.82), (84.39, 15.6), (87.48, 12.51),
        (89.56, 10.43), (86.65, 13.34), (90.51, 9.48), (92.68, 7.31), (91.59, 8.4),
    ),
    25: (
        (38.35, 21.05), (76.86, 23.13), (83.17, 16.82), (84.39, 15.6), (87.48, 12.51),
        (89.56, 10.43), (89.69, 10.3), (90.51, 9.48), (92.68, 7.31), (91.59, 8.4),
    ),
}  # fmt: skip
"""Table 3: k → PG and NUE in percent of the dimensions 1 to 10."""
BANK = {
    5: ((23.89, 45.28), (21.83, 36.65), (15.83, 40.35), (14.88, 35.93)),
    15: ((36.12, 17.27), (21.83, 36.65), (16.67, 37.18), (14.88, 35.93)),
    25: ((36.12, 17.27), (21.83, 36.65), (17.94, 32.37), (16.43, 29.26)),
}
"""Table 4: k → PG and NUE in percent of the dimensions 1 to 4."""
PERCENT = st.floats(0, 100, allow_nan=False)


def offers(rows):
    """Return the offers of the dimensions 1, 2, … from their PG and NUE."""
    return dict(enumerate(rows, start=1))


@pytest.mark.parametrize(
    ("rows", "k", "expected"),
    [
        *((ADULT, k, 2) for k in (5, 15, 25)),
        # at k = 15 and 25 the paper still says 1: age alone keeps 17.27 %, age and job keep 36.65 %
        *((BANK, k, dimension) for k, dimension in ((5, 1), (15, 2), (25, 2))),
    ],
    ids=[f"{table}-{k}" for table in ("adult", "bank") for k in (5, 15, 25)],
)
def test_the_printed_rows(rows, k, expected):
    """Of the printed rows it takes 2 of Adult at every k, and of the bank 1 at k = 5 and 2 above."""
    assert expected == choose(offers(rows[k])).dimension


def test_the_leader_in_both_wins():
    """At k = 5 age alone leads the bank's rows in both figures, and the reason says so."""
    assert choose(offers(BANK[5])).reason == "it has the largest privacy gain and keeps the most information"


def test_ties_are_told():
    """Of equals the smallest dimension is taken, and the others are named."""
    chosen = choose(offers([(10.0, 90.0), (30.0, 40.0), (50.0, 30.0), (30.0, 35.0)]))
    assert (chosen.dimension, chosen.tied) == (2, (3, 4))
    assert "30 %" in chosen.reason


@given(st.lists(st.tuples(PERCENT, PERCENT), min_size=1, max_size=6), st.randoms())
def test_order_decides_nothing(rows, random):
    """The offers in another order give the same choice, which no other one exceeds in the lesser figure."""
    made = offers(rows)
    shuffled = dict(random.sample(list(made.items()), len(made)))
    chosen = choose(made)
    assert chosen == choose(shuffled)
    assert choose({}) is None
    assert min(made[chosen.dimension]) == max(map(min, made.values()))
