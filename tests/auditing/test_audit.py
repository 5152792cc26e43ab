"""Tests of whole audits from Python."""

import pandas as pd
import pytest

import qidguard
from audited import TABLE, policy, roles, threshold
from qidguard import ExitCode, Role
from qidguard.policy import load_policy


def test_a_table_that_keeps_every_limit_passes():
    """K is 3 and l is 2, as the policy asks."""
    with qidguard.audit(TABLE, policy=policy()) as audit:
        assert audit.is_passed
        assert audit.exit_code is ExitCode.PASSED
        assert [t.measurement.value for t in audit.verdict.thresholds] == [3, 2]


def test_a_missed_limit_blocks_and_says_how_far_off():
    """K is 3, four were asked for: one short."""
    with qidguard.audit(TABLE, policy=policy(**threshold("k_anonymity", at_least=4))) as audit:
        assert not audit.is_passed
        assert audit.exit_code is ExitCode.BLOCKED
        assert audit.verdict.thresholds[0].distance == -1


def test_a_column_that_the_policy_does_not_name_blocks():
    """A new column is in doubt: the verdict blocks and names it, though every limit holds."""
    with qidguard.audit(TABLE.assign(nickname="x"), policy=policy()) as audit:
        assert all(t.is_met for t in audit.verdict.thresholds)
        assert audit.exit_code is ExitCode.BLOCKED
        [block] = audit.verdict.blocks
        assert "'nickname'" in block.sentence


@pytest.mark.parametrize(
    ("rule", "is_passed", "role"),
    [("insensitive", True, Role.INSENSITIVE), ("quasi_identifier", False, Role.QUASI_IDENTIFIER)],
)
def test_a_policy_may_say_what_unnamed_columns_are(rule, is_passed, role):
    """As insensitive the unnamed visit number changes nothing; as a quasi-identifier it makes all unique."""
    given = policy(unnamed_columns=rule) | roles(insensitive=[])
    with qidguard.audit(TABLE, policy=given) as audit:
        assert audit.is_passed is is_passed
        assert audit.report.columns[3].assignment.role is role


def test_an_unnamed_column_that_identifies_people_is_never_insensitive():
    """A new column called email blocks, even where the policy calls unnamed columns insensitive."""
    frame = TABLE.assign(email=list("abcdef"))
    with qidguard.audit(frame, policy=policy(unnamed_columns="insensitive")) as audit:
        assert audit.exit_code is ExitCode.BLOCKED
        assert "'email'" in audit.verdict.blocks[0].sentence
        assert "direct_identifier" in audit.verdict.blocks[0].sentence


def test_persons_are_entities_where_the_policy_names_them():
    """Three records of one patient are one person, so k falls from 3 to 1."""
    frame = TABLE.assign(visit=[1, 1, 1, 4, 5, 6])
    with qidguard.audit(frame, policy=policy(**roles(entity="visit", insensitive=[]))) as audit:
        figure = audit.verdict.thresholds[0].measurement
        assert (figure.value, figure.unit) == (1, "entities")
        assert (audit.report.records, audit.report.entities) == (6, 4)


def test_a_missing_entity_blocks():
    """A record that belongs to nobody cannot be counted."""
    frame = TABLE.assign(visit=[1, 2, 3, 4, 5, None])
    given = policy(**roles(entity="visit", insensitive=[])) | threshold("k_anonymity", at_least=2)
    with qidguard.audit(frame, policy=given) as audit:
        assert audit.exit_code is ExitCode.BLOCKED
        assert "missing in 1 of 6 records" in audit.verdict.blocks[0].sentence


def test_an_attacker_who_knows_any_one_column():
    """Knowing any one of sex and visit, visit alone makes everybody unique."""
    given = policy(attacker={"knows_any": 1}) | roles(quasi_identifiers=["sex", "visit"], insensitive=["age"])
    with qidguard.audit(TABLE, policy=given) as audit:
        assert audit.verdict.thresholds[0].measurement.value == 1
        assert audit.verdict.thresholds[0].measurement.qids == ("visit",)


def test_each_combination_has_thresholds_of_its_own():
    """Neighbors know the visit and the sex; colleagues the age: each is judged apart."""
    given = policy(
        combinations=[
            {
                "name": "neighbors",
                "quasi_identifiers": ["sex", "visit"],
                "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            }
        ]
    ) | roles(insensitive=[])
    with qidguard.audit(TABLE, policy=given) as audit:
        found = {
            (t.limit.combination, t.measurement.metric): t.measurement.value for t in audit.verdict.thresholds
        }
        assert found == {
            ("default", "k_anonymity"): 3,
            ("default", "distinct_l_diversity"): 2,
            ("neighbors", "k_anonymity"): 1,
        }
        assert [s.combination for s in audit.report.summaries] == ["default", "neighbors"]


def test_per_sensitive_attribute_metrics_are_measured_for_each():
    """Two sensitive attributes give two results for one threshold."""
    given = policy(**threshold("distinct_l_diversity", at_least=2)) | roles(
        sensitive=["illness", "visit"], insensitive=[]
    )
    with qidguard.audit(TABLE, policy=given) as audit:
        assert [(t.measurement.sensitive, t.measurement.value) for t in audit.verdict.thresholds] == [
            ("illness", 2), ("visit", 3)
        ]  # fmt: skip


def test_a_preset_adds_its_thresholds_and_a_laxer_policy_does_not_weaken_it():
    """A preset that asks for k of at least 11 blocks, whatever the policy itself asks."""
    with qidguard.audit(TABLE, policy=policy(preset="ema-0070")) as audit:
        limits = sorted(
            t.limit.value for t in audit.verdict.thresholds if t.measurement.metric == "k_anonymity"
        )
        assert limits == [3, 11]
        assert not audit.is_passed
        assert audit.report.preset == "ema-0070"


def test_the_order_of_records_and_columns_changes_nothing():
    """A shuffled table has the same figures."""
    shuffled = TABLE.sample(frac=1, random_state=3)[["visit", "illness", "age", "sex"]]
    with qidguard.audit(TABLE, policy=policy()) as left, qidguard.audit(shuffled, policy=policy()) as right:
        assert [t.measurement.value for t in left.verdict.thresholds] == [
            t.measurement.value for t in right.verdict.thresholds
        ]


def test_no_value_of_the_table_is_in_the_report():
    """Whatever prints the audit, a rare illness is not in it."""
    frame = TABLE.assign(illness=["flu", "cough", "flu", "flu", "cough", "kuru-disease"])
    with qidguard.audit(frame, policy=policy(**threshold("k_anonymity", at_least=5))) as audit:
        for text in (repr(audit), audit._repr_html_()):
            assert "kuru" not in text
            assert "illness" in text


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
