import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import qidguard.auditing


def test_a_table_that_meets_its_policy_passes(run, table, write_policy):
    """The classes hold 3, 3 and 2 records, so k is 2: exit 0."""
    code, out, err = run("audit", table, "--policy", write_policy(2))
    assert (code, err) == (0, "")
    assert "PASSED" in out
    assert "2 records" in out


@pytest.mark.slow
def test_a_table_that_misses_its_policy_is_blocked_with_the_reason(run, table, write_policy):
    """Exit 1 says which threshold, which QIDs and how far off."""
    code, out, _ = run("audit", table, "--policy", write_policy(5))
    assert code == 1
    assert "BLOCKED" in out
    assert "k-anonymity is 2 records, must be at least 5 (3 short), over sex, age." in out


def test_without_a_policy_the_table_is_described(run, table):
    """Exit 0, all columns, and the next step."""
    code, out, _ = run("audit", table)
    assert code == 0
    assert "DESCRIBED" in out
    assert "qidguard policy init table.csv > policy.yaml" in out


def test_a_blocked_table_is_told_what_comes_next(run, tmp_path, write_policy):
    """The command reads the table as this one did, and a name with a space is quoted."""
    (tmp_path / "my table.csv").write_text("sex;age;city;illness\nf;30;Basel;flu\nm;40;Basel;flu\n")
    code, out, _ = run(
        "audit", "my table.csv", "--delimiter", ";", "--policy", write_policy(2), "--no-advice"
    )
    assert code == 1
    told = " ".join(out.partition("\nNext")[2].replace("\\", " ").split())
    policy = write_policy(2)
    assert told == (
        "Have a method make it pass: qidguard anonymize 'my table.csv' --delimiter ';'"
        f" --policy {policy} -a blocks"
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["console", "json", "junit"])
def test_no_report_shows_a_value_of_the_table(run, table, write_policy, secret, kind):
    """Counts and names of columns, never values."""
    for extra in ((), ("--policy", write_policy(5))):
        _, out, err = run("audit", table, "--format", kind, *extra)
        assert secret not in out + err
        assert "Basel" not in out + err


@pytest.mark.slow
def test_json_and_junit_are_clean_on_standard_output(run, table, write_policy):
    """Standard output holds the document and nothing else; the exit code is the verdict's."""
    code, out, _ = run("audit", table, "--policy", write_policy(5), "--format", "json")
    assert (code, json.loads(out)["outcome"]) == (1, "blocked")
    code, out, _ = run("audit", table, "--policy", write_policy(5), "--format", "junit")
    assert (code, ET.fromstring(out).get("failures")) == (1, "1")  # noqa: S314 - it is our own XML


@pytest.mark.slow
def test_a_report_goes_to_a_file_and_the_verdict_to_standard_error(run, table, write_policy):
    """With --output standard output stays empty and one line says the verdict; --quiet says nothing."""
    policy = write_policy(2)
    code, out, err = run("audit", table, "-p", policy, "--format", "json", "-o", "report.json")
    assert (code, out) == (0, "")
    assert err == "PASSED: The only threshold holds. The report is in report.json.\n"
    assert json.loads(Path("report.json").read_text(encoding="utf-8"))["outcome"] == "passed"
    assert run("audit", table, "-p", policy, "-q", "-o", "report.txt")[1:] == ("", "")
    assert "PASSED" in Path("report.txt").read_text(encoding="utf-8")
    assert sorted(p.name for p in Path.cwd().iterdir()) == ["policy.yaml", "report.json", "report.txt", table]


@pytest.mark.parametrize("output", ["table.csv", "./policy.yaml", ".", "nowhere/report.json"])
def test_an_output_that_cannot_be_meant_is_refused_before_the_audit(run, table, write_policy, output):
    """The inputs, a folder, and a folder that does not exist are exit 2, and the inputs stay."""
    policy = write_policy(2)
    before = Path(table).read_bytes(), Path(policy).read_bytes()
    code, out, err = run("audit", table, "--policy", policy, "--output", output)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert before == (Path(table).read_bytes(), Path(policy).read_bytes())


def test_a_failed_audit_leaves_no_old_report_behind(run, table, write_policy):
    """A report of an earlier pass must not be taken for this run's."""
    policy = write_policy(2)
    run("audit", table, "-p", policy, "-o", "report.txt")
    Path(table).write_text("", encoding="utf-8")
    assert run("audit", table, "-p", policy, "-o", "report.txt")[0] == 2
    assert not Path("report.txt").exists()


def test_reading_options_override_the_policys(run, tmp_path, write_policy):
    """A file without header and with semicolons is read as the command line says."""
    (tmp_path / "raw.txt").write_text("f;30;x;?\nf;30;x;flu\nf;30;y;?\n", encoding="latin-1")
    options = ("--delimiter", "semicolon", "--no-header", "--columns", "sex,age, city ,illness")
    more = ("--encoding", "latin-1", "--missing", "?", "--format", "json")
    code, out, _ = run("audit", "raw.txt", "-p", write_policy(3), *options, *more)
    assert code == 0
    columns = {column["name"]: column for column in json.loads(out)["columns"]}
    assert list(columns) == ["sex", "age", "city", "illness"]
    assert columns["illness"]["missing"] == 2


@pytest.mark.parametrize(("arguments", "words"), [
    (("audit", "no-such.csv"), "no-such.csv"),
    (("audit", "table.csv", "--policy", "no-such.yaml"), "there is no such policy file"),
    (("audit", "table.csv", "--format", "xml"), "xml"),
    (("audit",), "There is no table"),
    (("audit", "table.csv", "--threads", "0"), "threads"),
    (("audit", "table.csv", "--columns", ","), "--columns takes names"),
    (("nonsense",), "nonsense"),
    (("audit", "table.csv", "--nonsense"), "nonsense"),
])  # fmt: skip
def test_a_mistake_is_exit_2_with_a_sentence(run, table, arguments, words):
    """Nothing on standard output, words on standard error, no traceback."""
    assert table == "table.csv"
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_control_characters_in_an_error_are_escaped(run):
    """A file's name cannot act on the terminal through an error."""
    code, _, err = run("audit", "a\x1b[2Jb.csv")
    assert code == 2
    assert "\x1b" not in err


@pytest.mark.parametrize("error", [ValueError("Zanzibar-7f"), SystemExit(0), RecursionError("Zanzibar-7f")])
def test_an_unexpected_error_is_exit_3_and_tells_only_its_type(run, table, monkeypatch, secret, error):
    """Even a plugin that asks to exit with 0 ends in 3; what the error says could be a value."""

    def fail(*_args, **_options):
        raise error

    monkeypatch.setattr(qidguard.auditing, "audit", fail)
    code, out, err = run("audit", table)
    assert (code, out) == (3, "")
    assert err == (
        f"internal error ({type(error).__name__}); rerun with QIDGUARD_DEBUG=1 for the traceback\n"
    )
    assert secret not in err


def test_the_traceback_is_there_for_those_who_ask(capsys, table, monkeypatch):
    """QIDGUARD_DEBUG=1 shows it."""
    from qidguard.interfaces.cli import main

    def fail(*_args, **_options):
        raise ValueError("details")

    monkeypatch.setattr(qidguard.auditing, "audit", fail)
    monkeypatch.setenv("QIDGUARD_DEBUG", "1")
    assert main(["audit", table]) == 3
    assert "ValueError: details" in capsys.readouterr().err


def test_ctrl_c_is_130_with_a_sentence(run, table, monkeypatch):
    """An interrupted audit judged nothing and says so."""

    def interrupt(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(qidguard.auditing, "audit", interrupt)
    assert run("audit", table) == (130, "", "Interrupted before the end.\n")
