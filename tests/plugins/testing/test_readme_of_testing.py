"""The kit's README is true."""

from pathlib import Path

import pages
import qidguard_testing

README = Path(__file__).resolve().parents[3] / "plugins" / "testing" / "README.md"


def test_its_blocks_run():
    """What it imports is there."""
    assert list(pages.python_faults(README)) == []


def test_every_public_name_is_told():
    """Each name of the kit stands in the table."""
    told = README.read_text(encoding="utf-8")
    assert [name for name in qidguard_testing.__all__ if f"`{name}`" not in told] == []
