"""The reviewed suites and checkpoints of ``expectations/``, each run on its table."""

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import qidguard
from gx_project import opened, results, run
from qidguard.demo.coarsening import coarsen
from qidguard.demo.table import hospital_table
from qidguard.rendering.document import document
from qidguard_suites.embedded import policy_kwargs

pytestmark = pytest.mark.gx

ROOT = Path(__file__).resolve().parents[2]
REVIEWED = ROOT / "expectations"
FIGURE = ("metric", "combination", "value", "limit", "is_met", "is_warning")


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """Return the folder of a project into which the reviewed files were copied."""
    import great_expectations as gx

    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    folder = tmp_path / "project"
    folder.mkdir()
    gx.get_context(mode="file", project_root_dir=str(folder))
    shutil.copytree(REVIEWED / "gx", folder / "gx", dirs_exist_ok=True)
    return folder


def judged(project: Path, name: str, frame: pd.DataFrame) -> tuple[bool, list[Any], dict[str, Any]]:
    """Return the verdict of a checkpoint, the success of each expectation, and the whole policy's report."""
    found = opened(project)
    asset = found.data_sources.add_pandas("tables").add_dataframe_asset(name)
    asset.add_batch_definition_whole_dataframe("whole")
    done = run(found, name, frame)
    kinds = [
        (one.expectation_config.type.removeprefix("expect_table_").partition("_to_be_")[0], one.success)
        for one in results(done)
    ]
    return done.success, kinds, results(done)[-1].result["details"]["document"]


def figures(stated: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the figures of a report, shares with six digits."""
    return [
        tuple(round(item[name], 6) if isinstance(item[name], float) else item[name] for name in FIGURE)
        for item in stated["thresholds"]
    ]


def test_the_demos_table_is_blocked_as_it_is_made(project):
    """Its dates and postcodes make nearly everybody alone."""
    is_passed, kinds, stated = judged(project, "hospital-discharges", hospital_table(5000, seed=1))
    assert is_passed is False
    assert kinds == [
        ("k_anonymity", False),
        ("l_diversity", False),
        ("share_at_risk", False),
        ("reidentification_risk", False),
        ("columns", True),
        ("to_meet_privacy_policy", False),
    ]
    assert (stated["table"]["records"], stated["table"]["entities"]) == (5000, 3100)
    assert figures(stated)[0] == ("k_anonymity", "default", 1, 11, False, False)


def test_the_demos_table_passes_once_it_is_coarsened(project):
    """The same suite, the table that the demo publishes."""
    table = coarsen(hospital_table(5000, seed=1)).table
    is_passed, kinds, stated = judged(project, "hospital-discharges", table)
    assert is_passed is True
    assert {success for _, success in kinds} == {True}
    assert figures(stated)[:3] == [
        ("k_anonymity", "default", 11, 11, True, False),
        ("distinct_l_diversity", "default", 8, 3, True, False),
        ("share_below_k", "default", 0.0, 0, True, False),
    ]


@pytest.mark.realdata
def test_adult_is_blocked(project, data):
    """46 % of its records are alone over the eight QIDs, and some even over sex, age and race."""
    path = data / "adult" / "adult_arx.csv"
    table = pd.read_csv(path, sep=";", keep_default_na=False, na_values=[""])
    is_passed, kinds, stated = judged(project, "adult", table)
    assert is_passed is False
    assert kinds == [
        ("l_diversity", False),
        ("share_at_risk", False),
        ("reidentification_risk", False),
        ("privacy_metric", True),
        ("k_anonymity", False),
        ("k_anonymity", False),
        ("columns", True),
        ("to_meet_privacy_policy", False),
    ]
    assert figures(stated) == [
        ("distinct_l_diversity", "default", 1, 2, False, False),
        ("share_below_k", "default", 0.728632, 0.05, False, False),
        ("prosecutor_risk_average", "default", 0.600391, 0.1, False, False),
        ("t_closeness", "default", 0.751078, 0.3, False, True),
        ("k_anonymity", "default", 1, 5, False, False),
        ("rest_unique_share", "default", 0.0, 0.2, True, True),
        ("k_anonymity", "at the door", 1, 5, False, False),
    ]
    assert (stated["classes"][0]["classes"], stated["classes"][0]["uniques"]) == (18109, 14021)
    assert figures(stated) == figures(audited(path, "adult"))


@pytest.mark.realdata
def test_the_hospital_file_is_blocked(project, data):
    """71,518 patients are counted, not 101,766 encounters; even race, sex and age band single some out."""
    path = data / "hospital" / "diabetic_data.csv"
    table = pd.read_csv(path, keep_default_na=False, na_values=[""], low_memory=False)
    is_passed, kinds, stated = judged(project, "diabetes-hospitals", table)
    assert is_passed is False
    assert [success for _, success in kinds] == [False, False, False, False, False, False, True, False]
    assert (stated["table"]["records"], stated["table"]["entities"]) == (101_766, 71_518)
    assert figures(stated) == [
        ("distinct_l_diversity", "default", 1, 3, False, False),
        ("share_below_k", "default", 0.649389, 0, False, False),
        ("prosecutor_risk_average", "default", 0.401877, 0.05, False, False),
        ("k_anonymity", "default", 1, 11, False, False),
        ("rest_unique_share", "default", 0.99986, 0.09, False, True),
        ("distinct_l_diversity", "demographics", 1, 3, False, False),
        ("k_anonymity", "demographics", 1, 11, False, False),
    ]
    assert figures(stated) == figures(audited(path, "diabetes-hospitals"))


def audited(path: Path, name: str) -> dict[str, Any]:
    """Return the report of ``qidguard audit`` on the file itself."""
    with qidguard.audit(path, policy=REVIEWED / "policies" / f"{name}.yaml") as found:
        return document(found.report)


def test_the_readmes_lines_run_as_they_stand(project, monkeypatch):
    """The Python lines beside the files judge a table with the copied checkpoint."""
    text = (REVIEWED / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(project)
    columns = [
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "occupation",
    ]
    table = pd.DataFrame(dict.fromkeys(columns, ["x"] * 20) | {"salary-class": ["<=50K", ">50K"] * 10})
    names: dict[str, Any] = {"table": table}
    exec(block, names)  # noqa: S102 - the README's own lines
    assert opened(project).checkpoints.get("adult").run(batch_parameters={"dataframe": table}).success is True


def test_no_file_names_a_place_of_a_machine():
    """Data come at run time; what is reviewed says nothing of where it was written."""
    for path in REVIEWED.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert not [word for word in (str(ROOT), os.path.expanduser("~/"), "/tmp/") if word in text], path  # noqa: PTH111, S108


def test_every_suite_embeds_the_policy_beside_it():
    """What is judged is what was reviewed, field by field."""
    for path in sorted((REVIEWED / "policies").glob("*.yaml")):
        suite = json.loads(
            (REVIEWED / "gx" / "expectations" / f"{path.stem}.json").read_text(encoding="utf-8")
        )
        assert suite["expectations"][-1]["kwargs"] == policy_kwargs(qidguard.load_policy(path))
