"""Ready hierarchies: what the data say, that they nest over all codes, and how values are read."""

import random
import re
import string
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hierarchy_columns import numbers, published, texts
from in_turns import in_turns
from qidguard.anonymizing.hierarchy.file import hierarchy_csv
from qidguard.anonymizing.hierarchy.ready import listed_hierarchy, unknown_values
from qidguard.anonymizing.hierarchy.ready.catalog import folded, ready_names, ready_system
from qidguard.anonymizing.hierarchy.ready.data import code_ranges, read_sheet
from qidguard.anonymizing.hierarchy.ready.recognizing import recognize_system
from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.errors import DataError
from qidguard.policy.hierarchies import READY
from qidguard.sdk import load_hierarchy, ready_hierarchy


def digits(*lengths: int) -> Iterator[str]:
    """Yield all texts of so many digits."""
    for length in lengths:
        yield from map("".join, product(string.digits, repeat=length))


def _icd9() -> list[str]:
    starts = [*digits(3), *(f"V{code}" for code in digits(2)), *(f"E{code}" for code in digits(3))]
    return [start + end for start in starts for end in ("", ".1", "12")]


def _coded(system: str, *lengths: int) -> list[str]:
    groups = [code for code, _ in read_sheet(system).groups(ready_system(system).levels[0])]
    return [*digits(*lengths), *groups, "A", "U", "ED0-2", "ED3_4"]


def _written(system: str) -> list[str]:
    return [text for row in read_sheet(system).rows for text in (row[0], *row[-1].split("|"))]


LETTERED = ["C4A.0", "C7A", "C7B", "D3A", "I1A", "M1A", "O9A", "Z3A"]
"""Categories of ICD-10-CM that end in a letter."""


def codes(system: str) -> list[str]:
    """Return all texts that a system may know, and more."""
    letters = [f"{letter}{code}" for letter in string.ascii_uppercase for code in digits(2)]
    ends = ("", "1", "Z", "12", "123")
    made = {
        "us_zip3": lambda: [*digits(3), *(f"{start}01" for start in digits(3))],
        "icd9": _icd9,
        "icd10": lambda: [code + end for code in letters for end in ("", ".1", "9", ".-")],
        "icd10cm": lambda: [*(code + end for code in letters for end in ("", ".1XXA")), *LETTERED],
        "atc": lambda: [code + end for code in ["", *letters] for end in ("A", "AB", "AB01")] + letters,
        "nace": lambda: _coded("nace", 1, 2, 3, 4),
        "isco08": lambda: _coded("isco08", 1, 2, 3, 4),
        "isced": lambda: _coded("isced", 1, 2, 3),
        "de_ags": lambda: _coded("de_ags", 1, 2, 4),
        "nuts": lambda: [place + end for place in ready_system("nuts").members for end in ends],
        "countries": lambda: _written("countries"),
        "us_states": lambda: _written("us_states"),
    }
    return made.get(system, lambda: [*map(str, range(131)), "0.5", "89.9", "90.0"])()


def column(values: list[str]) -> ColumnValues:
    """Return a column of distinct texts."""
    return texts(*dict.fromkeys(values))


def test_a_policy_knows_the_systems_there_are():
    """The names that a policy may write are those of the data."""
    assert ready_names() == READY


@pytest.mark.samples(8)
@pytest.mark.parametrize("system", ready_names())
def test_all_codes_nest_and_a_label_means_one_group(system):
    """Over every code that may be written; no level has a label twice, and what is listed is known."""
    source = ready_system(system)
    found = ready_hierarchy(column(codes(system)), system)
    sizes = [len(set(row.tolist())) for row in found.groups]
    assert sizes == sorted(sizes, reverse=True)
    assert found.levels == len(source.levels) + 2
    for names in found.labels[1:]:
        assert all(len(label or "") <= 100 for label in names)
        assert len(names) == len(set(names))
    assert None not in source.paths(source.members[: len(source.members) or 1])
    assert listed_hierarchy(system).levels >= 2


@pytest.mark.parametrize("system", ready_names())
def test_the_source_is_told(system):
    """Each data file names its publisher, edition and terms; titles are short."""
    source = ready_system(system)
    assert min(map(len, (source.source, source.note, source.license, source.spelling))) > 20
    assert min(map(len, (source.title, source.publisher, source.edition))) > 2
    assert max(map(len, (source.title, source.publisher, source.edition))) <= 20
    folder = Path(__file__).parents[2] / "qidguard/anonymizing/hierarchy/ready"
    assert (folder / f"{system}.csv").stat().st_size < 40_000


COUNTS = {
    "nace": {"section": 21, "division": 88, "group": 272, "class": 615},
    "isco08": {"major group": 10, "sub-major group": 43, "minor group": 130},
    "isced": {"level": 9, "attainment": 3},
    "countries": {"country": 249, "area": 22 + 1, "region": 5 + 1},
    "us_states": {"state": 51 + 5, "division": 9 + 1, "region": 4 + 1},
    "nuts": {"country": 37},
    "de_ags": {"state": 16},
    "icd10": {"chapter": 22},
    "icd9": {"chapter": 17 + 2, "block": 162},
    "icd10cm": {"chapter": 22, "block": 283 + 1},
    "atc": {"anatomical group": 14, "therapeutic group": 94},
    "age_bands_eurostat": {"five years": 18},
    "age_bands_un": {"five years": 21},
    "age_bands_us_census": {"census bands": 23},
    "age_bands_hipaa": {"years": 91},
}
"""System, level → how many groups its publisher counts."""


SHORTENED = {"atc", "nace", "isco08", "isced"}
"""Systems whose codes may be beginnings of codes."""


@pytest.mark.samples(7)
@pytest.mark.parametrize(
    ("system", "level", "count"), [(name, *one) for name, counts in COUNTS.items() for one in counts.items()]
)
def test_groups_are_as_many_as_their_publisher_counts(system, level, count):
    """Chapters, groups and bands are complete."""
    source = ready_system(system)
    place = source.levels.index(level)
    paths = [path for path in source.paths(codes(system)) if path is not None]
    # a code that stands above a level keeps the label of its own level, which is no group of this one
    above = {path[place + 1] for path in paths if place + 1 < len(path)} if system in SHORTENED else set()
    labels = {path[place] for path in paths} - above
    assert len(labels) == count


READINGS = [
    ("icd9", "250.83", "250", "249-259 other endocrine glands, diabetes among them"),
    ("icd9", "25083", "250", "249-259 other endocrine glands, diabetes among them"),
    ("icd9", "5", "005", "001-009 intestinal infectious diseases"),
    ("icd9", "38.9", "038", "030-041 other bacterial diseases"),
    ("icd9", " v45.81 ", "V45", "V40-V49 conditions influencing health status"),
    ("icd9", "e9500", "E950", "E950-E959 suicide and self-inflicted injury"),
    ("icd10", "e11.9", "E11", "E10-E14"),
    ("icd10", "N08.3*", "N08", "N00-N08"),
    ("icd10", "E119", "E11", "E10-E14"),
    ("icd10cm", "E08.9", "E08", "E08-E13 diabetes mellitus"),
    ("icd10cm", "C80.1", "C80", "C76-C80 cancer of ill-defined, other secondary and unspecified sites"),
    ("icd10cm", "D41", "D41", "D37-D48 neoplasms of uncertain behavior"),
    ("icd10cm", "m1a.9xx0", "M1A", "M05-M1A inflammatory polyarthropathies"),
    ("icd10cm", "C4A.9", "C4A", "C43-C4A melanoma and other cancer of skin"),
    ("nace", "1.11", "01.11", "01.1"),
    ("nace", "111", "01.11", "01.1"),
    ("nace", "J62.01.0", "62.01", "62.0"),
    ("nace", "62", "62 computer programming and consultancy", "62 computer programming and consultancy"),
    ("isco08", "2511.0", "251 software developers and analysts", "25 ICT professionals"),
    ("isco08", "110", "011 commissioned armed forces officers", "01 commissioned armed forces officers"),
    ("isco08", "2500", "25 ICT professionals", "25 ICT professionals"),
    ("isced", "ED5-8", "high (5-8)", "high (5-8)"),
    ("isced", "ISCED11_3", "3 upper secondary", "medium (3-4)"),
    ("countries", "de", "Germany", "Western Europe"),
    ("countries", "DEU", "Germany", "Western Europe"),
    ("countries", "4", "Afghanistan", "Southern Asia"),
    ("countries", "The United-States", "United States", "Northern America"),
    ("countries", "cote d'ivoire", "Côte d'Ivoire", "Western Africa"),
    ("us_states", "6.0", "California", "Pacific"),
    ("us_states", "us-ma", "Massachusetts", "New England"),
    ("nuts", "de212", "DE21", "DE2"),
    ("de_ags", "9162000", "09162", "09 Bayern"),
    ("us_zip3", "02138-1234", "02138", "021"),
    ("us_zip3", "2138", "02138", "021"),
    ("us_zip3", "3601.0", "03601", "000"),
    ("us_zip3", "89301", "89301", "000"),
    ("us_zip3", "000", "000", "000"),
    ("atc", "a10ba02", "A10BA", "A10B"),
    ("atc", "A10", "A10 diabetes", "A10 diabetes"),
    ("age_bands_eurostat", "84", "[80, 84]", ">= 80"),
    ("age_bands_eurostat", "85.0", ">= 85", ">= 80"),
    ("age_bands_hipaa", "89", "89", "[85, 89]"),
    ("age_bands_hipaa", "90", ">= 90", ">= 90"),
    ("age_bands_hipaa", "104", ">= 90", ">= 90"),
    ("age_bands_us_census", "17.9", "[15, 17]", "[0, 17]"),
    *(
        (system, written, "other codes", "other codes")
        for system, written in (
            *(("icd9", "019"), ("icd9", "2508345"), ("icd10", "E91"), ("nace", "62.05"), ("isco08", "9999")),
            *(("isced", "9"), ("countries", "Atlantis"), ("nuts", "ZZ1"), ("us_zip3", "123456")),
            *(("atc", "A99AA01"), ("age_bands_un", "-1")),
        )
    ),
]


@pytest.mark.parametrize(("system", "written", "finest", "next_level"), READINGS)
def test_a_value_is_read_as_it_may_be_written(system, written, finest, next_level):
    """With and without a point, in either case, with zeros lost; a typing error is none of the system."""
    # beside a whole code, so that three digits are not taken for a column of beginnings
    found = ready_hierarchy(texts(written, "94103"), system)
    assert [published(found, level)[0] for level in (1, 2)] == [finest, next_level]


RESTRICTED = "000 036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893"


@pytest.mark.parametrize("system", [name for name in ready_names() if name.startswith("age_bands")])
def test_bands_are_published_as_other_intervals_are(system):
    """As [10, 14] and >= 85: a spreadsheet reads 10-14 as a day of October."""
    made = ready_hierarchy(column(codes(system)), system)
    labels = {label for names in made.labels[1:-1] for label in names if label not in {None, "other codes"}}
    assert {label for label in labels if not re.fullmatch(r"\[\d+, \d+\]|>= \d+|\d+", str(label))} == set()


def test_the_restricted_areas_of_the_safe_harbor():
    """Of all beginnings of ZIP codes 17, and 000 itself, become 000 and stay so."""
    found = ready_hierarchy(texts(*digits(3)), "us_zip3")
    hidden = [start for start, label in zip(digits(3), published(found, 2), strict=True) if label == "000"]
    assert hidden == RESTRICTED.split()
    above = zip(published(found, 2), published(found, 3), strict=True)
    assert {label for start, label in above if start == "000"} == {"000"}


@pytest.mark.parametrize("system", ["countries", "us_states"])
def test_each_way_to_write_a_name_means_one(system):
    """No code or name stands for two members, without regard to case, accents and articles."""
    meant: dict[str, str] = {}
    for row in read_sheet(system).rows:
        for text in (row[0], *row[-1].split("|")):
            assert folded(text)
            assert meant.setdefault(folded(text), row[0]) == row[0]


@pytest.mark.parametrize("system", [name for name in ready_names() if len(read_sheet(name).rows[0]) == 3])
def test_ranges_of_a_level_do_not_overlap(system):
    """Each code is in one range, and in the ranges of a coarser level with its whole range."""
    for level in ready_system(system).levels:
        if system.startswith("age_bands"):
            continue
        ranges = code_ranges(list(read_sheet(system).groups(level)))
        assert all(high < low for high, low in zip(ranges.highs, ranges.lows[1:], strict=False))
        assert all(low <= high for low, high in zip(ranges.lows, ranges.highs, strict=True))


WRITTEN = st.text("0123456789.-+_* \tAEVabcdefz\u0663\u00b2\u00df\u0130", max_size=9) | st.text(max_size=9)


@settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
@given(st.sampled_from(ready_names()), st.lists(WRITTEN, min_size=1, max_size=8, unique=True))
def test_any_text_is_a_member_or_one_of_the_other_codes(system, values):
    """Nothing crashes, levels nest, and no label repeats a text that is no code."""
    found = ready_hierarchy(texts(*values), system)
    known = ready_system(system).paths(values)
    for value, path, label in zip(values, known, published(found, 1), strict=True):
        assert label == ("*" if value == "*" else path[0] if path else "other codes")
    recognize_system(texts(*values))


@pytest.mark.parametrize("system", ready_names())
def test_a_ready_hierarchy_is_a_file_like_another(system, tmp_path):
    """What is written for people to edit is read as the same levels."""
    values = column([*ready_system(system).members[:40], "no code"])
    made = ready_hierarchy(values, system)
    path = tmp_path / "made.csv"
    path.write_text(hierarchy_csv(made), encoding="utf-8")
    read = load_hierarchy(path, values)
    assert read.labels == made.labels
    assert read.groups.tolist() == made.groups.tolist()


def test_unknown_codes_stay_apart_and_are_counted():
    """They are a group of their own below the top, and the mark stays the mark."""
    found = ready_hierarchy(texts("250.01", "patient-7", "typo", "*"), "icd9")
    for level in (1, 2, 3):
        assert published(found, level)[1:] == ["other codes", "other codes", "*"]
    assert published(found, 4) == ["*"] * 4
    assert (found.origin, unknown_values(found)) == ("icd9", 2)
    assert "patient" not in repr(found.labels[1:])


def test_numbers_are_read_as_they_are_written_and_an_empty_column_has_its_levels():
    """NaN does not crash; NULL stays apart; without a value there is no group but that of NULL."""
    found = ready_hierarchy(numbers(36.5, "nan", "inf", 91, kind=ValueType.NUMBER), "age_bands_hipaa")
    assert published(found, 2) == ["[35, 39]", "other codes", "other codes", ">= 90"]
    assert found.labels[2][0] is None
    empty = ColumnValues(
        name="c", value_type=ValueType.EMPTY, codes=np.zeros(3, dtype=np.int32), texts=(None,)
    )
    assert (ready_hierarchy(empty, "icd9").levels, recognize_system(empty)) == (5, None)


def test_an_unknown_system_is_one_sentence():
    """What was probably meant is said."""
    with pytest.raises(DataError, match="there is no ready hierarchy 'idc9'; did you mean 'icd9'"):
        ready_hierarchy(texts("1"), "idc9")


@pytest.mark.clock
def test_only_distinct_values_are_read():
    """A million records of 10,000 codes take hardly longer than 10,000: each code is read once."""
    few = texts(*(f"{code}.{end}" for code in digits(3) for end in digits(1)), name="diag")
    codes = np.random.default_rng(1).integers(1, len(few.texts), 1_000_000).astype(np.int32)
    many = replace(few, codes=codes)

    def read(values: ColumnValues) -> None:
        ready_hierarchy(values, "icd9")
        recognize_system(values)

    seconds_of_few, seconds_of_many = in_turns(lambda: read(few), lambda: read(many))
    assert seconds_of_many < 3 * seconds_of_few


def some(pattern: str, count: int = 200, seed: int = 1) -> list[str]:
    """Return texts: ``#`` is a digit, ``@`` a capital letter."""
    draw = random.Random(seed)  # noqa: S311 - made-up values
    kinds = {"#": string.digits, "@": string.ascii_uppercase}
    return ["".join(draw.choice(kinds.get(sign, sign)) for sign in pattern) for _ in range(count)]


RECOGNIZED = [
    ("countries", "native-country", ["United-States", "Mexico", "?", "Philippines", "Germany"]),
    ("countries", "country", ["DE", "FR", "IT", "US"]),
    ("countries", "c", [row[-1].split("|")[1] for row in read_sheet("countries").rows]),
    ("us_states", "state", ["CA", "NY", "DE", "AL"]),
    ("us_states", "c", [row[0] for row in read_sheet("us_states").rows]),
    ("nace", "c", [label for _, label in read_sheet("nace").groups("class")]),
    ("nace", "nace_code", ["62.01", "01.11", "85"]),
    ("isco08", "ISCO-08", ["2511", "110", "9621"]),
    ("isced", "isced", ["0", "3", "5"]),
    ("nuts", "nuts2", ["DE21", "FR10", "ITC4"]),
    ("de_ags", "AGS", ["09162000", "01001000"]),
    ("icd9", "diag_1", ["250.01", "401", "V45", "?"]),
    (
        "icd9",
        "x",
        ["V45", "E950.1", *(f"{code}.1" for code in ready_system("icd9").members if code.isdecimal())],
    ),
    ("icd10cm", "dx", ["E11.9", "V00.1", "C7A.0", "Z68.1", "I10"]),
    ("icd10", "icdCode", ["E11.9", "I10", "Z99.2"]),
    ("icd10", "x", [f"{code}.1" for code in ready_system("icd10").members]),
    ("atc", "x", [f"A10{a}{b}0{i}" for a, b in pairwise("ABCDEF") for i in range(5)]),
    ("us_zip3", "ZIP", some("#####")),
    ("us_zip3", "zip_code", some("###")),
    # random numbers, plates and seats are no codes of a system, nor are small numbers with a name
    *(
        (None, name, some(pattern))
        for name, pattern in (
            *(("lab", "###"), ("value", "###.#"), ("weight", "##.#"), ("id", "#####"), ("seat", "@##")),
            *(("product", "@##.#"), ("license_plate", "@##@@##"), ("plz", "#####"), ("price", "##.##")),
            *(("isco", "####"), ("land_area", "####")),
        )
    ),
    *((None, name, [str(i) for i in range(1, 17)]) for name in ("diag_count", "number_diagnoses")),
    (None, "zip", ["SW1A 1AA", "M1 1AE", "EH1 1YZ"]),
    (None, "year", [str(year) for year in range(1950, 2020)]),
    (None, "diag", ["flu", "cold", "asthma"]),
    (None, "state", ["1", "2", "3", "4"]),
    (None, "status", ["CA", "DE", "IN", "AL", "MA", "GA", "CO", "PA", "SC", "ID", "LA", "MD"]),
    (None, "country", ["red", "green", "blue"]),
    (None, "name", ["Georgia", "Jordan", "Chad", "Virginia", "Paris"]),
    (None, "name", ["Georgia", "Jordan", "Chad"]),
    *((None, "c", values) for values in (["f", "m"], ["?", "NA"])),
]


@pytest.mark.parametrize(("system", "name", "values"), RECOGNIZED, ids=lambda given: str(given)[:24])
def test_a_system_is_recognized_and_what_is_not_sure_is_not(system, name, values):
    """By the column's name and values, or by values that look like nothing else."""
    assert recognize_system(texts(*dict.fromkeys(values), name=name)) == system
