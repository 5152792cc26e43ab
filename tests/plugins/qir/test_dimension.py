"""Algorithm 2 on eight records with gains written by hand, and the rule that chooses, on the paper's rows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn_records import Drawn
from qidguard.sdk import NotMeasurable, UserError
from qidguard_qir.dimension import by_risk, find_dimension_in
from qidguard_qir.dimensions import choose
from qidguard_qir.example import dimensions
from qidguard_qir.gain import Gain

EIGHT = {
    "site": ["x", "x", "x", "x", "y", "y", "y", "y"],
    "age": ["1", "2", "3", "4", "5", "6", "7", "8"],
    "sex": ["f", "f", "m", "m", "f", "f", "m", "m"],
}
FIGURES = {1: (30.0, 90.0), 2: (60.0, 50.0), 3: (90.0, 20.0)}
"""Dimension → PG and NUE."""


def gain(privacy_gain, kept, smallest=50):
    """Return a gain of two figures in percent."""
    return Gain(
        persons=8, smallest_before=1, smallest_after=smallest, risk_before=1.0,
        risk_after=1 - privacy_gain / 100, bits_lost=100 - kept, bits_whole=100.0,
    )  # fmt: skip


class Written:
    """An anonymizer whose gains are written here, by seed and dimension; it keeps what it was asked for."""

    label = "written"

    def __init__(self, figures=None):
        self.figures = figures or (lambda _, dimension: gain(*FIGURES[dimension]))
        self.asked = []

    def __call__(self, records, qids, k, seed):
        """Return the written gain."""
        self.asked.append((records.drawn_by, qids, k, seed))
        return self.figures(seed, len(qids))


def eight(**columns):
    """Return the eight records, other columns in the place of some."""
    return Drawn.of(**{**EIGHT, **columns})


def test_order_is_falling_risk_and_ties_stand_as_in_the_table():
    """Age has the risk 8/8; site and sex have 2/8 each, and site stands first in the table."""
    assert by_risk(eight(), ["sex", "age", "site"]) == (("age", "site", "sex"), (1.0, 0.25, 0.25))


def test_risk_counts_persons():
    """By persons, two of whom have four records each, the risk of age is 1/1 and that of site 1/1."""
    table = eight(who=["p"] * 4 + ["q"] * 4)
    assert by_risk(table, ["site", "age"], "who") == (("site", "age"), (1.0, 1.0))
    assert by_risk(table, ["sex"], "who") == (("sex",), (0.5,))


def test_each_dimension_is_rehearsed_on_each_sample():
    """Two seeds, two sizes, one k and three dimensions are twelve rehearsals, whole sample after sample."""
    written = Written()
    found = find_dimension_in(
        eight(), ["site", "age", "sex"], written, k=(5,), sizes=(0.5, 4), seeds=2, seed=7
    )
    prefixes = [("age",), ("age", "site"), ("age", "site", "sex")]
    expected = [((size, seed), qids, 5, seed) for seed in (7, 8) for size in (0.5, 4) for qids in prefixes]
    assert expected == written.asked
    assert (found.asked, len(found.runs), found.is_interrupted) == (12, 12, False)


def test_the_choice_is_the_rules():
    """Each k and size has what ``choose`` takes of the three rows, for all samples alike."""
    found = find_dimension_in(eight(), ["site", "age", "sex"], Written(), k=(5, 15), seeds=3)
    assert [(one.k, one.dimension, one.stability) for one in found.chosen] == [(5, 2, 1.0), (15, 2, 1.0)]
    assert choose(FIGURES).dimension == found.dimension == 2
    assert found.quasi_identifiers == ("age", "site")


def test_stability_counts_samples():
    """Where one sample of four chooses 3, the others 2, two is chosen by three quarters."""

    def figures(seed, dimension):
        return gain(95.0, 80.0) if (seed, dimension) == (3, 3) else gain(*FIGURES[dimension])

    (one,) = find_dimension_in(eight(), ["site", "age", "sex"], Written(figures), k=(5,), seeds=4).chosen
    assert (one.dimension, one.stability, one.shares) == (2, 0.75, {2: 0.75, 3: 0.25})


def test_equal_votes_take_the_smaller_dimension():
    """Of two samples one chooses 1 and one chooses 3: one is taken."""

    def figures(seed, dimension):
        return gain(60.0, 60.0) if dimension == (1 if seed else 3) else gain(10.0, 10.0)

    found = find_dimension_in(eight(), ["site", "age", "sex"], Written(figures), k=(5,), seeds=2)
    assert (found.dimension, found.chosen[0].stability) == (1, 0.5)


def test_an_anonymizer_that_cannot_is_a_row_with_the_reason():
    """Two quasi-identifiers cannot be anonymized: the row says why, and the others are chosen from."""

    def figures(_, dimension):
        if dimension == 2:
            raise NotMeasurable("two are too many")
        return gain(*FIGURES[dimension])

    found = find_dimension_in(eight(), ["site", "age", "sex"], Written(figures), k=(5,), seeds=1)
    assert [run.reason for run in found.runs] == ["", "two are too many", ""]
    assert (found.dimension, found.chosen[0].missing) == (1, (2,))
    assert "no figure   k = 5, sample 10 %, dimension 2, in some sample: two are too many" in found.headline
    assert found.to_frame()["pg_percent"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize(("smallest", "words"), [(4, "a class of 4, fewer than k = 5"), (0, "every record")])
def test_who_does_not_reach_k_has_no_figure(smallest, words):
    """An anonymizer that leaves a class below k, or nothing, is no k-anonymity: there is no choice."""
    found = find_dimension_in(
        eight(), ["age"], Written(lambda *_: gain(50.0, 50.0, smallest)), k=(5,), seeds=1
    )
    assert words in found.runs[0].reason
    assert (found.dimension, found.quasi_identifiers) == (None, ())
    assert str(found).startswith("DIMENSION  none")
    with pytest.raises(NotMeasurable):
        found.plots()


def test_a_stop_keeps_whole_samples():
    """Stopped in the second sample, the first one's choice stands, and the text says how far it came."""
    written = Written()
    found = find_dimension_in(
        eight(), ["site", "age"], written, k=(5,), seeds=9, is_stopped=lambda: len(written.asked) == 3
    )
    assert (len(found.runs), found.is_interrupted, list(found.chosen[0].choices)) == (3, True, [0])
    assert "after 3 of 18 rehearsals" in str(found)


def test_what_the_clock_cut_short_tells_nothing():
    """A rehearsal without a figure when the time is up is no row; its sample chooses nothing."""

    def figures(seed, dimension):
        if (seed, dimension) == (1, 2):
            raise NotMeasurable("it did not end within 1 seconds")
        return gain(*FIGURES[dimension])

    written = Written(figures)
    found = find_dimension_in(
        eight(), ["site", "age"], written, k=(5,), seeds=9, is_stopped=lambda: len(written.asked) == 4
    )
    assert (len(found.runs), list(found.chosen[0].choices), found.chosen[0].missing) == (3, [0], ())


@pytest.mark.parametrize(("before", "is_kept"), [(1, False), (3, True)])
def test_ctrl_c_keeps_what_is_whole(before, is_kept):
    """Ctrl-C within the first sample ends it all; later it ends with the samples that are whole."""
    written = Written()

    def figures(_, dimension):
        if len(written.asked) > before:
            raise KeyboardInterrupt
        return gain(*FIGURES[dimension])

    written.figures = figures
    if not is_kept:
        with pytest.raises(KeyboardInterrupt):
            find_dimension_in(eight(), ["site", "age"], written, k=(5,), seeds=9)
    else:
        assert find_dimension_in(eight(), ["site", "age"], written, k=(5,), seeds=9).is_interrupted


def test_progress_ends_where_it_said():
    """Each rehearsal is a step of the same work, from the first to the last."""

    class Heard(list):
        def step(self, *step):
            """Keep a step."""
            self.append(step)

    heard = Heard()
    find_dimension_in(eight(), ["age", "sex"], Written(), k=(5,), seeds=1, progress=heard)
    title = "rehearsing dimensions"
    assert heard == [(title, 0, 2), (title, 1, 2), (title, 2, 2)]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"qids": []}, "at least one quasi-identifier"),
        ({"qids": ["age", "age"]}, "twice"),
        ({"k": ()}, "at least one k"),
        ({"k": (1,)}, "k must be at least 2, not 1"),
        ({"k": (5, 5)}, "twice"),
        ({"sizes": ()}, "size of sample"),
        ({"seeds": 0}, "at least one sample"),
        ({"seed": -1}, "at least 0"),
    ],
    ids=str,
)
def test_what_is_refused(changed, words):
    """Each argument out of its range is an error that names it."""
    given = {"qids": ["age"], "k": (5,), "sizes": (0.1,), "seeds": 1, "seed": 0} | changed
    with pytest.raises(UserError, match=words):
        find_dimension_in(eight(), given.pop("qids"), Written(), **given)


def test_plots_say_what_was_chosen():
    """The panels hold a point for each figure and dimension, and the words name the choice."""
    found = dimensions()
    by_dimension, stability = found.plots()
    (panel,) = by_dimension.vega_lite["concat"]
    points = [(p["dimension"], p["figure"], p["percent"]) for p in panel["data"]["values"]]
    assert points == [
        *((1, "PG", 40.0), (1, "NUE", 90.0), (2, "PG", 80.0), (2, "NUE", 70.0)),
        *((3, "PG", 90.0), (3, "NUE", 40.0)),
    ]
    (bars,) = stability.vega_lite["concat"]
    assert [bar["share"] for bar in bars["data"]["values"]] == [0.0, 1.0, 0.0]
    assert "dimension 2 is chosen by 100 % of the samples" in stability.alternative


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
