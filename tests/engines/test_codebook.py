"""Labels of columns are read from what statistics offices and surveys hand out, and recognizers read them."""

import struct
from pathlib import Path

import pandas as pd
import pytest

import qidguard
from qidguard import ReadOptions, UserError
from qidguard.engines.codebook import read_codebook
from qidguard.interfaces.cli import main

LABELS = {"v012": "Age of respondent", "v501": "Current marital status"}

DDI_2 = """<codeBook xmlns="ddi:codebook:2_5"><dataDscr>
<var name="v012"><labl>Age of respondent</labl><catgry><catValu>1</catValu><labl>one</labl></catgry></var>
<var name="v501"><qstn><qstnLit>Current marital
status</qstnLit></qstn></var><var name="empty"/>
</dataDscr></codeBook>"""
DDI_3 = """<d xmlns:r="ddi:reusable:3_2"><Variable><VariableName><r:String>v012</r:String></VariableName>
<r:Label><r:Content>Age of respondent</r:Content></r:Label></Variable>
<Variable><VariableName><r:String>v501</r:String></VariableName>
<r:Label><r:Content>Current marital status</r:Content></r:Label></Variable></d>"""


def sav(*, order: str = "<", long_names: bytes = b"V012=v012\tV501=v501") -> bytes:
    """Return the dictionary of an SPSS file with two variables, a text of two segments, and value labels."""

    def numbers(*values: int) -> bytes:
        return struct.pack(f"{order}{len(values)}i", *values)

    def variable(name: bytes, label: bytes = b"", kind: int = 0, missing: int = 0) -> bytes:
        padded = numbers(len(label)) + label + b" " * (-len(label) % 4) if label else b""
        return numbers(2, kind, bool(label), missing, 0, 0) + name.ljust(8) + padded + b"\0" * 8 * missing

    header = b"$FL2" + b" " * 60 + numbers(2, 4, 1, 0, 3) + struct.pack(f"{order}d", 100.0)
    return (
        header.ljust(176)
        + variable(b"V012", b"Age of respondent", missing=1)
        + variable(b"V501", b"Current marital status", kind=12)
        + variable(b"", kind=-1)
        + variable(b"PLAIN")
        + numbers(3, 1) + b"\0" * 8 + b"\x03yes" + b" " * 4
        + numbers(4, 1, 1)
        + numbers(6, 1) + b"a".ljust(80)
        + numbers(7, 20, 1, 5) + b"UTF-8"
        + numbers(7, 13, 1, len(long_names)) + long_names
        + numbers(999, 0)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"name,label\nv012,Age of respondent\nv501,Current marital status\n"),
        (
            "a.csv",
            b"\xef\xbb\xbfVariable;Kind;Question\nv012;a;Age of respondent\nv501;b;Current marital status\n",
        ),
        ("a.tsv", b"v012\tAge of respondent\n\nv501\tCurrent marital status\n"),
        ("a.xml", DDI_2.encode()),
        ("a.xml", DDI_3.encode()),
        ("a.sav", sav()),
        ("a.SAV", sav(order=">")),
    ],
)  # fmt: skip
def test_labels_are_read(tmp_path: Path, name: str, content: bytes) -> None:
    """CSV with and without a header, DDI of both versions, SPSS of both byte orders: the same labels."""
    file = tmp_path / name
    file.write_bytes(content)
    assert read_codebook(file).labels == LABELS


def test_labels_of_stata_are_read(tmp_path: Path) -> None:
    """What pandas writes as labels of variables is read back."""
    file = tmp_path / "a.dta"
    pd.DataFrame({"v012": [1], "v501": [2], "x": [3]}).to_stata(
        file, variable_labels=LABELS, write_index=False
    )
    assert read_codebook(file).labels == LABELS


def test_columns_whose_values_have_labels_are_known(tmp_path: Path) -> None:
    """SPSS says so by a variable's place, DDI by its categories, Stata by a set of labels."""
    spss, ddi, stata = tmp_path / "a.sav", tmp_path / "a.xml", tmp_path / "a.dta"
    spss.write_bytes(sav())
    ddi.write_text(DDI_2)
    pd.DataFrame({"v012": [1, 2], "v501": [2, 2]}).to_stata(
        stata, variable_labels=LABELS, value_labels={"v012": {1: "one", 2: "two"}}, write_index=False
    )
    assert [read_codebook(file).coded for file in (spss, ddi, stata)] == [frozenset({"v012"})] * 3


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.pdf", b"", "write its names and labels as a CSV"),
        ("a.csv", b"", "has no label"),
        ("a.csv", b"name,label\na,1\na,2\n", "its entry 2 gives a name another label"),
        ("a.csv", b"name,label\na\n", "entry 1 has no label"),
        ("a.csv", b"\xff\xfe\xff", "cannot be read"),
        ("a.xml", b"<codeBook", "is no XML"),
        ("a.xml", b'<!DOCTYPE d [<!ENTITY a "b">]><d>&a;</d>', "declares entities"),
        ("a.sav", b"PK", "is no SPSS system file"),
        ("a.sav", sav()[:300], "ends before its last record"),
        ("a.dta", b"no", "cannot be read"),
    ],
)
def test_what_is_no_codebook_is_refused(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    """One sentence says what is wrong with the file, and nothing is guessed."""
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(UserError, match=words):
        read_codebook(file)
    with pytest.raises(UserError, match="cannot be read"):
        read_codebook(tmp_path / f"missing-{Path(name).stem}.csv")


def test_recognizers_read_labels(tmp_path: Path) -> None:
    """Columns whose names say nothing have the roles that their labels say, and names in other case fit."""
    file = tmp_path / "a.csv"
    file.write_text("name,label\nQ1,Age of respondent\nQ2,Monthly household income (net)\n", encoding="utf-8")
    table = pd.DataFrame({"q1": [30, 41, 30], "q2": [1, 2, 3], "q3": [1, 1, 2]})
    with qidguard.audit(table, read=ReadOptions(codebook=file)) as found:
        columns = {column.facts.name: column for column in found.report.columns}
    assert (columns["q1"].assignment.role, columns["q2"].assignment.role) == ("quasi_identifier", "sensitive")
    assert "its label has 'age'" in columns["q1"].assignment.reason
    assert columns["q3"].facts.label == ""


def test_the_command_takes_a_codebook(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A draft reads labels; a codebook that cannot be read ends with 2 and one sentence."""
    (tmp_path / "t.csv").write_text("q1,q2\n30,1\n41,2\n30,2\n", encoding="utf-8")
    (tmp_path / "labels.csv").write_text("name,label\nq1,Date of birth\nq2,Religion\n", encoding="utf-8")
    table, labels = str(tmp_path / "t.csv"), str(tmp_path / "labels.csv")
    assert main(["policy", "init", table, "--codebook", labels]) == 0
    out = capsys.readouterr().out
    assert "its label has 'date of birth'" in out
    assert "its label has 'religion'" in out
    assert main(["audit", table, "--codebook", str(tmp_path / "none.csv")]) == 2
    assert "The codebook 'none.csv' cannot be read" in capsys.readouterr().err


def test_a_draft_names_the_codebook_as_seen_from_its_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the draft is written to, an audit by it reads the same labels."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("q1,q2\n30,1\n41,2\n30,2\n", encoding="utf-8")
    (tmp_path / "labels.csv").write_text("name,label\nq1,Date of birth\nq2,Religion\n", encoding="utf-8")
    (tmp_path / "rules").mkdir()
    assert main(["policy", "init", "t.csv", "--codebook", "labels.csv", "-o", "rules/p.yaml"]) == 0
    assert "codebook: ../labels.csv" in (tmp_path / "rules" / "p.yaml").read_text(encoding="utf-8")
    with qidguard.audit("t.csv", "rules/p.yaml") as found:
        assert set(found.report.read_beside) == {"codebook"}
