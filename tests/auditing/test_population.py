"""Tests of thresholds against a population table."""

import qidguard
from audited import TABLE, policy, threshold
from qidguard import ExitCode


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
    with qidguard.audit(TABLE, policy=policy(**threshold("k_map", at_least=2))) as audit:
        assert audit.exit_code is ExitCode.BLOCKED
        assert "population" in audit.verdict.thresholds[0].measurement.reason
