"""The metrics of classes on small tables that can be checked by hand, and on real data as papers have them.

A table is one line: its columns, then its records, one letter a value, ``-`` for NULL, ``3*xu`` for three
alike, and after a bar the records of the population. Columns a and b are QIDs, s is the sensitive attribute,
w says who it is; where it is written as W, persons are counted.
"""

import math

import pandas as pd
import pytest

from hand_checked import cases
from measured_people import measured, measured_frame
from people import from_line
from qidguard.core.parameter import bind
from qidguard.sdk import NotMeasurable, UserError
from qidguard_standard.metrics import METRICS

BY_NAME = {metric.name: metric for metric in METRICS}
about = pytest.approx
case = cases(METRICS)


def tables_of(line):
    """Return the table that a line describes, and the population as an option if it has one."""
    columns = line.split()[0]
    table, bar, population = line.partition("|")
    return from_line(table), {"population": from_line(f"{columns} {population}")} if bar else {}


def metrics_of(rows):
    """Return the names of the metrics that some rows are about."""
    return sorted({metric for (metric, *_), _, _ in rows})


SIZES = [
    *case("ab 3*xu 2*yu 2*yv", "classes of 3, 2 and 2", k_anonymity=2),
    *case("ab 3*xu 2*yu 2*yv", "classes of 3 and 4", qids="a", k_anonymity=3),
    *case("ab 2*xu x- 2*yu", "who has no value is alone, and is not dropped", k_anonymity=1),
    *case("ab 3*xu", "one class", k_anonymity=3, average_class_size=3, discernibility=9),
    *case("abW 6*xu1 yu2 yu3", "six visits of one patient are one person", k_anonymity=1),
    *case("ab 3*xu 2*yv", "classes of 3 and 2", prosecutor_risk_max=0.5, discernibility=13),
    *case("abW 3*xu1 xu2", "four records of two persons", prosecutor_risk_max=0.5),
    *case("ab 4*xu", "1/n", prosecutor_risk_max=0.25, prosecutor_risk_average=0.25, marketer_risk=0.25),
    *case("ab 3*xu 3*yu yv", "exactly 3 of 7", prosecutor_risk_average=3 / 7, marketer_risk=3 / 7),
    # person 1 is in classes of 2 and 1, so the risk is 1; person 2 has one half
    *case("abW 2*xu1 xu2 yu1", "smallest class", prosecutor_risk_average=0.75, marketer_risk=0.75),
    *case("ab 6*xu 2*yv", "two of eight", threshold=0.2, prosecutor_share_above=0.25),
    *case("ab 2*xu", "every risk is above 0", threshold=0, prosecutor_share_above=1),
    *case("abW xu1 xu2 yu1 yv1", "1 is alone somewhere", threshold=0.5, prosecutor_share_above=0.5),
    *case("ab 3*xu xv yu 3*yv", "two of eight are alone", sample_uniques=2, share_unique=0.25),
    *case("ab 2*xu 2*x-", "two that lack a value are alike", sample_uniques=0, share_unique=0),
    *case("ab 2*xu", "nobody is alone in a class of two", sample_uniques=0, share_unique=0),
    *case("ab xu", "one record is alone", sample_uniques=1, share_unique=1),
    *case("abW 2*xu1 xv1 yu2 yu3 yu4", "three records, one person", sample_uniques=1, share_unique=0.25),
    *case("ab 6*xu 2*yu", "two of eight", k=3, share_below_k=0.25),
    *case("ab 3*xu", "one class is wholly not below", k=3, share_below_k=0),
    *case("ab 3*xu", "one class is wholly below", k=4, share_below_k=1),
    *case("abW xu1 xv1 yu2 yu3", "one of three is alone somewhere", k=2, share_below_k=about(1 / 3)),
    *case("abW xu1 xv1 yu2 yu3", "alone twice, counted once", k=2, persons_below_k=1),
    *case("ab 4*xu 2*yu yv", "classes of 2 and 1", k=3, persons_below_k=3),
    *case("ab 4*xu 2*yu yv", "all seven are below 5", persons_below_k=7),
    *case("ab 2*xu", "a class of k is not below", k=2, persons_below_k=0),
    *case("abW 2*xu1 xu2", "three records of two persons cost 4", discernibility=4),
    *case("ab 3*xu yv", "the mean of 3 and 1", average_class_size=2),
    *case("abW 2*xu1 xu2 yu1", "a person counts in each class: 2 and 1", average_class_size=1.5),
]
FOUR = "abc ppp ppq pqq 2*qqq"
"""One record is unique on column c alone, two on two columns, two are twins."""
SCORES = (2, 1, 1, 0)
"""Of three columns, one column alone counts 2! = 2 and two columns count 1! = 1."""
DIS = [1 / (1 + 2 / (s**1.25 * (2**-1.25 + 1 + 1))) if s else 0 for s in SCORES]
"""With two twins and half of the population, and Q = 1 + 5/20: 1/(1 + 2/(S^Q·ΣS^−Q))."""
HALF = {"dis_fraction": 0.5}
NO_DIS = {"suda_dis_max": 0, "suda_dis_average": 0}
NO_UNIQUES = dict.fromkeys(
    [name for name in BY_NAME if name.startswith("population_uniqueness") or name == "unique_in_population"],
    0,
)
ALONE = [
    *case(FOUR, "by two columns", qids="abc", share_with_minimal_sample_unique=3 / 5),
    *case(FOUR, "by one column", qids="abc", max_size=1, share_with_minimal_sample_unique=1 / 5),
    *case(FOUR, "the highest of the scores", qids="abc", **HALF, suda_dis_max=about(DIS[0])),
    *case(FOUR, "the mean over five", qids="abc", **HALF, suda_dis_average=about(sum(DIS) / 5)),
    *case("abc m-a m-b mtb 2*ftb", "NULL", qids="abc", share_with_minimal_sample_unique=3 / 5),
    *case("abc m-a m-b mtb 2*ftb", "NULL", qids="abc", **HALF, suda_dis_average=about(sum(DIS) / 5)),
    *case("abc m-a m-b mtb 2*ftb", "NULL", qids="abc", **HALF, suda_dis_max=about(DIS[0])),
    *case("abc 3*xux", "single class", qids="abc", share_with_minimal_sample_unique=0, **NO_DIS),
    # a person with two equal and one other visit is one person
    *case("abW 2*xu7 xv7 yu8", "two of two", share_with_minimal_sample_unique=1),
    *case("aW x1 x2 2*y2", "one of two patients is alone", qids="a", share_with_minimal_sample_unique=0.5),
    # two share a class and one of them stands alone in another visit
    *case("abW xu7 xu8 yv8", "the highest score", **HALF, suda_dis_max=about(1 / 3)),
    *case("abW xu7 xu8 yv8", "the mean over two", **HALF, suda_dis_average=about(1 / 6)),
    *case("ab 2*xu 3*xv 3*yu", "no sample unique", **NO_UNIQUES),
    # x and y both match the wildcard but not one another
    *case("ab xu yu ?u", "matching is not transitive", mark="?", wildcard_k_anonymity=2),
    *case("abw ??1 ??2 ??3 ??4", "all are suppressed", mark="?", wildcard_k_anonymity=4),
    # m? matches mt and mf, and NULL is no wildcard
    *case("ab mt mf m? m-", "the declared mark", mark="?", wildcard_k_anonymity=2),
    *case("ab mt mf m? m-", "undeclared it is a value", wildcard_k_anonymity=1),
]

AT_THE_THRESHOLD = [
    row
    for threshold, size in [(0.05, 20), (0.1, 10), (0.2, 5), (0.25, 4), (0.5, 2), (1.0, 1)]
    for n, share in [(size, 0), (size - 1, 1)]
    if n
    for row in case(f"ab {n}*xu", f"1/{n} at {threshold}", threshold=threshold, prosecutor_share_above=share)
]
"""A class of exactly 1/τ is not above τ; one person fewer is."""

IN_POPULATION = [
    *case("ab xu | 4*xu yv", "four are like a unique", journalist_risk_max=0.25),
    *case("ab x- | 2*x- xu", "NULL is NULL", journalist_risk_max=0.5, journalist_risk_average=0.5, k_map=2),
    *case("abW xu1 | 2*xu1 xu2", "three records of two people", journalist_risk_max=0.5),
    *case("ab 2*xu yu | 4*xu 2*yu yv", "(2/4 + 1/2) / 3", journalist_risk_average=about(1 / 3)),
    *case("ab 3*xu yu | 3*xu yu", "all of it: classes / records", journalist_risk_average=0.5),
    # person 1 is in two classes of four: 1/4 + 1/4, not below the largest risk
    *case("abW xu1 yu1 | xu1 xu2 xu3 xu4 yu1 yu2 yu3 yu4", "from above", journalist_risk_average=0.5),
    *case("ab xu | 20*xu", "1/20 is 0.05 exactly", journalist_share_above=0),
    *case("ab xu | 19*xu", "1/19 is above 0.05", journalist_share_above=1),
    *case("ab 3*xu yv | 3*xu 2*yv", "only yv is above", threshold=0.4, journalist_share_above=0.25),
    *case("ab x- | 2*x- xu", "NULL is NULL: one half", threshold=0.4, journalist_share_above=1),
    *case("abW xu1 yu1 | xu1 yu1", "at risk twice, still one of one", journalist_share_above=1),
    *case("ab xu yu | 3*xu 2*yu yv", "a unique elsewhere does not matter", k_map=2),
    *case("abW 2*xu1 | 2*xu1 xu2", "three records of two people", k_map=2),
    *case("ab xu yu | 4*xu 2*yu", "one of 4 and of 2", delta_presence_min=0.25, delta_presence_max=0.5),
    *case("ab xu | xu yv", "all of xu, none of yv", delta_presence_min=0, delta_presence_max=1),
    *case("ab x- | 2*x-", "NULL is NULL", delta_presence_min=0.5, delta_presence_max=0.5),
    *case("abW 2*xu1 | 2*xu1 xu2", "one of two", delta_presence_min=0.5, delta_presence_max=0.5),
]

LEVELS = "abs 4*xup 2*xuq xur"
"""Counts 4, 2, 1: 4 < c·(2+1) from c above 4/3, and 4 < c·1 from c above 4."""
TILTED = "abs 3*xup xuq yvp 3*yvq"
"""The table has p and q equally often, its classes three to one."""
MIRRORED = "absW 3*xup1 xuq2 yvp3 yvq4"
"""Person 1's three records with p count once, so both classes mirror the table."""
SENSITIVE = [
    *case("abs 3*xup yvp 4*yvq", "three of eight", share_homogeneous=3 / 8, persons_homogeneous=3),
    *case("abs 2*xu- yvp yv-", "all NULL, not p and NULL", share_homogeneous=0.5, persons_homogeneous=2),
    *case("abs 2*xup", "everyone", share_homogeneous=1, persons_homogeneous=2),
    # person 1 is counted in each homogeneous class, but no more than everyone
    *case("absW 2*xup1 yup1", "no more than one", share_homogeneous=1, persons_homogeneous=1),
    *case("absW xup1 yup1 yvp2 yvq3", "counted twice", share_homogeneous=about(2 / 3), persons_homogeneous=2),
    *case("abs xup xuq xur yvp 2*yvq", "3 and 2 values, however often", distinct_l_diversity=2),
    *case("abs xup xu-", "NULL is a value", distinct_l_diversity=2, entropy_l_diversity=about(2)),
    *case("abs xup xu-", "NULL is a value", recursive_l_diversity=2, alpha_k_anonymity=0.5),
    *case("abs xup xuq 2*xur", "one class is the table", distinct_l_diversity=3, alpha_k_anonymity=0.5),
    *case("absW xup1 xuq1", "two values of one person, so k belongs beside l", distinct_l_diversity=2),
    *case("abs xup xuq xur", "even values count fully", entropy_l_diversity=about(3)),
    # three p and one q have entropy .5623 nats, so l = 1.7548
    *case("abs 3*xup xuq yvp yvq", "one value dominates", entropy_l_diversity=about(4 / 3**0.75)),
    *case("absW 3*xup1 xuq2", "p of person 1 counts once", entropy_l_diversity=about(2)),
    *case(LEVELS, "4 is not below 1.3*3", c=1.3, recursive_l_diversity=1),
    *case(LEVELS, "4 is below 1.4*3", c=1.4, recursive_l_diversity=2),
    *case(LEVELS, "4 is below 4.1*1", c=4.1, recursive_l_diversity=3),
    *case("abs 3*xup xuq", "3 is not below 3*1", c=3, recursive_l_diversity=1),
    *case("abs 28*xup 25*xuq", "28 is not below 1.12*25", c=1.12, recursive_l_diversity=1),
    *case("absW 4*xup1 xuq2", "p of person 1 counts once", recursive_l_diversity=2),
    *case("abs 3*xup xuq yvp yvq", "three of four", alpha_k_anonymity=0.75),
    *case("absW 2*xup1 xuq1 xup2", "p has 2 and q has 1 of 3", alpha_k_anonymity=about(2 / 3)),
    *case("abs xup xuq xup xuq 4*yvp", "q is 1/4 and 1/2: it doubles", beta_likeness=about(1)),
    *case("abs xuq 7*yvp", "1/8 and 1: rare values weigh most", beta_likeness=about(7)),
    *case("abs 2*xuq xup xur 2*yvp 2*yvr", "1 < -ln 1/4", enhanced=True, beta_likeness=about(1)),
    *case("abs xup yvq", "1 > -ln 1/2", enhanced=True, beta_likeness=math.inf),
    *case("abs xu- 3*yvp", "NULL is a value that can gain", beta_likeness=about(3)),
    *case("abs xup 2*xuq", "one class mirrors", enhanced=True, beta_likeness=0),
    *case("abs xup 2*xuq", "one", beta_likeness=0, delta_disclosure=0, t_closeness=0, t_closeness_kl=0),
    *case(TILTED, "|ln 1/2| is above ln 3/2", delta_disclosure=about(math.log(2))),
    *case("abs 2*xup yvp yvq", "a class rules q out", delta_disclosure=math.inf),
    *case("abs 2*xup yvp yvq", "q is skipped", absent="ignore", delta_disclosure=about(math.log(2))),
    *case(TILTED, "3/4 - 1/2", t_closeness=0.25),
    *case("abs xup yv-", "NULL is a value", t_closeness=0.5, t_closeness_kl=about(math.log(2))),
    # of six persons with a value x holds 1, 3 and 4, y holds 2 and 4 twice each; NULLs in w are one person
    *case("asW x1c x3b x4- y2- y2a y4- y4b", "1/3", qids="a", t_closeness=about(1 / 3, abs=1e-15)),
    *case(TILTED, "3/4 and 1/4", t_closeness_kl=about(0.75 * math.log(1.5) - 0.25 * math.log(2))),
    *case(MIRRORED, "mirrored", beta_likeness=0, delta_disclosure=0, t_closeness=0, t_closeness_kl=0),
]
OVERLAPPING = "absW xup1 xuq2 xvp3 xvq2 yup1 yuq4"
"""Persons who show why merging classes is no mixture.

By a and b every class has p and q once each, as the table has them twice each. By a alone, class x has p of
persons 1 and 3 but q of person 2 only, who was in both of its parts.
"""
MERGED = [
    # two classes of the same persons merge into one no larger
    *case("abW xu1 xu2 xv1 xv2 yu3", "2, 2 and 1", average_class_size=about(5 / 3)),
    *case("abW xu1 xu2 xv1 xv2 yu3", "2 and 1", qids="a", average_class_size=1.5),
    # who is in two classes is counted once after merging
    *case("abW xu1 xv1 | xu1 xu2 xv1 xv3", "1/2 and 1/2", delta_presence_min=0.5),
    *case("abW xu1 xv1 | xu1 xu2 xv1 xv3", "1 of 3", qids="a", delta_presence_min=about(1 / 3)),
    *case("abW xu1 xv2 | xu1 xu3 xv2 xv3", "1/2 and 1/2", delta_presence_max=0.5),
    *case("abW xu1 xv2 | xu1 xu3 xv2 xv3", "2 of 3", qids="a", delta_presence_max=about(2 / 3)),
    *case(OVERLAPPING, "even", entropy_l_diversity=about(2), alpha_k_anonymity=0.5),
    *case(OVERLAPPING, "even", beta_likeness=0, delta_disclosure=0, t_closeness=0, t_closeness_kl=0),
    *case(OVERLAPPING, "even", c=1.5, recursive_l_diversity=2),
    *case(OVERLAPPING, "2/3 p", qids="a", c=1.5, recursive_l_diversity=1),
    *case(OVERLAPPING, "2/3 p", qids="a", entropy_l_diversity=about(3 / 4 ** (1 / 3))),
    *case(OVERLAPPING, "2/3 p", qids="a", alpha_k_anonymity=about(2 / 3), beta_likeness=about(1 / 3)),
    *case(OVERLAPPING, "2/3 p", qids="a", delta_disclosure=about(math.log(1.5)), t_closeness=about(1 / 6)),
    # 2/3·ln 4/3 + 1/3·ln 2/3
    *case(OVERLAPPING, "2/3 p", qids="a", t_closeness_kl=about(math.log(32 / 27) / 3)),
]
"""Metrics that joining classes can make less safe, each by the fine QIDs and by the coarse ones."""


@pytest.mark.parametrize(
    ("metric", "line", "options", "figure"),
    [*SIZES, *ALONE, *AT_THE_THRESHOLD, *IN_POPULATION, *SENSITIVE, *MERGED],
)
def test_small_table(metric, line, options, figure):
    """The figure is the one that is counted by hand."""
    table, population = tables_of(line)
    assert measured(BY_NAME[metric], table, **population, **options) == figure


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("ab 2*xu yv | 3*xu", "1 are absent from it; give"),
        ("ab 2*xu yv | xu 2*yv", "1 are larger than in it; give"),
    ],
    ids=["lacking", "smaller"],
)
@pytest.mark.parametrize("metric", metrics_of(IN_POPULATION))
def test_population_must_cover(metric, line, reason):
    """A class that the population lacks, or has fewer of, leaves no number, with the reason."""
    table, population = tables_of(line)
    with pytest.raises(NotMeasurable, match=reason):
        measured(BY_NAME[metric], table, **population)


@pytest.mark.parametrize(
    ("metric", "argument", "reason"),
    [
        *(("persons_below_k", {"k": k}, "'k'") for k in [1, 0, -3, 2.5, True]),
        *(("recursive_l_diversity", {"c": c}, "'c'") for c in [0, -1, float("nan"), "3"]),
        ("delta_disclosure", {"absent": "zero"}, "'infinite' or 'ignore', not 'zero'"),
    ],
)
def test_refused_argument(metric, argument, reason):
    """A k that protects nobody, a factor that no table can meet and an unknown reading are refused."""
    with pytest.raises(UserError, match=reason):
        bind(BY_NAME[metric].parameters, argument)


@pytest.fixture(scope="module")
def frames(data, adult):
    """Return the public tables by name; German has the three QIDs that the MO-OBAM paper uses."""
    german = pd.read_csv(data / "german" / "german.data", sep=r"\s+", header=None, dtype="string")
    return {
        "adult": adult,
        "adult_training": adult.iloc[:32561],
        "complete_adult": adult[~(adult == "?").any(axis=1)].reset_index(drop=True),
        "adult_arx": pd.read_csv(data / "adult" / "adult_arx.csv", sep=";", dtype="string"),
        "german": pd.DataFrame({"age": german[12], "personal_status": german[8], "job": german[16]}),
        "car": pd.read_csv(data / "car" / "car.data", dtype="string"),
    }


PAY = ("salary-class", "income")
QIDS = {
    "complete_adult": ["age", "race", "sex", "marital-status"],
    "car": ["buying", "maint", "lug_boot", "eval"],
}
"""The QIDs of a table, where they are not all columns but pay."""
SLOW, THREE = pytest.mark.slow, pytest.mark.samples(3)
REAL = [
    # ARX's 30,162 records of Adult: 14,021 (46.5 %) are alone, 72.9 % are in classes below 5
    *case("adult_arx", "alone", k_anonymity=1, sample_uniques=14021, share_unique=14021 / 30162),
    *case("adult_arx", "below 5", persons_below_k=21977, share_below_k=21977 / 30162),
    *case("adult_arx", "18,109 classes", average_class_size=30162 / 18109),
    *case("adult_arx", "one value in a class", sensitive=PAY[0], distinct_l_diversity=1),
    # ARX and pyCANON
    *case("adult_arx", "t", sensitive=PAY[0], t_closeness=about(0.7510775147536636, rel=1e-12)),
    # the MO-OBAM paper: QID combinations, people open to the homogeneity attack, people at risk of linkage
    *case("complete_adult", "1900 combinations", average_class_size=45222 / 1900),
    *case("german", "310 combinations", average_class_size=1000 / 310),
    *case("complete_adult", "634 people", sensitive="occupation", persons_homogeneous=634),
    *case("complete_adult", "634 people", sensitive="occupation", share_homogeneous=about(634 / 45222)),
    *case("complete_adult", "0.05", SLOW, threshold=0.05, prosecutor_share_above=about(6506 / 45222)),
    *case("complete_adult", "0.075", SLOW, threshold=0.075, prosecutor_share_above=about(4906 / 45222)),
    *case("complete_adult", "0.1", SLOW, threshold=0.1, prosecutor_share_above=about(3910 / 45222)),
    *case("german", "0.05", threshold=0.05, prosecutor_share_above=about(959 / 1000)),
    *case("german", "0.075", threshold=0.075, prosecutor_share_above=about(828 / 1000)),
    *case("german", "0.1", threshold=0.1, prosecutor_share_above=about(698 / 1000)),
    # QIDLearning's K
    *case("adult_training", "K", average_class_size=about(1.0008, abs=5e-5)),
    *case("car", "K", average_class_size=about(16.777, abs=1e-3)),
    # table 2 of the QIR paper: distinct values / records of all 48,842 records of Adult, to 0.0001 percent
    *case("adult", "gain", THREE, qids=["capital-gain"], marketer_risk=about(0.002518, abs=1e-6)),
    *case("adult", "loss", THREE, qids=["capital-loss"], marketer_risk=about(0.002027, abs=1e-6)),
    *case("adult", "hours", THREE, qids=["hours-per-week"], marketer_risk=about(0.001966, abs=1e-6)),
    *case("adult", "race", THREE, qids=["race"], marketer_risk=about(0.000102, abs=1e-6)),
    *case("adult", "sex", THREE, qids=["sex"], marketer_risk=about(0.000041, abs=1e-6)),
    *case("adult", "income", THREE, qids=["income"], marketer_risk=about(0.000041, abs=1e-6)),
]


@pytest.mark.realdata
@pytest.mark.parametrize(("metric", "name", "options", "figure"), REAL)
def test_real_data(frames, metric, name, options, figure):
    """The figure is the published one."""
    qids = QIDS.get(name, [column for column in frames[name] if column not in PAY])
    assert measured_frame(BY_NAME[metric], frames[name], **{"qids": qids, **options}) == figure
