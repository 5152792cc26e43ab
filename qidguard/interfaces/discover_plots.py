"""Save the plots that plugins draw of a search."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from qidguard.core.errors import NotMeasurable, PluginError, QidguardError, UserError

if TYPE_CHECKING:
    from qidguard.discovering.discovery import Discovery

KINDS = ("svg", "png")
"""The files that each plot is saved as."""
LIBRARIES = ("altair", "vl_convert")
"""What the extra ``plots`` brings."""


def check_folder(folder: str) -> None:
    """Check before a search that plots can be made and where.

    Args:
        folder: Where they go; it is made if it does not exist.

    Raises:
        UserError: When it is a file or cannot be made or written to, no loaded plugin draws, or the libraries
            of plots are not installed.

    Example:
        >>> check_folder(".")
    """
    from qidguard.host import load_host

    if not load_host().search_plots:
        raise UserError("--plots: no loaded plugin draws a search; qidguard plugins lists what is loaded")
    if any(find_spec(library) is None for library in LIBRARIES):
        raise UserError("--plots: plots are drawn by altair and vl-convert-python; install qidguard[plots]")
    _made(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UserError(f"--plots {folder!r} cannot be written to; name another folder")


def save_plots(found: "Discovery", folder: str) -> tuple[str, ...]:
    """Save every plot of a search.

    Args:
        found: What was found.
        folder: Where they go; it is made if it does not exist.

    Returns:
        The paths of the files, or why a plot was not drawn.

    Raises:
        UserError: When a file cannot be written, or the libraries of plots are not installed.
        PluginError: When a plugin fails.

    Example:
        >>> import inspect
        >>> list(inspect.signature(save_plots).parameters)
        ['found', 'folder']
    """
    from qidguard.host import load_host

    host = load_host()
    _made(folder)
    said = []
    for name, plot in host.search_plots.items():
        try:
            drawn = plot.draw(found.search)
            said += [str(drawn.save(Path(folder) / f"{name}.{kind}")) for kind in KINDS]
        except NotMeasurable as reason:
            said.append(f"{name}: {reason}")
        except QidguardError:
            raise
        except Exception as error:
            owner = host.owner("search_plots", name)
            raise PluginError(f"{owner}: plot {name!r} failed with {type(error).__name__}") from error
    return tuple(said)


def _made(folder: str) -> None:
    if Path(folder).exists() and not Path(folder).is_dir():
        raise UserError(f"--plots {folder!r} is no folder; name another")
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise UserError(f"--plots {folder!r} cannot be made ({why}); name another folder") from None
