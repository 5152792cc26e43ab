"""From the command line: fixed levels make a table meet its policy, or block with a count."""

import pytest

POLICY = """qidguard: 1
name: clinic
roles:
  quasi_identifiers: [sex, age]
  sensitive: [illness]
  direct_identifiers: [city]
thresholds:
  - {{metric: k_anonymity, at_least: 3}}
hierarchies:
  age: {{intervals: [20, 40]}}
"""
REMEDY = "remedy: {{recode: {{age: 1, sex: drop}}, suppress: 0.25}}\nrelease: {{destination: out}}\n"


@pytest.mark.slow
def test_levels_on_the_command_line_write_a_table(run, table, write_policy, tmp_path):
    """Exit 0; the receipt tells the levels; a dropped column is not in the file."""
    rules = write_policy(text=POLICY)
    asked = ("--recode", "age=1,sex=drop", "--suppress", "0.25", "--to", "safe.csv")
    code, out, _ = run("anonymize", table, "-p", rules, *asked)
    assert code == 0
    assert "recode, fixed levels (levels={age: 1, sex: drop}, suppress=0.25)" in out
    assert "not published: sex" in out
    assert "note: levels: age 1 of 3, sex not published" in out
    assert (tmp_path / "safe.csv").read_text(encoding="utf-8").splitlines()[:2] == [
        "age,illness",
        '"[20, 39]",flu',
    ]


@pytest.mark.slow
def test_more_than_may_be_left_out_blocks_with_a_count(run, table, write_policy, tmp_path):
    """Two men of 41 are a quarter; with 25 % allowed they are left out, with less nothing is written."""
    rules = write_policy(text=POLICY)
    asked = ("anonymize", table, "-p", rules, "--recode", "sex=0", "--to", "safe.csv")
    code, out, _ = run(*asked, "--suppress", "0.2")
    assert code == 1
    assert "2 of 8 records (25 %) stand in classes that miss a limit, above suppress = 20 %" in " ".join(
        out.split()
    )
    assert not (tmp_path / "safe.csv").exists()
    code, out, _ = run(*asked, "--suppress", "0.25")
    assert code == 0
    assert "2 of 8 records suppressed" in out


@pytest.mark.slow
def test_a_release_by_the_policys_levels_is_recorded_and_published(run, table, write_policy, tmp_path):
    """Checked, released, shown: the record tells the levels, and which column is not there."""
    rules = write_policy(text=POLICY + REMEDY)
    assert run("policy", "check", rules, table)[0] == 0
    code, told, err = run("release", table, "--policy", rules)
    assert code == 0, err
    [published] = (tmp_path / "out").rglob("table.csv")
    assert published.read_text(encoding="utf-8").splitlines()[0] == "age,illness"
    audit_id = next(word for word in told.split() if word.startswith("audit-"))
    code, out, _ = run("show", audit_id)
    assert code == 0
    assert "not published: sex" in out
    assert "technique: removed (dropped by the remedy)" in out


@pytest.mark.parametrize(("arguments", "expected"), [
    (("--recode", "age"), "--recode: 'age' must be COLUMN=LEVEL, such as age=2, or COLUMN=drop"),
    (("--recode", "age=1,age=2"), "--recode names 'age' twice; keep one of them"),
    (("--recode", "age=1", "--anonymizer", "mondrian"), "An anonymizer and recode are both given;"),
    (("--recode", "age=1", "--pareto"), "Fixed levels are one solution, so --pareto and --recode"),
    (("--suppress", "0.1"), "suppress goes with recode"),
    (("--recode", "age=1", "--suppress", "1"), "suppress must be at least 0 and below 1, not 1"),
    (("--recode", "city=drop"), "recode is for QIDs, and column 'city' is a direct identifier; remove"),
])  # fmt: skip
def test_a_mistake_is_exit_2_before_the_table_is_read(run, write_policy, arguments, expected):
    """There is no table; the mistake is told first."""
    rules = write_policy(text=POLICY)
    code, _, err = run("anonymize", "none.csv", "-p", rules, *arguments)
    assert (code, expected in " ".join(err.split())) == (2, True), err
