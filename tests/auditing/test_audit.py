"""Tests of whole audits from Python."""

from dataclasses import replace
from datetime import date
from types import MappingProxyType

import pandas as pd
import pytest

import qidguard
from qidguard import DecidedBy, ExitCode, Metric, PluginError, PolicyError, Role, TableFunction
from qidguard.core.policy import load_policy
from qidguard.host import Host, PluginFailure, PluginInfo, load_host

TABLE = pd.DataFrame(
    {
        "sex": ["f", "f", "f", "m", "m", "m"],
        "age": [30, 30, 30, 41, 41, 41],
        "illness": ["flu", "cough", "flu", "flu", "cough", "acne"],
        "visit": [1, 2, 3, 4, 5, 6],
    }
)

REST = ["visit", "illness"]


def policy(**changes: object) -> dict[str, object]:
    """Return a policy that TABLE passes."""
    fields: dict[str, object] = {
        "qidguard": 1,
        "name": "p",
        "roles": {
            "quasi_identifiers": ["sex", "age"],
            "sensitive": ["illness"],
            "insensitive": ["visit"],
        },
        "thresholds": [
            {"metric": "k_anonymity", "at_least": 3},
            {"metric": "distinct_l_diversity", "at_least": 2},
        ],
    }
    return fields | changes


def threshold(metric: str, **changes: object) -> dict[str, object]:
    """Return thresholds with one of a metric."""
    return {"thresholds": [{"metric": metric, **changes}]}


def roles(**changes: object) -> dict[str, object]:
    """Return the roles of the passing policy with changes."""
    given = policy()["roles"]
    assert isinstance(given, dict)
    return {"roles": given | changes}


def with_failure(host: Host) -> Host:
    """Return a host in which one more plugin is broken."""
    broken = PluginFailure(name="theirs", distribution="theirs", version="2.0", error="ImportError: gone")
    return replace(host, failures=(broken,))


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
    given = policy(**roles(entity="visit", insensitive=[])) | threshold("k_anonymity", at_least=1)
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
    """Neighbours know the visit and the sex; colleagues the age: each is judged apart."""
    given = policy(
        combinations=[
            {
                "name": "neighbours",
                "quasi_identifiers": ["sex", "visit"],
                "thresholds": [{"metric": "k_anonymity", "at_least": 1}],
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
            ("neighbours", "k_anonymity"): 1,
        }
        assert [s.combination for s in audit.report.summaries] == ["default", "neighbours"]


def test_per_sensitive_attribute_metrics_are_measured_for_each():
    """Two sensitive attributes give two results for one threshold."""
    given = policy(**threshold("distinct_l_diversity", at_least=1)) | roles(
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


def test_without_a_policy_roles_are_suggested_and_nothing_is_judged():
    """Sex and age are recognised by the lexicon; the exit code is 0."""
    with qidguard.audit(TABLE) as audit:
        suggested = {c.facts.name: c.assignment for c in audit.report.columns}
        assert suggested["sex"].role is Role.QUASI_IDENTIFIER
        assert suggested["age"].decided_by is DecidedBy.LEXICON
        assert audit.verdict is None
        assert audit.exit_code is ExitCode.PASSED
        assert audit.report.summaries[0].qids == ("sex", "age")


def test_auto_takes_recognised_columns_and_blocks_on_the_rest():
    """With quasi_identifiers: auto sex and age count; an unknown column still blocks."""
    given = policy(**roles(quasi_identifiers="auto", insensitive=[]))
    with qidguard.audit(TABLE.rename(columns={"visit": "xyzzy"}), policy=given) as audit:
        assert audit.verdict.thresholds[0].measurement.qids == ("sex", "age")
        assert "'xyzzy'" in audit.verdict.blocks[0].sentence
        assert audit.report.is_auto


def test_auto_without_any_recognised_column_blocks():
    """No quasi-identifier at all is a doubt, not a pass."""
    frame = pd.DataFrame({"xyzzy": [1, 1, 1], "illness": ["a", "b", "c"]})
    given = policy(unnamed_columns="insensitive") | roles(quasi_identifiers="auto", insensitive=[])
    with qidguard.audit(frame, policy=given) as audit:
        assert audit.exit_code is ExitCode.BLOCKED
        assert any("No column was recognised" in b.sentence for b in audit.verdict.blocks)


def test_auto_with_a_broken_plugin_is_blocked_as_a_fault():
    """A recogniser may be missing, so nobody knows whether all QIDs were found: exit 3."""
    given = policy(**roles(quasi_identifiers="auto"))
    with qidguard.audit(TABLE, policy=given, host=with_failure(load_host())) as audit:
        assert audit.exit_code is ExitCode.INTERNAL_ERROR
        assert "theirs" in audit.verdict.blocks[0].sentence


def test_an_unrelated_broken_plugin_does_not_block():
    """A policy that needs nothing of the broken plugin is judged as ever."""
    with qidguard.audit(TABLE, policy=policy(), host=with_failure(load_host())) as audit:
        assert audit.is_passed


def test_a_metric_that_may_be_the_broken_plugins_is_a_plugin_error():
    """A policy that needs a metric which no loaded plugin offers, while one is broken, ends with exit 3."""
    given = policy(**threshold("their_metric", at_most=1))
    with pytest.raises(PluginError, match=r"their_metric.*theirs 2\.0: ImportError") as raised:
        qidguard.audit(TABLE, policy=given, host=with_failure(load_host()))
    assert raised.value.exit_code == 3


def test_a_metric_that_crashes_blocks_as_a_fault():
    """The verdict is exit 3, names the plugin, and shows the other limits."""
    good = load_host()
    k = good.metrics["k_anonymity"]

    def crash(*_: object) -> int:
        raise RuntimeError("flu")

    broken: Metric = replace(k, method=TableFunction(measure=crash))
    registry = {**good.registry, "metrics": {**good.metrics, "k_anonymity": broken}}
    with qidguard.audit(
        TABLE, policy=policy(), host=replace(good, registry=MappingProxyType(registry))
    ) as audit:
        assert audit.exit_code is ExitCode.INTERNAL_ERROR
        first, second = audit.verdict.thresholds
        assert "RuntimeError" in first.measurement.reason
        assert "flu" not in repr(audit)
        assert second.is_met


def test_listeners_hear_the_report_and_a_broken_one_turns_a_pass_into_a_fault():
    """Evidence that could not be kept is no pass."""
    heard = []

    def broken(_: object) -> None:
        raise OSError("disk full")

    info = PluginInfo(name="ear", distribution="ear", version="1.0", offers={})
    good = replace(load_host(), listeners=((info, heard.append),))
    with qidguard.audit(TABLE, policy=policy(), host=good) as audit:
        assert audit.is_passed
        assert heard[0].policy == "p"
    with qidguard.audit(TABLE, policy=policy(), host=replace(good, listeners=((info, broken),))) as audit:
        assert audit.exit_code is ExitCode.INTERNAL_ERROR
        assert "plugin 'ear' of ear 1.0" in audit.verdict.blocks[0].sentence


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (threshold("k_anonymity", at_least=0.5), "outside the metric's range"),
        (threshold("share_below_k", at_most=5), "outside the metric's range"),
        (threshold("share_below_k", at_most=0.1, parameters={"q": 3}), "unknown parameter 'q'"),
        (threshold("share_below_k", at_most=0.1, parameters={"k": "3"}), "'k' must be int"),
        (threshold("k_anonymity", at_least=2, sensitive="illness"), "not measured per sensitive"),
        (threshold("k_anonimity", at_least=2), "did you mean 'k_anonymity'"),
        (threshold("t_closeness", at_most=1) | roles(sensitive=[], insensitive=REST), "needs a sensitive"),
    ],
)  # fmt: skip
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
    with pytest.raises(
        PolicyError, match=r"p\.yaml line 6: the table has no column 'agee'; did you mean 'age'"
    ):
        qidguard.audit(TABLE, policy=path)


def test_population_metrics_use_the_population_table(tmp_path):
    """Five f and four m of 30 and 41 in the population: k-map is 4, presence at most 3/4."""
    population = tmp_path / "population.csv"
    population.write_text("sex,age\n" + "f,30\n" * 5 + "m,41\n" * 4, encoding="utf-8")
    given = policy(
        population={"path": str(population)},
        thresholds=[
            {"metric": "k_map", "at_least": 4},
            {"metric": "delta_presence_max", "at_most": 0.75},
            {"metric": "journalist_risk_max", "at_most": 0.25},
        ],
    )
    with qidguard.audit(TABLE, policy=given) as audit:
        assert [t.measurement.value for t in audit.verdict.thresholds] == [4, 0.75, 0.25]
        assert audit.is_passed


def test_without_a_population_such_a_threshold_blocks():
    """What cannot be measured is not met, and the reason says what to give."""
    with qidguard.audit(TABLE, policy=policy(**threshold("k_map", at_least=1))) as audit:
        assert audit.exit_code is ExitCode.BLOCKED
        assert "population" in audit.verdict.thresholds[0].measurement.reason


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


def test_a_policy_object_a_mapping_and_a_file_are_one(tmp_path):
    """However the policy comes, the verdict is the same."""
    from ruamel.yaml import YAML

    path = tmp_path / "p.yaml"
    YAML().dump(policy(), path)
    for given in (policy(), load_policy(policy()), path, str(path)):
        with qidguard.audit(TABLE, policy=given) as audit:
            assert audit.is_passed


def test_auto_works_with_a_population_table():
    """Columns that recognisers choose are compared with the population, too."""
    import pyarrow as pa

    population = pa.table({"age": [30] * 5 + [41] * 4, "sex": ["f"] * 5 + ["m"] * 4})
    given = load_policy(
        policy(**threshold("k_map", at_least=4)) | roles(quasi_identifiers="auto", insensitive=["visit"])
    )
    from qidguard.auditing.judging import judge_table, plan
    from qidguard.core.progress import SILENT
    from qidguard.engines.base import EngineSettings, ReadOptions

    host = load_host()
    planned = plan(given, tuple(TABLE.columns), host)
    engine = host.engine("duckdb")
    needs = replace(planned.needs, population=population)
    with engine.open(TABLE, ReadOptions(), needs, EngineSettings()) as table:
        report = judge_table(table, planned, host, SILENT, date(2026, 11, 13))
    assert report.verdict.thresholds[0].measurement.value == 4


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


def test_a_policy_past_its_review_date_blocks():
    """A policy holds until the day it was to be reviewed by, that day included."""
    given = policy(review_by="2026-11-13")
    with qidguard.audit(TABLE, policy=given, today=date(2026, 11, 13)) as audit:
        assert audit.is_passed
    with qidguard.audit(TABLE, policy=given, today=date(2026, 11, 14)) as audit:
        assert audit.exit_code is ExitCode.BLOCKED
        assert "2026-11-13" in audit.verdict.blocks[0].sentence


def test_an_attestation_of_tomorrow_blocks():
    """Nobody can have attested something on a day that is yet to come."""
    given = policy(
        attestations=[{"statement": "no actual knowledge", "by": "P. Officer", "on": "2026-11-14"}]
    )
    with qidguard.audit(TABLE, policy=given, today=date(2026, 11, 13)) as audit:
        assert audit.exit_code is ExitCode.BLOCKED
    with qidguard.audit(TABLE, policy=given, today=date(2026, 11, 14)) as audit:
        assert audit.is_passed


def test_direct_identifiers_and_limits_without_effect_are_noted():
    """The verdict speaks of a release without direct identifiers; a limit that cannot be missed says so."""
    given = policy(**threshold("k_anonymity", at_least=1)) | roles(
        direct_identifiers=["visit"], insensitive=[]
    )
    with qidguard.audit(TABLE, policy=given) as audit:
        notes = " ".join(audit.report.notes)
        assert audit.is_passed
        assert "direct identifiers: 'visit'" in notes
        assert "can never be missed" in notes


def test_a_cell_rule_used_for_class_sizes_says_that_it_is_an_analogy():
    """cms-11 is a rule on cells of tables; the report says so when a policy builds on it."""
    attested = {"statement": "nothing is derivable", "by": "P. Officer", "on": "2026-11-01"}
    given = policy(preset="cms-11", attestations=[attested])
    with qidguard.audit(TABLE, policy=given, today=date(2026, 11, 13)) as audit:
        assert any(note.startswith("Preset cms-11:") and "analogy" in note for note in audit.report.notes)
