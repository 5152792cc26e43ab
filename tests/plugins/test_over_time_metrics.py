"""Metrics over several releases, on small ones that can be checked by hand and against sets of people.

Releases are one line with bars between them; the last one is the table. People are written as who, class and
illness (``ax`` or ``axf``), columns as a name and perhaps its values or its type (``a``, ``a:uu-``,
``a=text``), and tables of the engine as in ``test_metric_tables``.
"""

import math
import re
from collections import Counter
from fractions import Fraction
from math import pi, sqrt
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from followed import (
    classes_of,
    differencing_k,
    history,
    intersection_k,
    isolated,
    published,
    size_changes,
)
from hand_checked import cases
from measured_people import agrees, measured
from people import from_line
from qidguard.core.parameter import bind
from qidguard.releasing.history.earlier import values_name
from qidguard.sdk import Cells, Grouping, NotMeasurable, PublishedColumn, UserError
from qidguard_standard.over_time import OVER_TIME_METRICS

BY_NAME = {metric.name: metric for metric in OVER_TIME_METRICS}
case = cases(OVER_TIME_METRICS)


def measure(metric, found, cells=None, **options):
    """Measure a metric over a history."""
    view = SimpleNamespace(history=found, cells=lambda _: cells)
    arguments = bind(BY_NAME[metric].parameters, options)
    return BY_NAME[metric].method.measure(view, Grouping(qids=("a", "b"), sensitive="ill"), arguments)


def over_people(metric, releases, *, keeps_values=True, **options):
    """Measure a metric over releases of person → [class] or [class, illness], which a line may say."""
    if isinstance(releases, str):
        releases = [{who: rest for who, *rest in some.split()} for some in releases.split("|")]

    def part(release, place):
        return {who: rest[place] for who, rest in release.items() if len(rest) > place}

    ill = [part(release, 1) for release in releases]
    kept = [{values_name("ill"): some} if keeps_values and some else {} for some in ill]
    found = history(*(part(release, 0) for release in releases), values=kept)
    one, illnesses = np.zeros(1, dtype=np.int64), len(set(ill[-1].values()))
    each = np.ones(illnesses, dtype=np.int64)
    cells = Cells(class_id=one, value=one, n=one, size=one, table_n=each, has_missing=False)
    return measure(metric, found, cells, **options)


def over_columns(metric, line):
    """Measure a metric over the published columns of releases, which a line may say."""
    found = re.compile(r"(\w+)(?::([\w-]*))?(?:=(\w+))?").fullmatch
    columns = (
        line
        if not isinstance(line, str)
        else [
            tuple(
                published(name, [None if v == "-" else v for v in values or ""], kind or "text")
                for name, values, kind in (found(word).groups() for word in some.split())
            )
            for some in line.split("|")
        ]
    )
    return measure(metric, history(*[{"p": "x"}] * len(columns), columns=columns))


FIVES = "Ax Bx Cx Dx Ex Fy Gy Hy Iy Jy"
CROSSED = "Av Bv Cv Dv Ew Fv Gw Hw Iw Jw"
"""Each holds classes of five, but only E is in x and w, and only F in y and v."""
ILL = "axf bxf cxf dxc exc"
"""A class of three with the flu and two with the cold."""
PEOPLE = [
    *case(f"{FIVES} | {CROSSED}", "each is 5-anonymous", intersection_k_anonymity=1),
    *case(f"{FIVES} | {FIVES}", "the same again", intersection_k_anonymity=5, differencing_k_anonymity=10),
    *case("ax bx cx | ax bx dx", "those who came or left are not looked at", intersection_k_anonymity=2),
    *case("ax by | cx dy ez", "nobody in both: the persons of the table", intersection_k_anonymity=3),
    *case("cx dy ez", "first release", intersection_k_anonymity=3, differencing_k_anonymity=3),
    # long ago a was apart from b; who holds only the last release cannot tell them apart
    *case("ax by | ax bx | ax bx", "all", intersection_k_anonymity=1),
    *case("ax by | ax bx | ax bx", "the latest", most_recent=1, intersection_k_anonymity=2),
    *case("ax by | ax bx | ax bx", "more than there are", most_recent=9, intersection_k_anonymity=1),
    # the sixth is the one who came, whatever their class holds
    *case("ax bx cx dx ex | ax bx cx dx ex fx", "a newcomer", differencing_k_anonymity=1),
    *case("ax bx cx dx ex | ax bx cx dx ex fx gx hx ix jx", "five do", differencing_k_anonymity=5),
    # only a is alone in both, which the intersection sees; two came together
    *case("ax by cy | ax by cy dy ey", "those who stay", differencing_k_anonymity=2),
    *case("ax by | ay by", "nobody came or left, so all persons", differencing_k_anonymity=2),
    *case("ax bx cx | ax bx | ax bx", "the latest", most_recent=1, differencing_k_anonymity=2),
    # a and b stayed together, c changed class alone, d left and e came: three of five are below 2
    *case("ax bx cx dx | ax bx cy ey", "c, d and e", k=2, persons_isolated_over_releases=3),
    *case("ax bx cx dx | ax bx cy ey", "c, d and e", k=2, share_isolated_over_releases=3 / 5),
    *case("ax bx cy", "the class of one", k=2, persons_isolated_over_releases=1),
    # that the table no longer shows a alone takes nothing back
    *case("ax by cy | ax bx cx", "what is out stays out", k=2, persons_isolated_over_releases=1),
    *case("ax by cy | ax bx cx | ax bx cx", "unknown", k=2, most_recent=1, persons_isolated_over_releases=0),
    *case("ax | bx cx | bx cx", "a is nobody", k=2, most_recent=1, share_isolated_over_releases=0),
    *case(f"{ILL} | dxc exc", "those with the flu leave together", leaving_batch_l_diversity=1),
    # of x the flu and a cold leave, of y two with the flu
    *case("axf bxc cyf dyf exf | exf", "the worst batch decides", leaving_batch_l_diversity=1),
    *case(f"{ILL} | {ILL}", "nobody left: the values of the table", leaving_batch_l_diversity=2),
    *case(ILL, "first release", leaving_batch_l_diversity=2),
]


NEITHER = {"columns_appeared": 0, "columns_disappeared": 0, "columns_retyped": 0, "distribution_drift": 0}
YEAR = "year=integer zip=text sex=text | sex=text zip=integer year=date ward=text"
COLUMNS = [
    *case("a b | a | a b", "b was there long ago", columns_appeared=1),
    *case("a | a b | a", "b went", columns_disappeared=1),
    *case("a b c", "first release", **NEITHER),
    *case("a | A", "another spelling", columns_appeared=1, columns_disappeared=1, columns_retyped=0),
    *case(YEAR, "year and zip; sex stayed, ward is new", columns_retyped=2),
    *case("zip=text | zip=integer | zip=text", "a number before", columns_retyped=1),
    # not even by rounding
    *case("a:uvw | a:uvwuvwuvw", "three times the records in the same shares", distribution_drift=0),
    *case("a:uv b:uv | a:uv b:uu", "the column that moved most", distribution_drift=0.5),
    *case("a:uu | a:u-", "half have become NULL", distribution_drift=0.5),
    *case("a: | a:", "no records in both", distribution_drift=0),
    *case("a:u | a:", "records in the other only", distribution_drift=1),
    *case("a:uv | b:uv", "columns that came or went", distribution_drift=0),
    *case("a:w | a:u | a:u", "long ago everything was different", distribution_drift=0),
]


ONE_CAME = "absW xup1 xup2 | absW xup1 xup2 xup3"
LACKING = "absW xup1 xup2 -up3 | absW xup1 xup2 -up3"
ENGINE = [
    *case("absW -up1 xup2 xup3 | absW xup1 xup2 xup3", "was NULL", intersection_k_anonymity=1),
    # three patients share class x, but the first one's visits fall into y as well
    *case("absW xup1 yup1 xup2 xup3 | absW xup1 yup1 xup2 xup3", "visits", intersection_k_anonymity=1),
    # without entities a record that changed in a column that is no QID has left
    *case("absw 3*xup1 | absw 2*xup1 xuq1", "two of three stayed", intersection_k_anonymity=2),
    *case("absW xup1 xup2 xup3 | absW xup1 xup2 xup3 xup4 xup5", "two came", differencing_k_anonymity=2),
    *case("absW xup1 xup2 | absW xup1 xuq1 xup2", "another visit is no newcomer", differencing_k_anonymity=2),
    *case(ONE_CAME, "who came is alone", k=2, persons_isolated_over_releases=1),
    *case(LACKING, "NULL is a class", k=2, persons_isolated_over_releases=1),
    *case("abw xu1 | absw xup1", "s is new", columns_appeared=1),
    *case("absw xup1 | abw xu1", "s has gone", columns_disappeared=1),
    # s moved by a quarter while w stayed
    *case("absw xup1 xup2 xup3 xuq4 | absw xup1 xup2 xuq3 xuq4", "s", distribution_drift=0.25),
]


def over_tables(metric, line, **options):
    """Measure a metric through DuckDB."""
    *earlier, table = map(from_line, line.split("|"))
    return measured(BY_NAME[metric], table, earlier=tuple(earlier), **options)


@pytest.mark.parametrize(
    ("measure", "metric", "line", "options", "figure"),
    [
        pytest.param(measure, *row.values, id=row.id)
        for measure, rows in [(over_people, PEOPLE), (over_columns, COLUMNS), (over_tables, ENGINE)]
        for row in rows
    ],
)
def test_by_hand(measure, metric, line, options, figure):
    """The figure is the one that is counted by hand, and a count is an int and not one of NumPy's."""
    found = measure(metric, line, **options)
    assert found == figure
    assert type(found) is int or not BY_NAME[metric].is_whole


@pytest.mark.parametrize("metric", ["persons_isolated_over_releases", "share_isolated_over_releases"])
@pytest.mark.parametrize("given_k", [{}, {"k": 1}, {"k": 2.5}])
def test_k_is_required_and_at_least_2(metric, given_k):
    """No source sets it, and below 1 nobody could be isolated."""
    with pytest.raises(UserError, match="'k'"):
        bind(BY_NAME[metric].parameters, given_k)


def test_a_release_recorded_without_values_is_not_measurable():
    """An older ledger does not know with which illness people left, so the threshold blocks."""
    with pytest.raises(NotMeasurable, match="recorded without the values of 'ill'"):
        over_people("leaving_batch_l_diversity", f"{ILL} | {ILL}", keeps_values=False)


RELEASE = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("xyz"), min_size=1)
RELEASES = st.lists(RELEASE, min_size=1, max_size=4)
ILLNESSES = st.dictionaries(
    st.sampled_from("abcdefgh"), st.tuples(st.sampled_from("xy"), st.sampled_from("fc")), min_size=1
)
ORACLES = {
    "differencing_k_anonymity": lambda _, *releases: differencing_k(*releases),
    "intersection_k_anonymity": lambda _, *releases: intersection_k(*releases),
    "persons_isolated_over_releases": lambda k, *releases: len(isolated(k, *releases)),
    "share_isolated_over_releases": lambda k, *releases: (
        len(isolated(k, *releases)) / len(set().union(*releases))
    ),
}
"""The figure of releases, person → class, by sets of people; of k where there is one."""
BY_COUNTS = ORACLES | {
    "differencing_k_anonymity": lambda _, *releases: min(
        differencing_k(*releases), *map(min, filter(None, size_changes(*releases))), math.inf
    ),
    "persons_isolated_over_releases": lambda k, *releases: max(
        len(isolated(k, *releases)), _told(k, *releases)
    ),
    "share_isolated_over_releases": lambda k, *releases: min(
        max(len(isolated(k, *releases)), _told(k, *releases)) / len(set().union(*releases)), 1
    ),
}
"""The same where records are followed by their content, so that sizes of classes tell, too."""
EVERY = pytest.mark.parametrize("metric", ORACLES)


def _told(k, *releases):
    return max((sum(n for n in changes if n < k) for changes in size_changes(*releases)), default=0)


def over(metric, *releases, k=2, is_by_content=False, **options):
    """Measure one of them over releases of person → class."""
    has_k = any(one.name == "k" for one in BY_NAME[metric].parameters)
    found = history(*releases, is_by_content=is_by_content)
    return measure(metric, found, **options, **({"k": k} if has_k else {}))


@EVERY
@pytest.mark.parametrize("is_by_content", [False, True])
@given(releases=RELEASES, k=st.integers(2, 5), most_recent=st.integers(0, 4))
def test_equals_sets_of_people(metric, is_by_content, releases, k, most_recent):
    """Whoever comes, stays or leaves, over up to four releases; taking the most recent forgets the others."""
    latest = releases[-1 - most_recent :] if most_recent else releases
    found = over(metric, *releases, k=k, most_recent=most_recent, is_by_content=is_by_content)
    assert found == (BY_COUNTS if is_by_content else ORACLES)[metric](k, *latest)


@pytest.mark.parametrize(("line", "figure"), [
    ("ax bx cx | dx ex fx gx", 1),  # all are re-worded, and one came
    ("ax bx cx dx | ex fx gx", 1),
    ("ax bx cx | dx ex fx", 3),
    ("ax bx cx | dx ex fx gx hx | ix jx kx lx", 1),  # beside either of two
    ("ax bx cx | ay by cy", 3),  # a class that is gone, and one that came
    ("ax bx cx | ax bx cx", 3),
])  # fmt: skip
def test_a_class_that_grew_by_one_tells_of_one(line, figure):
    """Whoever is taken for whom: three were there, and four are."""
    releases = [dict(some.split()) for some in line.split("|")]
    assert over("differencing_k_anonymity", *releases, is_by_content=True) == figure


SLOW = {"differencing_k_anonymity", "intersection_k_anonymity"}


@pytest.mark.parametrize(
    "metric", [pytest.param(one, marks=[pytest.mark.slow] * (one in SLOW)) for one in ORACLES]
)
def test_equals_counting(metric):
    """Through the engine, of records and of entities: the figure is that of the sets of people."""

    def oracle(table, earlier):
        oracles = ORACLES if table.entity else BY_COUNTS
        return oracles[metric](3, *map(classes_of, (*earlier, table)))

    agrees(BY_NAME[metric], oracle, **({} if metric in SLOW else {"k": 3}))


@given(releases=RELEASES.filter(lambda some: len(some) > 1), k=st.integers(2, 5), added=RELEASE)
def test_another_release_never_makes_it_safer(releases, k, added):
    """Who holds one more release knows and isolates at least as many, and subtracts it from either side."""
    knows, isolates = "intersection_k_anonymity", "persons_isolated_over_releases"
    assert over(knows, added, *releases) <= over(knows, *releases)
    assert over(isolates, added, *releases, k=k) >= over(isolates, *releases, k=k)
    two = (releases[0], added)
    assert over("differencing_k_anonymity", *two) == over("differencing_k_anonymity", *two[::-1])


@given(releases=st.lists(ILLNESSES, min_size=1, max_size=4))
def test_leaving_batches_are_what_sets_say(releases):
    """Persons by their classes of all earlier releases; of each group the values of those who left."""
    *earlier, now = releases
    batches = {}
    for person, (_, illness) in (earlier[-1] if earlier else {}).items():
        if person not in now:
            past = tuple(release[person][0] if person in release else None for release in earlier)
            batches.setdefault(past, set()).add(illness)
    everything = len({illness for _, illness in now.values()})
    expected = min(map(len, batches.values()), default=everything)
    assert over_people("leaving_batch_l_diversity", releases) == expected


TYPES = st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["text", "integer"]))
VALUES = st.lists(st.sampled_from(["u", "v", "w", None]), max_size=9)
NUMBERS = st.lists(st.integers(0, 5000), min_size=1)


@given(before=TYPES, now=TYPES)
def test_columns_equal_sets_of_names(before, now):
    """Whatever came, went, stayed or has another type."""
    columns = [tuple(published(name, "u", kind) for name, kind in one.items()) for one in (before, now)]
    names = ("columns_appeared", "columns_disappeared", "columns_retyped")
    retyped = [name for name in before if now.get(name, before[name]) != before[name]]
    expected = [len(now.keys() - before.keys()), len(before.keys() - now.keys()), len(retyped)]
    assert [over_columns(name, columns) for name in names] == expected


def drift(before, now):
    """Measure the drift of one column from values to values."""
    return over_columns("distribution_drift", [(published("a", some),) for some in (before, now)])


@given(before=VALUES, now=VALUES)
def test_drift_equals_fractions_of_counts(before, now):
    """Three values and NULL fall into buckets of their own here, so the distance is that of the values."""
    expected = float(total_variation(before, now))
    assert (drift(before, now), drift(now, before)) == (expected, expected)


@given(before=NUMBERS, now=NUMBERS)
def test_buckets_never_add_to_the_distance(before, now):
    """Values that share a bucket can only hide a difference."""
    assert drift(before, now) <= float(total_variation(before, now))


def total_variation(before, now):
    """Return ½ Σ|p − q| over the values, as a fraction."""
    if not before or not now:
        return int(len(before) != len(now))
    then, today, values = Counter(before), Counter(now), {*before, *now}
    return sum(abs(Fraction(then[v], len(before)) - Fraction(today[v], len(now))) for v in values) / 2


def test_chance_drift_is_as_large_as_the_explanation_says():
    """Between independent samples of equally frequent values the stated figures are met within a tenth."""
    chance = np.random.default_rng(3)
    words = BY_NAME["distribution_drift"].explanation.good_value
    said = [float(share) for share in re.findall(r"0\.\d+", words)]
    cases = [(1024, 10_000), (1024, 100_000), (1024, 1_000_000), (10, 10_000)]
    for (values, records), figure in zip(cases, said, strict=True):
        expected = sqrt(values * 2 / records / (2 * pi))
        assert figure == round(expected, 2)
        found = []
        for _ in range(1 if values > 10 else 100):
            counts = [
                np.bincount(chance.integers(values, size=records), minlength=1025).astype(np.int64)
                for _ in range(2)
            ]
            columns = [(PublishedColumn(name="a", value_type="text", buckets=some),) for some in counts]
            found.append(over_columns("distribution_drift", columns))
        assert sum(found) / len(found) == pytest.approx(expected, rel=0.1)


def test_a_billion_records_a_bucket_do_not_overflow():
    """Products of counts leave 64 bits; the figure stays exact."""
    counts = np.full(1025, 10**9, dtype=np.int64)
    other = counts.copy()
    other[0] = 0
    columns = [(PublishedColumn(name="a", value_type="text", buckets=some),) for some in (counts, other)]
    assert over_columns("distribution_drift", columns) == 1 / 1025
