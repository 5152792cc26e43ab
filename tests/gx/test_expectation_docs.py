"""What Great Expectations and readers of the code are told: titles, schemas and examples that run."""

import doctest
import pkgutil
from importlib import import_module

import pytest
from great_expectations.expectations.expectation import BatchExpectation
from great_expectations.expectations.registry import get_expectation_impl

import qidguard_expectations as door

pytestmark = pytest.mark.gx

MODULES = [module.name for module in pkgutil.walk_packages(door.__path__, f"{door.__name__}.")]
OURS = [made for name in door.__all__ if name.startswith("Expect") and (made := getattr(door, name))]


@pytest.mark.parametrize("name", [door.__name__, *MODULES])
def test_examples_run(name, tmp_path, monkeypatch):
    """Every example in this door gives what stands under it."""
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path))
    assert doctest.testmod(import_module(name)).failed == 0


def test_examples_are_found():
    """The test above runs examples at all."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [test for name in MODULES for test in finder.find(import_module(name)) if test.examples]
    assert len(found) >= 20


@pytest.mark.parametrize("made", OURS)
def test_expectation_is_known(made):
    """Importing the door is all it takes for Great Expectations to know an expectation by its name."""
    assert issubclass(made, BatchExpectation)
    assert get_expectation_impl(made.expectation_type) is made
    assert made.expectation_type.startswith("expect_table_")


@pytest.mark.parametrize("made", OURS)
def test_expectation_describes_itself(made):
    """Each says in Great Expectations' way what it is, and what each argument means."""
    schema = made.schema()
    told = schema["properties"]["metadata"]["properties"]
    assert schema["title"].startswith("Expect table ")
    assert told["short_description"]["const"] == made.__doc__.split("\n")[0]
    assert told["library_metadata"]["const"]["requirements"] == ["qidguard"]
    assert told["supported_data_sources"]["const"] == ["Pandas", "Spark", "SQLite", "PostgreSQL", "DuckDB"]
    described = [name for name in made.success_keys if schema["properties"][name].get("description")]
    assert described == list(made.success_keys)


@pytest.mark.parametrize("made", OURS)
def test_every_argument_is_documented(made):
    """The docstring has every argument that decides, in their order, and names the unit."""
    documented = [
        line.strip().split(":")[0] for line in made.__doc__.split("Args:")[1].splitlines() if ": " in line
    ]
    assert [name for name in documented if name in made.success_keys] == list(made.success_keys)
    assert "Units:" in made.__doc__
    assert "Example:" in made.__doc__


def test_public_names():
    """The names that the door promises are there, the late ones too, and no other is invented."""
    assert all(hasattr(door, name) for name in door.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'ExpectNothing'"):
        _ = door.ExpectNothing
