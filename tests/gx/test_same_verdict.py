"""A checkpoint that passes and one that blocks, over pandas and DuckDB, judge as the command line does."""

import json

import great_expectations as gx
import pytest

from audited import TABLE, policy
from gx_batches import duckdb_table, pandas_table
from qidguard.interfaces.cli import main
from qidguard.policy.origin import value_digest
from qidguard_expectations import ExpectTableToMeetPrivacyPolicy

pytestmark = pytest.mark.gx


def by_checkpoint(context, definition, parameters, given):
    """Return whether a checkpoint passes, and the outcome that its verdict states."""
    expectation = ExpectTableToMeetPrivacyPolicy(policy=given, policy_sha256=value_digest(given))
    suite = context.suites.add(gx.ExpectationSuite(name="gate", expectations=[expectation]))
    validation = context.validation_definitions.add(
        gx.ValidationDefinition(name="gate", data=definition, suite=suite)
    )
    checkpoint = context.checkpoints.add(gx.Checkpoint(name="gate", validation_definitions=[validation]))
    done = checkpoint.run(batch_parameters=parameters)
    [only] = done.run_results.values()
    return done.success, only.results[0].result["details"]["document"]["outcome"]


def by_command(folder, given, capsys):
    """Return whether ``qidguard audit`` passes, and the outcome in its JSON."""
    TABLE.to_csv(folder / "t.csv", index=False)
    (folder / "p.yaml").write_text(json.dumps(given), encoding="utf-8")
    code = main(["audit", str(folder / "t.csv"), "-p", str(folder / "p.yaml"), "--format", "json"])
    return code == 0, json.loads(capsys.readouterr().out)["outcome"]


@pytest.mark.parametrize("maker", [pandas_table, duckdb_table])
@pytest.mark.parametrize(("k", "outcome"), [(3, "passed"), (4, "blocked")])
def test_a_checkpoint_judges_as_the_command_does(context, tmp_path, capsys, maker, k, outcome):
    """The table is 3-anonymous: 3 passes and 4 blocks, through every door."""
    given = policy(thresholds=[{"metric": "k_anonymity", "at_least": k}])
    columns = {name: TABLE[name].tolist() for name in TABLE}
    table = maker(context, columns, tmp_path)
    expected = (outcome == "passed", outcome)
    assert by_checkpoint(context, table.definition, table.parameters or None, given) == expected
    assert by_command(tmp_path, given, capsys) == expected
