"""Through Great Expectations and through ``qidguard audit`` the same policy gives the same verdict."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import qidguard
from gx_project import DATA, new_context
from qidguard.core.errors import QidguardError
from qidguard.policy import load_policy
from qidguard.rendering.document import document
from qidguard_suites.export import export_policy
from qidguard_suites.project import Project

pytestmark = pytest.mark.gx

QIDS = ("a", "b", "c")
FIGURE = ("metric", "qids", "sensitive", "arguments", "value", "bound", "limit", "is_met", "is_warning")
DEMANDS: list[tuple[dict[str, Any], list[float]]] = [
    ({"metric": "k_anonymity"}, [2, 3, 4]),
    ({"metric": "distinct_l_diversity"}, [2, 3]),
    ({"metric": "entropy_l_diversity"}, [1.01, 1.5, 2]),
    ({"metric": "recursive_l_diversity"}, [2, 3]),
    ({"metric": "t_closeness"}, [0.3, 0.6, 0.99]),
    ({"metric": "t_closeness_ordered", "sensitive": "n"}, [0.3, 0.6, 0.99]),
    ({"metric": "t_closeness_ordered", "sensitive": "s"}, [0.3, 0.6, 0.99]),
    ({"metric": "prosecutor_risk_max"}, [0.2, 0.5, 0.99]),
    ({"metric": "prosecutor_risk_average"}, [0.2, 0.5, 0.99]),
    ({"metric": "marketer_risk"}, [0.2, 0.5, 0.99]),
    ({"metric": "journalist_risk_max"}, [0.05, 0.5, 0.99]),
    ({"metric": "journalist_risk_average"}, [0.05, 0.5, 0.99]),
    ({"metric": "k_map"}, [2, 3, 9]),
    ({"metric": "delta_presence_max"}, [0.2, 0.9, 0.99]),
    ({"metric": "share_below_k", "parameters": {"k": 3}}, [0, 0.5, 0.99]),
    ({"metric": "prosecutor_share_above", "parameters": {"threshold": 0.4}}, [0, 0.5, 0.99]),
    ({"metric": "share_unique"}, [0, 0.4]),
    ({"metric": "sample_uniques"}, [0, 4, 40]),
    ({"metric": "wildcard_k_anonymity"}, [2, 3]),
    ({"metric": "suda_dis_max"}, [0.01, 0.5, 0.99]),
    ({"metric": "population_uniqueness_dankar"}, [0.1, 0.9]),
    ({"metric": "share_homogeneous"}, [0, 0.5, 0.99]),
    ({"metric": "average_class_size"}, [1.1, 2]),
]
AT_LEAST = {
    *("k_anonymity", "distinct_l_diversity", "entropy_l_diversity", "recursive_l_diversity", "k_map"),
    *("wildcard_k_anonymity", "average_class_size"),
}


def table(draw: random.Random) -> pd.DataFrame:
    """Return a small table with missing values, markers of missing ones, and repeated entities."""
    records = draw.randint(1, 40)
    spread = draw.choice([1, 2, 3, 6])
    markers = (
        [None] * draw.choice([0, 0, 1]) + ["?"] * draw.choice([0, 0, 1]) + ["*"] * draw.choice([0, 0, 1])
    )
    texts = [[f"{name}{i}" for i in range(spread)] + markers for name in ("x", "y")]
    numbers: list[Any] = list(range(spread)) + [None] * draw.choice([0, 1])
    people: list[Any] = [f"P{i}" for i in range(max(1, records // draw.choice([1, 1, 2])))]
    people += [None] * draw.choice([0, 0, 0, 1])
    return pd.DataFrame(
        {
            "a": [draw.choice(texts[0]) for _ in range(records)],
            "b": [draw.choice(numbers) for _ in range(records)],
            "c": [draw.choice(texts[1]) for _ in range(records)],
            "s": [draw.choice(["flu", "cold", "acne", *markers]) for _ in range(records)],
            "n": [draw.choice([1, 2, 3]) for _ in range(records)],
            "e": [draw.choice(people) for _ in range(records)],
            "w": [draw.choice([1, 2, 4]) for _ in range(records)],
        }
    )


def thresholds(draw: random.Random, most: int) -> list[dict[str, Any]]:
    """Return some thresholds, a few of which only warn."""
    found = []
    for demand, limits in draw.sample(DEMANDS, draw.randint(1, most)):
        side = "at_least" if demand["metric"] in AT_LEAST else "at_most"
        found.append({**demand, side: draw.choice(limits)})
        if draw.random() < 0.15:
            found[-1]["on_miss"] = "warn"
    return found


def policy(draw: random.Random, census: Path) -> dict[str, Any]:
    """Return a policy for such a table; it may be one that no table passes, but it is valid."""
    qids = draw.sample(QIDS, draw.randint(1, 3))
    rest = [name for name in (*QIDS, "w") if name not in qids]
    roles: dict[str, Any] = {"quasi_identifiers": qids, "sensitive": ["s", "n"]}
    if draw.random() < 0.5:
        roles["entity"] = "e"
    else:
        rest.append("e")
    if draw.random() < 0.15 and "w" in rest:
        rest.remove("w")
        roles["weight"] = "w"
    given: dict[str, Any] = {"qidguard": 1, "name": "random", "roles": roles}
    given["thresholds"] = thresholds(draw, 5)
    if draw.random() < 0.3 and len(rest) > 1:
        names = draw.sample([name for name in rest if name in QIDS] or qids, 1)
        given["combinations"] = [
            {"name": "other", "quasi_identifiers": names, "thresholds": thresholds(draw, 2)}
        ]
        rest = [name for name in rest if name not in names]
    given["unnamed_columns"] = draw.choice(["block", "block", "insensitive", "quasi_identifier"])
    if draw.random() < 0.8:
        roles["insensitive"] = rest
    optional = {
        "preset": draw.choice(["pdpc-sg-5", "eu-min-frequency"]),
        "attacker": {"knows_any": draw.randint(1, len(qids))},
        "source": draw.choice([{"missing": ["?"]}, {"missing": ["?"], "trim": True}]),
        "population": draw.choice([{"path": str(census)}, {"path": str(census), "entity": "e"}]),
        "sampling_fraction": draw.choice([0.1, 0.5, 1.0]),
        "order": draw.choice([{"s": ["cold", "flu", "acne"]}, {"n": ["2", "1", "3"]}, {"s": ["a", "b"]}]),
        "review_by": draw.choice(["2001-01-01", "2999-01-01"]),
    }
    given |= {name: value for name, value in optional.items() if draw.random() < 0.3}
    if draw.random() < 0.3:
        given["source"] = {**given.get("source", {}), "suppression_mark": "*"}
    if draw.random() < 0.1:
        given["thresholds"].append({"metric": "intersection_k_anonymity", "at_least": 2})
    if draw.random() < 0.1:
        given["thresholds"].append({"metric": "ncp", "at_most": 0.9})
    if draw.random() < 0.1:
        roles["quasi_identifiers"] = "auto"
        given.pop("attacker", None)
    return given


OF_POPULATION = {"k_map", "journalist_risk_max", "journalist_risk_average", "delta_presence_max"}
"""Metrics of a population, which stand in the whole verdict alone where a policy names none."""


def case(seed: int, folder: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a table and a policy that is valid in itself, though it may not fit the table."""
    for attempt in range(1000):
        draw = random.Random(f"{seed}/{attempt}")  # noqa: S311 - cases that can be drawn again
        frame = table(draw)
        census = folder / "census.csv"
        pd.concat([frame, table(draw)]).to_csv(census, index=False)
        given = policy(draw, census)
        try:
            load_policy(given)
        except QidguardError:
            continue
        return (frame.drop(columns="a") if draw.random() < 0.05 else frame), given  # it may not fit
    raise AssertionError("no valid policy was drawn")


def figures(items: list[dict[str, Any]]) -> Counter[str]:
    """Return what was measured and whether it holds, as texts that can be counted."""
    return Counter(json.dumps([item[name] for name in FIGURE], sort_keys=True) for item in items)


@pytest.fixture(scope="module")
def judge():
    """Return a function that judges a table through Great Expectations, by a suite read from its text."""
    import great_expectations as gx

    found = new_context()
    batch = found.data_sources.get(DATA[0]).get_asset(DATA[1]).get_batch_definition(DATA[2])
    nowhere = Project(folder=Path(), data_sources=None)

    def call(frame: pd.DataFrame, given: dict[str, Any]) -> Any:
        export = export_policy(given, project=nowhere)
        suite = gx.ExpectationSuite(**json.loads(json.dumps(export.suite)))
        assert len(suite.expectations) == len(export.suite["expectations"])
        return batch.get_batch(batch_parameters={"dataframe": frame}).validate(suite)

    return call


def audited(frame: pd.DataFrame, given: dict[str, Any]) -> tuple[Any, str]:
    """Return the report of ``qidguard audit``, or why there is none."""
    try:
        with qidguard.audit(frame, policy=given) as audit:
            return audit.report, ""
    except QidguardError as error:
        return None, str(error)


def check(seed: int, judge, folder: Path) -> bool:
    """Compare both verdicts on one drawn case, and return whether it passed."""
    frame, given = case(seed, folder)
    through = judge(frame, given)
    details = [one.result["details"] for one in through.results]
    alone = [found["threshold"] for found in details if found["threshold"]]
    raised = [one.exception_info["raised_exception"] for one in through.results]
    assert raised == [found["exit_code"] > 1 for found in details]
    report, refused = audited(frame, given)
    if report is None:
        assert through.success is False
        assert refused in details[-1]["reason"]
        return False
    stated = document(report)
    assert through.success is report.is_passed, (given, stated["blocks"], stated["thresholds"])
    assert figures(alone) <= figures(stated["thresholds"])
    left_out = Counter(item["metric"] for item in stated["thresholds"])
    left_out -= Counter(item["metric"] for item in alone)
    is_open = given["roles"]["quasi_identifiers"] == "auto" or given["unnamed_columns"] == "quasi_identifier"
    unknown = {"intersection_k_anonymity", "ncp", "rest_unique_share"} | (
        OF_POPULATION if "population" not in given else set()
    )
    assert is_open or set(left_out) <= unknown
    for one, found in zip(through.results, details, strict=True):
        item = found["threshold"]
        is_held = bool(item) and (item["is_met"] or item["is_warning"])
        if item and not (is_held and stated["blocks"]):  # entities that cannot be counted block every figure
            assert one.success is is_held
    same = ("outcome", "exit_code", "table", "thresholds", "blocks", "classes", "columns")
    assert {name: details[-1]["document"][name] for name in same} == {name: stated[name] for name in same}
    return report.is_passed


@pytest.mark.parametrize("block", range(4))
def test_twenty_random_tables_and_policies(judge, tmp_path, block):
    """Same verdict, same figures; five cases a block."""
    for seed in range(5 * block, 5 * block + 5):
        check(seed, judge, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_many_random_tables_and_policies(judge, tmp_path):
    """The same over 300 further cases, of which some pass and more do not."""
    passed = sum(check(seed, judge, tmp_path) for seed in range(1000, 1300))
    assert 15 <= passed <= 250
