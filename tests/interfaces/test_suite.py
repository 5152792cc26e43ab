"""A policy as an expectation suite: plain values, which need no Great Expectations."""

import json
from pathlib import Path

import pytest

from audited import policy, roles, threshold
from qidguard.core.errors import UserError
from qidguard.policy import load_policy
from qidguard.policy.origin import value_digest
from qidguard_suites.export import export_policy
from qidguard_suites.project import Project

NOWHERE = Project(folder=Path("gx"), data_sources=None)
OVER_TIME = {"metric": "intersection_k_anonymity", "at_least": 5}


def expectations(given: dict[str, object]) -> list[dict[str, object]]:
    """Return the expectations of a policy's suite."""
    return list(export_policy(given, project=NOWHERE).suite["expectations"])


def types(given: dict[str, object]) -> list[str]:
    """Return the types of the expectations of a policy, without what is common to all."""
    short = [str(one["type"]).removeprefix("expect_table_") for one in expectations(given)]
    return [name.partition("_to_be_")[0] for name in short]


def test_every_demand_is_an_expectation_of_its_own():
    """The main combination, a further one, the preset's threshold for both, and each sensitive attribute."""
    given = policy(
        preset="pdpc-sg-5",
        **roles(sensitive=["illness", "visit"], insensitive=[]),
        thresholds=[{"metric": "distinct_l_diversity", "at_least": 2}],
        combinations=[
            {
                "name": "voter list",
                "quasi_identifiers": ["age"],
                "thresholds": [{"metric": "t_closeness", "at_most": 0.5, "sensitive": "illness"}],
            }
        ],
    )
    found = expectations(given)
    assert types(given) == [
        *("l_diversity", "l_diversity", "k_anonymity", "t_closeness", "k_anonymity"),
        *("columns", "to_meet_privacy_policy"),
    ]
    assert [one["kwargs"].get("sensitive") for one in found[:2]] == ["illness", "visit"]
    assert [one["kwargs"]["quasi_identifiers"] for one in found[2:5]] == [["sex", "age"], ["age"], ["age"]]
    assert [one.get("notes") for one in found[2:5]] == [
        None,
        "Combination voter list.",
        "Combination voter list.",
    ]
    assert len({one["id"] for one in found}) == len(found)


def test_what_is_published_outside_the_qids_stands_in_the_whole_verdict_alone():
    """No expectation by itself knows which columns are sensitive, dropped or accepted."""
    k = {"metric": "k_anonymity", "at_least": 2}
    given = policy(thresholds=[k, {"metric": "rest_unique_share", "at_most": 0.5}])
    assert types(given) == types(policy(thresholds=[k]))
    assert "rest_unique_share" in str(expectations(given)[-1]["kwargs"])
    [note] = export_policy(given, project=NOWHERE).notes
    assert "outside the QIDs, which only the whole policy tells" in note


def test_what_leaves_noise_out_stands_in_the_whole_verdict_alone():
    """A batch has no noise that anybody knows of; the embedded policy keeps what the threshold says."""
    threshold_of = {"metric": "k_anonymity", "at_least": 2}
    given = policy(thresholds=[threshold_of, threshold_of | {"noised": "left_out", "at_least": 3}])
    made = export_policy(given, project=NOWHERE)
    assert types(given) == ["k_anonymity", "columns", "to_meet_privacy_policy"]
    assert any("it leaves out columns with noise, which are known where" in note for note in made.notes)
    embedded = expectations(given)[-1]["kwargs"]
    assert '"noised": "left_out"' in json.dumps(embedded)


def test_what_no_class_says_goes_to_the_general_one():
    """An attacker who knows some columns, a warning, and a metric without a class of its own."""
    given = policy(
        attacker={"knows_any": 1},
        thresholds=[
            {"metric": "k_anonymity", "at_least": 2},
            {"metric": "share_below_k", "at_most": 0.5, "parameters": {"k": 4}, "on_miss": "warn"},
        ],
    )
    found = expectations(given)
    assert types(given)[:2] == ["privacy_metric", "privacy_metric"]
    assert found[0]["kwargs"] == {
        "metric": "k_anonymity",
        "at_least": 2,
        "attacker": {"knows_any": 1},
        "quasi_identifiers": ["sex", "age"],
    }
    assert found[1]["kwargs"] == {
        "metric": "share_below_k",
        "at_most": 0.5,
        "parameters": {"k": 4},
        "attacker": {"knows_any": 1},
        "on_miss": "warn",
        "quasi_identifiers": ["sex", "age"],
    }
    assert [one["severity"] for one in found] == ["critical", "warning", "critical", "critical"]


def test_what_means_missing_and_suppressed_goes_with_every_demand():
    """How a file is read is left to the data source; what its texts mean is not."""
    source = {"delimiter": ";", "missing": ["?", "NA"], "trim": True, "suppression_mark": "*"}
    given = [one["kwargs"].get("source") for one in expectations(policy(source=source))]
    meant = {"missing": ["?", "NA"], "trim": True, "suppression_mark": "*"}
    assert given == [meant, meant, None, None]
    assert "source" not in expectations(policy(source={"delimiter": ";"}))[0]["kwargs"]


@pytest.mark.parametrize(("changes", "sample"), [
    ({"sampling_fraction": 0.25}, {"sampling_fraction": 0.25}),
    (roles(weight="weight"), {"weight": "weight"}),
    (roles(weight="weight") | {"sampling_fraction": 0.25}, {"sampling_fraction": 0.25}),
    ({}, {}),
])  # fmt: skip
def test_a_metric_that_estimates_the_population_knows_the_sample(changes, sample):
    """Share of the population or weights go where they may be used, and nowhere else."""
    wanted = [{"metric": "suda_dis_max", "at_most": 0.9}, {"metric": "k_anonymity", "at_least": 2}]
    estimate, count, *_ = expectations(policy(thresholds=wanted, **changes))
    names = {"sampling_fraction", "weight"}
    assert {name: value for name, value in estimate["kwargs"].items() if name in names} == sample
    assert not names & set(count["kwargs"])


@pytest.mark.parametrize("population", [
    {"path": "census.csv"}, {"path": "census.csv", "entity": "person"},
    {"path": "census.csv", "source": {"delimiter": ";", "missing": ["?"]}},
])  # fmt: skip
def test_the_population_goes_where_it_is_measured_against(population):
    """A path alone, or all that the policy says of it."""
    wanted = [{"metric": "k_map", "at_least": 2}, {"metric": "k_anonymity", "at_least": 2}]
    against, alone, *_ = expectations(policy(thresholds=wanted, population=population))
    expected = population if len(population) > 1 else population["path"]
    assert against["kwargs"]["population"] == expected
    assert "population" not in alone["kwargs"]


def test_columns_are_expected_only_where_a_person_decided_on_all():
    """A policy that takes unnamed columns in its stride says nothing of the set of columns."""
    assert "columns" in types(policy())
    assert "columns" not in types(policy(unnamed_columns="insensitive"))
    assert expectations(policy(release={"drop": ["ward"]}))[-2]["kwargs"]["columns"] == [
        *("sex", "age", "illness", "visit", "ward")
    ]


def test_quasi_identifiers_that_are_found_later_are_judged_whole():
    """What is recognized, or is any unnamed column, is known only when the table is there."""
    whole = ["to_meet_privacy_policy"]
    found_later = policy(
        **roles(quasi_identifiers="auto", sensitive=[]), **threshold("k_anonymity", at_least=2)
    )
    assert types(found_later) == whole
    assert types(policy(unnamed_columns="quasi_identifier")) == whole


def test_the_whole_policy_is_embedded_as_it_is_written():
    """Its own digest fits what is embedded, and text and digest of the reviewed file stand beside it."""
    text = Path("p.yaml")
    text.write_text("# reviewed\n" + json.dumps(policy()), encoding="utf-8")
    last = export_policy("p.yaml", project=NOWHERE).suite["expectations"][-1]
    embedded = {"policy": policy(), "policy_sha256": value_digest(policy())}
    assert last["kwargs"] == embedded | {"policy_text": ["# reviewed", json.dumps(policy())]}
    assert last["meta"] == {"qidguard": {"policy": "p", "sha256": load_policy("p.yaml").digest}}
    assert load_policy(last["kwargs"]["policy"]) == load_policy("p.yaml")


def test_a_policys_name_becomes_a_files_name():
    """Blanks and signs become hyphens; a name of nothing but signs is replaced."""
    names = {"Hospital: public file": "Hospital-public-file", "../x": "x", "…": "privacy", "-a-": "a"}
    for name, expected in names.items():
        assert export_policy(policy(name=name), project=NOWHERE).name == expected


def test_a_name_is_checked_in_python_too():
    """A file outside the project cannot be named."""
    with pytest.raises(UserError, match="must be of at most 100 letters"):
        export_policy(policy(), project=NOWHERE, name="../x")


@pytest.mark.parametrize("has_history", [True, False])
def test_hierarchies_are_found_from_where_the_suite_runs(has_history):
    """A suite is no file of a policy, so its paths are as seen from the working directory."""
    Path("rules").mkdir()
    hierarchies = {
        "age": {"file": "levels/age.csv", "delimiter": ";"},
        "sex": {"taxonomy": "../sex.yaml"},
        "visit": "auto",
    }
    given = policy(
        hierarchies=hierarchies,
        thresholds=[{"metric": "k_anonymity", "at_least": 2}, OVER_TIME],
        **roles(quasi_identifiers=["sex", "age", "visit"], insensitive=[]),
    )
    Path("rules/p.yaml").write_text(json.dumps(given), encoding="utf-8")
    export = export_policy("rules/p.yaml", project=NOWHERE, has_history=has_history)
    kwargs = export.suite["expectations"][-1]["kwargs"]
    assert kwargs["policy"]["hierarchies"] == {
        "age": {"file": "rules/levels/age.csv", "delimiter": ";"},
        "sex": {"taxonomy": "rules/../sex.yaml"},
        "visit": {"auto": "auto"},
    }
    assert kwargs["policy_sha256"] == value_digest(kwargs["policy"])
    if not has_history:
        assert export.suite["meta"]["qidguard"]["sha256"] == load_policy(kwargs["policy"]).digest


@pytest.mark.parametrize("has_history", [True, False])
def test_where_the_table_is_does_not_go_into_the_suite(has_history):
    """A batch is there already, and an address may hold a secret; the digest is that of what is left."""
    thresholds = [{"metric": "k_anonymity", "at_least": 2}, OVER_TIME]
    secret = {"path": "s3://officer:hunter2@bucket/x.csv?token=abc"}
    for source, left in ((secret, None), (secret | {"trim": True}, {"trim": True})):
        given = policy(source=source, thresholds=thresholds)
        export = export_policy(given, project=NOWHERE, has_history=has_history)
        kwargs = export.suite["expectations"][-1]["kwargs"]
        assert kwargs["policy"].get("source") == left
        assert kwargs["policy_sha256"] == value_digest(kwargs["policy"])
        assert not [word for word in ("hunter2", "abc", "officer") if word in json.dumps(export.files)]
        if not has_history:
            assert export.suite["meta"]["qidguard"]["sha256"] == load_policy(kwargs["policy"]).digest


@pytest.mark.parametrize("has_history", [True, False])
@pytest.mark.parametrize(("metric", "what", "fields"), [
    *(("k_map", "population", {"population": {"path": address}}) for address in (
        "s3://officer:hunter2@bucket/x.csv", "https://server/x.csv?token=hunter2",
        "s3://hunter2@bucket/x.csv")),
    ("k_anonymity", "hierarchy", {"hierarchies": {"age": {"file": "https://server/x.csv?token=hunter2"}}}),
])  # fmt: skip
def test_an_address_with_a_secret_is_not_exported(metric, what, fields, has_history):
    """The suite is a file that people share: the sentence says what to do and shows no part of the secret."""
    given = policy(thresholds=[{"metric": metric, "at_least": 2}, OVER_TIME], **fields)
    with pytest.raises(UserError, match=rf"{what}'s address .* write it without") as raised:
        export_policy(given, project=NOWHERE, has_history=has_history)
    assert "hunter2" not in str(raised.value)


def test_an_address_without_a_secret_is_exported():
    """A URL stays as it is."""
    given = policy(**threshold("k_map", at_least=2), population={"path": "s3://bucket/x.csv"})
    assert expectations(given)[0]["kwargs"]["population"] == "s3://bucket/x.csv"


def test_a_checkpoint_carries_what_was_approved():
    """Both digests of its suite, and that of the file where thresholds were left out."""
    export = export_policy(policy(), project=NOWHERE)
    action = export.checkpoint["actions"][0]
    assert {name: value for name, value in action.items() if name.endswith("sha256")} == {
        "policy_sha256": value_digest(policy()),
        "approved_sha256": load_policy(policy()).digest,
        "reviewed_sha256": None,
    }
