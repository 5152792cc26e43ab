"""Ask one plugin what it offers, and check each answer, so that its faults stay its own."""

from collections.abc import Callable, Iterable
from typing import Any

from qidguard.core.metric import Metric
from qidguard.core.score import RecognitionScore
from qidguard.search.objective import Objective

KINDS = {
    "metrics": "qidguard_metrics",
    "recognisers": "qidguard_recognisers",
    "search_strategies": "qidguard_search_strategies",
    "objectives": "qidguard_objectives",
    "recognition_scores": "qidguard_recognition_scores",
    "search_plots": "qidguard_search_plots",
    "anonymisers": "qidguard_anonymisers",
    "attacks": "qidguard_attacks",
    "engines": "qidguard_engines",
}
"""What a plugin may offer, and the hook that returns it."""

_CLASSES = {"metrics": Metric, "objectives": Objective, "recognition_scores": RecognitionScore}

_METHODS = {
    "recognisers": ("propose",),
    "search_strategies": ("search",),
    "search_plots": ("draw",),
    "anonymisers": ("anonymize",),
    "attacks": ("attack",),
    "engines": ("can_open", "column_names", "open"),
}


def collect(hooks: dict[str, Callable[[], Iterable[Any]]]) -> dict[str, dict[str, Any]]:
    """Return kind → name → object for one plugin's hook functions.

    Raises:
        TypeError: When a hook returns no collection, or an object is not what it should be.
        ValueError: When an object has no name, or a name is offered twice.
    """
    offers: dict[str, dict[str, Any]] = {}
    for kind, hook in KINDS.items():
        found: dict[str, Any] = {}
        answer: object = hooks[hook]() if hook in hooks else ()
        if not isinstance(answer, Iterable) or isinstance(answer, (str, bytes)):
            raise TypeError(f"{hook} must return the objects it offers, not {type(answer).__name__}")
        for item in answer:
            name = _checked_name(kind, hook, item)
            if name in found:
                raise ValueError(f"{hook} offers {name!r} twice")
            found[name] = item
        offers[kind] = dict(sorted(found.items()))
    return offers


def _checked_name(kind: str, hook: str, item: Any) -> str:
    name = getattr(item, "name", None)
    if not isinstance(name, str) or not name:
        raise ValueError(f"{hook} offers a {type(item).__name__} without a name")
    if not (name.isidentifier() and name.isascii()):
        raise ValueError(f"{hook} offers {name!r}, which is no plain identifier")
    if kind in _CLASSES and not isinstance(item, _CLASSES[kind]):
        raise TypeError(f"{hook} offers {name!r}, which is no qidguard.{_CLASSES[kind].__name__}")
    if not isinstance(getattr(item, "title", None), str):
        raise TypeError(f"{hook} offers {name!r}, which lacks a title")
    for method in _METHODS.get(kind, ()):
        if not callable(getattr(item, method, None)):
            raise TypeError(f"{hook} offers {name!r}, which lacks the method {method}()")
    return name
