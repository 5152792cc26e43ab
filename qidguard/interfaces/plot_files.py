"""Plots as files of a folder: checked before the work, drawn with the plugin named that drew them."""

import os
import re
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from qidguard.core.errors import UserError
from qidguard.core.guard import PluginCode
from qidguard.core.system import why

if TYPE_CHECKING:
    from qidguard.plot.plot import Plot

KINDS = ("svg", "png")
"""The files that each plot is saved as."""
LIBRARIES = ("altair", "vl_convert")
"""What the extra ``plots`` brings."""
_UNSAFE = re.compile(r"[^a-z0-9]+")
_LONGEST = 60


def can_draw() -> bool:
    """Return whether what draws is installed."""
    return all(find_spec(library) is not None for library in LIBRARIES)


def check_plot_folder(folder: str) -> None:
    """Check before the work that plots can be made and where.

    Example:
        >>> check_plot_folder(".")
    """
    if not can_draw():
        raise UserError("--plots: plots are drawn by altair and vl-convert-python; install qidguard[plots]")
    if Path(folder).exists() and not Path(folder).is_dir():
        raise UserError(f"--plots {folder!r} is no folder; name another")
    make_folder(folder, "--plots")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UserError(f"--plots {folder!r} cannot be written to; name another folder")


def make_folder(folder: str, option: str) -> None:
    """Make the folder that an option names, where there is none."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise UserError(f"{option} {folder!r} cannot be made ({why(error)}); name another folder") from None


def saved(plots: "Iterable[tuple[str, Plot]]", folder: str, owner: str, what: str) -> Iterator[str]:
    """Yield the path of each file, once it is written; a PluginError names the owner of what cannot be drawn.

    Args:
        plots: Names for the files and the plots.
        folder: Where they go.
        owner: The plugin that drew them.
        what: What of it did.
    """
    for name, plot in plots:
        with PluginCode(owner, what):
            yield from [str(plot.save(Path(folder) / f"{name}.{kind}")) for kind in KINDS]


def file_names(of: str, plots: "Iterable[Plot]", taken: set[str]) -> "Iterator[tuple[str, Plot]]":
    """Yield plots with names for their files: plain, short, and none twice.

    Args:
        of: What was drawn, which the names begin with.
        plots: The plots.
        taken: Names that there are already; grows by those that are given.

    Example:
        >>> from qidguard.plot.plot import Plot
        >>> sizes = Plot(title="Class sizes", alternative="A bar.", chart={"mark": "bar"})
        >>> [name for name, _ in file_names("mdav[k=5]", (sizes, sizes), set())]
        ['mdav_k_5_class_sizes', 'mdav_k_5_class_sizes_2']
    """
    for plot in plots:
        words = _UNSAFE.sub("_", f"{of} {plot.title}".lower()).strip("_")[:_LONGEST].strip("_")
        name, more = words, 1
        while name in taken:
            more += 1
            name = f"{words}_{more}"
        taken.add(name)
        yield name, plot
