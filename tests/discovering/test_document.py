"""The document, the console and the notebook: what they hold, and that nothing in them acts or leaks."""

import json
from dataclasses import replace
from io import StringIO

import jsonschema
import pandas as pd
import pytest
from rich.console import Console

import qidguard
from qidguard.discovering.console import console_text, parts
from qidguard.discovering.document import published_discovery_schema
from qidguard.discovering.example import small

SECRET = "Zanzibar-7f"  # noqa: S105 - a value of the table, no password
HOSTILE = ("</script><b>", "a\x1b[31mred", "[bold]x[/bold]", "q\"u'o,te", "年齢", "=cmd()")


def hostile_frame() -> pd.DataFrame:
    """Return a table whose column names would act on a terminal or a page, and a value that none may show."""
    columns = {name: [i % (2 + at) for i in range(12)] for at, name in enumerate(HOSTILE)}
    return pd.DataFrame({**columns, "place": [SECRET, *["Basel"] * 11]})


@pytest.fixture(scope="module")
def found() -> qidguard.Discovery:
    """Return what is found in the hostile table."""
    return qidguard.discover(hostile_frame(), objective="linear", truth=[HOSTILE[0], HOSTILE[4]])


def validator() -> jsonschema.Draft202012Validator:
    """Return the published schema, ready to validate."""
    schema = json.loads(published_discovery_schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.slow
def test_the_document_fits_its_schema(found):
    """Also without a truth and with figures that do not exist; every field is asked for, and no other."""
    sets = tuple(replace(one, figures=(None,), fitness=float("-inf"), scores={}) for one in small().sets)
    bare = replace(small(), truth=None, with_names={}, budget_seconds=None, explained=(), sets=sets)
    for discovery in (found, small(), bare):
        validator().validate(json.loads(discovery.to_json()))
    document = json.loads(small().to_json())
    for name in document:
        assert not validator().is_valid({k: v for k, v in document.items() if k != name}), name
    assert not validator().is_valid(document | {"more": 1})


def test_an_infinite_figure_is_null_in_the_document_and_said_on_the_console():
    """A class without one of the values makes delta disclosure infinite; JSON has no such number."""
    table = pd.DataFrame({"age": [1, 2, 3, 4], "ward": [1, 1, 2, 2], "ill": ["a", "b", "a", "b"]})
    found = qidguard.discover(table, objective={"delta_disclosure": 1}, sensitive="ill")
    document = json.loads(found.to_json())
    validator().validate(document)
    best = document["sets"][0]
    assert (found.best.figures, best["figures"], best["fitness"]) == ((float("inf"),), [None], None)
    text = console_text(found)
    assert ("delta_disclosure of ill infinite" in text, "nan" in text) == (True, False)


def test_every_field_of_the_schema_is_described():
    """A reader of the document needs no other page."""

    def described(shape: dict) -> bool:
        inner = [*shape.get("properties", {}).values(), *([shape["items"]] if "items" in shape else [])]
        return ("description" in shape) and all(map(described, inner))

    assert described(json.loads(published_discovery_schema()))


@pytest.mark.slow
def test_the_document_says_what_was_found(found):
    """Sets, roles and scores are those of the discovery."""
    document = json.loads(found.to_json())
    assert {name: document[name] for name in ("format", "quasi_identifiers")} == {
        "format": "qidguard-discovery/1",
        "quasi_identifiers": list(found.quasi_identifiers),
    }
    assert [one["fitness"] for one in document["sets"]] == [one.fitness for one in found.sets]
    assert [role["column"] for role in document["roles"]] == [*HOSTILE, "place"]
    assert document["sets"][0]["scores"] == dict(found.best.scores)
    assert document["search"]["evaluations"] == found.search.evaluations


@pytest.mark.slow
def test_no_value_of_the_table_is_told(found):
    """Names, counts and figures only."""
    for text in (found.to_json(), str(found), found._repr_html_(), console_text(found, has_front=True)):
        assert SECRET not in text
        assert "Basel" not in text


def test_names_do_not_act(found):
    """Escapes are printed as text, markup stays text, and a page gets no element."""
    text, page = console_text(found, has_front=True, has_plan=True), found._repr_html_()
    assert [words in text for words in (r"a\x1b[31mred", "[bold]x[/bold]", "\x1b")] == [True, True, False]
    assert "&lt;/script&gt;&lt;b&gt;" in page
    assert [words for words in ("<script", "</script>", "\x1b") if words in page] == []


def test_a_terminal_that_knows_ascii_only_gets_ascii_signs():
    """The marks and bars have twins."""
    screen = Console(file=StringIO(), width=100, markup=False)
    for part in list(parts(small(), 100, is_ascii=True))[1:]:
        screen.print(part)
    shown = screen.file.getvalue()
    assert ("##########" in shown, "█" in shown) == (True, False)


def test_the_console_says_the_essentials():
    """The best set, the figures, why, the scores, the way of measuring and what nobody can know."""
    text = str(small())
    for words in (
        "FOUND   age, ward (2 of 2 columns searched)",
        "1.0000  age, ward",
        "2  ward  1.0000 (+0.2500)  distinction +0.25",
        "it has one value only",
        "recall",
        "the optimum, proven",
        "lattice: 3 subsets share one walk.",
    ):
        assert words in text, words


def test_wide_tables_are_cut_on_the_console_and_whole_in_the_document():
    """Forty columns are drawn."""
    wide = replace(small(), columns=small().columns[:2] * 40)
    assert "40 more columns; the JSON document has them all." in str(wide)
    assert len(json.loads(wide.to_json())["columns"]) == 80
