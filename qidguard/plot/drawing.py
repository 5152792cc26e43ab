"""Drawing: Vega-Lite to SVG and PNG, without a browser and without a network."""

import re
from html import escape
from types import ModuleType
from typing import Any

from qidguard.core.errors import UserError
from qidguard.plot.theme import Theme, config

SCALE = 2
"""Pixels of a PNG for each of the plot's own."""
_NOWHERE: list[str] = []


def converter() -> ModuleType:
    """Return the converter; UserError where the extra is not installed."""
    try:
        import vl_convert
    except ImportError:
        raise UserError("a plot is drawn by vl-convert-python; install qidguard[plots]") from None
    return vl_convert


def svg(spec: dict[str, Any], theme: Theme, *, title: str, alternative: str) -> str:
    """Return a specification as SVG that says in words what it shows."""
    drawn: str = converter().vegalite_to_svg(spec, config=config(theme), allowed_base_urls=_NOWHERE)
    words = f"<title>{escape(title)}</title><desc>{escape(alternative)}</desc>"
    return re.sub(r"<svg([^>]*)>", lambda tag: f'<svg role="img"{tag[1]}>{words}', drawn, count=1)


def png(spec: dict[str, Any], theme: Theme) -> bytes:
    """Return a specification as PNG, two pixels for each of its own."""
    drawn: bytes = converter().vegalite_to_png(
        spec, config=config(theme), scale=SCALE, allowed_base_urls=_NOWHERE
    )
    return drawn
