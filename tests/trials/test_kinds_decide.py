"""The kind of a column decides how a method generalizes it: what comes out is opened as its reader would."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hierarchy_columns import numbers, texts
from qidguard import anonymize
from qidguard.anonymizing.declared import LabelHierarchies
from qidguard.core.kind import ColumnKind
from qidguard.sdk import automatic_hierarchy, k_anonymity_task, records_of, rehearse

RANGE_OF_NUMBERS = re.compile(r"[\[(]-?\d.*\d[\])]")
QIDS = ["zip", "age_group", "country", "age"]


def people():
    """Return 400 persons with postcodes as numbers, which have lost zeros, and with bands of ages."""
    draw = np.random.default_rng(5)
    starts = draw.integers(0, 9, 400) * 10
    zips = draw.choice([2115, 2116, 10001, 10002, 91301, 91304, 91701], 400)
    countries = draw.choice(["France", "Germany", "Spain", "Japan"], 400)
    bands = [f"[{start}-{start + 10})" for start in starts]
    ages = starts + draw.integers(0, 10, 400)
    return pd.DataFrame({"zip": zips, "age_group": bands, "country": countries, "age": ages, "note": "x"})


def published(table, method, tmp_path, qids=QIDS, kinds="", arguments=""):
    """Return what a method publishes, read from its file as texts."""
    rules = tmp_path / "p.yaml"
    rules.write_text(
        f"qidguard: 1\nname: p\nroles: {{quasi_identifiers: [{', '.join(qids)}]}}\n"
        f"unnamed_columns: insensitive\nremedy: {{anonymizer: {method}{arguments}}}\n{kinds}"
        "thresholds:\n- {metric: k_anonymity, at_least: 5}\n",
        encoding="utf-8",
    )
    with anonymize(table, policy=str(rules), seed=1) as trial:
        path = tmp_path / "out.csv"
        trial.write(str(path))
    return pd.read_csv(path, dtype=str, keep_default_na=False)


@pytest.mark.parametrize(
    "method",
    ["mdav", *(pytest.param(m, marks=pytest.mark.slow) for m in ("local_recoding", "mondrian", "k_member"))],
)
def test_postcodes_are_neither_ranges_nor_means(method, tmp_path):
    """Whatever the method: a postcode, its first digits, a short set or the mark; no numbered group."""
    table = people()
    out = published(table, method, tmp_path)
    known = {str(code) for code in table["zip"].unique()}
    for cell in out["zip"].unique():
        members = cell.strip("{}").split(", ")
        assert set(members) <= known or re.fullmatch(r"\d{1,5}\**|\*", cell)
        assert not RANGE_OF_NUMBERS.fullmatch(cell)
    assert not out.apply(lambda cells: cells.str.contains(r"group \d+ of")).any().any()


@pytest.mark.slow
def test_bands_become_wider_bands_and_places_regions(tmp_path):
    """A full-domain table reads as one that a person recoded."""
    out = published(people(), "full_domain", tmp_path)
    shown = {name: set(out[name]) for name in out.columns}
    assert all(re.fullmatch(r"\[\d+-\d+\)|\*", cell) for cell in shown["age_group"])
    assert len({len(cell) for cell in shown["zip"]}) == 1
    assert all(re.fullmatch(r"\d+\**|\*", cell) for cell in shown["zip"])


@pytest.mark.slow
def test_a_policy_states_the_kind(tmp_path):
    """Numbers that a policy calls nominal are never put in a range."""
    table = people().rename(columns={"age": "v"})[["v"]]
    named = published(table, "full_domain", tmp_path, ["v"], kinds="kinds: {v: nominal}\n")
    assert not named["v"].str.fullmatch(RANGE_OF_NUMBERS.pattern).any()


def test_records_in_memory_know_kinds_through_a_sample():
    """A rehearsal of codes shows no mean of them."""
    held = records_of(people(), ["zip"]).of_kinds({"zip": ColumnKind.PLACE})
    assert held.sample(200, 1).column("zip").kind is ColumnKind.PLACE
    done = rehearse(held, "mdav", k_anonymity_task(5, ["zip"]))
    assert set(done.column("zip").texts) <= {*held.column("zip").texts, "*"}


class Source:
    """One column as a table."""

    def __init__(self, column):
        self.names, self.records, self._column = (column.name,), column.records, column

    def column(self, name):
        """Return the column."""
        assert name == self._column.name
        return self._column


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (numbers(2115, 2116, 2210, 10001, 10002, name="zip"), ColumnKind.PLACE),
        (texts("250", "250.01", "251", "V57", "8", name="x"), ColumnKind.CODE),
        (texts(*"abcdefgh", name="x"), ColumnKind.NOMINAL),
    ],
)
def test_what_is_published_is_read_as_what_it_stands_for(column, kind):
    """The digits of a group of codes are no number, and a mask holds codes of any length."""
    before = replace(column, kind=kind)
    made = automatic_hierarchy(before)
    labels = [made.labels[1][group] for group in made.groups[1][before.codes]]
    order = sorted(set(labels))
    after = replace(texts(*order, name=column.name), codes=np.array([1 + order.index(x) for x in labels]))
    found = LabelHierarchies({}, Source(before), Source(after), "*")
    assert found[column.name].labels == made.labels


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.timeout(120)
@pytest.mark.parametrize("method", ["full_domain", "local_recoding"])
def test_diagnoses_of_a_hospital_are_published_by_their_chapters(method, data, tmp_path):
    """20,000 stays: ICD-9 by chapters, ages in wider bands, integer codes as themselves or others."""
    table = pd.read_csv(data / "hospital/diabetic_data.csv", dtype=str, nrows=20_000)
    qids = ["age", "race", "discharge_disposition_id", "diag_1", "num_medications"]
    out = published(table[qids], method, tmp_path, qids)
    assert any("circulatory" in cell for cell in out["diag_1"].unique())
    assert all(re.fullmatch(r"\[\d+-\d+\)|\*", cell) for cell in out["age"].unique())
    assert not out["discharge_disposition_id"].str.fullmatch(RANGE_OF_NUMBERS.pattern).any()
    assert not out.apply(lambda cells: cells.str.contains(r"group \d+ of")).any().any()
    assert (out.groupby(qids).size() >= 5).all()
