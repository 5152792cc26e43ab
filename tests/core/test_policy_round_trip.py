"""A policy comes back from its JSON form, and from a text, as it was."""

import base64
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from examples import examples
from policy_texts import fields
from qidguard.policy import StatedEvidence, load_policy, parse_policy, policy_schema
from qidguard.policy.exceptions import PREFIX
from qidguard.policy.nesting import DATE_UNITS

SCHEMA = Draft202012Validator(policy_schema())
LETTERS = st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cn", "Cs", "Zl", "Zp"])
PHRASES = st.text(LETTERS, max_size=20).filter(str.strip)
KEYS = st.binary(min_size=32, max_size=32).filter(any).map(lambda b: PREFIX + base64.b64encode(b).decode())
EXACT = st.one_of(
    st.integers(1, 10**6),
    st.floats(min_value=1e-9, max_value=1e9),
    st.fractions(min_value="1/1000", max_value=1000, max_denominator=10**9).map(str),
)
PARAMETERS = st.dictionaries(
    PHRASES, st.booleans() | PHRASES | st.integers(-9, 9) | st.floats(-1e9, 1e9), max_size=3
)
WORDS = st.text("abc/._%", min_size=1, max_size=8)
POINTS = st.integers(-99, 99) | st.floats(-99, 99)


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return mappings with any of the fields."""
    return st.fixed_dictionaries({}, optional=fields)


RELEASES = some(
    data_set=st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}", fullmatch=True),
    format=st.sampled_from(["csv", "parquet"]),
    drop=st.lists(PHRASES, unique=True, max_size=3),
    keep_order=st.booleans(),
    signature=st.sampled_from(["required", "optional"]),
    signers=st.lists(KEYS, unique=True, max_size=2),
    earlier_releases=st.sampled_from(["judged", "unrelated"]),
    unrelated=st.just([{"data_set": "Ward-2", "reason": "persons of another hospital"}]),
    destination=PHRASES.filter(lambda text: "@" not in text),
)
EXCEPTIONS = some(
    approvers=st.lists(
        st.fixed_dictionaries({"name": PHRASES, "key": KEYS}),
        max_size=2,
        unique_by=(lambda approver: approver["name"], lambda approver: approver["key"]),
    ),
    longest_days=st.integers(1, 366),
)
TEXTS = sorted(set(StatedEvidence.model_fields) - {"data_as_of", "series", "model", "columns"})
POLICIES = st.fixed_dictionaries(
    {
        "qidguard": st.just(1),
        "name": PHRASES,
        "roles": st.just({"quasi_identifiers": ["age"]}),
        "thresholds": st.lists(
            st.fixed_dictionaries(
                {"metric": PHRASES, "at_most": st.floats(-1e9, 1e9)},
                optional={"on_miss": st.sampled_from(["block", "warn"]), "parameters": PARAMETERS},
            ),
            max_size=2,
        ).map(lambda listed: [*listed, {"metric": "k_anonymity", "at_least": 5}]),
    },
    optional={
        "release": RELEASES,
        "remedy": st.fixed_dictionaries({"anonymizer": PHRASES}, optional={"parameters": PARAMETERS}),
        "exceptions": EXCEPTIONS,
        "privacy_budget": st.fixed_dictionaries(
            {"epsilon": EXACT},
            optional={"delta": st.floats(1e-9, 0.999) | st.just("1/7"), "population": PHRASES},
        ),
        "series": some(exit_on=st.just("until"), came_on=st.just("from"))
        .filter(bool)
        .map(lambda series: series | {"left_on": "to"}),
        "accepted": st.lists(
            st.fixed_dictionaries(
                {"columns": st.just(["visit"]), "reason": PHRASES.map(lambda text: f"public anyway {text}")},
                optional={"by": PHRASES, "tells": st.just("age")},
            ),
            max_size=1,
        ),
        "evidence": some(
            **dict.fromkeys(TEXTS, PHRASES),
            data_as_of=st.dates().map(str),
            series=st.sampled_from(["single", "series", "re-release"]),
            model=st.sampled_from(["public", "controlled", "internal"]),
            columns=st.dictionaries(PHRASES, PHRASES, max_size=3),
        ),
    },
).map(lambda fields: _following(fields) if "series" in fields else fields)


def _following(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a policy whose series follows persons, as it has to."""
    release = {k: v for k, v in fields.get("release", {}).items() if k != "earlier_releases"}
    return fields | {"roles": fields["roles"] | {"entity": "person"}, "release": release}


NAMES = st.text("abcdefgh_", min_size=1, max_size=12)
SEARCHES = st.fixed_dictionaries(
    {},
    optional={
        "objective": NAMES
        | st.dictionaries(
            NAMES, st.floats(-1e9, 1e9).filter(bool) | st.integers(1, 9), min_size=1, max_size=3
        ),
        "seed": st.integers(0, 10**15),
        "budget_seconds": st.floats(1e-3, 1e9) | st.integers(1, 99),
        "largest": st.integers(1, 300),
        "prefer_known": st.booleans(),
    },
) | st.fixed_dictionaries(
    {"strategy": NAMES, "parameters": st.dictionaries(NAMES, st.booleans() | st.integers(-9, 9), max_size=3)}
)


def multiples(first: float, times: list[int]) -> list[float]:
    """Return widths that nest."""
    found = [first]
    for time in times:
        found.append(found[-1] * time)
    return found


HIERARCHIES = st.one_of(
    st.just("auto"),
    st.fixed_dictionaries(
        {"file": WORDS}, optional={"delimiter": st.sampled_from(";,|\t"), "encoding": st.just("latin-1")}
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
    st.fixed_dictionaries({"taxonomy": WORDS}),
    st.fixed_dictionaries({"ready": st.sampled_from(["icd9", "us_zip3"])}),
    st.fixed_dictionaries({"auto": st.sampled_from(["auto", "quantiles", "frequency", "similarity"])}),
)


def comes_back(policy: dict[str, Any]) -> None:
    """Hold a policy's fields against what their policy, its forms and a text load to, and the schema."""
    loaded = load_policy(policy)
    forms = loaded.model_dump(mode="json"), loaded.model_dump(), json.loads(loaded.model_dump_json())
    for again in map(load_policy, forms):
        assert (again, again.digest) == (loaded, loaded.digest)
    assert parse_policy(json.dumps(policy, ensure_ascii=False)) == loaded
    assert SCHEMA.is_valid(policy)


@settings(deadline=None)
@given(POLICIES)
def test_any_policy_comes_back(given: dict[str, Any]) -> None:
    """Its JSON form, its Python values and a text, which is YAML, load to it; the schema takes it too."""
    comes_back(given)


@settings(max_examples=examples(40), deadline=None, derandomize=True, database=None)
@given(st.dictionaries(st.sampled_from(["age", "job"]), HIERARCHIES, max_size=2))
def test_any_hierarchies_come_back(section: dict[str, Any]) -> None:
    """In the same three ways, and the schema takes them."""
    comes_back(fields({"quasi_identifiers": ["age", "job"]}, hierarchies=section))


@settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
@given(SEARCHES)
def test_any_discovery_comes_back(section: dict[str, Any]) -> None:
    """In the same three ways, and the schema takes it."""
    comes_back(fields({"quasi_identifiers": "auto"}, discovery=section))
