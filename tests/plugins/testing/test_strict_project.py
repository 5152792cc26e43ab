"""The kit in a project of its own, which is strict about marks and settings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SUPPORT = Path(__file__).resolve().parents[2] / "support"
TESTS = """
from conforming import Blocks
from qidguard_testing import AnonymizerConformance

class TestMine(AnonymizerConformance):
    anonymizer = Blocks()
    arguments = {"k": 3}
"""


@pytest.mark.slow
def test_a_project_with_strict_markers_collects_the_kit(tmp_path):
    """The kit registers its own marks, so that nobody needs settings for it; -m selects by them."""
    (tmp_path / "test_mine.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers --strict-config\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q", "-m", "slow"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(SUPPORT)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_hundred_thousand_records" in done.stdout
    assert "1/" in done.stdout
