"""What an anonymizer draws of a table that it made."""

from collections.abc import Iterable
from typing import Any

from qidguard.anonymizing.protocol import ChosenAnonymizer
from qidguard.anonymizing.rehearsed_table import RehearsedTable
from qidguard.core.errors import PluginError
from qidguard.core.guard import PluginCode
from qidguard.plot.plot import Plot

MOST_PLOTS = 50
"""How many plots an anonymizer may draw of one table."""


def drawn(method: ChosenAnonymizer, done: RehearsedTable) -> tuple[Plot, ...]:
    """Return the plots of an anonymizer that draws; none of one that does not.

    Raises:
        PluginError: When it fails at that, whatever it raises, or what it draws are no plots.

    Example:
        >>> from qidguard.anonymizing.example import rehearsed_example
        >>> from qidguard.host import load_host
        >>> method = load_host().anonymizer("small_class_suppression")
        >>> drawn(ChosenAnonymizer(anonymizer=method, arguments={}, owner="ours"), rehearsed_example())
        ()
    """
    ask: Any = getattr(method.anonymizer, "plots", None)
    if ask is None:
        return ()
    # nothing to draw is an empty answer, so no error of it is an answer
    with PluginCode(method.owner, f"plots of anonymizer {method.name!r}", passes=(MemoryError,)):
        given = ask(done, method.arguments)
        plots = tuple(given) if isinstance(given, Iterable) else (given,)
    for plot in plots:
        if type(plot) is not Plot:
            raise PluginError(f"{method.whose} drew {type(plot).__name__}, not Plot; mend the plugin")
    if len(plots) > MOST_PLOTS:
        raise PluginError(
            f"{method.whose} drew {len(plots):,} plots, more than {MOST_PLOTS}; mend the plugin"
        )
    return plots
