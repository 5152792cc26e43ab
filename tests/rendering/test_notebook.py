from html.parser import HTMLParser

import pytest

from example_report import blocked, described, passed
from qidguard.rendering.notebook import to_html_fragment


class Elements(HTMLParser):
    """Collects elements, checks that they close in order, and keeps the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag, attrs):
        """Open an element."""
        self.open.append(tag)
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        """Close the element that was opened last."""
        assert self.open.pop() == tag

    def handle_data(self, data):
        """Keep text."""
        self.text += data


def parse(report) -> Elements:
    """Return what a browser would see."""
    parser = Elements()
    parser.feed(to_html_fragment(report))
    parser.close()
    assert not parser.open
    return parser


@pytest.mark.parametrize(
    ("report", "word"), [(passed(), "PASSED"), (blocked(), "BLOCKED"), (described(), "DESCRIBED")]
)
def test_the_fragment_says_the_verdict_first(report, word):
    """The first text is the outcome."""
    assert parse(report).text.lstrip("✓✗ ").startswith(word)


def test_hostile_names_stay_text(hostile):
    """No script, no link, no event: only plain elements with inline styles."""
    found = parse(hostile)
    assert found.seen <= {"div", "span", "b", "i", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
    assert found.attributes <= {"style"}
    assert "</td><script>alert(1)</script>" in found.text
    assert not set(to_html_fragment(hostile)) & set("\x00\x07\x1b\ud800\u202e")


def test_no_text_has_a_color_of_its_own_background():
    """Text takes the notebook's color, so that it reads on dark and on light; nothing is loaded."""
    html = to_html_fragment(blocked())
    assert "color:inherit" in html
    assert "#000" not in html
    assert "url(" not in html
    assert "http" not in html
