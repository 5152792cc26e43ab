"""``qidguard hierarchy``: what is drawn of a file, of a policy and of a table, and files to edit."""

from itertools import pairwise
from pathlib import Path

import pytest

from hierarchy_columns import numbers, texts
from qidguard.anonymizing.hierarchy.ready.catalog import ready_names
from qidguard.interfaces.hierarchy_plot import hierarchy_plot
from qidguard.sdk import automatic_hierarchy

AGES = "30;30-39;*\n41;40-49;*\n99;90-99;*\n"
POLICY = """\
qidguard: 1
name: clinic
roles:
  quasi_identifiers: [sex, age, city]
  insensitive: [illness]
thresholds: [{metric: k_anonymity, at_least: 2}]
hierarchies:
  age: {file: age.csv}
  city: auto
"""

PLACE = "Column city holds places (place): its name has 'city' (place of residence).\n"


@pytest.fixture
def ages(tmp_path) -> str:
    """Return the name of a hierarchy file."""
    (tmp_path / "age.csv").write_text(AGES, encoding="utf-8")
    return "age.csv"


@pytest.fixture
def policy(tmp_path, ages) -> str:
    """Return the name of a policy with a file and an automatic hierarchy."""
    assert (tmp_path / ages).is_file()
    (tmp_path / "p.yaml").write_text(POLICY, encoding="utf-8")
    return "p.yaml"


def lines(text: str) -> list[str]:
    """Return the lines that say something, without their margins."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_a_file_is_drawn_as_a_tree(run, ages):
    """Levels with their groups, and every label of the file."""
    code, out, err = run("hierarchy", "show", ages)
    assert (code, err) == (0, "")
    assert lines(out) == [
        "age: 3 levels, from file",
        "level   groups   values a group",
        "─" * 33,
        "0        3                1",
        "1        3                1",
        "2        1                3",
        "*  3 values",
        "├── 30-39",
        "│   └── 30",
        "├── 40-49",
        "│   └── 41",
        "└── 90-99",
        "└── 99",
    ]


def test_ready_systems_are_listed_and_shown(run):
    """Each with what it groups; one with its source, terms and groups, and members where all is one group."""
    code, out, err = run("hierarchy", "ready")
    assert (code, err, [name for name in ready_names() if name not in out]) == (0, "", [])
    code, out, err = run("hierarchy", "ready", "icd9", "--most", "1")
    assert (code, err, lines(out)[0]) == (0, "", "icd9: diagnoses, ICD-9-CM")
    assert "license: a work of the US government, in the public domain; titles shortened" in out
    assert lines(out)[-4:] == [
        "├── 001-139 infectious and parasitic diseases  16 values",
        "│   ├── 001-009 intestinal infectious diseases",
        "│   └── and 15 more",
        "└── and 18 more",
    ]
    out = run("hierarchy", "ready", "us_zip3", "--most", "30")[1]
    assert "edition: 2000 census" in out
    assert {"036", "692", "893"} <= {line.strip("│├└─ ") for line in lines(out)}


def test_a_ready_hierarchy_shows_its_groups_and_no_value(run, policy, table, secret):
    """Without a table the system itself; with one the sizes of its levels and how many values are unknown."""
    rules = Path(policy)
    rules.write_text(rules.read_text(encoding="utf-8") + "  sex: {ready: icd9}\n", encoding="utf-8")
    code, out, _ = run("hierarchy", "show", "--policy", policy, "--column", "sex")
    assert (code, "sex: 3 levels, from icd9" in out) == (0, True)
    code, out, err = run("hierarchy", "show", table, "--policy", policy, "--column", "sex")
    assert (code, err) == (0, "Not in icd9, so published as other codes: 2 distinct values.\n")
    found = [words in out for words in ("sex: 5 levels, from icd9", "neoplasms", secret)]
    assert found == [True, True, False]


def test_long_branches_are_cut(run, ages):
    """``--most`` groups are shown of each, and the others counted."""
    out = run("hierarchy", "show", ages, "--most", "1")[1]
    assert lines(out)[-3:] == ["├── 30-39", "│   └── 30", "└── and 2 more"]


def test_a_policy_without_a_table_shows_its_files(run, policy):
    """What is made from a table is left out; asked for by name it needs one."""
    code, out, _ = run("hierarchy", "show", "--policy", policy)
    assert (code, "age: 3 levels, from file" in out, "city" in out) == (0, True, False)
    expected = "Error: the hierarchy of column 'city' is made from the table, so it needs one; name DATA\n"
    assert run("hierarchy", "show", "--policy", policy, "--column", "city")[::2] == (2, expected)


def test_a_table_gives_counts_and_values_only_when_asked_for(run, policy, table, secret):
    """Labels of the file may be read, those of the table not; what has no hierarchy gets one."""
    arguments = ("hierarchy", "show", table, "--policy", policy)
    code, out, err = run(*arguments)
    left_out = "Labels made of the table's values are left out; --show-values shows them.\n"
    assert (code, err) == (0, PLACE + left_out)
    sizes = ["2", "1", "2", "to", "6"]
    assert [line.split() for line in lines(out)[3:5]] == [["0", *sizes], ["1", *sizes]]
    words = ("city: 2 levels, from automatic (place: too few", "30-39", "Basel", secret)
    assert [one in out for one in words] == [True, True, False, False]
    code, out, err = run(*arguments, "--column", "city", "--show-values")
    assert (code, err) == (0, PLACE)
    assert lines(out)[-3:] == ["*  2 values, 8 records", "├── Basel  7 records", f"└── {secret}  1 records"]
    assert "sex: 2 levels, from automatic (nominal: too few" in run(*arguments, "--column", "sex")[1]


@pytest.mark.slow
def test_a_made_file_is_loaded_again(run, table, policy, tmp_path):
    """What ``make`` writes a policy may name, and it says on standard error what the file holds."""
    code, out, err = run(
        "hierarchy", "make", table, "--column", "age", "--kind", "intervals", "--levels", "5,10"
    )
    assert (code, out) == (0, "30;[30, 34];[30, 39];*\n41;[40, 44];[40, 49];*\n")
    assert err == "The file holds the 2 values of column age: it is as confidential as the table.\n"
    (tmp_path / "age.csv").write_text(out, encoding="utf-8")
    assert "age: 4 levels, from file" in run("hierarchy", "show", table, "--policy", policy)[1]


@pytest.mark.samples(2)
@pytest.mark.parametrize(("options", "first"), [
    ("sex", "f;*"),
    ("age --kind cuts --levels 0,40,50/0,50", "30;[0, 39];[0, 49];*"),
    ("age --kind prefix --levels 1", "30;3*;*"),
    ("age --kind ready --system age_bands_un", "30;[30, 34];[25, 64];[15, 64];*"),
    ("age --kind intervals --levels 0.5", "30;[30.0, 30.5);*"),
    ("age --kind intervals --levels 10 --from 5 --top 40", "30;[25, 34];*"),
])  # fmt: skip
def test_every_kind_is_made(run, table, options, first):
    """The first row of what is written."""
    code, out, _ = run("hierarchy", "make", table, "--column", *options.split())
    assert (code, out.splitlines()[0]) == (0, first)


@pytest.mark.samples(6)
@pytest.mark.parametrize(("arguments", "sentence"), [
    ("show", "name a hierarchy file, or a policy with --policy"),
    ("show gone.csv", "there is no hierarchy file gone.csv; check its path"),
    ("show age.csv --plot a.pdf", "--plot writes .svg, .png or .html, not '.pdf'; name one"),
    ("show table.csv --policy p.yaml --plot a.svg", "--plot draws one column, and there are 2; name one"),
    ("show table.csv --policy p.yaml -c nope", "the table has no column 'nope'"),
    ("make table.csv -c age --kind prefix", "--kind prefix needs --levels, such as 4,3,2"),
    ("make table.csv -c age --levels 5", "--kind auto has its own levels; leave"),
    ("make table.csv -c age --kind ready", "--kind ready and --system belong together;"),
    ("make table.csv -c age --system icd9", "--kind ready and --system belong together;"),
    ("make table.csv -c age --kind ready --system idc9", "no ready hierarchy 'idc9'; did you mean 'icd9'?"),
    ("ready qqq", "there is no ready hierarchy 'qqq'; see qidguard hierarchy ready"),
    ("make table.csv -c age --kind intervals --levels a", "--levels takes numbers with commas between"),
    ("make table.csv -c age --top 9", "--from, --bottom and --top belong to --kind"),
    ("make table.csv -c age --written %d", "--written belongs to --kind dates; leave"),
    ("make table.csv -c illness --kind dates", "3 of the 3 values of column 'illness' are no dates in a"),
])  # fmt: skip
@pytest.mark.usefixtures("table", "policy")
def test_a_mistake_is_one_sentence(run, secret, arguments, sentence):
    """Exit code 2, and no value of the table."""
    code, out, err = run("hierarchy", *arguments.split())
    assert (code, out, err[:7], secret in err) == (2, "", "Error: ", False)
    assert sentence in err


@pytest.mark.slow
def test_a_picture_is_written(run, ages, policy, table, secret, tmp_path):
    """SVG with the labels of the file; of a table no label, and no value."""
    assert run("hierarchy", "show", ages, "--plot", "a.svg")[::2] == (0, "a.svg\n")
    run("hierarchy", "show", table, "--policy", policy, "--column", "city", "--plot", "b.svg")
    shown, hidden = ((tmp_path / name).read_text(encoding="utf-8") for name in ("a.svg", "b.svg"))
    assert [words in shown for words in ("Generalization hierarchy of age", "30-39")] == [True, True]
    assert [words in hidden for words in (secret, "Basel")] == [False, False]


def test_blocks_of_a_picture_stand_below_their_group():
    """Every level covers the whole width, and no block reaches over the block above it."""
    found = automatic_hierarchy(texts(*"abcdefghij", counts=(1, 9) * 5))
    drawn = hierarchy_plot(found).vega_lite
    blocks = drawn["data"]["values"]
    levels = sorted({block["level"] for block in blocks})
    for level in levels:
        row = sorted((b["from"], b["to"]) for b in blocks if b["level"] == level)
        assert len(row) == len(found.labels[level]) - (level < found.levels - 1)
        assert row[0][0] == 0
        assert row[-1][1] == 10
        assert all(one[1] == other[0] for one, other in pairwise(row))
        above = {edge for b in blocks if b["level"] == level + 1 for edge in (b["from"], b["to"])}
        assert above <= {edge for block in row for edge in block}


def test_a_picture_of_many_values_leaves_fine_levels_out():
    """At most 3,000 blocks are drawn, and the text alternative says what is missing."""
    plot = hierarchy_plot(automatic_hierarchy(numbers(*range(10_000))))
    assert len(plot.vega_lite["data"]["values"]) <= 3_000
    assert "have too many groups to be drawn" in plot.alternative
