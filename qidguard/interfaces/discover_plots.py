"""Save the plots that plugins draw of a search."""

import os
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from qidguard.core.errors import NotMeasurable, PluginError, UserError
from qidguard.core.guard import PluginCode

if TYPE_CHECKING:
    from qidguard.discovering.discovery import Discovery
    from qidguard.interfaces.result_output import Savable

KINDS = ("svg", "png")
"""The files that each plot is saved as."""
LIBRARIES = ("altair", "vl_convert")
"""What the extra ``plots`` brings."""


def check_folder(folder: str) -> None:
    """Check before a search that plots can be made and where.

    Example:
        >>> check_folder(".")
    """
    from qidguard.host import load_host

    host = load_host()
    if not host.search_plots and not host.search_strategies:
        raise UserError("--plots: no loaded plugin draws a search; qidguard plugins lists what is loaded")
    if any(find_spec(library) is None for library in LIBRARIES):
        raise UserError("--plots: plots are drawn by altair and vl-convert-python; install qidguard[plots]")
    _made(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UserError(f"--plots {folder!r} cannot be written to; name another folder")


def save_plots(found: "Discovery", folder: str) -> tuple[str, ...]:
    """Save every plot of a search."""
    from qidguard.host import load_host

    host = load_host()
    _made(folder)
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
    for name, drawn in _named(found, set(host.search_plots)):
        with PluginCode(owner, f"plot of search strategy {found.strategy!r}"):
            said += [str(drawn.save(Path(folder) / f"{name}.{kind}")) for kind in KINDS]
    return tuple(said) or ("nothing was drawn: neither a plugin nor the strategy has a plot of this search",)


def _named(found: "Discovery", taken: set[str]) -> "Iterator[tuple[str, Savable]]":
    """Yield the strategy's own plots with names for their files: plain, short, and none twice."""
    for plot in found.plots:
        words = _UNSAFE.sub("_", f"{found.strategy} {plot.title}".lower()).strip("_")[:_LONGEST].strip("_")
        name, more = words, 1
        while name in taken:
            more += 1
            name = f"{words}_{more}"
        taken.add(name)
        yield name, plot


_UNSAFE = re.compile(r"[^a-z0-9]+")
_LONGEST = 60


def _made(folder: str) -> None:
    if Path(folder).exists() and not Path(folder).is_dir():
        raise UserError(f"--plots {folder!r} is no folder; name another")
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise UserError(f"--plots {folder!r} cannot be made ({why}); name another folder") from None
