"""The data dictionary beside a published CSV says what its readers need: types, marks, methods and levels."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from releases import Place, once, people, policy, verified

ROLES = {
    "quasi_identifiers": ["age", "plz", "sex"],
    "sensitive": ["illness"],
    "insensitive": ["weight", "day"],
}
TYPES = {"integer": "Int64", "number": "float64", "string": "string", "any": "string"}


def table() -> pd.DataFrame:
    """Return 300 records with ages, codes with a zero in front, measures and days."""
    draw = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": draw.integers(18, 90, 300),
            "plz": [f"0{code}" for code in draw.integers(1000, 1030, 300)],
            "sex": draw.choice(["f", "m"], 300),
            "weight": draw.choice([50.5, 60.0, 70.5], 300),
            "day": draw.choice(["2020-01-01", "2020-05-07"], 300),
            "illness": draw.choice(["flu", "asthma", "none"], 300),
        }
    )


def released(folder, anonymizer, source=None, **roles):
    """Release a table after a method, the one above if no other, and return the folder."""
    (table() if source is None else source).to_csv(folder / "ward.csv", index=False)
    rules = once(
        roles=roles or ROLES,
        hierarchies={} if roles else {"age": {"intervals": [5, 10, 20]}, "plz": {"prefix": [4, 3, 2]}},
        remedy={"anonymizer": anonymizer},
        release={"data_set": "Ward", "earlier_releases": "unrelated"},
    )
    made = Place(folder).release(str(folder / "ward.csv"), rules)
    return Path(str(made.address))


def numbers(told: object) -> list[object]:
    """Return all that is no object and no list of a document of JSON."""
    if isinstance(told, dict | list):
        return [one for part in (told.values() if isinstance(told, dict) else told) for one in numbers(part)]
    return [told]


def fields(folder: Path) -> dict[str, dict[str, object]]:
    """Return the described columns of a release by name."""
    described = json.loads((folder / "datapackage.json").read_text())
    [resource] = described["resources"]
    return {field["name"]: field for field in resource["schema"]["fields"]}


@pytest.mark.slow
def test_a_reader_gets_the_types_that_the_dictionary_names(tmp_path):
    """Read by the dictionary, numbers are numbers, days are days, and a zero in front of a code stays."""
    folder = released(tmp_path, "full_domain[most_suppressed=0.2]")
    told = fields(folder)
    expected = dict.fromkeys(("age", "plz", "sex", "illness"), "string") | {"weight": "number", "day": "date"}
    assert {name: field["type"] for name, field in told.items()} == expected
    found = pd.read_csv(
        folder / "Ward.csv",
        dtype={name: TYPES[str(f["type"])] for name, f in told.items() if f["type"] != "date"},
        parse_dates=["day"],
    )
    assert set(found["weight"]) == {50.5, 60.0, 70.5}
    assert found["day"].dt.year.eq(2020).all()
    assert found["plz"].str.startswith("01").all()


@pytest.mark.slow
@pytest.mark.parametrize(("anonymizer", "technique", "hierarchy"), [
    ("full_domain[most_suppressed=0.2]", "generalization", "intervals"),
    ("mdav", "perturbation", None),
    ("local_suppression", "suppression", None),
])  # fmt: skip
def test_what_was_done_to_a_column_is_found_in_its_cells(tmp_path, anonymizer, technique, hierarchy):
    """The technique is told of a column that changed, with the method, and of no other column.

    The level of the declared hierarchy is told where every value is of one, and a number of records nowhere.
    """
    folder = released(tmp_path, anonymizer)
    age, weight = fields(folder)["age"], fields(folder)["weight"]
    assert (age["qidguard:techniques"], age["qidguard:method"]) == ([technique], anonymizer.partition("[")[0])
    assert "qidguard:techniques" not in weight
    if hierarchy:
        [level] = age["qidguard:levels"]
        assert (age["qidguard:hierarchy"], level in {1, 2, 3, 4}) == (hierarchy, True)
    assert 300 not in numbers(json.loads((folder / "datapackage.json").read_text()))


@pytest.mark.slow
def test_suppressed_numbers_stay_numbers(tmp_path):
    """A column of numbers with a suppressed cell is of numbers, and the mark is one of its missing values."""
    source = pd.concat([people(), people(1, 1, first=50).assign(age=99)])
    folder = released(tmp_path, "local_suppression", source, **policy()["roles"])
    age = fields(folder)["age"]
    assert (age["type"], age["missingValues"]) == ("integer", ["", "*"])
    assert verified(folder) == ()


@pytest.mark.slow
def test_the_dictionary_is_part_of_what_is_verified(tmp_path):
    """The manifest lists it after the table, and a changed dictionary is no release."""
    folder = released(tmp_path, "mdav")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [file["name"] for file in manifest["files"]] == ["Ward.csv", "datapackage.json"]
    described = folder / "datapackage.json"
    described.write_text(described.read_text().replace("number", "string"))
    assert any("datapackage.json" in fault for fault in verified(folder))


def test_a_family_of_codes_is_no_other_value(tmp_path):
    """A code that stands for its family, as I10 does for I10.9, is a generalization and tells its level."""
    draw = np.random.default_rng(0)
    codes = draw.choice(["I10", "I10.9", "E11", "E11.2", "E11.6", "J45", "J45.0"], 300)
    codes[:3] = ["I10.1", "E11.1", "J45.1"]
    source = pd.DataFrame({"icd10": codes, "illness": draw.choice(["a", "b"], 300)})
    roles = {"quasi_identifiers": ["icd10"], "sensitive": ["illness"]}
    folder = released(tmp_path, "full_domain[most_suppressed=0]", source, **roles)
    assert set(pd.read_csv(folder / "Ward.csv")["icd10"]) == {"I10", "E11", "J45"}
    told = fields(folder)["icd10"]
    assert (told["qidguard:techniques"], told["qidguard:levels"]) == (["generalization"], [1])
