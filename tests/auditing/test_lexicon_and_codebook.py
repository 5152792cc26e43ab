"""A policy's own words for names, and its codebook, are read at every door; any doubt is an error."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import qidguard
from qidguard.auditing.context import AuditContext
from qidguard.auditing.lexicon_and_codebook import read_beside
from qidguard.auditing.run import run_audit
from qidguard.core.errors import PolicyError
from qidguard.core.progress import SILENT
from qidguard.host import load_host
from qidguard.interfaces.starter.working_set import placed
from qidguard.policy import load_policy
from qidguard.sdk import Role
from qidguard.trials.read_places import other_sources
from qidguard_suites.embedded import policy_kwargs
from tests.auditing.test_content import Asking, alone

HOST = load_host()
FRAME = pd.DataFrame(
    {"gage": [900, 1000, 900, 1000] * 20, "Q7": ["a", "b", "a", "b"] * 20, "age": [3, 4] * 40}
)
GAGE = {"words": {"income_wealth": ["gage"]}}
OURS = '[badge]\ntitle = "badge of staff"\nroles = ["quasi_identifier"]\nkind = "key"\nen = ["gage"]\n'
AUTO: dict[str, Any] = {
    "qidguard": 1,
    "name": "p",
    "roles": {"quasi_identifiers": "auto"},
    "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
}


def policy_file(folder: Path, **more: Any) -> Path:
    """Write a policy as YAML, which JSON is."""
    file = folder / "policy.yaml"
    file.write_text(json.dumps({**AUTO, **more}))
    return file


def roles(policy: Any, **more: Any) -> dict[str, Role]:
    """Return what recognizers propose for each column under a policy."""
    with qidguard.audit(FRAME, policy, **more) as found:
        return {c.facts.name: c.proposals[0].assignment.role for c in found.report.columns if c.proposals}


@pytest.mark.slow
def test_words_in_the_policy_are_known(tmp_path) -> None:
    """A word gives its column its concept's role, under this policy and no other."""
    assert roles(policy_file(tmp_path, lexicon=GAGE))["gage"] is Role.SENSITIVE
    assert "gage" not in roles(policy_file(tmp_path))


@pytest.mark.parametrize(
    ("place", "words"), [("words.toml", '["gage"]'), ("folder/words.toml", '"staff_badge\\tgage wage"')]
)
def test_a_file_or_a_folder_beside_the_policy_is_read(tmp_path, monkeypatch, place, words) -> None:
    """Its path is relative to the policy's file, wherever the command runs; new concepts count, too.

    The words are a list, or one text with white space between.
    """
    file = tmp_path / "rules" / place
    file.parent.mkdir(parents=True)
    file.write_text(OURS.replace('["gage"]', words))
    monkeypatch.chdir(tmp_path)
    policy = policy_file(tmp_path / "rules", lexicon=place.split("/")[0])
    assert roles(policy)["gage"] is Role.QUASI_IDENTIFIER


@pytest.fixture
def labels(tmp_path):
    """Return a codebook with a label that tells what a name does not."""
    (tmp_path / "labels.csv").write_text("name,label\nQ7,Religion of the respondent\n")
    return tmp_path / "labels.csv"


@pytest.mark.slow
def test_a_codebook_in_the_policy_is_read(tmp_path, labels) -> None:
    """A label of the codebook tells what a name does not; an argument gives one where no policy does."""
    assert "Q7" not in roles(policy_file(tmp_path))
    policy = policy_file(tmp_path, source={"codebook": "labels.csv"})
    assert roles(policy)["Q7"] is roles(None, codebook=labels)["Q7"] is Role.SENSITIVE
    for given in ({"policy": policy}, {"codebook": labels}):
        found = qidguard.discover(FRAME, **given, objective={"distinction": 1}).roles()
        assert "its label has 'religion'" in found[1].reason


@pytest.mark.slow
def test_what_was_read_is_recorded_by_its_digest(tmp_path, labels) -> None:
    """The report keeps the digest of the very bytes; other bytes, and other words, have another one."""
    more = {"lexicon": GAGE, "source": {"codebook": "labels.csv"}}
    with qidguard.audit(FRAME, policy_file(tmp_path, **more)) as found:
        digests = found.report.read_beside
    assert digests["codebook"] == hashlib.sha256(labels.read_bytes()).hexdigest()
    more["lexicon"] = {"words": {"income_wealth": ["lohn2"]}}
    other = read_beside(load_policy(policy_file(tmp_path, **more)), HOST).digests
    assert other["lexicon"] != digests["lexicon"]
    assert other["codebook"] == digests["codebook"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[income_wealth", "words.toml of the lexicon is not TOML"),
        ("x = 3", "'x' is no table of a concept; write [x]"),
        ("[income]\nall = ['gage']", "there is no concept 'income'; did you mean"),
        ("[income_wealth]\nall = 5", "all of 'income_wealth' must be a list of texts"),
        ("[income_wealth]\nfr_be = ['gage']", "which a concept has not"),
        ("[income_wealth]\nmost_values = 'many'", "must be a whole number"),
        (OURS.replace("quasi_identifier", "direct"), "'direct' is not a valid Role"),
        (OURS.replace("key", "kay"), "'kay' is not a valid ColumnKind"),
        (OURS.replace('kind = "key"\n', ""), "'badge' has no 'kind'; add it"),
    ],
)
def test_a_wrong_lexicon_is_an_error_of_the_policy(tmp_path, content, words) -> None:
    """One sentence names the file, what is wrong and what to do, before any data is read."""
    (tmp_path / "words.toml").write_text(content)
    policy = policy_file(tmp_path, lexicon="words.toml")
    with pytest.raises(PolicyError) as error:
        read_beside(load_policy(policy), HOST)
    [sentence] = str(error.value).splitlines()
    assert (words in sentence, sentence.startswith(str(policy))) == (True, True)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"lexicon": "gone.toml"}, "the lexicon 'gone.toml' cannot be read"),
        ({"lexicon": "."}, "holds no .toml file"),
        ({"lexicon": {"path": "gone.toml"}}, "cannot be read"),
        ({"source": {"codebook": "gone.csv"}}, "The codebook 'gone.csv' cannot be read"),
        ({"source": {"codebook": "policy.yaml"}}, "write its names and labels as a CSV"),
        ({"lexicon": {}}, "names neither a path nor words"),
        ({"lexicon": 3}, "must be a mapping"),
        ({"lexicon": {"words": {"income_wealth": []}}}, "must be a list of words"),
        ({"lexicon": {"words": {"income_wealth": [3]}}}, "must be a list of words, not of 3"),
        ({"lexicon": {"words": {"incme_wealth": ["a"]}}}, "did you mean 'income_wealth'?"),
    ],
)
def test_what_is_missing_or_wrong_is_an_error_of_the_policy(tmp_path, more, words) -> None:
    """A file that is missing or of another kind is never passed over."""
    with pytest.raises(PolicyError) as error:
        read_beside(load_policy(policy_file(tmp_path, **more)), HOST)
    assert words in str(error.value)


def test_words_that_no_recognizer_takes_are_an_error() -> None:
    """Where no installed recognizer reads words, a policy that brings some cannot be judged."""
    with pytest.raises(PolicyError, match="no installed recognizer takes words"):
        qidguard.audit(FRAME, {**AUTO, "lexicon": GAGE}, host=alone(Asking()))


def test_other_doors_find_the_same_files(tmp_path, monkeypatch) -> None:
    """A suite, another folder, and what must not be overwritten all name the files where they are."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "rules"
    folder.mkdir()
    text = (
        "qidguard: 1\nname: p\npreset: pdpc-sg-5\nroles: {quasi_identifiers: [age]}\n"
        "source: {codebook: labels.csv}\nlexicon: words\n"
    )
    (folder / "p.yaml").write_text(text)
    policy = load_policy(folder / "p.yaml")
    written = policy_kwargs(policy)["policy"]
    assert (written["source"]["codebook"], written["lexicon"]["path"]) == ("rules/labels.csv", "rules/words")
    assert other_sources(policy) == (str(folder / "labels.csv"), str(folder / "words"))
    moved = placed(text, policy, tmp_path / "dags" / "p.yaml")[1]
    assert (moved.source.codebook, moved.lexicon.path) == ("../rules/labels.csv", "../rules/words")


def test_a_private_copy_is_recognized_by_the_same_labels(labels) -> None:
    """Labels that an argument names count for the copy that a release audits, too."""
    context = AuditContext.of(FRAME, load_policy(AUTO), HOST, progress=SILENT)
    context = replace(context, read=replace(context.read, codebook=labels))
    with (
        context.engine.snapshot(FRAME, context.read, context.settings) as copy,
        run_audit(context, copy) as found,
    ):
        column = next(c for c in found.report.columns if c.facts.name == "Q7")
    assert column.assignment.role is Role.SENSITIVE


NAMED = {"quasi_identifiers": ["age"], "insensitive": [f"zq{i}x" for i in range(5)]}
CODES = {
    "without a policy": (5, None, "", True),
    "too few": (4, None, "", False),
    "where recognizers decide": (5, AUTO["roles"], "", True),
    "where a person decided": (5, NAMED, "", False),
    "with labels": (5, None, "name,label\n" + "".join(f"zq{i}x,Of item {i}\n" for i in range(5)), False),
}


@pytest.mark.parametrize("what", CODES)
def test_a_report_says_where_a_codebook_would_help(what: str, tmp_path: Path) -> None:
    """Of codes that neither name nor values explain, labels are missed where recognizers give the roles."""
    codes, roles, labels, is_told = CODES[what]
    frame = pd.DataFrame({"age": [30, 31] * 30, **{f"zq{i}x": ["lo", "up"] * 30 for i in range(codes)}})
    policy = None if roles is None else {**AUTO, "roles": roles}
    book = tmp_path / "labels.csv"
    book.write_text(labels, "utf-8")
    with qidguard.audit(frame, policy, codebook=book if labels else None) as found:
        assert any("A codebook that says" in note for note in found.report.notes) == is_told
