"""Whole audits from Python: what passes, what blocks and why, and policies that do not fit their table."""

import re
from dataclasses import replace
from datetime import date

import pandas as pd
import pyarrow as pa
import pytest

import qidguard
from audited import REST, TABLE, policy, roles, threshold
from qidguard import ExitCode, PolicyError, Role
from qidguard.auditing.context import AuditContext
from qidguard.auditing.judging import report_on
from qidguard.auditing.questions import plan
from qidguard.core.progress import SILENT
from qidguard.host import load_host
from qidguard.policy import load_policy
from qidguard.sdk import DecidedBy

PASSED, BLOCKED = ExitCode.PASSED, ExitCode.BLOCKED
TODAY = date(2026, 11, 13)
K2 = threshold("k_anonymity", at_least=2)
BY_VISIT = K2 | roles(entity="visit", insensitive=[])
AUTO = roles(quasi_identifiers="auto", insensitive=[])
HARMLESS = {"unnamed_columns": "insensitive"}
UNKNOWN = pd.DataFrame({"xyzzy": [1, 1, 1], "illness": ["a", "b", "c"]})


def attested(day):
    """Return an attestation of a day."""
    return {"attestations": [{"statement": "no actual knowledge", "by": "P. Officer", "on": day}]}


VERDICTS = {
    "every limit holds": (TABLE, {}, PASSED, [3, 2], ""),
    "a limit is missed": (TABLE, threshold("k_anonymity", at_least=4), BLOCKED, [3], ""),
    "an unnamed column": (TABLE.assign(nickname="x"), {}, BLOCKED, [3, 2], "'nickname'"),
    "unnamed is insensitive": (TABLE, HARMLESS | roles(insensitive=[]), PASSED, [3, 2], ""),
    "unnamed is a QID":
        (TABLE, roles(insensitive=[]) | {"unnamed_columns": "quasi_identifier"}, BLOCKED, [1, 1], ""),
    "unnamed identifies people":
        (TABLE.assign(email=list("abcdef")), HARMLESS, BLOCKED, [3, 2], "'email'.*direct_identifier"),
    "three records of one person": (TABLE.assign(visit=[1, 1, 1, 4, 5, 6]), BY_VISIT, BLOCKED, [1], ""),
    "a record of nobody":
        (TABLE.assign(visit=[1, 2, 3, 4, 5, None]), BY_VISIT, BLOCKED, [3], "missing in 1 of 6 records"),
    "two sensitive attributes": (
        TABLE, threshold("distinct_l_diversity", at_least=2) | roles(sensitive=REST[::-1], insensitive=[]),
        PASSED, [2, 3], "",
    ),
    "a preset asks for more": (TABLE, {"preset": "ema-0070"}, BLOCKED, [3, 2, 3, 1.0], ""),
    "recognized, but one": (TABLE.rename(columns={"visit": "xyzzy"}), AUTO, BLOCKED, [3, 2], "'xyzzy'"),
    "none recognized": (UNKNOWN, HARMLESS | AUTO, BLOCKED, [], "No column was recognized"),
    "on the day of the review": (TABLE, {"review_by": "2026-11-13"}, PASSED, [3, 2], ""),
    "on the day after": (TABLE, {"review_by": "2026-11-12"}, BLOCKED, [3, 2], "2026-11-12"),
    "attested today": (TABLE, attested("2026-11-13"), PASSED, [3, 2], ""),
    "attested tomorrow": (TABLE, attested("2026-11-14"), BLOCKED, [3, 2], "2026-11-14"),
    "no population": (TABLE, threshold("k_map", at_least=2), BLOCKED, [None], ""),
}  # fmt: skip
"""The table, what else the policy says, the exit code, the figures, and what the first block says."""


@pytest.mark.parametrize(("table", "changes", "code", "figures", "said"), VERDICTS.values(), ids=VERDICTS)
def test_verdict(table, changes, code, figures, said):
    """A table passes where every limit holds and nobody is in doubt of a column, a person or a date."""
    with qidguard.audit(table, policy=policy(**changes), today=TODAY) as audit:
        sentences = [block.sentence for block in audit.verdict.blocks]
        assert (audit.exit_code, audit.is_passed) == (code, code is PASSED)
        assert [t.measurement.value for t in audit.verdict.thresholds] == figures
        assert bool(sentences) == bool(said)
        assert re.search(said, "".join(sentences[:1]))


def test_a_verdict_says_how_far_off_and_for_whose_limit():
    """Four were asked for, one short; a preset adds its limits beside those of the policy."""
    with qidguard.audit(TABLE, policy=policy(**threshold("k_anonymity", at_least=4))) as audit:
        assert audit.verdict.thresholds[0].distance == -1
    with qidguard.audit(TABLE, policy=policy(preset="ema-0070")) as audit:
        assert [t.limit.value for t in audit.verdict.thresholds] == [3, 2, 11, 0.09]
        assert audit.report.preset == "ema-0070"
    with qidguard.audit(TABLE, policy=policy(**threshold("k_map", at_least=2))) as audit:
        assert "population" in audit.verdict.thresholds[0].measurement.reason


def test_what_is_measured_says_of_whom_and_over_which_columns():
    """Persons where the policy names them; the worst column of an attacker who knows any one."""
    with qidguard.audit(TABLE.assign(visit=[1, 1, 1, 4, 5, 6]), policy=policy(**BY_VISIT)) as audit:
        assert audit.verdict.thresholds[0].measurement.unit == "entities"
        assert (audit.report.records, audit.report.entities) == (6, 4)
    any_one = {"attacker": {"knows_any": 1}}
    given = policy(**any_one, **roles(quasi_identifiers=["sex", "visit"], insensitive=["age"]))
    with qidguard.audit(TABLE, policy=given) as audit:
        found = audit.verdict.thresholds[0].measurement
        assert (found.value, found.qids) == (1, ("visit",))


def test_each_combination_has_thresholds_of_its_own():
    """Neighbors know the visit and the sex; colleagues the age: each is judged apart."""
    neighbors = {"name": "neighbors", "quasi_identifiers": ["sex", "visit"]} | K2
    with qidguard.audit(TABLE, policy=policy(combinations=[neighbors], **roles(insensitive=[]))) as audit:
        found = [
            (t.limit.combination, t.measurement.metric, t.measurement.value) for t in audit.verdict.thresholds
        ]
        assert [s.combination for s in audit.report.summaries] == ["default", "neighbors"]
    assert sorted(found) == [
        ("default", "distinct_l_diversity", 2),
        ("default", "k_anonymity", 3),
        ("neighbors", "k_anonymity", 1),
    ]


def test_the_order_of_records_and_columns_changes_nothing():
    """A shuffled table has the same figures."""
    shuffled = TABLE.sample(frac=1, random_state=3)[["visit", "illness", "age", "sex"]]
    with qidguard.audit(shuffled, policy=policy()) as audit:
        assert [t.measurement.value for t in audit.verdict.thresholds] == [3, 2]


def test_no_value_of_the_table_is_in_the_report():
    """Whatever prints the audit, a rare illness is not in it."""
    frame = TABLE.assign(illness=["flu", "cough", "flu", "flu", "cough", "kuru-disease"])
    with qidguard.audit(frame, policy=policy(**threshold("k_anonymity", at_least=5))) as audit:
        for text in (repr(audit), audit._repr_html_()):
            assert ("kuru" in text, "illness" in text) == (False, True)


def test_the_distribution_of_a_metric_is_reachable():
    """Two classes of three records each."""
    with qidguard.audit(TABLE, policy=policy()) as audit:
        assert audit.distribution("k_anonymity", qids=("sex",)).tolist() == [[3, 3], [3, 3]]
        with pytest.raises(qidguard.UserError, match="sensitive attribute"):
            audit.distribution("distinct_l_diversity", qids=("sex",))


@pytest.mark.slow
def test_a_policy_object_a_mapping_and_a_file_are_one(tmp_path):
    """However the policy comes, the verdict is the same."""
    from ruamel.yaml import YAML

    path = tmp_path / "p.yaml"
    YAML().dump(policy(), path)
    for given in (policy(), load_policy(policy()), path, str(path)):
        with qidguard.audit(TABLE, policy=given) as audit:
            assert audit.is_passed


@pytest.mark.slow
def test_a_damaged_parquet_file_is_one_sentence(tmp_path):
    """A file whose pages are damaged is the user's to replace: no traceback, no value."""
    path = tmp_path / "t.parquet"
    pd.concat([TABLE] * 5000).to_parquet(path, compression="snappy")
    content = bytearray(path.read_bytes())
    content[10:400] = bytes(390)
    path.write_bytes(content)
    with pytest.raises(qidguard.UserError) as raised:
        qidguard.audit(path, policy=policy())
    assert "\n" not in str(raised.value)


def test_without_a_policy_roles_are_suggested_and_nothing_is_judged():
    """Sex and age are recognized by the lexicon; the exit code is 0. With auto they count."""
    with qidguard.audit(TABLE) as audit:
        suggested = {c.facts.name: c.assignment for c in audit.report.columns}
        assert (suggested["sex"].role, suggested["age"].decided_by) == (
            Role.QUASI_IDENTIFIER,
            DecidedBy.LEXICON,
        )
        assert (audit.verdict, audit.exit_code) == (None, PASSED)
        assert audit.report.summaries[0].qids == ("sex", "age")
    with qidguard.audit(TABLE, policy=policy(**AUTO)) as audit:
        assert audit.verdict.thresholds[0].measurement.qids == ("sex", "age")
        assert audit.report.is_auto


def test_population_metrics_use_the_population_table(tmp_path):
    """Five f and four m of 30 and 41 in the population: k-map is 4, presence at most 3/4."""
    population = tmp_path / "population.csv"
    population.write_text("sex,age\n" + "f,30\n" * 5 + "m,41\n" * 4, encoding="utf-8")
    limits = {"delta_presence_max": 0.75, "journalist_risk_max": 0.25}
    others = [{"metric": name, "at_most": limit} for name, limit in limits.items()]
    given = policy(
        population={"path": str(population)}, thresholds=[{"metric": "k_map", "at_least": 4}, *others]
    )
    with qidguard.audit(TABLE, policy=given) as audit:
        assert [t.measurement.value for t in audit.verdict.thresholds] == [4, 0.75, 0.25]
        assert audit.is_passed


def test_auto_works_with_a_population_table():
    """Columns that recognizers choose are compared with the population, too."""
    population = pa.table({"age": [30] * 5 + [41] * 4, "sex": ["f"] * 5 + ["m"] * 4})
    given = load_policy(
        policy(**threshold("k_map", at_least=4)) | roles(quasi_identifiers="auto", insensitive=["visit"])
    )
    host = load_host()
    planned = plan(given, tuple(TABLE.columns), host)
    context = AuditContext.of(TABLE, given, host, today=TODAY, progress=SILENT)
    needs = replace(planned.needs, population=population)
    with context.engine.open(TABLE, context.read, needs, context.settings) as table:
        report = report_on(context, table, planned, 0.0)
    assert report.verdict.thresholds[0].measurement.value == 4


@pytest.mark.parametrize(
    ("changes", "start", "part"),
    [
        (roles(direct_identifiers=["visit"], insensitive=[]), "", "direct identifiers: 'visit'"),
        ({"preset": "cms-11"} | attested("2026-11-01"), "Preset cms-11:", "analogy"),
    ],
)
def test_a_note_says_what_the_verdict_does_not_speak_of(changes, start, part):
    """A release is without direct identifiers; a rule on cells of tables is an analogy for classes."""
    with qidguard.audit(TABLE, policy=policy(**changes), today=TODAY) as audit:
        assert any(note.startswith(start) and part in note for note in audit.report.notes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (threshold("k_anonymity", at_least=0.5), "outside the metric's range"),
        (threshold("k_anonymity", at_least=1), "is never below 1; write at least 2"),
        (threshold("average_class_size", at_least=1), "never below 1; write a limit above 1"),
        (threshold("k_anonymity", at_least=1.5), "between two figures, which are whole numbers; write 2"),
        (threshold("sample_uniques", at_most=1.5), "between two figures, which are whole numbers; write 1"),
        (threshold("share_unique", at_most=1), "never above 1; write a limit below 1"),
        (threshold("rest_unique_share", at_most=1.0), "never above 1; write a limit below 1"),
        (threshold("delta_presence_min", at_least=0), "never below 0; write a limit above 0"),
        (threshold("discernibility", at_least=1), "never below 1"),
        (threshold("share_below_k", at_most=5), "outside the metric's range"),
        (threshold("share_below_k", at_most=0.1, parameters={"q": 3}), "unknown parameter 'q'"),
        (threshold("share_below_k", at_most=0.1, parameters={"k": "3"}), "'k' must be int"),
        (threshold("k_anonymity", at_least=2, sensitive="illness"), "not measured per sensitive"),
        (threshold("k_anonimity", at_least=2), "did you mean 'k_anonymity'"),
        (threshold("t_closeness", at_most=0.9) | roles(sensitive=[], insensitive=REST), "needs a sensitive"),
        (threshold("k_anonymity", at_most=100), "safer the higher it is.*write at_least"),
        (threshold("share_below_k", at_least=0), "safer the lower it is.*write at_most"),
    ],
)
def test_a_policy_that_does_not_fit_its_metrics_is_the_users_error(changes, words):
    """Each is one sentence with the rule and the remedy, before anything is loaded."""
    with pytest.raises(PolicyError, match=words):
        qidguard.audit(TABLE, policy=policy(**changes))


def test_a_policy_that_names_an_absent_column_says_where(tmp_path):
    """The line of the policy, the name and the closest column of the table."""
    path = tmp_path / "p.yaml"
    path.write_text(
        "qidguard: 1\nname: p\nroles:\n  quasi_identifiers:\n    - sex\n    - agee\n"
        "thresholds:\n  - metric: k_anonymity\n    at_least: 2\n",
        encoding="utf-8",
    )
    said = r"p\.yaml line 6: the table has no column 'agee'; did you mean 'age'"
    with pytest.raises(PolicyError, match=said):
        qidguard.audit(TABLE, policy=path)


ORIGINAL = pd.DataFrame(
    {"name": list("abcd"), "age": [1, 1, 2, 2], "illness": list("xyxy"), "note": list("efgh")}
)
RELEASED = {
    "qidguard": 1,
    "name": "p",
    "roles": {"quasi_identifiers": ["age"], "direct_identifiers": ["name"], "sensitive": ["illness"]},
    "release": {"drop": ["note"]},
} | K2


@pytest.mark.parametrize(
    ("columns", "original", "missing"),
    [
        (["age", "illness"], ORIGINAL, None),
        (["age", "illness"], None, "name"),
        (["illness"], ORIGINAL, "age"),
        (["age", "illness"], ORIGINAL.drop(columns="name"), "name"),
    ],
    ids=["in the original", "no original", "a quasi-identifier", "in neither"],
)
def test_what_is_never_published_may_be_missing_beside_the_original(columns, original, missing):
    """What a release leaves out is in the original; a column that nobody has, or a QID, is a mistake."""
    if missing is None:
        with qidguard.audit(ORIGINAL[columns], policy=RELEASED, original=original) as found:
            assert found.is_passed
        return
    with pytest.raises(PolicyError, match=f"the table has no column '{missing}'"):
        qidguard.audit(ORIGINAL[columns], policy=RELEASED, original=original)


@pytest.mark.parametrize("qids", ["auto", ["age", "sex"]], ids=["recognized", "named"])
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"thresholds": [{"metric": "k_anonymty", "at_least": 2}]}, "there is no metric 'k_anonymty'"),
        ({"remedy": {"anonymizer": "mondriann"}}, "there is no anonymizer 'mondriann'"),
    ],
    ids=["metric", "remedy"],
)
def test_what_cannot_be_judged_is_said_before_a_record_is_read(tmp_path, qids, changes, words):
    """The file has a record that cannot be read; a fault of the policy is told before that is met."""
    file = tmp_path / "ragged.csv"
    file.write_text("age,sex\n1,f\n1,f,3,4\n2\n", encoding="utf-8")
    good = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": qids}, **K2}
    with pytest.raises(qidguard.UserError, match=words):
        qidguard.audit(file, good | changes)
    with pytest.raises(qidguard.DataError, match="has 4 fields"):
        qidguard.audit(file, good)


def test_kinds_are_recognized_for_a_trial_though_every_role_is_decided():
    """A remedy goes by them; an audit of the same columns, which nothing is asked of, has none."""
    table = pd.DataFrame({"age": [20, 20, 34, 36] * 5, "city": ["Ulm", "Ulm", "Bonn", "Bonn"] * 5})
    given = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age", "city"]}, **K2}
    with qidguard.audit(table, given) as plain:
        assert [column.kind for column in plain.report.columns] == [None, None]
    with qidguard.anonymize(table, given, anonymizer="mondrian", seed=1) as tried:
        assert [column.kind.kind.value for column in tried.before.columns] == ["count", "place"]
