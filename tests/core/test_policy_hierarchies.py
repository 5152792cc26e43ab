"""The hierarchies section: what it holds, what it refuses, and that schema and loader agree on it."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.core.errors import PolicyError
from qidguard.policy import HierarchySettings, draft_policy, load_policy, parse_policy, policy_schema
from qidguard.policy.nesting import DATE_UNITS

TEXT = """\
qidguard: 1
name: demo
roles: {quasi_identifiers: [age, job], sensitive: [illness], target: income, entity: person}
thresholds: [{metric: k_anonymity, at_least: 5}]
hierarchies:
"""
FIELDS: dict[str, Any] = {
    "qidguard": 1,
    "name": "demo",
    "roles": {"quasi_identifiers": ["age", "job"]},
    "thresholds": [{"metric": "k_anonymity", "at_least": 5}],
}
PHRASES = st.text("abc/._%", min_size=1, max_size=8)
POINTS = st.integers(-99, 99) | st.floats(-99, 99)


def multiples(first: float, times: list[int]) -> list[float]:
    """Return widths that nest."""
    found = [first]
    for time in times:
        found.append(found[-1] * time)
    return found


SETTINGS = st.one_of(
    st.just("auto"),
    st.fixed_dictionaries(
        {"file": PHRASES}, optional={"delimiter": st.sampled_from(";,|\t"), "encoding": st.just("latin-1")}
    ),
    st.fixed_dictionaries(
        {"intervals": st.builds(multiples, st.integers(1, 9), st.lists(st.integers(2, 4), max_size=3))},
        optional={"from": POINTS, "bottom": st.integers(-9, 0), "top": st.integers(1, 99)},
    ),
    st.sets(POINTS, min_size=1, max_size=4).map(lambda points: {"cuts": [sorted(points)]}),
    st.sets(st.integers(0, 5), min_size=1).map(
        lambda places: {"dates": [DATE_UNITS[i] for i in sorted(places)]}
    ),
    st.fixed_dictionaries(
        {"dates": st.just(["year"])},
        optional={
            "written": st.sampled_from(["dmy", "mdy", "ymd", "%d/%m/%Y"]),
            "latest": st.dates().map(str),
        },
    ),
    st.sets(st.integers(1, 9), min_size=1).map(lambda kept: {"prefix": sorted(kept, reverse=True)}),
    st.fixed_dictionaries({"taxonomy": PHRASES}),
    st.fixed_dictionaries({"ready": st.sampled_from(["icd9", "us_zip3"])}),
    st.fixed_dictionaries({"auto": st.sampled_from(["auto", "quantiles", "frequency", "similarity"])}),
)


VALIDATOR = jsonschema.Draft202012Validator(policy_schema())


def is_valid(section: object) -> bool:
    """Whether the schema accepts a policy with this section."""
    return bool(VALIDATOR.is_valid({**FIELDS, "hierarchies": section}))


def test_fields_arrive_as_they_were_written() -> None:
    """Numbers stay whole, ``auto`` alone is the automatic way, and order is kept."""
    found = parse_policy(TEXT + "  job: auto\n  age: {intervals: [5, 10], from: 2, top: 90}\n").hierarchies
    assert list(found) == ["job", "age"]
    assert found["job"] == HierarchySettings(auto="auto")
    assert (found["age"].intervals, found["age"].origin, found["age"].top) == ((5, 10), 2, 90)
    assert [each.kind for each in found.values()] == ["auto", "intervals"]


def test_nothing_is_declared_unless_somebody_writes_it() -> None:
    """An empty heading is none, and no draft has one."""
    assert parse_policy(TEXT).hierarchies == {}
    assert "hierarchies" not in draft_policy([])


@settings(max_examples=examples(40), deadline=None, derandomize=True, database=None)
@given(st.dictionaries(st.sampled_from(["age", "job"]), SETTINGS, max_size=2))
def test_any_section_comes_back(section: dict[str, Any]) -> None:
    """Through its JSON form, its Python values and a text it is the same policy, and the schema takes it."""
    policy = load_policy({**FIELDS, "hierarchies": section})
    for again in (load_policy(json.loads(policy.model_dump_json())), load_policy(policy.model_dump())):
        assert again == policy
        assert again.digest == policy.digest
    assert parse_policy(json.dumps({**FIELDS, "hierarchies": section})) == policy
    assert is_valid(section)


@pytest.mark.parametrize(("written", "sentence"), [
    ("age:", "hierarchies.age is empty; write auto, or how the hierarchy is made"),
    ("age: automatic", "hierarchies.age must be auto, not 'automatic'; did you mean 'auto'?"),
    ("age: [5]", "hierarchies.age must be a mapping, not a list"),
    ("age: {}",
     ("hierarchies.age says no way to make a hierarchy; write one of file, intervals, cuts, dates,"
      " prefix, taxonomy, ready, auto")),
    ("age: {intervals: [5], prefix: [1]}",
     ("hierarchies.age has both intervals and prefix; write one of file, intervals, cuts, dates,"
      " prefix, taxonomy, ready, auto")),
    ("age: {interval: [5]}",
     "hierarchies.age has a field 'interval' that nobody knows; did you mean 'intervals'?"),
    ("age: {ready: idc9}",
     "hierarchies.age.ready must be age_bands_eurostat, age_bands_hipaa, age_bands_un,"),
    ("age: {origin: 5, intervals: [5]}",
     ("hierarchies.age has a field 'origin' that nobody knows; write one of file, intervals, cuts,"
      " dates, prefix, taxonomy, ready, auto")),
    ("age: {file: a.csv, from: 2}",
     "hierarchies.age has from without intervals; write intervals, or leave from out"),
    ("age: {auto: auto, delimiter: ;}",
     "hierarchies.age has delimiter without file; write file, or leave delimiter out"),
    ("age: {intervals: [5, 12]}",
     ("hierarchies.age.intervals does not nest: intervals of width 12 would separate what width 5 puts"
      " together; write a larger multiple of 5")),
    ("age: {intervals: [5], bottom: 9, top: 3}",
     "hierarchies.age does not nest: bottom is below top, and 9 is not below 3; change one of them"),
    ("age: {cuts: [[0, 10], [5]]}",
     ("hierarchies.age.cuts does not nest: level 2 cuts at 5, where level 1 does not, so it would"
      " separate what that puts together; add the point there")),
    ("age: {dates: [year, month]}",
     ("hierarchies.age.dates does not nest: the units of dates go from finer to coarser; choose among"
      " day, month, quarter, year, 5 years, decade")),
    ("age: {prefix: [2, 3]}",
     "hierarchies.age.prefix does not nest: the lengths of prefixes fall, and 3 stands behind 2; sort them"),
    ("illness: auto",
     ("hierarchies are for QIDs, and column 'illness' is sensitive; remove it, or add the column to"
      " roles.quasi_identifiers")),
    ("agee: auto", "hierarchies are for QIDs, and column 'agee' has no role; did you mean 'age'?"),
])  # fmt: skip
def test_a_fault_is_one_sentence_at_its_line(written: str, sentence: str) -> None:
    """The rule, the offending value and the remedy, with the line of the column."""
    with pytest.raises(PolicyError) as error:
        parse_policy(TEXT + f"  {written}\n", "p.yaml")
    first = str(error.value).splitlines()[0]
    assert first.startswith(f"p.yaml line 6: {sentence}")


@pytest.mark.parametrize("section", [
    {"age": "automatic"}, {"age": {"intervals": []}}, {"age": {"intervals": ["5"]}},
    {"age": {"cuts": [5]}}, {"age": {"dates": ["week"]}}, {"age": {"prefix": [0]}},
    {"age": {"auto": "best"}}, {"age": {"ready": "icd99"}}, {"age": {"file": ""}},
    {"age": {"file": "a.csv", "delimiter": ";;"}}, {"age": {"unknown": 1}},
    {"age": {"intervals": [5], "top": True}}, ["age"],
])  # fmt: skip
def test_loader_and_schema_refuse_alike(section: Any) -> None:
    """What the schema of an editor underlines the loader refuses."""
    with pytest.raises(PolicyError):
        load_policy({**FIELDS, "hierarchies": section})
    assert not is_valid(section)


@pytest.mark.parametrize("change", [
    {"roles": {"quasi_identifiers": "auto"}}, {"unnamed_columns": "quasi_identifier"},
    {"combinations": [{"name": "c", "quasi_identifiers": ["ward"], "thresholds": FIELDS["thresholds"]}]},
    {"roles": {"quasi_identifiers": ["ward"], "target": "ward"}},
])  # fmt: skip
def test_a_column_that_may_become_a_qid_may_have_a_hierarchy(change: dict[str, Any]) -> None:
    """Recognizers, the default for unnamed columns and other combinations make QIDs too."""
    policy = load_policy({**FIELDS, **change, "hierarchies": {"ward": "auto"}})
    assert "ward" in policy.mentioned_columns
    assert policy.path_of_column("ward")


def test_a_column_of_another_role_may_not_become_one() -> None:
    """With ``auto`` too, a sensitive attribute is no QID."""
    fields = {**FIELDS, "roles": {"quasi_identifiers": "auto", "sensitive": ["ward"]}}
    with pytest.raises(PolicyError, match="column 'ward' is sensitive"):
        load_policy({**fields, "hierarchies": {"ward": "auto"}})
