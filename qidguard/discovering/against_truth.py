"""Found sets held against a ground truth."""

from collections.abc import Collection, Iterable, Mapping
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING

from qidguard.core.errors import PluginError, UserError
from qidguard.core.guard import PluginCode
from qidguard.core.naming import did_you_mean

if TYPE_CHECKING:
    from qidguard.host import Host

NO_SCORES: Mapping[str, float] = MappingProxyType({})
"""The scores where nobody gave a truth."""


def named(columns: Iterable[str], every: Collection[str], what: str) -> tuple[str, ...]:
    """Return columns in the table's order, one text being one name; UserError for one that the table lacks.

    Example:
        >>> named(["b", "a"], ["a", "b", "c"], "candidates")
        ('a', 'b')
    """
    wanted = [columns] if isinstance(columns, str) else list(columns)
    for name in wanted:
        if name not in every:
            hint = did_you_mean(str(name), every, is_listed=False) or "look at its header"
            raise UserError(f"{what}: the table has no column {name!r}; {hint}")
    return tuple(name for name in every if name in wanted)


def scores(
    found: Collection[str], truth: Collection[str] | None, every: Collection[str], host: "Host"
) -> Mapping[str, float]:
    """Return every recognition score of a found set, by name; none where there is no truth.

    PluginError, naming the plugin, where a score fails.
    """
    if truth is None:
        return NO_SCORES
    answers = {}
    for name, score in host.recognition_scores.items():
        owner = host.owner("recognition_scores", name)
        with PluginCode(owner, f"score {name!r}", passes=()):
            given: object = score.compute(frozenset(found), frozenset(truth), frozenset(every))
        if isinstance(given, bool) or not isinstance(given, Real):
            kind = type(given).__name__
            raise PluginError(f"{owner}: score {name!r} gave {kind}, not a number; mend the plugin")
        answers[name] = float(given)
        if not 0 <= answers[name] <= 1:
            raise PluginError(f"{owner}: score {name!r} gave {answers[name]}, which is no share 0..1")
    return MappingProxyType(answers)
