"""Tests of the documentation: every public function is documented and shows an example."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import qidguard
import qidguard_learning
from qidguard import sdk

PUBLIC = {
    **{name: getattr(sdk, name) for name in sdk.__all__},
    **{name: getattr(qidguard_learning, name) for name in qidguard_learning.__all__},
    **{name: getattr(qidguard, name) for name in qidguard.__all__},
}

NUMBER = re.compile(r"\b(float|int|float64|NDArray)\b")
UNIT = re.compile(
    r"records?\b|entit|persons?\b|shares?\b|0\.\.1|seconds|bytes|nats|bits\b|\bunits?\b|number of|codes?\b"
    r"|shape|lines?\b|fitness",
    re.IGNORECASE,
)
NO_EXAMPLE = re.compile(r">>> .*(__name__|signature\()")


def public_callables() -> Iterator[tuple[str, object]]:
    """Yield every public function, and every public method that a public class defines."""
    for name, item in PUBLIC.items():
        if inspect.isfunction(item):
            yield name, item
        elif inspect.isclass(item) and item.__module__.startswith("qidguard"):
            for attribute, member in vars(item).items():
                is_ours = inspect.isfunction(member) and member.__module__.startswith("qidguard")
                if is_ours and not attribute.startswith("_"):
                    yield f"{name}.{attribute}", member


def has_effects(function: object) -> bool:
    """Whether a function takes or returns more than itself."""
    signature = inspect.signature(function)  # type: ignore[arg-type]
    return len(signature.parameters) > 1 or signature.return_annotation not in {None, "None"}


def test_every_public_name_is_documented():
    """Every public name exists and, where it can carry one, has a docstring of its own."""
    documented = {n: i for n, i in PUBLIC.items() if inspect.isclass(i) or inspect.isfunction(i)}
    assert documented
    assert [n for n, item in documented.items() if not (item.__doc__ or "").strip()[:1].isupper()] == []


def test_every_public_function_shows_an_example():
    """A public function is documented; one with arguments or a result shows an example."""
    undocumented, without_example, seen = [], [], 0
    for name, function in public_callables():
        seen += 1
        doc = inspect.getdoc(function) or ""
        owner = PUBLIC[name.split(".", maxsplit=1)[0]]
        if not doc:
            undocumented.append(name)
        elif has_effects(function) and not getattr(owner, "_is_protocol", False) and "Example:" not in doc:
            without_example.append(name)
    assert seen
    assert (undocumented, without_example) == ([], [])


def test_a_public_number_says_what_it_counts():
    """A function that gives numbers names their unit, or what each of them stands for."""
    unsaid, seen = [], 0
    for name, function in public_callables():
        if NUMBER.search(str(inspect.signature(function).return_annotation)):  # type: ignore[arg-type]
            seen += 1
            words = (inspect.getdoc(function) or "").partition("Example:")[0]
            unsaid += [] if UNIT.search(words) else [name]
    assert seen
    assert unsaid == []


def test_an_example_shows_the_thing_itself():
    """An example calls what it documents; nowhere does one print a signature or a name."""
    elsewhere = [
        name
        for name, function in public_callables()
        if (example := (inspect.getdoc(function) or "").partition("Example:")[2])
        and name.rpartition(".")[2] not in example
    ]
    assert elsewhere == []
    root = Path(qidguard.__file__).parents[1]
    files = [*(root / "qidguard").rglob("*.py"), *(root / "plugins").rglob("*.py")]
    texts = {path: path.read_text(encoding="utf-8") for path in files if ".venv" not in path.parts}
    assert [str(path) for path, text in texts.items() if NO_EXAMPLE.search(text)] == []


def test_parameters_say_what_they_mean():
    """A parameter of any loaded metric has words, with its unit."""
    from qidguard.host import load_host

    parameters = [p for metric in load_host().metrics.values() for p in metric.parameters]
    assert parameters
    assert all(isinstance(p, sdk.Parameter) and p.meaning for p in parameters)
