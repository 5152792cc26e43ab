import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import qidguard.auditing
from qidguard.interfaces.cli import main


def test_a_table_that_meets_its_policy_passes_and_one_without_is_described(run, table, write_policy):
    """The classes hold 3, 3 and 2 records, so k is 2: exit 0; without a policy the next step is said."""
    for more, words in (
        (("--policy", write_policy(2)), ("PASSED", "2 records")),
        ((), ("DESCRIBED", "qidguard policy init table.csv > policy.yaml")),
    ):
        code, out, err = run("audit", table, *more)
        assert (code, err, [one for one in words if one not in out]) == (0, "", [])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["console", "json", "junit"])
def test_a_table_that_misses_its_policy_is_blocked_with_the_reason(run, table, write_policy, secret, kind):
    """Exit 1 says which threshold, QIDs and how far off; a document is alone there, and no value is told."""
    _, described, _ = run("audit", table, "--format", kind)
    code, out, err = run("audit", table, "--policy", write_policy(5), "--format", kind)
    assert (code, [word for word in (secret, "Basel") if word in described + out + err]) == (1, [])
    if kind == "json":
        assert json.loads(out)["outcome"] == "blocked"
    elif kind == "junit":
        assert ET.fromstring(out).get("failures") == "1"  # noqa: S314 - it is our own XML
    else:
        assert "BLOCKED" in out
        assert "k-anonymity is 2 records, must be at least 5 (3 short), over sex, age." in out


def test_a_blocked_table_is_told_what_comes_next(run, tmp_path, write_policy):
    """The command reads the table as this one did, and a name with a space is quoted."""
    (tmp_path / "my table.csv").write_text("sex;age;city;illness\nf;30;Basel;flu\nm;40;Basel;flu\n")
    policy = write_policy(2)
    code, out, _ = run("audit", "my table.csv", "--delimiter", ";", "--policy", policy, "--no-advice")
    told = " ".join(out.partition("\nNext")[2].replace("\\", " ").split())
    command = f"qidguard anonymize 'my table.csv' --delimiter ';' --policy {policy} -a blocks"
    assert (code, told) == (1, f"Have a method make it pass: {command}")


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


INTERNAL = "internal error ({}); rerun with QIDGUARD_DEBUG=1 for the traceback\n"


@pytest.mark.parametrize(("error", "code", "said"), [
    (ValueError("Zanzibar-7f"), 3, INTERNAL.format("ValueError")),
    (SystemExit(0), 3, INTERNAL.format("SystemExit")),
    (RecursionError("Zanzibar-7f"), 3, INTERNAL.format("RecursionError")),
    (KeyboardInterrupt(), 130, "Interrupted before the end.\n"),
])  # fmt: skip
def test_an_unexpected_error_is_exit_3_and_tells_only_its_type(
    run, capsys, table, monkeypatch, error, code, said
):
    """Even if it asks to exit with 0; what it says could be a value, for who asks; Ctrl-C is 130."""

    def fail(*_args, **_options):
        raise error

    monkeypatch.setattr(qidguard.auditing, "audit", fail)
    assert run("audit", table) == (code, "", said)
    if code == 3:
        monkeypatch.setenv("QIDGUARD_DEBUG", "1")
        assert main(["audit", table]) == 3
        assert f"{type(error).__name__}: {error}" in capsys.readouterr().err
