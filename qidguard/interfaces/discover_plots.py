"""Save the plots that plugins draw of a search."""

from pathlib import Path
from typing import TYPE_CHECKING

from qidguard.core.errors import NotMeasurable, PluginError, UserError
from qidguard.core.guard import PluginCode
from qidguard.interfaces.plot_files import KINDS, check_plot_folder, file_names, saved

if TYPE_CHECKING:
    from qidguard.discovering.discovery import Discovery


def check_folder(folder: str) -> None:
    """Check before a search that plots can be made and where.

    Example:
        >>> check_folder(".")
    """
    from qidguard.host import load_host

    host = load_host()
    if not host.search_plots and not host.search_strategies:
        raise UserError("--plots: no loaded plugin draws a search; qidguard plugins lists what is loaded")
    check_plot_folder(folder)


def save_plots(found: "Discovery", folder: str) -> tuple[str, ...]:
    """Save every plot of a search."""
    from qidguard.host import load_host

    host = load_host()
    check_plot_folder(folder)
    said = []
    for name, plot in host.search_plots.items():
        owner = host.owner("search_plots", name)
        try:
            with PluginCode(owner, f"plot {name!r}"):
                drawn = plot.draw(found.search)
            if not callable(getattr(drawn, "save", None)):
                kind = type(drawn).__name__
                raise PluginError(f"{owner}: plot {name!r} drew {kind}, not Plot; mend the plugin")
            said += [str(drawn.save(Path(folder) / f"{name}.{kind}")) for kind in KINDS]
        except NotMeasurable as reason:
            said.append(f"{name}: {reason}")
    owner = host.owner("search_strategies", found.strategy)
    named = file_names(found.strategy, found.plots, set(host.search_plots))
    said += saved(named, folder, owner, f"plot of search strategy {found.strategy!r}")
    return tuple(said) or ("nothing was drawn: neither a plugin nor the strategy has a plot of this search",)
