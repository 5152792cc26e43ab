"""A method tried on a table: audited before and after, written only if the policy holds."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pandas as pd
import pytest

from plugged import Coarse, Counting, Doing, WholeNumbers, host_with, share_changed
from qidguard import ExitCode, anonymize
from qidguard.anonymizing.rehearsal import WITHHELD_SHARE
from qidguard.sdk import (
    Anonymized,
    Bound,
    Guarantee,
    Limit,
    NotMeasurable,
    PluginError,
    PolicyError,
    Recoded,
    UserError,
)
from qidguard.trials.receipt_document import trial_document
from releases import once, people

AT_LEAST_5 = Limit(bound=Bound.AT_LEAST, value=5)


def nothing(_records, *_):
    """Give up."""
    raise NotMeasurable("there is no way")


K5 = Guarantee(metric="k_anonymity", limit=AT_LEAST_5, qids=("age", "sex"))
HOST = host_with([Coarse(claims=(K5,)), Doing(nothing, "gives_up")], [Counting()], [share_changed()])


def table() -> pd.DataFrame:
    """Return two classes of four persons, men of 20 and 40: one class of eight once the ages are one."""
    rows = people(groups=3, size=4)
    return rows[rows["sex"] == "m"].reset_index(drop=True)


def tried(source=None, rules=None, anonymizer="coarse", **given):
    """Try a method."""
    source = table() if source is None else source
    given = {"host": HOST, "seed": 1} | given
    return anonymize(source, policy=rules or once(), anonymizer=anonymizer, **given)


@pytest.mark.slow
def test_a_blocked_table_is_made_to_pass_and_written(tmp_path):
    """The smallest class is of 4 before and of 8 after; a half is lost; no name is in the file."""
    with tried() as made:
        path = made.write(str(tmp_path / "safe.csv"))
        assert (made.is_passed, made.exit_code, made.sentences) == (True, ExitCode.PASSED, ())
        assert [r.verdict.thresholds[0].measurement.value for r in (made.before, made.after)] == [4, 8]
        assert dict(made.receipt.cells_changed) == {"age": 8}
        [loss] = [m for m in made.utility if m.metric == "share_changed"]
        assert (loss.value, loss.qids, path) == (0.5, ("age", "sex"), str(tmp_path / "safe.csv"))
    illness = table()["illness"].tolist()
    read = pd.read_csv(path).to_dict("list")
    assert read == {"age": ["[20, 40]"] * 8, "sex": ["m"] * 8, "illness": illness}


@pytest.mark.slow
def test_a_threshold_on_what_was_lost_is_held_against_the_source(tmp_path):
    """Nothing is lost before, a half afterward, and the limit is a quarter."""
    lost = {"metric": "share_changed", "at_most": 0.25}
    with tried(rules=once(thresholds=[*once()["thresholds"], lost])) as made:
        found = [[t.measurement.value for t in r.verdict.thresholds] for r in (made.before, made.after)]
        assert found == [[4, 0], [8, 0.5]]
        said = (
            "share of cells changed is 50%, must be at most 25% (25 percentage points over), over age, sex."
        )
        assert made.sentences == (said,)
        with pytest.raises(UserError, match="The policy does not hold"):
            made.write(str(tmp_path / "x.csv"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_claims_stand_beside_what_was_measured():
    """One is kept, one is not, and one is of a metric that nobody knows."""
    others = {"distinct_l_diversity": "illness", "no_such_metric": None}
    claims = (
        K5,
        *(Guarantee(metric=m, limit=AT_LEAST_5, qids=("age",), sensitive=s) for m, s in others.items()),
    )
    with tried(host=host_with([Coarse(claims=claims)])) as made:
        found = [(claim.measurement.value, claim.is_kept) for claim in made.claims]
        assert found == [(8, True), (3, False), (None, False)]
        assert "there is no metric 'no_such_metric'" in made.claims[2].measurement.reason
        shown = repr(made)
    assert "claims k-anonymity at least 5 over age, sex: kept, it is 8 entities" in shown
    assert "claims distinct l-diversity of illness at least 5 over age: NOT KEPT, it is 3 values" in shown


def test_a_method_that_gives_up_makes_nothing(tmp_path):
    """Its own words say why, and there is nothing to write."""
    with tried(anonymizer="gives_up") as made:
        assert (made.after, made.receipt, made.exit_code) == (None, None, ExitCode.BLOCKED)
        assert made.sentences == ("The remedy gives_up cannot make the policy hold: there is no way",)
        with pytest.raises(UserError, match="does not hold"):
            made.write(str(tmp_path / "x.csv"))


def test_what_is_no_threshold_cannot_be_cured():
    """A column that the policy does not name: the method is not even run."""
    said = "The method was not run, since no method removes this: Column 'ward' is not named by the policy"
    with tried(table().assign(ward="A")) as made:
        assert made.receipt is None
        assert made.sentences[0].startswith(said)


@pytest.mark.slow
def test_the_method_runs_where_the_policy_holds_already():
    """People want to see what it costs."""
    with tried(people()) as made:
        assert (made.before.is_passed, dict(made.receipt.cells_changed)) == (True, {"age": 15})


@pytest.mark.slow
@pytest.mark.parametrize("is_recorded", [False, True])
def test_what_was_a_qid_before_is_one_afterward(place, is_recorded):
    """A recognizer chose a column of numbers, which holds text afterward: it is still judged as a QID."""
    roles = {"quasi_identifiers": "auto", "sensitive": ["illness"], "direct_identifiers": ["name"]}
    rules = once(roles={**roles, "insensitive": ["person"]}, unnamed_columns="insensitive")
    host = host_with([Coarse(column="quux", text="x")], recognizers=[WholeNumbers()])
    source = table().rename(columns={"age": "quux"})
    options = {"host": host, "home": str(place.home)}
    with tried(source, rules, **options, is_recorded=is_recorded) as made:
        assert made.receipt.cells_changed == {"quux": 8}
        seen = [report.summaries[0].qids for report in (made.before, made.after)]
    assert seen == [("quux", "sex")] * 2


@pytest.mark.slow
def test_attacks_are_rehearsed_and_never_block():
    """A fifth of eight persons is withheld; the result is in the receipt, the document and the lines."""
    with tried(attacks=("counting",)) as made:
        assert made.is_passed
        [found] = made.receipt.attacks
        assert WITHHELD_SHARE == 0.2
        assert found.sentence == "6 were attacked and 2 withheld."
        assert trial_document(made)["receipt"]["attacks"][0]["control"]["trials"] == 2
        assert "attack counting: 6 were attacked and 2 withheld." in repr(made)


@pytest.mark.slow
def test_the_policys_remedy_is_the_default_and_its_parameters_stay():
    """What is not said is as the policy has it."""
    given = {"k": 2, "most_suppressed": 1.0}
    remedy = {"anonymizer": "small_class_suppression", "parameters": given, "attacks": ["counting"]}
    source = pd.concat([people(), people(1, 1, first=900).assign(age=99)])
    with tried(source, once(remedy=remedy), None, parameters={"most_suppressed": 0.5}) as made:
        assert dict(made.receipt.arguments) == {"k": 2, "most_suppressed": 0.5}
        assert (made.receipt.records_suppressed, len(made.receipt.attacks)) == (1, 1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"anonymizer": None, "parameters": {"k": 5}}, "No anonymizer is named; name one, such as blocks, "),
        ({"anonymizer": "coarze"}, "there is no anonymizer 'coarze'; did you mean 'coarse'?"),
        ({"parameters": {"k": 5}}, "coarse: unknown parameter 'k'; it takes: none"),
        ({"attacks": ("couting",)}, "there is no attack 'couting'; did you mean 'counting'?"),
        ({"seed": -1}, "The seed must be a whole number"),
    ],
)
def test_what_there_is_not_is_said_before_anything_is_read(given, said):
    """The source is never touched."""
    with pytest.raises(UserError) as raised:
        tried("no such file.csv", **given)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"attacks": ["counting", "linkagge"]}, "there is no attack 'linkagge'"),
        ({"parameters": {"k": 1}}, "coarse: unknown parameter 'k'; it takes: none"),
    ],
)
def test_a_wrong_remedy_is_an_error_of_the_policy(place, written, said):
    """Nothing is read and nothing is recorded."""
    with pytest.raises(PolicyError) as raised:
        place.release("no such file.csv", once(remedy={"anonymizer": "coarse"} | written), host=HOST)
    assert said in str(raised.value)
    assert not place.home.exists() or place.entries() == []


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(tmp_path):
    """Shuffled too; another seed shuffles otherwise, and without it the order is the source's."""
    source = people(groups=5)
    written = []
    for seed, shuffle in ((1, True), (1, True), (2, True), (1, False)):
        with tried(source, seed=seed) as made:
            written.append(made.write(str(tmp_path / f"{len(written)}.csv"), shuffle=shuffle))
    first, again, other, plain = (pd.read_csv(path)["illness"].tolist() for path in written)
    assert first == again
    assert plain == source["illness"].tolist()
    assert len({tuple(x) for x in (first, other, plain)}) == 3
    assert sorted(first) == sorted(other) == sorted(plain)


@pytest.mark.slow
def test_the_source_is_not_written_over(tmp_path):
    """Nor the population."""
    path = tmp_path / "people.csv"
    table().to_csv(path, index=False)
    with tried(str(path)) as made, pytest.raises(UserError, match="written over its source"):
        made.write(str(path))


@pytest.mark.slow
def test_nothing_is_kept_without_being_asked_for(place, monkeypatch):
    """No ledger, no key, no home folder."""
    monkeypatch.setenv("QIDGUARD_HOME", str(place.home))
    with tried():
        pass
    assert not place.home.exists()


def recorded(place, host=HOST, **given):
    """Try a method for the ledger of a place."""
    return tried(host=host, home=str(place.home), is_recorded=True, **given)


@pytest.mark.slow
def test_a_recorded_trial_is_in_the_ledger_with_its_receipt(place):
    """The entry is of what was made; the same figures as without a record."""
    with recorded(place) as made:
        [entry] = place.entries()
        assert (made.audit_id, made.is_passed) == (entry.id, True)
        assert [m.value for m in made.utility if m.metric == "share_changed"] == [0.5]
    assert (entry.kind, entry.payload["outcome"], entry.payload["records"]) == ("checked", "passed", 8)
    kept = place.record(entry.id)["suppression"]
    assert (kept["cells_changed"], kept["guarantees"][0]["measured"]) == ({"age": 8}, 8)


def test_a_recorded_trial_that_fails_or_gives_up_is_in_the_ledger(place):
    """The run that ended before its verdict; one that gives up is blocked, with its reason."""

    def fails(*_):
        raise ValueError

    with pytest.raises(PluginError):
        recorded(place, host_with([Doing(fails)]), anonymizer="doing")
    with recorded(place, anonymizer="gives_up") as made:
        assert made.sentences[0].endswith("there is no way")
    failed, blocked = place.entries()
    assert (failed.kind, blocked.payload["outcome"]) == ("failed", "blocked")


@pytest.mark.slow
def test_no_value_is_in_anything_that_is_told():
    """Every value carries a mark; lines, document and remarks hold none, whatever is published."""
    mark = "Zq7Wx9Kp"
    rows = people(groups=4, size=2)
    for name in ("person", "name", "age", "sex", "illness"):
        rows[name] = mark + rows[name].astype(str)

    def publish(records, *_):
        cities = records.column("age")
        joined = "{" + ", ".join(text for text in cities.texts if text) + "}"
        codes = np.zeros(records.records, dtype=np.int32)
        kept = np.arange(records.records) > 0
        return Anonymized(kept=kept, columns={"age": Recoded(codes=codes, values=(joined,))})

    host = host_with([Doing(publish)], [Counting()], [share_changed()])
    out = io.StringIO()
    given = {"anonymizer": "doing", "attacks": ("counting",), "host": host}
    with redirect_stdout(out), redirect_stderr(out), tried(rows, **given) as made:
        said = repr(made) + json.dumps(trial_document(made)) + repr(made.receipt) + repr(made.utility)
        assert made.receipt.records_suppressed == 1
    assert mark not in said + out.getvalue()
