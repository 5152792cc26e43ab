"""What a policy has read beside its table: nothing may be written over it."""

from pathlib import Path

import pytest

from qidguard import UserError
from qidguard.policy import Policy, parse_policy
from qidguard.trials.read_places import other_sources
from qidguard.trials.table_file import open_table_file

HEAD = "qidguard: 1\nname: p\npreset: pdpc-sg-5\nroles: {quasi_identifiers: [age, sex, job]}\n"
MORE = """\
source: {path: table.csv}
population: {path: census.csv}
hierarchies:
  age: {file: levels/age.csv}
  sex: {file: levels/age.csv}
  job: {taxonomy: levels/job.csv}
"""


@pytest.fixture
def rules(tmp_path, monkeypatch) -> Policy:
    """Return a policy in the folder ``rules`` of the current one, beside its files."""
    (tmp_path / "rules" / "levels").mkdir(parents=True)
    for name in ("census.csv", "levels/age.csv", "levels/job.csv"):
        (tmp_path / "rules" / name).write_text("x;*\n", encoding="utf-8")
    (tmp_path / "alias").symlink_to(tmp_path / "rules")
    monkeypatch.chdir(tmp_path)
    return parse_policy(HEAD + MORE, "rules/p.yaml")


def test_the_population_and_every_file_of_a_hierarchy_are_read(rules):
    """Each once, as seen from here; the table itself is known to whoever opens it."""
    assert other_sources(rules) == ("rules/census.csv", "rules/levels/age.csv", "rules/levels/job.csv")


@pytest.mark.parametrize("more", ["", "hierarchies: {age: auto, job: {prefix: [1]}}\n"])
def test_a_policy_may_read_nothing_beside_its_table(more):
    """Hierarchies that are made need no file."""
    assert other_sources(parse_policy(HEAD + more, "p.yaml")) == ()


def apart(to: str, rules: Policy) -> None:
    """Check a file against everything that is read beside the table."""
    for read in other_sources(rules):
        open_table_file(to).check_apart(read)


@pytest.mark.parametrize("to", ["rules/levels/age.csv", "alias/levels/job.csv", "rules/census.csv"])
def test_no_table_is_written_over_them(rules, to):
    """However the file is reached."""
    for spelling in (to, Path(to).absolute().as_uri()):
        with pytest.raises(UserError, match="written over its source"):
            apart(spelling, rules)


def test_a_table_may_stand_beside_them(rules):
    """A hierarchy is one file, so its folder is free."""
    apart("rules/levels/out.csv", rules)
