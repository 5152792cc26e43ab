"""Plots: a chart with its title and the words that say what it shows."""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from enum import StrEnum
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any, Self

from qidguard.core.errors import UserError
from qidguard.core.files import write_whole
from qidguard.core.system import why

_HEADING = re.compile(r"\s+")
_SCHEMA = "$schema"


FONT = "Inter, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
LONGEST_LABEL_PIXELS = 240
"""A longer label ends in an ellipsis."""


class Theme(StrEnum):
    """The ground a plot is drawn on; ``auto`` follows the reader's in HTML, and is light in PNG and SVG."""

    LIGHT = "light"
    DARK = "dark"
    AUTO = "auto"


_INK = {Theme.LIGHT: "#1f2328", Theme.DARK: "#e6e6e6"}
_MUTED = {Theme.LIGHT: "#59636e", Theme.DARK: "#a6adb5"}
_LINES = {Theme.LIGHT: "#e4e7ea", Theme.DARK: "#3a3f45"}
GROUND = {Theme.LIGHT: "#ffffff", Theme.DARK: "#16191d"}
_CATEGORIES = {
    Theme.LIGHT: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#56b4e9"],
    Theme.DARK: ["#56b4e9", "#e69f00", "#2fc79d", "#e29fc5", "#f0e442", "#d55e00"],
}
_DIVERGING = {
    Theme.LIGHT: ["#a34700", "#dd8a3c", "#f6d3ae", "#f5f5f5", "#b3d3ea", "#4a94c8", "#00568c"],
    Theme.DARK: ["#bf5f12", "#96521b", "#5f3d22", "#26292d", "#234a66", "#2a6a97", "#2b83bd"],
}
_RISING = {
    Theme.LIGHT: ["#e3eef6", "#7cb2d8", "#00568c"],
    Theme.DARK: ["#1d2f3d", "#2c74a6", "#8fcdf5"],
}


def config(theme: Theme) -> dict[str, Any]:
    """Return the Vega-Lite configuration of a theme; ``auto`` is light."""
    shade = Theme.DARK if theme is Theme.DARK else Theme.LIGHT
    ink, muted, lines = _INK[shade], _MUTED[shade], _LINES[shade]
    words = {"labelColor": muted, "titleColor": ink, "labelFontSize": 11, "titleFontSize": 12}
    longest = {"labelLimit": LONGEST_LABEL_PIXELS, "titleLimit": 2 * LONGEST_LABEL_PIXELS}
    return {
        "background": GROUND[shade],
        "font": FONT,
        "padding": 12,
        # a plot carries one text alternative; a label for each mark would only repeat its numbers
        "aria": False,
        "title": {
            "color": ink,
            "subtitleColor": muted,
            "fontSize": 14,
            "subtitleFontSize": 11,
            "fontWeight": 600,
            "anchor": "start",
            "offset": 12,
            "limit": 4 * LONGEST_LABEL_PIXELS,
        },
        "axis": {
            **words,
            **longest,
            "titleFontWeight": 500,
            "titlePadding": 10,
            "gridColor": lines,
            "domainColor": muted,
            "tickColor": muted,
        },
        "legend": {**words, **longest, "titleFontWeight": 500, "orient": "bottom"},
        "header": {**words, **longest},
        "view": {"stroke": None, "continuousWidth": 420, "continuousHeight": 260},
        "mark": {"color": _CATEGORIES[shade][0]},
        "rule": {"color": muted},
        "tick": {"color": ink},
        "text": {"color": ink, "fontSize": 11},
        "range": {
            "category": _CATEGORIES[shade],
            "diverging": _DIVERGING[shade],
            "heatmap": _RISING[shade],
        },
    }


@dataclass(frozen=True, kw_only=True)
class Plot:
    """A chart that shows itself in a notebook and saves as PNG, SVG and HTML.

    It holds its own data, at most 5,000 records, and asks no network for anything. The same plot is drawn to
    the same bytes by the same version of vl-convert with the same fonts.

    Args:
        title: What it shows, one phrase.
        alternative: The text alternative: one sentence that tells what is seen to who does not see it. Like
            the plot itself it holds counts, figures and column names, never a value of the table.
        chart: An Altair chart, or its Vega-Lite as a mapping. Column names belong in its data and its titles,
            never in names of fields, which are expressions.
    """

    title: str
    alternative: str
    chart: InitVar[object]
    _vega_lite: str = field(init=False, repr=False)

    def __post_init__(self, chart: object) -> None:
        for name in ("title", "alternative"):
            text = getattr(self, name)
            if not isinstance(text, str) or not text.strip():
                raise ValueError(f"a plot needs its {name}, a text that is not empty")
            object.__setattr__(self, name, writable(text))
        object.__setattr__(self, "_vega_lite", frozen(chart))

    @property
    def vega_lite(self) -> dict[str, Any]:
        """The chart as Vega-Lite with this title; a copy."""
        spec: dict[str, Any] = json.loads(self._vega_lite)
        spec.pop("config", None)  # the theme's
        return {**spec, "title": {"text": _HEADING.sub(" ", self.title), **_subtitle(spec.get("title"))}}

    @classmethod
    def grid(cls, plots: Sequence[Self], *, title: str, columns: int = 2) -> Self:
        """Return several plots as one.

        Args:
            plots: At least one.
            title: What they show together.
            columns: How many stand side by side, ≥ 1.

        Returns:
            A plot whose text alternative is theirs, one after the other.

        Raises:
            ValueError: When there is no plot, or no column.

        Example:
            >>> bars = Plot(title="a", alternative="A bar.", chart={"mark": "bar", "data": {"values": []}})
            >>> Plot.grid([bars, bars], title="both").alternative
            'a: A bar. a: A bar.'
        """
        if not plots or columns < 1:
            raise ValueError("a grid needs at least one plot and one column")
        parts = [plot.vega_lite for plot in plots]
        data: dict[str, Any] = {}
        for part in parts:
            part.pop(_SCHEMA, None)
            data |= part.pop("datasets", {})
        spec: dict[str, Any] = {
            "concat": parts,
            "columns": columns,
            "resolve": {"scale": {"color": "independent"}},
        }
        return cls(
            title=title,
            alternative=" ".join(f"{plot.title}: {plot.alternative}" for plot in plots),
            chart={**spec, "datasets": data} if data else spec,
        )

    def svg(self, *, theme: str = "light") -> str:
        """Return the plot as SVG.

        Args:
            theme: ``light``, ``dark``, or ``auto``, which is light here.

        Returns:
            SVG that holds the title and the text alternative.

        Raises:
            UserError: When ``qidguard[plots]`` is not installed, or there is no such theme.

        Example:
            >>> chart = {"mark": "bar", "data": {"values": [{"x": 3}]}, "encoding": {"x": {"field": "x"}}}
            >>> Plot(title="A bar", alternative="One bar of 3.", chart=chart).svg()[:15]
            '<svg role="img"'
        """
        return svg(self.vega_lite, _theme(theme), title=self.title, alternative=self.alternative)

    def png(self, *, theme: str = "light") -> bytes:
        """Return the plot as PNG.

        Args:
            theme: ``light``, ``dark``, or ``auto``, which is light here.

        Returns:
            PNG, two pixels for each of the plot's own.

        Raises:
            UserError: When ``qidguard[plots]`` is not installed, or there is no such theme.

        Example:
            >>> chart = {"mark": "bar", "data": {"values": [{"x": 3}]}, "encoding": {"x": {"field": "x"}}}
            >>> Plot(title="A bar", alternative="One bar of 3.", chart=chart).png()[1:4]
            b'PNG'
        """
        return png(self.vega_lite, _theme(theme))

    def html(self, *, theme: str = "auto", is_interactive: bool = False) -> str:
        """Return the plot as a page that loads nothing.

        Args:
            theme: ``light``, ``dark``, or ``auto``, which follows the reader's preference.
            is_interactive: Whether the page carries Vega (0.9 MB) and shows numbers under the pointer; else
                it holds images and no script.

        Returns:
            HTML with a content security policy of ``default-src 'none'``.

        Raises:
            UserError: When ``qidguard[plots]`` is not installed, or there is no such theme.

        Example:
            >>> chart = {"mark": "bar", "data": {"values": [{"x": 3}]}, "encoding": {"x": {"field": "x"}}}
            >>> "<script" in Plot(title="A bar", alternative="One bar of 3.", chart=chart).html()
            False
        """
        drawn_theme = _theme(theme)
        words = {"title": self.title, "alternative": self.alternative}
        if is_interactive:
            return moving_page(self.vega_lite, theme=drawn_theme, **words)
        return still_page(self._drawings(drawn_theme), theme=drawn_theme, **words)

    def save(self, path: str | Path, *, theme: str = "auto", is_interactive: bool = False) -> Path:
        """Write the plot to a file, whole or not at all; an earlier file of this name is replaced.

        Args:
            path: Where; its suffix says what: ``.png``, ``.svg`` or ``.html``. Its folders are made.
            theme: ``light``, ``dark`` or ``auto``.
            is_interactive: As of :meth:`html`, for ``.html`` only.

        Returns:
            The path.

        Raises:
            UserError: When the suffix is another one, the file cannot be written, ``qidguard[plots]`` is not
                installed, or there is no such theme.

        Example:
            >>> Plot(title="a", alternative="A.", chart={"mark": "bar"}).save("a.pdf")
            Traceback (most recent call last):
            ...
            qidguard.core.errors.UserError: a plot is saved as .png, .svg or .html, not '.pdf'; name one
        """
        file = Path(path)
        writers: Mapping[str, Callable[[], bytes]] = {
            ".png": lambda: self.png(theme=theme),
            ".svg": lambda: self.svg(theme=theme).encode(),
            ".html": lambda: self.html(theme=theme, is_interactive=is_interactive).encode(),
        }
        suffix = file.suffix.lower()
        if suffix not in writers:
            raise UserError(f"a plot is saved as .png, .svg or .html, not {file.suffix!r}; name one")
        save_whole(file, writers[suffix]())
        return file

    def _drawings(self, theme: Theme) -> dict[Theme, str]:
        themes = (Theme.LIGHT, Theme.DARK) if theme is Theme.AUTO else (theme,)
        return {each: self.svg(theme=each) for each in themes}

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return figure(self._drawings(Theme.AUTO), self.alternative)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return what a notebook shows: a figure without a network, and words where it shows text only."""
        _ = include, exclude
        words = f"{self.title}: {self.alternative}"
        return {"text/html": self._repr_html_(), "image/svg+xml": self._repr_svg_(), "text/plain": words}


def _theme(name: str) -> Theme:
    try:
        return Theme(name)
    except ValueError:
        raise UserError(f"a plot's theme is light, dark or auto, not {name!r}; name one of them") from None


def _subtitle(title: object) -> dict[str, Any]:
    """Return a chart's own subtitle; its title is the plot's."""
    has_one = isinstance(title, Mapping) and "subtitle" in title
    return {"subtitle": title["subtitle"]} if has_one else {}  # type: ignore[index]  # it is a mapping


MOST_MARKS = 5_000
"""Records of data that a plot may hold; more are to be binned or thinned before."""
_NO_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def writable(text: str) -> str:
    """Return a text with U+FFFD for each character that XML, and so SVG, cannot hold.

    Example:
        >>> writable("a" + chr(0) + "b") == "a" + chr(0xFFFD) + "b"
        True
    """
    return _NO_XML.sub("\ufffd", text)


def frozen(chart: object) -> str:
    """Return a chart's Vega-Lite as canonical JSON text.

    Example:
        >>> frozen({"mark": "bar", "data": {"values": [{"x": 1}]}})
        '{"data": {"values": [{"x": 1}]}, "mark": "bar"}'
    """
    if isinstance(chart, Mapping):
        spec: object = chart
    elif callable(getattr(chart, "to_dict", None)):
        spec = chart.to_dict()  # type: ignore[attr-defined]  # the line above has asked for it
    else:
        raise TypeError(
            f"a plot is made of an Altair chart or a Vega-Lite mapping, not {type(chart).__name__}"
        )
    try:
        text = json.dumps(spec, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"a plot holds texts and finite numbers only ({error}); leave the rest out"
        ) from None
    spec = _writable(json.loads(text))
    if any("url" in part for part in _mappings(spec)):
        raise ValueError("a plot holds its own data and fetches none; put the values in it, not an address")
    records = sum(_records(part) for part in _mappings(spec))
    if records > MOST_MARKS:
        raise ValueError(f"a plot holds at most {MOST_MARKS:,} records, not {records:,}; bin or thin them")
    return json.dumps(spec, sort_keys=True)


def _writable(part: Any) -> Any:
    if isinstance(part, dict):
        return {writable(key): _writable(item) for key, item in part.items()}
    if isinstance(part, list):
        return [_writable(item) for item in part]
    return writable(part) if isinstance(part, str) else part


def _mappings(spec: object) -> Iterator[Mapping[str, Any]]:
    """Yield a specification's mappings, those of its data left out: a column may be called anything."""
    if isinstance(spec, Mapping):
        yield spec
        for key, part in spec.items():
            if key not in {"values", "datasets"}:
                yield from _mappings(part)
    elif isinstance(spec, list):
        for part in spec:
            yield from _mappings(part)


def _records(part: Mapping[str, Any]) -> int:
    sets = part.get("datasets", {}).values() if isinstance(part.get("datasets"), Mapping) else ()
    data = part.get("data")
    own = data.get("values") if isinstance(data, Mapping) else None
    return sum(len(rows) for rows in (*sets, own) if isinstance(rows, list))


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
