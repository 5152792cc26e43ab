"""A lock is made although somebody sweeps the folder at the same moment."""

import pytest

from qidguard.core import lock
from qidguard.core.lock import Lock, made_lock


def test_a_sweeper_that_locks_first_is_outlived(tmp_path, monkeypatch):
    """It held the file between its making and its lock; the next file is ours, and nothing else is left."""
    real, left = lock._locked, [None, None]
    monkeypatch.setattr(lock, "_locked", lambda *given: left.pop() if left else real(*given))
    with made_lock(tmp_path / "in-use") as made:
        assert [p.name for p in tmp_path.iterdir()] == ["in-use"]
        assert not Lock(tmp_path / "in-use").take()
    assert not made.path.exists()


def test_a_sweeper_that_never_ends_is_an_error(tmp_path, monkeypatch):
    """It says which file could not be made."""
    monkeypatch.setattr(lock, "_locked", lambda *_: None)
    with pytest.raises(FileNotFoundError, match="in-use"):
        made_lock(tmp_path / "in-use")
