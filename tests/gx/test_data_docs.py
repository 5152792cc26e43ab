"""Data Docs say each expectation in a sentence with its figures, and show no value of the table."""

import html
import re
from pathlib import Path

import pandas as pd
import pytest

from audited import policy, roles
from gx_project import DATA, exported, new_context, opened, run
from qidguard.interfaces.gx import ExpectTableKAnonymityToBeAtLeast
from qidguard.interfaces.gx.render_expected import expected
from qidguard.interfaces.gx.render_observed import observed

pytestmark = pytest.mark.gx

TABLE = pd.DataFrame(
    {
        "sex": ["female-7Q", "female-7Q", "female-7Q", "male-7Q", "male-7Q", "male-7Q"],
        "age": [7700030, 7700030, 7700030, 7700041, 7700041, 7700041],
        "illness": ["flu-7Q", "cough-7Q", "flu-7Q", "flu-7Q", "cough-7Q", "acne-7Q"],
        "visit": [7711001, 7711002, 7711003, 7711004, 7711005, 7711006],
    }
)
BAD = TABLE.assign(age=[7700030, 7700030, 7700031, 7700041, 7700041, 7700041], extra="extra-7Q")
VALUES = re.compile(r"7Q|77[01]\d{4}")
"""What every value of the tables looks like, and nothing else does."""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Return the folder of a file project."""
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    new_context(tmp_path / "project")
    return tmp_path / "project"


def pages(folder: Path) -> dict[str, str]:
    """Return the HTML of the site's pages: suites and validations."""
    site = folder / "gx" / "uncommitted" / "data_docs" / "local_site"
    return {str(path.relative_to(site)): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}


def words(page: str) -> str:
    """Return what a person reads on a page, with single blanks and none before a mark."""
    text = html.unescape(re.sub(r"<[^>]*>", " ", page))
    return re.sub(r" ([.,:)])", r"\1", " ".join(text.split())).replace("( ", "(")


@pytest.mark.parametrize(
    ("table", "sentences"),
    [
        (
            TABLE,
            [
                "Every class over sex, age must hold at least 3 records (k-anonymity).",
                "3 records — exactly at the limit",
                "Every class over sex, age must hold at least 2 different values of illness (distinct",
                "2 values — exactly at the limit",
                "The table must have exactly the 4 columns approved by the policy p: sex, age, illness,",
                "the approved columns",
                "The table must pass the whole privacy policy p",
                "passed — 2 of 2 thresholds hold",
            ],
        ),
        (
            BAD,
            [
                "Every class over sex, age must hold at least 3 records (k-anonymity).",
                "1 record — 2 short",
                "1 value — 1 short",
                "The columns are not as approved: 'extra' was added",
                "blocked — 0 of 2 thresholds hold",
                "• k-anonymity is 1 record, must be at least 3 (2 short), over sex, age.",
                "• Column 'extra' is not named by the policy",
            ],
        ),
    ],
    ids=["good", "bad"],
)
def test_a_page_says_what_is_asked_and_what_was_found(folder, table, sentences):
    """Each demand is a sentence and each finding stands beside it; no value of the table is in any file."""
    exported(folder, policy())
    run(opened(folder), "p", table)
    built = pages(folder)
    (validation,) = [words(page) for name, page in built.items() if name.startswith("validations")]
    (suite,) = [words(page) for name, page in built.items() if name.startswith("expectations")]
    assert [sentence for sentence in sentences if sentence not in validation] == []
    assert sentences[0] in suite
    written = [path for suffix in ("html", "json") for path in (folder / "gx").rglob(f"*.{suffix}")]
    assert len(written) >= 6
    assert [path for path in written if VALUES.search(path.read_text(encoding="utf-8"))] == []


def test_a_columns_name_brings_no_markup(folder):
    """A name that would be a script on the page is shown as text, in demands and in findings."""
    name = "<script>alert(1)</script>"
    given = policy(**roles(quasi_identifiers=["sex", name], insensitive=["visit"]))
    exported(folder, given)
    run(opened(folder), "p", BAD.rename(columns={"age": name, "extra": "<b>more</b>"}))
    built = pages(folder)
    assert not [page for page in built.values() if name in page or "<b>more</b>" in page]
    (validation,) = [page for page_name, page in built.items() if page_name.startswith("validations")]
    assert html.escape(name, quote=False) in validation
    assert "&lt;b&gt;more&lt;/b&gt;" in validation


def test_a_limit_given_at_run_time_is_named_and_then_shown():
    """``$PARAMETER``: the suite's page names it, the validation's page shows the figure it stood for."""
    import great_expectations as gx
    from great_expectations.render.renderer.content_block import (
        ExpectationSuiteBulletListContentBlockRenderer as Bullets,
    )

    found = new_context()
    batch = found.data_sources.get(DATA[0]).get_asset(DATA[1]).get_batch_definition(DATA[2])
    one = ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["sex"], at_least={"$PARAMETER": "smallest"})
    suite = found.suites.add(gx.ExpectationSuite("own", expectations=[one]))
    shown = Bullets.render([suite.expectations[0].configuration]).to_json_dict()
    assert "parameter smallest" in str(shown)
    done = batch.get_batch(batch_parameters={"dataframe": TABLE}).validate(
        suite, expectation_parameters={"smallest": 4}
    )
    assert observed(done.results[0].result).text == "3 records — 1 short"


def test_the_same_sentences_are_rendered_in_line():
    """What Great Expectations renders without a site: a template with its parameters."""
    from great_expectations.render.renderer.inline_renderer import InlineRenderer

    found = new_context()
    batch = found.data_sources.get(DATA[0]).get_asset(DATA[1]).get_batch_definition(DATA[2])
    one = ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["sex"], at_least=5)
    result = batch.get_batch(batch_parameters={"dataframe": TABLE}).validate(one)
    rendered = {}
    for content in InlineRenderer(render_object=result).get_rendered_content():
        value = content.value.to_json_dict()
        texts = {name: given["value"] for name, given in value["params"].items()}
        rendered[content.name] = re.sub(r"\$(\w+)", lambda m, t=texts: str(t[m[1]]), value["template"])
    assert rendered["atomic.diagnostic.observed_value"] == "3 records — 2 short"
    assert rendered["atomic.prescriptive.summary"] == (
        "Every class over sex must hold at least 5 records (k-anonymity)."
    )


QIDS = {"quasi_identifiers": ["age", "sex"]}


@pytest.mark.parametrize(
    ("type_", "given", "sentence"),
    [
        (
            "expect_table_k_anonymity_to_be_at_least",
            {"at_least": 11, "entity": "patient"},
            "Every class over age, sex must hold at least 11 entities told apart by patient (k-anonymity).",
        ),
        (
            "expect_table_l_diversity_to_be_at_least",
            {"at_least": 2.5, "sensitive": "illness", "model": "entropy"},
            (
                "Every class over age, sex must hold at least 2.5 effective values of illness, counted by"
                " their entropy (entropy l-diversity)."
            ),
        ),
        (
            "expect_table_t_closeness_to_be_at_most",
            {"at_most": 0.2, "sensitive": "cost", "ordered": True},
            (
                "In every class over age, sex the values of cost must be spread as in the whole table, at a"
                " distance of at most 0.2 (t-closeness, ordered distance)."
            ),
        ),
        (
            "expect_table_reidentification_risk_to_be_at_most",
            {"at_most": 0.09},
            "The highest re-identification risk over age, sex must be at most 9% (prosecutor attacker).",
        ),
        (
            "expect_table_reidentification_risk_to_be_at_most",
            {"at_most": {"$PARAMETER": "risk"}, "attacker": "marketer", "statistic": "average"},
            (
                "The average re-identification risk over age, sex must be at most parameter risk (marketer"
                " attacker)."
            ),
        ),
        (
            "expect_table_share_at_risk_to_be_at_most",
            {"at_most": 0, "k": 11, "entity": "patient"},
            (
                "At most 0% of the entities may stand in a class of fewer than 11 over age, sex (share at"
                " risk), entities told apart by patient."
            ),
        ),
        (
            "expect_table_share_at_risk_to_be_at_most",
            {"at_most": 0.05, "risk": 0.2},
            (
                "At most 5% of the records may have a re-identification risk above 20% over age, sex (share"
                " at risk)."
            ),
        ),
        (
            "expect_table_privacy_metric_to_be_within",
            {
                "metric": "alpha_k_anonymity",
                "at_most": 0.5,
                "parameters": {"k": 3},
                "sensitive": "illness",
                "attacker": {"knows_any": 2},
                "combination": "voter list",
                "on_miss": "warn",
            },
            (
                "The metric alpha k anonymity of illness (k = 3) over any 2 of age, sex should be at most 0.5"
                " (combination voter list)."
            ),
        ),
        (
            "expect_table_columns_to_be_as_approved",
            {"columns": [f"c{i}" for i in range(14)]},
            (
                "The table must have exactly the 14 columns approved: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9,"
                " c10, c11 and 2 more."
            ),
        ),
        (
            "expect_table_to_meet_privacy_policy",
            {"policy": {"name": "clinic"}, "policy_sha256": "a" * 64},
            (
                "The table must pass the whole privacy policy clinic (SHA-256 aaaaaaaaaaaa…), as qidguard"
                " audit judges it."
            ),
        ),
        (
            "expect_table_to_meet_privacy_policy",
            {"policy": {"name": "c"}, "policy_sha256": "a" * 64, "meta": {"qidguard": {"sha256": "b" * 64}}},
            (
                "The table must pass the whole privacy policy c (SHA-256 bbbbbbbbbbbb…), as qidguard audit"
                " judges it."
            ),
        ),
        ("expect_table_of_another_plugin", {}, "expect table of another plugin."),
    ],
)
def test_every_kind_of_demand_is_a_sentence(type_, given, sentence):
    """The words of the field, shares in percent, limits as they were written."""
    assert expected(type_, {**QIDS, **given}).text == sentence


@pytest.mark.parametrize(
    ("result", "phrase"),
    [
        ({}, "--"),
        ({"observed_value": None, "details": {"reason": "no records"}}, "no records"),
        (
            {
                "details": {
                    "threshold": {
                        "metric": "m",
                        "value": None,
                        "reason": "not measured: no population",
                        "unit": "share",
                        "bound": "at_most",
                        "limit": 0.1,
                    }
                }
            },
            "no number: not measured: no population",
        ),
        (
            {
                "details": {
                    "threshold": {
                        "metric": "m",
                        "value": None,
                        "reason": "infinite",
                        "unit": "ratio",
                        "bound": "at_most",
                        "limit": 3,
                    }
                }
            },
            "infinite — infinite over",
        ),
        (
            {
                "details": {
                    "threshold": {
                        "metric": "m",
                        "value": 0.5,
                        "unit": "share",
                        "bound": "at_most",
                        "limit": 0.25,
                        "is_warning": True,
                    }
                }
            },
            "50% — 25 percentage points over, a warning only",
        ),
    ],
)
def test_every_kind_of_finding_is_a_phrase(result, phrase):
    """A figure with its distance, or why there is none."""
    assert observed(result).text == phrase
