"""A quasi-identifier that is sensitive, too: shown by class, or as it is where a limit is on its values."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from qidguard.sdk import Bound, Limit, NotMeasurable, PolicyLimit
from qidguard_standard.anonymizers.clustering import CLUSTERING
from qidguard_standard.anonymizers.clustering.classes import ClassRule
from qidguard_standard.anonymizers.clustering.partitioned import by_part
from qidguard_standard.anonymizers.clustering.space import Space
from qidguard_standard.anonymizers.clustering.wanted import Wanted
from qidguard_standard.metrics.diversity import SHARE_HOMOGENEOUS

METHODS = {one.name: one for one in CLUSTERING}
OF_RACE = {
    "mondrian": {},
    "mdav": {},
    "v_mdav": {},
    "k_member": {},
    "zheng_l_diversity": {},
    "anneal": {"effort": 0.01},
    "blocks": {"block_size": 40},
}
K = 4
CASES = [(name, per_person) for name in OF_RACE for per_person in (1, 2)]
CASES[CASES.index(("anneal", 2))] = pytest.param("anneal", 2, marks=pytest.mark.slow)


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """Nothing waits for machine code."""
    monkeypatch.setenv("QIDGUARD_KERNEL", "numpy")


def drawn(clustering, *, persons=120, per_person=1, seed=7):
    """Return persons of three races, the third of 12 persons, each with its age, zone and two illnesses."""
    rng = np.random.default_rng(seed)
    race = np.array(["a", "b", "c"])[np.repeat([0, 1, 2], [persons - 60, 48, 12])]
    ages, zones = rng.integers(20, 80, persons), rng.choice(["n", "s", "w"], persons)
    at = np.repeat(np.arange(persons), per_person)
    return clustering.Records(
        who=at.tolist(),
        age=ages[at].tolist(),
        zone=zones[at].tolist(),
        race=race[at].tolist(),
        ill=rng.choice(["flu", "gout", "acne"], len(at)).tolist(),
    )


def classes_of(records, shown, beside):
    """Return class → its records; a class agrees in what is published, ``beside`` as it is."""
    found = defaultdict(list)
    fixed = [[column.texts[code] for code in column.codes] for column in map(records.column, beside)]
    for record, cells in enumerate(shown):
        found[(*cells, *(column[record] for column in fixed))].append(record)
    return found


def persons(records, members):
    """Return how many persons some records are."""
    who = records.column("who").codes
    return len({int(who[record]) for record in members})


def values(records, name, members):
    """Return how many values of a column some records have."""
    return len({int(records.column(name).codes[record]) for record in members})


@pytest.mark.parametrize(
    ("name", "per_person"), [one for one in CASES if "zheng_l_diversity" not in one]
)  # needs l
def test_without_l_it_is_shown_by_class_like_any_other(clustering, name, per_person):
    """Every class of what is published, race among it, has k persons."""
    records = drawn(clustering, per_person=per_person)
    done = clustering.run(
        METHODS[name], records, qids=("age", "zone", "race"), sensitive=("race", "ill"), entity="who", k=K,
        **OF_RACE[name],
    )  # fmt: skip
    sizes = [
        persons(records, one) for one in classes_of(records, clustering.shown(records, done), ()).values()
    ]
    assert "race" in done.columns
    assert min(sizes) >= K


@pytest.mark.parametrize(("name", "per_person"), CASES)
def test_with_l_it_stays_and_each_of_its_values_keeps_k(clustering, name, per_person):
    """Race is as it was: k and l of illness hold with it, and l of race beside the other QIDs."""
    records = drawn(clustering, per_person=per_person)
    done = clustering.run(
        METHODS[name], records, qids=("age", "zone", "race"), sensitive=("race", "ill"), entity="who", k=K,
        l=2, **OF_RACE[name],
    )  # fmt: skip
    assert set(done.columns) == {"age", "zone"}
    shown = clustering.shown(records, done)
    for members in classes_of(records, shown, ("race",)).values():
        assert (persons(records, members) >= K, values(records, "ill", members) >= 2) == (True, True)
    beside = classes_of(records, shown, ()).values()
    assert min(values(records, "race", members) for members in beside) >= 2
    assert len(beside) > 1
    claimed = {(claim.sensitive, claim.qids) for claim in done.guarantees if claim.sensitive}
    assert claimed == {("race", ("age", "zone")), ("ill", ("age", "zone", "race"))}


@pytest.mark.parametrize("name", OF_RACE)
def test_a_value_of_too_few_persons_is_named_by_its_column(clustering, name):
    """Of the third race there are 12 persons and k is 13: the sentence has the column, and no value."""
    with pytest.raises(NotMeasurable) as said:
        clustering.run(
            METHODS[name], drawn(clustering), qids=("age", "zone", "race"), sensitive=("race",), k=13, l=2,
            **OF_RACE[name],
        )  # fmt: skip
    assert str(said.value) == (
        "a limit is on the sensitive values of 'race', a quasi-identifier that is published as it is then, so"
        " each of its values needs k = 13 persons, and 1 of 3 have fewer; put no limit on it, declare it no"
        " quasi-identifier, or put rare values together before"
    )


def test_several_part_a_class_together_and_each_is_learned_beside_the_others(clustering):
    """Race and sex stay: every class has l races of each sex and l sexes of each race, each k persons."""
    rng = np.random.default_rng(3)
    records = clustering.Records(
        age=rng.integers(20, 80, 200).tolist(),
        race=rng.choice(["a", "b"], 200).tolist(),
        sex=rng.choice(["f", "m"], 200).tolist(),
    )
    for name in ("mdav", "mondrian"):
        done = clustering.run(
            METHODS[name], records, qids=("age", "race", "sex"), sensitive=("race", "sex"), k=3, l=2
        )
        shown = clustering.shown(records, done)
        sizes = Counter({key: len(rows) for key, rows in classes_of(records, shown, ("race", "sex")).items()})
        of_age = Counter(key[0] for key in sizes)
        assert min(sizes.values()) >= 3
        assert set(of_age.values()) == {4}
        assert len(of_age) > 1


def test_the_rule_holds_in_each_part_of_a_class():
    """Two classes of four: the second has one person of race 1, the first two of each."""
    race, ill = np.array([0, 0, 1, 1, 0, 0, 0, 1]), np.array([0, 1, 0, 1, 0, 1, 0, 1])
    rule = ClassRule(
        wanted=Wanted(k=2, l={"race": 2, "ill": 2}), sensitive={"race": race, "ill": ill}, apart=("race",)
    )
    classes = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    assert rule.keeps(classes, 2).tolist() == [True, False]
    assert rule.keeps(np.zeros(8, dtype=np.int64), 1).tolist() == [True]
    alone = rule.inside(np.array([0, 1]))
    assert (alone.apart, dict(alone.wanted.l)) == ((), {"ill": 2})


@pytest.mark.parametrize("name", [name for name in OF_RACE if name != "zheng_l_diversity"])  # which needs l
def test_any_limit_on_its_values_leaves_it_as_it_is(clustering, name):
    """A method that cannot keep the limit can still keep k in each value, and the audit says the rest."""
    limit = PolicyLimit(
        metric=SHARE_HOMOGENEOUS,
        arguments={},
        limit=Limit(bound=Bound.AT_MOST, value=0.9),
        qids=("age", "zone"),
        sensitive="race",
    )
    records = drawn(clustering)
    done = clustering.run(
        METHODS[name], records, qids=("age", "zone", "race"), sensitive=("race",), k=K,
        given={"targets": (limit,)}, **OF_RACE[name],
    )  # fmt: skip
    assert set(done.columns) == {"age", "zone"}
    shown = clustering.shown(records, done)
    assert min(map(len, classes_of(records, shown, ("race",)).values())) >= K


def test_a_class_joins_the_nearest_of_another_value():
    """Two classes of each race on a line: 0 and 1 of the one, 5 and 6 of the other; pairs lose least."""
    line = Space(
        order=np.arange(4), numbers=np.array([[0.0, 1.0, 5.0, 6.0]]), shift=np.zeros(1), scale=np.ones(1),
        codes=np.zeros((0, 4), dtype=np.int64), weights=np.zeros(0), is_squared=False, tables=(),
    )  # fmt: skip
    race = np.array([0, 0, 1, 1])
    rule = ClassRule(wanted=Wanted(k=1, l={"race": 2}), sensitive={"race": race}, apart=("race",))
    groups = by_part(line, rule, lambda rows, _: np.arange(len(rows)))
    assert sorted(np.bincount(groups).tolist()) == [2, 2]
    assert groups[0] != groups[1]
