"""Bad input ends in one clear sentence and exit 2, 1 or 3; odd input that means one thing is audited."""

import csv
import io
import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import qidguard
from quick import mostly_slow


@pytest.fixture
def audit_bytes(run, write_policy, secret):
    """Return a function that audits a file with these bytes by a policy, and holds no value in the output."""

    def audit(content: bytes, *more: str) -> tuple[int, str]:
        Path("given.csv").write_bytes(content)
        code, out, err = run("audit", "given.csv", "-p", write_policy(2), *more)
        assert secret not in out + err
        assert out == ""
        return code, err

    return audit


def is_one_sentence(err: str) -> bool:
    """Return whether an error is one line that begins with the mark of errors and ends as a sentence."""
    return err.startswith("Error: ") and err.count("\n") == 1 and err.endswith("\n")


def yaml_policy(qids: list[str], *, sensitive: tuple[str, ...] = (), limit: int = 2) -> str:
    """Return a policy as text; JSON strings are YAML strings, so any name stays what it is."""
    return (
        "qidguard: 1\nname: wide\nunnamed_columns: insensitive\nroles:\n"
        f"  quasi_identifiers: {json.dumps(qids, ensure_ascii=False)}\n"
        f"  sensitive: {json.dumps(list(sensitive), ensure_ascii=False)}\n"
        f"thresholds:\n  - metric: k_anonymity\n    at_least: {limit}\n"
    )


PICTURE = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 8
GOOD = b"sex,age,city,illness\nf,30,Basel,flu\nf,30,Basel,cold\n"


@pytest.mark.samples(4)
@pytest.mark.parametrize(("content", "words"), [
    (b"", "is empty"),
    (b"\n\n  \n", "given.csv"),
    (b"sex,age,city,illness\n", "has a header but no records"),
    (GOOD + b"m,41,Zanzibar-7f\n", "Line 4 of 'given.csv' has 3 fields, but the first record has 4"),
    (GOOD + b"m,41,Basel,flu,Zanzibar-7f\n", "Line 4 of 'given.csv' has 5 fields"),
    (GOOD + "m,41,Zürich,Zanzibar-7f\n".encode("latin-1"), "not valid UTF-8"),
    (GOOD.decode().encode("utf-16"), "`encoding: utf-16`"),
    (PICTURE, "given.csv"),
    (b"PAR1" + bytes(range(256)) * 8 + b"PAR1", "given.csv"),
    (b"\x00" * 400, "given.csv"),
    (b"sex,age,sex,illness\nf,30,Basel,Zanzibar-7f\n", "columns 1 and 3 of"),
], ids=["empty", "blank", "header-only", "too-few-fields", "too-many-fields", "latin-1", "utf-16", "picture",
    "parquet-by-the-name-of-csv", "zeros", "duplicate-names"])  # fmt: skip
def test_a_file_that_is_no_table_is_exit_2(audit_bytes, content, words):
    """One sentence on standard error with the file's name; no value, no traceback."""
    code, err = audit_bytes(content)
    assert code == 2
    assert words in err
    assert is_one_sentence(err)


@pytest.mark.parametrize(("content", "encoding", "words"), [
    # Latin-1 decodes anything, so following the advice of the first error must not end in nonsense
    (PICTURE, "latin-1", "binary"),
    *(("sex,age,city,illness\nf,30,Zürich,Grippe\n".encode("latin-1"), name, "")
      for name in ("utf-16", "utf-8", "utf-32")),
])  # fmt: skip
def test_a_wrong_encoding_that_is_named_is_exit_2(audit_bytes, content, encoding, words):
    """A file read under another name gives no table with wrong letters and no empty table."""
    code, err = audit_bytes(content, "--encoding", encoding)
    assert (code, words in err, is_one_sentence(err)) == (2, True, True)


def test_a_missing_file_is_exit_2(run, write_policy):
    """The sentence names the file."""
    code, out, err = run("audit", "nowhere.csv", "-p", write_policy(2))
    assert (code, out) == (2, "")
    assert "'nowhere.csv' does not exist" in err
    assert is_one_sentence(err)


@pytest.mark.parametrize(("old", "new", "line", "words"), [
    ("[sex, age]", "[sex, agee]", 4, "no column 'agee'; did you mean 'age'?"),
    ("[illness]", "[disease]", 5, "no column 'disease'"),
    ("k_anonymity", "k_anonimity", 8, "did you mean 'k_anonymity'?"),
    ("at_least: 2", "at_least: many", 9, "must be a number, not 'many'"),
    ("at_least: 2", "at_least: [2]", 9, "must be a number, not a list"),
    ("at_least: 2", "at_least: true", 9, "must be a number, not true"),
    ("at_least: 2", "at_least: .nan", 9, "at_least"),
    ("at_least: 2", "at_least: 0", 8, "outside the metric's range"),
    ("at_least: 2", "at_least: 2\n    at_most: 3", 8, "at_least"),
    ("at_least: 2", "at_least: 2\n    noised: leave_out", 10, "did you mean 'left_out'"),
    ("at_least: 2", "at_least: 2\n    parameters: {m: 1}", 8, "unknown parameter 'm'"),
    ("[sex, age]", "[]", 4, "must name at least one column"),
    ("[sex, age]", "", 4, "quasi_identifiers"),
    ("[illness]", "[illness]\n  weight: sex", 6, "'sex' cannot be a QID and the weight at once"),
    ("name: clinic", "name: clinic\npreset: no-such-preset", 3, "no preset 'no-such-preset'"),
    ("name: clinic", "name: clinic\nattacker: {knows_any: 3}", 3, "only 2 QIDs"),
    ("name: clinic", "name: clinic\nsampling_fraction: 1.5", 3, "above 0 and at most 1"),
    ("name: clinic", "name: clinic\nmemory_limit: much", 3, "size such as 4GB"),
    ("thresholds:", "thresholdz:", 7, "thresholdz"),
])  # fmt: skip
def test_a_mistake_in_the_policy_is_exit_2_with_its_line(run, table, write_policy, old, new, line, words):
    """The sentence begins with file and line, and says the rule and the remedy; a check says it, too."""
    text = Path(write_policy(2)).read_text(encoding="utf-8")
    assert old in text
    Path("policy.yaml").write_text(text.replace(old, new), encoding="utf-8")
    for command in (("audit", table, "-p", "policy.yaml"), ("policy", "check", "policy.yaml", table)):
        code, out, err = run(*command)
        assert (code, out) == (2, "")
        assert err.startswith("Error: ")
        assert f"policy.yaml line {line}: " in err
        assert words in err


@pytest.mark.parametrize(("rows", "qids", "expected", "words"), [
    ("id,age,city\n1,30,Zanzibar-7f\n,30,Zanzibar-7f\n2,30,Zanzibar-7f\n", ["age", "city"], 1,
     ["The entity column 'id' is missing in 1 of 3 records"]),
    ("sex,age\nf,\nf,\n", ["sex", "age"], 0, ["Column 'age' holds no value at all"]),
    ("sex,age\nf,30\n", ["sex", "age"], 1,
     ["k-anonymity is 1 record, must be at least 2 (1 short)", "no table of this size can pass"]),
], ids=["missing entities", "column without values", "one record"])  # fmt: skip
def test_a_poor_table_is_judged_in_words(run, secret, rows, qids, expected, words):
    """Records of nobody block; an empty column is one group; one record is alone, whatever k is asked."""
    Path("t.csv").write_text(rows, encoding="utf-8")
    roles = "roles:\n  entity: id" if rows.startswith("id") else "roles:"
    Path("p.yaml").write_text(yaml_policy(qids).replace("roles:", roles), encoding="utf-8")
    code, out, err = run("audit", "t.csv", "-p", "p.yaml")
    assert (code, err) == (expected, "")
    assert [one for one in words if one not in " ".join(out.split())] == []
    assert secret not in out


@pytest.mark.slow
def test_k_beyond_the_table_is_blocked_with_a_sentence(run, table, write_policy):
    """Eight records cannot hold a class of nine; with eight the sentence is not said."""
    code, out, _ = run("audit", table, "-p", write_policy(9))
    words = " ".join(out.split())
    assert code == 1
    assert "at least 9 records, but the table has only 8; no table of this size can pass" in words
    assert "no table of this size" not in run("audit", table, "-p", write_policy(8))[1]


FLOATS = [1.5, 1.5, float("nan"), float("nan"), None]


def test_nan_in_parquet_is_a_value_of_its_own_and_noted(run):
    """1.5 twice, NaN twice and NULL once are three classes, the smallest of one record."""
    pq.write_table(pa.table({"height": pa.array(FLOATS, pa.float64())}), "t.parquet")
    Path("p.yaml").write_text(yaml_policy(["height"]), encoding="utf-8")
    code, out, _ = run("audit", "t.parquet", "-p", "p.yaml", "--format", "json")
    found = json.loads(out)
    assert code == 1
    assert (found["classes"][0]["classes"], found["classes"][0]["smallest"]) == (3, 1)
    assert any("'height' holds NaN in 2 records" in note for note in found["notes"])


def test_nan_in_pandas_is_missing():
    """Pandas writes a missing number as NaN, so all three are one group; nothing is noted."""
    Path("p.yaml").write_text(yaml_policy(["height"]), encoding="utf-8")
    with qidguard.audit(pd.DataFrame({"height": FLOATS}), policy="p.yaml") as found:
        assert found.is_passed
        assert (found.report.summaries[0].classes, found.report.columns[0].facts.missing) == (2, 3)
        assert [note for note in found.report.notes if "NaN" in note] == []


ODD_NAMES = [
    *('she said "age"', "it's", " leading and trailing ", "SELECT", "order by"),
    *("x; DROP TABLE raw; --", "größe"),
    *("🩺 diagnosis 👩‍⚕️", "a.b[0]", "100%", "*", "NULL", "c0", "records", "entity", "size", "line\nbreak"),
    "tab\tbed",
]


def write_table(kind: str, names: list[str], rows: list[list[str]]) -> str:
    """Write a table of text and return its file's name."""
    if kind == "parquet":
        columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
        pq.write_table(pa.table(columns), "t.parquet")
        return "t.parquet"
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([names, *rows])
    Path("t.csv").write_text(stream.getvalue(), encoding="utf-8", newline="")
    return "t.csv"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_odd_column_names_are_names(run, kind):
    """Quotes, blanks, SQL words, emoji and line ends are audited as any name, and every one is reported."""
    rows = [[value] * len(ODD_NAMES) for value in "uuvv"]
    name = write_table(kind, ODD_NAMES, rows)
    text = yaml_policy(ODD_NAMES[:-1], sensitive=(ODD_NAMES[-1],))
    Path("p.yaml").write_text(text, encoding="utf-8")
    code, out, err = run(
        "audit", name, "-p", "p.yaml", "--format", "json", "--header" if kind == "csv" else "-q"
    )
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["thresholds"][0]["value"] == 2
    assert [column["name"] for column in found["columns"]] == ODD_NAMES
    # "100%" may be a value, so a CSV is asked about
    Path("p.yaml").write_text(text + "source: {header: true}\n" * (kind == "csv"), encoding="utf-8")
    assert run("audit", name, "-p", "p.yaml")[0] == 0
    assert run("policy", "check", "p.yaml", name)[0] == 0


@pytest.mark.parametrize("kind", mostly_slow(["parquet", "csv"], quick=0))
def test_300_columns_are_audited(run, kind):
    """300 QIDs in one class combination: k is 2 as each record stands there twice."""
    names = [f"column number {i}" for i in range(300)]
    rows = [[value] * 300 for value in "uuvv"]
    name = write_table(kind, names, rows)
    Path("p.yaml").write_text(yaml_policy(names), encoding="utf-8")
    code, out, err = run("audit", name, "-p", "p.yaml", "--format", "json")
    assert (code, err) == (0, "")
    assert json.loads(out)["thresholds"][0]["value"] == 2


@pytest.mark.samples(5)
@pytest.mark.parametrize("command", [("policy", "init", "given.csv"), ("audit", "given.csv")])
@pytest.mark.parametrize("content", [b"", b"a,b\n", b"a,a\n1,2\n", b"a,b\n1,2\n3\n", b"\xff\x00\xfe"])
def test_without_a_policy_bad_files_are_exit_2_too(run, command, content):
    """Describing and drafting refuse what auditing refuses."""
    Path("given.csv").write_bytes(content)
    code, out, err = run(*command)
    assert (code, out) == (2, "")
    assert is_one_sentence(err)


@pytest.mark.parametrize("limit", ["", "no-such-plugin"])
def test_plugins_left_out_by_the_variable_are_exit_3(run, table, write_policy, monkeypatch, limit):
    """A metric that the variable keeps from loading blocks, and the sentence names the variable."""
    monkeypatch.setenv("QIDGUARD_PLUGINS", limit)
    code, out, err = run("audit", table, "-p", write_policy(2))
    assert (code, out) == (3, "")
    assert "QIDGUARD_PLUGINS" in err
    assert limit in err
    assert "'k_anonymity'" in err
    assert is_one_sentence(err)
    assert run("policy", "check", "policy.yaml", table)[0] == 3
