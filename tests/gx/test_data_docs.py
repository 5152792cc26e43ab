"""Data Docs say each expectation in a sentence with its figures, and show no value of the table."""

import html
import re
from pathlib import Path

import pandas as pd
import pytest

from audited import policy, roles
from gx_project import DATA, exported, new_context, opened, run
from qidguard_expectations import ExpectTableKAnonymityToBeAtLeast
from qidguard_expectations.data_docs import observed

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


def test_a_doubt_about_a_figure_that_holds_is_rendered(folder):
    """A record without an entity: the limit is kept, the expectation fails, and its page says why."""
    given = policy(
        **roles(entity="visit", insensitive=[]), thresholds=[{"metric": "k_anonymity", "at_least": 2}]
    )
    exported(folder, given)
    frame = TABLE.assign(visit=["a", "b", "c", "d", "e", None])
    done = run(opened(folder), "p", frame)
    (only,) = done.run_results.values()
    details = only.results[0].result["details"]
    assert (only.results[0].success, details["threshold"]["is_met"]) == (False, True)
    (validation,) = [page for name, page in pages(folder).items() if name.startswith("validations")]
    assert validation.count(html.escape(details["reason"], quote=False)) >= 2
