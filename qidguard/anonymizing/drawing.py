"""What an anonymizer draws of a table that it made."""

from collections.abc import Iterable
from typing import Any

from qidguard.anonymizing.protocol import Anonymizer
from qidguard.anonymizing.rehearsed_table import RehearsedTable
from qidguard.core.errors import PluginError
from qidguard.core.guard import PluginCode
from qidguard.core.parameter import Arguments
from qidguard.plot.plot import Plot

MOST_PLOTS = 50
"""How many plots an anonymizer may draw of one table."""


def drawn(
    anonymizer: Anonymizer, arguments: Arguments, done: RehearsedTable, *, owner: str
) -> tuple[Plot, ...]:
    """Return the plots of an anonymizer that draws; none of one that does not.

    Raises:
        PluginError: When it fails at that, whatever it raises, or what it draws are no plots.

    Example:
        >>> from qidguard.anonymizing.example import rehearsed_example
        >>> from qidguard.host import load_host
        >>> drawn(load_host().anonymizer("small_class_suppression"), {}, rehearsed_example(), owner="ours")
        ()
    """
    ask: Any = getattr(anonymizer, "plots", None)
    if ask is None:
        return ()
    # nothing to draw is an empty answer, so no error of it is an answer
    with PluginCode(owner, f"plots of anonymizer {anonymizer.name!r}", passes=(MemoryError,)):
        given = ask(done, arguments)
        plots = tuple(given) if isinstance(given, Iterable) else (given,)
    for plot in plots:
        if type(plot) is not Plot:
            raise PluginError(
                f"{owner}: anonymizer {anonymizer.name!r} drew {type(plot).__name__}, not Plot; mend the"
                " plugin"
            )
    if len(plots) > MOST_PLOTS:
        raise PluginError(
            f"{owner}: anonymizer {anonymizer.name!r} drew {len(plots):,} plots, more than {MOST_PLOTS}; mend"
            " the plugin"
        )
    return plots
