"""A plot as SVG, PNG and HTML page, saved whole or not at all."""

import base64
import hashlib
import json
import re
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any

from qidguard.core.errors import UserError
from qidguard.core.files import write_whole
from qidguard.core.system import why
from qidguard.plot.theme import GROUND, Theme, config

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


_STYLE = (
    ":root{{color-scheme:{schemes}}}body{{margin:1rem;font:14px/1.5 system-ui,sans-serif;{light}}}"
    "figure{{margin:0}}img,svg{{max-width:100%;height:auto}}figcaption{{max-width:48rem;opacity:.8}}"
    "@media(prefers-color-scheme:dark){{body{{{dark}}}}}"
)
_DARK_BODY = f"background:{GROUND[Theme.DARK]};color:#e6e6e6"
_LIGHT_BODY = f"background:{GROUND[Theme.LIGHT]};color:#1f2328"
_DARK_READER = "(prefers-color-scheme: dark)"

_START = (
    "const plot=JSON.parse(document.getElementById('plot').textContent);"
    "const dark=plot.theme==='dark'||(plot.theme==='auto'&&matchMedia('" + _DARK_READER + "').matches);"
    # ast: the page's policy forbids eval, so expressions are interpreted
    "vegaEmbed('#chart',plot.spec,{ast:true,actions:false,renderer:'svg',config:dark?plot.dark:plot.light});"
)


def figure(drawings: dict[Theme, str], alternative: str) -> str:
    """Return a figure of one or two SVGs, as images: nothing inside an image runs, whatever it holds.

    Example:
        >>> figure({Theme.LIGHT: "<svg/>"}, 'a "bar"')[:53]
        '<figure><picture><img alt="a &quot;bar&quot;" src="da'
    """
    text = escape(alternative)
    dark = drawings.get(Theme.DARK) if len(drawings) > 1 else None
    other = f'<source media="{_DARK_READER}" srcset="{_address(dark)}">' if dark else ""
    plain = drawings.get(Theme.LIGHT) or next(iter(drawings.values()))
    image = f'<img alt="{text}" src="{_address(plain)}">'
    return f"<figure><picture>{other}{image}</picture><figcaption>{text}</figcaption></figure>"


def still_page(drawings: dict[Theme, str], *, title: str, alternative: str, theme: Theme) -> str:
    """Return a page without a script; its policy allows images within it and its own style."""
    style = _style(theme)
    policy = f"default-src 'none'; img-src data:; style-src {_hash(style)}"
    return _page(policy, title, f"<style>{style}</style>", figure(drawings, alternative))


def moving_page(spec: dict[str, Any], *, title: str, alternative: str, theme: Theme) -> str:
    """Return a page that draws itself with the bundled Vega; its policy allows those two scripts alone."""
    bundle = _closed(converter().javascript_bundle())
    plot = {"spec": spec, "theme": theme, "light": config(Theme.LIGHT), "dark": config(Theme.DARK)}
    # inside a script element only "<" can end it or begin another; JSON allows it to be written so
    data = json.dumps(plot, sort_keys=True).replace("<", "\\u003c")
    policy = (
        f"default-src 'none'; script-src {_hash(bundle)} {_hash(_START)}; "
        "style-src 'unsafe-inline'; img-src data:"
    )
    body = (
        f'<figure role="img" aria-label="{escape(alternative)}"><div id="chart"></div>'
        f"<figcaption>{escape(alternative)}</figcaption></figure>"
        f'<script type="application/json" id="plot">{data}</script>'
        f"<script>{bundle}</script><script>{_START}</script>"
    )
    return _page(policy, title, f"<style>{_style(theme)}</style>", body)


def _page(policy: str, title: str, head: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title>{head}</head>\n<body>{body}</body></html>\n"
    )


def _style(theme: Theme) -> str:
    dark = _LIGHT_BODY if theme is Theme.LIGHT else _DARK_BODY
    light = _DARK_BODY if theme is Theme.DARK else _LIGHT_BODY
    schemes = "light dark" if theme is Theme.AUTO else theme.value
    return _STYLE.format(schemes=schemes, light=light, dark=dark)


def _closed(script: str) -> str:
    """Return a script that cannot end its element: a backslash before ``/`` means nothing to JavaScript."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _address(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def save_whole(path: Path, content: bytes) -> None:
    """Write a file in one step: it takes the place of an earlier one, or that stays as it was.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_whole(Path(folder) / "deep" / "a.svg", b"<svg/>")
        ...     (Path(folder) / "deep" / "a.svg").read_bytes()
        b'<svg/>'
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content, mode=0o644)
    except OSError as error:
        raise UserError(
            f"the plot {str(path)!r} cannot be written ({why(error)}); name another place"
        ) from None
