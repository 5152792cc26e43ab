"""The command line on a policy that names several tables."""

import json
from pathlib import Path

from hospital_files import hospital, hospital_policy, written


def test_a_policy_of_several_tables_is_checked_without_data(run, tmp_path):
    """It knows where its tables are; a column that nobody decided on and one that is not there are said."""
    paths = written(hospital(30), tmp_path)
    policy = hospital_policy()
    for name, path in paths.items():
        policy["tables"][name]["path"] = Path(path).name
    file = tmp_path / "linked.yaml"
    file.write_text(json.dumps(policy), encoding="utf-8")
    assert run("policy", "check", str(file)) == (
        0,
        "OK: policy hospital fits: 7 columns, 1 threshold to judge.\n",
        "",
    )
    policy["tables"]["encounters"]["insensitive"] = ["type"]
    file.write_text(json.dumps(policy), encoding="utf-8")
    code, out, _ = run("policy", "check", str(file))
    assert (code, "table 'encounters' has 'ward', on which nobody decided" in out) == (1, True)
    policy["tables"]["encounters"]["insensitive"] = ["type", "wards"]
    file.write_text(json.dumps(policy), encoding="utf-8")
    code, _, err = run("policy", "check", str(file))
    assert (code, err) == (2, "Error: Table 'encounters' has no column 'wards'; did you mean 'ward'?\n")
    assert run("audit", paths["patients"], "--policy", str(file))[0] == 2
