"""Tests of the documentation: every public function documents its units, its errors and an example."""

import inspect
from collections.abc import Iterator

import pytest

import qidguard
from qidguard.core.parameter import Parameter


def public_callables() -> Iterator[tuple[str, object]]:
    """Yield every public function, and every public method that a public class defines."""
    for name in qidguard.__all__:
        item = getattr(qidguard, name)
        if inspect.isfunction(item):
            yield name, item
        elif inspect.isclass(item) and item.__module__.startswith("qidguard"):
            for attribute, member in vars(item).items():
                is_ours = inspect.isfunction(member) and member.__module__.startswith("qidguard")
                if is_ours and not attribute.startswith("_"):
                    yield f"{name}.{attribute}", member


def has_effects(function: object) -> bool:
    """Whether a function takes or returns more than itself, so that it has units or errors to document."""
    signature = inspect.signature(function)  # type: ignore[arg-type]
    return len(signature.parameters) > 1 or signature.return_annotation not in {None, "None"}


@pytest.mark.parametrize("name", qidguard.__all__)
def test_every_public_name_is_documented(name: str):
    """Every public name exists and, where it can carry one, has a docstring of its own."""
    item = getattr(qidguard, name)
    if inspect.isclass(item) or inspect.isfunction(item):
        assert item.__doc__
        assert item.__doc__.strip()[0].isupper()


@pytest.mark.parametrize(
    ("name", "function"), list(public_callables()), ids=lambda x: x if isinstance(x, str) else ""
)
def test_every_public_function_documents_units_and_errors(name: str, function: object):
    """A public function with arguments or a result says units, errors and shows an example."""
    doc = inspect.getdoc(function) or ""
    assert doc
    owner = getattr(qidguard, name.split(".", maxsplit=1)[0])
    is_protocol = getattr(owner, "_is_protocol", False)
    if not has_effects(function) or is_protocol:
        return
    for section in ("Units:", "Raises:", "Example:"):
        assert section in doc, f"{name} lacks {section}"


def test_parameters_say_what_they_mean():
    """A parameter of any loaded metric has words, with its unit."""
    from qidguard.host import load_host

    parameters = [p for metric in load_host().metrics.values() for p in metric.parameters]
    assert parameters
    assert all(isinstance(p, Parameter) and p.meaning for p in parameters)
