"""Tests of a plot's page: whatever columns are called, nothing of it runs and nothing is loaded."""

import base64
import hashlib
import re
import subprocess
from html.parser import HTMLParser

import pytest

from browser import chromium
from drawn import elements
from qidguard.sdk import Plot

HOSTILE = [
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "</title></desc></svg><b>bold</b>",
    "<!-- <script>",
    "\" onload='document.title=1' x=\"",
    "&lt;b&gt; \u2028 \x00 \ud800 \U0001f600",
]


@pytest.fixture
def plot():
    """Return a plot whose every text is hostile."""
    values = [{"x": name, "y": i + 1} for i, name in enumerate(HOSTILE)]
    encoding = {
        "x": {"field": "x", "type": "nominal", "title": HOSTILE[0]},
        "y": {"field": "y", "type": "quantitative", "title": HOSTILE[1]},
        "tooltip": {"field": "x", "type": "nominal"},
    }
    chart = {"data": {"values": values}, "mark": "bar", "encoding": encoding}
    return Plot(title=" ".join(HOSTILE), alternative=" ".join(HOSTILE), chart=chart)


class Tags(HTMLParser):
    """Notes every element of a page with its attributes, and the text inside scripts and styles."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.inside = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        """Note an element."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        """Note what stands inside a script or a style."""
        if self.tags and self.tags[-1][0] in {"script", "style"} and data.strip():
            self.inside.append((self.tags[-1][0], data))

    @property
    def policy(self):
        """The page's content security policy."""
        return next(a["content"] for tag, a in self.tags if a.get("http-equiv") == "Content-Security-Policy")


def hashed(text):
    """Return how a policy names an inline script or style."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


@pytest.mark.slow
def test_a_still_page_holds_two_images_and_nothing_that_runs(plot):
    """Hostile names add no element and no attribute; the policy allows images in it and its own style."""
    page = Tags(plot.html())
    assert [tag for tag, _ in page.tags] == [
        *("html", "head", "meta", "meta", "meta", "title", "style", "body"),
        *("figure", "picture", "source", "img", "figcaption"),
    ]
    assert page.policy == f"default-src 'none'; img-src data:; style-src {hashed(page.inside[0][1])}"
    image = next(attributes for tag, attributes in page.tags if tag == "img")
    assert sorted(image) == ["alt", "src"]
    assert image["alt"] == plot.alternative


@pytest.mark.slow
def test_an_image_in_a_still_page_is_the_svg(plot):
    """What the page shows is what is saved as SVG, light and dark."""
    found = re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)", plot.html())
    assert [base64.b64decode(one).decode() for one in found] == [plot.svg(theme="dark"), plot.svg()]


@pytest.mark.slow
def test_a_moving_page_runs_its_two_scripts_and_no_other(plot):
    """The policy names the two scripts by their hashes; data are no script; nothing has an address."""
    page = Tags(plot.html(is_interactive=True))
    assert [tag for tag, _ in page.tags].count("script") == 3
    scripts = [text for tag, text in page.inside if tag == "script"]
    runs = " ".join(hashed(text) for text in scripts[1:])
    assert page.policy == (f"default-src 'none'; script-src {runs}; style-src 'unsafe-inline'; img-src data:")
    assert "<" not in scripts[0]
    assert not [a for _, a in page.tags if {"src", "href", "srcset", "onload", "onerror"} & set(a)]


def test_svg_with_hostile_names_is_well_formed(plot):
    """Names in SVG are text; characters that XML lacks are U+FFFD."""
    root = elements(plot.svg())
    assert not [part for part in root.iter() if part.tag.endswith(("script", "}b", "}img"))]
    assert root[0].text.endswith("&lt;b&gt; \u2028 \ufffd \ufffd \U0001f600")


@pytest.mark.live
@pytest.mark.parametrize("is_interactive", [False, True])
def test_a_real_browser_shows_it_and_is_not_fooled(plot, tmp_path, is_interactive):
    """In a browser the chart is there, the title is the plot's, and nobody complains or asks for anything."""
    file = plot.save(tmp_path / "plot.html", is_interactive=is_interactive)
    arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000"]
    arguments += ["--enable-logging=stderr", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run(
        [chromium(), *arguments, file.as_uri()], capture_output=True, text=True, check=True, timeout=120
    )
    shown = Tags(done.stdout)
    tags = [tag for tag, _ in shown.tags]
    assert ("svg" in tags) is is_interactive
    assert tags.count("script") == (3 if is_interactive else 0)
    assert "b" not in tags
    assert "<title>owned</title>" not in done.stdout
    assert not [line for line in done.stderr.splitlines() if "CONSOLE" in line]
