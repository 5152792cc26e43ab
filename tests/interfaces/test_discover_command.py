"""``qidguard discover``: what it prints, writes and returns."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pandas as pd
import pytest

from qidguard.policy import load_policy

ROWS = """ssn,age,ward,band,illness
000000000,30,a,young,flu
000000001,30,b,young,flu
000000002,41,a,young,cold
000000003,41,b,young,flu
000000004,52,a,old,cold
000000005,52,b,old,flu
000000006,63,a,old,acne
000000007,63,b,old,flu
"""
SHORT = ("--objective", "distinction=1,column_count=-.1")
POLICY = """\
# reviewed in May
qidguard: 1
name: ward   # of St. Mary
roles:
  quasi_identifiers:
    - band      # everybody knows it
  sensitive: [illness]
  direct_identifiers: [ssn]
unnamed_columns: insensitive
thresholds: [{metric: k_anonymity, at_least: 2}]
"""


@pytest.fixture
def rows(tmp_path) -> str:
    """Return a CSV of eight records that age and ward together tell apart."""
    (tmp_path / "rows.csv").write_text(ROWS, encoding="utf-8")
    return "rows.csv"


@pytest.fixture
def reviewed(tmp_path) -> Path:
    """Return a policy with comments."""
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    return tmp_path / "policy.yaml"


def test_the_best_set_is_found_and_explained(run, rows, tmp_path):
    """Age and ward, with what each moved and what nobody can know; a file holds no trailing blanks."""
    code, out, err = run("discover", rows, *SHORT)
    assert (code, err) == (0, "")
    said = (
        *("FOUND   age, ward (2 of 3 columns searched)", "2  ward  0.8000 (+0.4000)  distinction +0.5"),
        *("ssn  it looks like a direct identifier", "cannot know"),
    )
    assert [words for words in said if words not in out] == []
    assert run("discover", rows, *SHORT, "--output", "found.txt")[:2] == (0, "")
    lines = (tmp_path / "found.txt").read_text(encoding="utf-8").splitlines()
    assert lines[1].startswith("┃  FOUND   age, ward")
    assert [line for line in lines if line != line.rstrip()] == []


def test_the_document_is_the_one_that_the_schema_describes(run, rows):
    """Standard output is JSON and nothing else."""
    code, out, err = run("discover", rows, *SHORT, "--format", "json", "--explain", "--truth", "age,band")
    document = json.loads(out)
    jsonschema.Draft202012Validator(json.loads(run("schema", "discovery")[1])).validate(document)
    found = code, document["quasi_identifiers"], document["sets"][0]["scores"]["recall"]
    assert found == (0, ["age", "ward"], 0.5)
    assert err.startswith(f"Figures are measured by {document['plan']['path']}: ")


@pytest.mark.slow
def test_options_reach_the_search(run, rows):
    """Strategy, parameters, seed, budget, size, candidates, target, weights, top and threads."""
    arguments = (
        *("--strategy", "beam[width=2]", "--seed", "5", "--budget", "9", "--largest", "2"),
        *("--candidates", "age,ward", "--target", "illness", "--top", "2", "--threads", "1"),
        *("--objective", "linear", "--weight", "accuracy=-1", "--weight", "separation=0"),
    )
    document = json.loads(run("discover", rows, *arguments, "--format", "json")[1])
    search = document["search"]
    assert (search["strategy"], search["parameters"]["width"], search["seed"]) == ("beam", 2, 5)
    assert (search["budget_seconds"], search["largest"], len(document["sets"])) == (9, 2, 2)
    weights = {term["metric"]: term["weight"] for term in document["objective"]["terms"]}
    assert weights["accuracy"] == -1
    assert "separation" not in weights
    assert [c["name"] for c in document["columns"] if c["is_candidate"]] == ["age", "ward"]
    assert run("discover", rows, *SHORT, "--budget", "inf", "--format", "json")[0] == 0


@pytest.mark.slow
def test_the_front_is_shown_when_asked_for(run, rows):
    """Every trade-off between telling apart and the number of columns."""
    out = run("discover", rows, "--objective", "distinction=1,column_count=-1", "--pareto")[1]
    shown = out.partition("Pareto front")[2].partition("Why these")[0]
    assert [line.split()[2:] for line in shown.splitlines() if line.lstrip()[:1].isdigit()] == [
        ["age", "distinction", "0.5,", "column_count", "1"],
        ["age,", "ward", "distinction", "1,", "column_count", "2"],
    ]
    assert "Pareto front" not in run("discover", rows, *SHORT)[1]


def test_a_policy_says_what_and_how(run, rows, reviewed):
    """Its roles and its discovery section are what no option overrides; DATA may be left to it."""
    more = "discovery: {strategy: greedy, objective: {distinction: 1}}\n"
    reviewed.write_text(f"{POLICY}source: {{path: {rows}}}\n{more}", encoding="utf-8")
    document = json.loads(run("discover", "-p", "policy.yaml", "--format", "json")[1])
    assert document["search"]["strategy"] == "greedy"
    assert [c["name"] for c in document["columns"] if c["is_candidate"]] == ["age", "ward", "band"]


@pytest.mark.slow
def test_a_reviewed_policy_gets_the_columns_and_keeps_everything_else(run, rows, reviewed):
    """Two lines are new, they are shown, and the policy loads with all three columns."""
    code, _, err = run("discover", rows, *SHORT, "--write", "policy.yaml")
    assert code == 0
    before, after = POLICY.splitlines(), reviewed.read_text(encoding="utf-8").splitlines()
    new = [line for line in after if line not in before]
    assert [line for line in after if line in before] == before
    assert [line.partition("  #")[0] for line in new] == ["    - age", "    - ward"]
    assert all(line in err for line in new)
    assert load_policy(reviewed).roles.qids == ("band", "age", "ward")
    assert run("discover", rows, *SHORT, "--write", "policy.yaml")[2] == (
        "policy.yaml: it names all of them already; nothing was written.\n"
    )


def test_auto_becomes_what_names_and_the_search_say(run, rows, reviewed):
    """A quasi-identifier by name stays one; the comment behind it too."""
    text = POLICY.replace("\n    - band      # everybody", " auto  # everybody")
    Path(rows).write_text(ROWS.replace("band", "sex"), encoding="utf-8")
    reviewed.write_text(text, encoding="utf-8")
    assert run("discover", rows, *SHORT, "--write", "policy.yaml", "-p", "policy.yaml")[0] == 0
    assert reviewed.read_text(encoding="utf-8") == text.replace("auto", "[age, ward, sex]")


def test_windows_line_ends_stay(run, rows, reviewed):
    """Every line ends as it did."""
    reviewed.write_bytes(b"\xef\xbb\xbf" + POLICY.replace("\n", "\r\n").encode())
    run("discover", rows, *SHORT, "--write", "policy.yaml")
    written = reviewed.read_bytes()
    assert written.startswith(b"\xef\xbb\xbf# reviewed")
    assert written.count(b"\n") == written.count(b"\r\n") == POLICY.count("\n") + 2


def test_a_policy_that_would_not_load_is_left_as_it_was(run, rows, reviewed):
    """Ward is the weight there; the result is printed, and nothing is written."""
    reviewed.write_text(POLICY.replace("[illness]", "[illness]\n  weight: ward"), encoding="utf-8")
    before = reviewed.read_bytes()
    code, out, err = run("discover", rows, *SHORT, "--write", "policy.yaml")
    assert (code, "FOUND" in out, reviewed.read_bytes()) == (2, True, before)
    assert "column 'ward' cannot be a QID and the weight at once" in err


def test_a_new_file_is_a_draft(run, rows):
    """It names what was found, leaves open what nobody knows, and asks what a draft of the table asks."""
    code, _, err = run("discover", rows, *SHORT, "--write", "new.yaml")
    assert (code, err) == (0, "new.yaml: a new draft; decide on every column in it.\n")
    assert run("policy", "init", rows, "-o", "init.yaml")[0] == 0
    text, drafted = (Path(name).read_text(encoding="utf-8") for name in ("new.yaml", "init.yaml"))
    assert ("raised distinction by 0.5" in text, "# - band" in text) == (True, True)
    kinds = [one[one.index("# What the values") : one.index("# What a column is")] for one in (text, drafted)]
    assert kinds[0] == kinds[1]
    sensitive = [line for line in drafted.splitlines() if line.startswith("    - illness")]
    assert set(sensitive) & set(text.splitlines()) == set(sensitive) != set()
    roles = load_policy("new.yaml").roles
    assert (roles.qids, "ssn" in roles.direct_identifiers) == (("age", "ward"), True)


def test_hostile_names_are_written_as_they_are_and_act_nowhere(run, tmp_path):
    """A name with markup, an escape and a line end reaches the policy whole, and the screen in pieces."""
    name = 'a: [#\x1b[31m"]\n- {x}'
    pd.DataFrame({name: range(6), "plain": [0, 0, 0, 1, 1, 1]}).to_parquet(tmp_path / "t.parquet")
    arguments = ("discover", "t.parquet", "--objective", "distinction=1", "--write", "p.yaml")
    code, out, err = run(*arguments)
    assert (code, "\x1b" in out + err) == (0, False)
    assert load_policy("p.yaml").roles.qids == (name,)
    flow = "{qidguard: 1, name: p, preset: pdpc-sg-5, roles: {quasi_identifiers: [x]}}"
    (tmp_path / "p.yaml").write_text(flow)
    assert run(*arguments)[0] == 0
    assert load_policy("p.yaml").roles.qids == ("x", name)


@pytest.mark.slow
def test_plots_are_saved(run, rows):
    """The evolution of the search, as SVG and PNG."""
    code, _, err = run("discover", rows, *SHORT, "--plots", "deep/plots")
    names = ["deep/plots/evolution.svg", "deep/plots/evolution.png"]
    assert (code, err.splitlines()) == (0, names)
    assert sorted(map(str, Path("deep/plots").iterdir())) == sorted(names)


def test_missing_libraries_of_plots_are_said_before_the_search(run, rows, monkeypatch):
    """Not after an hour of searching."""
    monkeypatch.setattr("qidguard.interfaces.plot_files.find_spec", lambda _name: None)
    code, out, err = run("discover", rows, *SHORT, "--plots", "plots")
    assert (code, out, "install qidguard[plots]" in err) == (2, "", True)


@pytest.mark.slow
@pytest.mark.usefixtures("reviewed")
def test_the_truth_may_be_a_file(run, rows, tmp_path):
    """A list of columns, one a line, or a policy that names them."""
    (tmp_path / "truth.txt").write_text("age\n\n ward \n", encoding="utf-8")
    for given, expected in (("truth.txt", ["age", "ward"]), ("policy.yaml", ["band"]), ("ward", ["ward"])):
        document = json.loads(run("discover", rows, *SHORT, "--truth", given, "--format", "json")[1])
        assert document["truth"] == expected


@pytest.mark.samples(7)
@pytest.mark.parametrize(("arguments", "expected"), [
    (("--objective", "distinction=much"), "--objective: the weight of 'distinction' must be a number"),
    (("--objective", "distinction=1,"), "--objective takes metric=weight, such as distinction=5; not ''"),
    (("--objective", "recogniton"), "there is no objective 'recogniton'; did you mean 'recognition'?"),
    (("--objective", "a=1,a=2"), "--objective: 'a' is given twice"),
    (("--weight", "separation"), "--weight takes metric=weight"),
    (("--weight", "separation=inf"), "--weight: the weight of 'separation' must be finite"),
    (("--strategy", "beam[width]"), "strategy: 'width' must be PARAMETER=VALUE"),
    (("--strategy", "beam[width=x]"), "strategy 'beam': parameter 'width' must be int"),
    (("--budget", "0"), "budget_seconds must be above 0"),
    (("--candidates", "age,,ward"), "--candidates takes names with commas between them"),
    (("--truth", "agee"), "truth: the table has no column 'agee'; did you mean 'age'?"),
    (("--objective", "medical"), "measured beside a"),
    (("--write", "none/p.yaml"), "--write 'none/p.yaml' names no file in a folder that exists"),
    (("--write", "rows.csv"), "--write 'rows.csv' would overwrite what is read or written"),
    (("--plots", "rows.csv"), "--plots 'rows.csv' is no folder"),
    (("--plots", "rows.csv/deep"), "--plots 'rows.csv/deep' cannot be made"),
    (("--write", "new.txt", "--output", "./new.txt"), "--write 'new.txt' would overwrite"),
    (("--policy", "none.yaml"), "there is no such policy file"),
    (("--objective", "mean_squared_error=-1", "--target", "illness"), "nothing could be found: no set"),
])  # fmt: skip
def test_mistakes_end_with_2_and_a_sentence(run, rows, arguments, expected):
    """Nothing is printed but the sentence, and the table is what it was."""
    code, out, err = run("discover", rows, *arguments)
    assert (code, out) == (2, "")
    assert expected in err
    assert Path(rows).read_text(encoding="utf-8") == ROWS


def test_without_a_plugin_that_searches_the_run_ends_with_3(run, rows, monkeypatch):
    """The sentence says what is missing."""
    monkeypatch.setenv("QIDGUARD_PLUGINS", "standard")
    for more, words in (
        (("--objective", "k_anonymity=1"), "search strategy"),
        ((), "objective 'recognition'"),
    ):
        code, _, err = run("discover", rows, *more)
        assert (code, words in err) == (3, True)


@pytest.mark.clock
def test_a_budget_that_ends_is_said(run, rows):
    """The best seen, a note, and exit 0."""
    slow = ("--strategy", "evolutionary[generations=1000000]", "--budget", "1.5")
    code, out, err = run("discover", rows, *SHORT, *slow)
    assert code == 0
    assert "FOUND SO FAR" in out
    assert err == "The budget ended the search: these are the best sets seen until then.\n"
    assert run("discover", rows, *SHORT, *slow, "--quiet")[2] == ""


@pytest.mark.clock
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for another process there")
@pytest.mark.parametrize(("sent", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_prints_the_best_seen_and_ends_with_its_code(rows, reviewed, sent, expected):
    """A process that is interrupted in mid search prints a whole document, and writes no policy."""
    code = "import sys; from qidguard.interfaces.cli import main; sys.exit(main())"
    long = ("--strategy", "evolutionary[generations=1000000]", "--budget", "60", "--explain")
    rest = ("--format", "json", "--write", "policy.yaml")
    with subprocess.Popen(
        [sys.executable, "-c", code, "discover", rows, *SHORT, *long, *rest],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("Figures are measured by ")
        time.sleep(1)
        process.send_signal(sent)
        out, err = process.communicate(timeout=250)
    document = json.loads(out)
    assert (process.returncode, document["search"]["stopped_by"]) == (expected, "interrupted")
    assert document["quasi_identifiers"] == ["age", "ward"]
    assert "policy.yaml: nothing was written, because the search was interrupted." in err
    assert err.endswith("Interrupted before the end: these are the best sets seen until then.\n")
    assert reviewed.read_text(encoding="utf-8") == POLICY


def test_a_policy_is_checked_before_it_is_searched_by(run, rows, reviewed):
    """`policy check` finds a strategy that does not exist, at its line, and passes a good one."""
    auto = POLICY.replace("\n    - band      # everybody knows it", " auto")
    for strategy, code, expected in (
        ("gredy", 2, ("policy.yaml line 11: discovery.strategy: ", "did you mean 'greedy'?")),
        ("greedy", 0, ("OK: policy ward fits",)),
    ):
        reviewed.write_text(f"{auto}discovery:\n  strategy: {strategy}\n", encoding="utf-8")
        found = run("policy", "check", "policy.yaml", rows)
        assert (found[0], [one for one in expected if one not in found[1] + found[2]]) == (code, [])
