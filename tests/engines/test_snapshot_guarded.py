"""Tests of snapshots through the host: an engine's own is passed on, a plugin's faults are the plugin's."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from qidguard.core.statistic import CLASSES
from qidguard.host import load_host
from qidguard.host.host import GuardedEngine
from qidguard.sdk import DataError, EngineSettings, Grouping, Needs, PluginError, ReadOptions, UserError

FRAME = pd.DataFrame({"a": [1, 1, 2], "b": ["x", "y", "z"]})
OPTIONS, SETTINGS = ReadOptions(), EngineSettings(threads=1)
OWNER = "plugin 'x' of x-plugin 1.0"


class Odd:
    """A snapshot that raises what a test says, or lacks what a snapshot has."""

    records = 2

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def types(self, *_: object, **__: object) -> None:
        """Raise."""
        raise self.error

    content_digest = codes = column = keep = recode = new_table = write = keyed_classes = keyed_columns = (
        types
    )

    def close(self) -> None:
        """Give nothing back."""


class Engine:
    """An engine of a plugin; ``snapshot`` and ``source_digest`` are given by a test."""

    name, title = "odd", "an odd engine"

    def __init__(self, **answers: Any) -> None:
        for name, answer in answers.items():
            setattr(self, name, lambda *_, answer=answer: answer)


def guarded(**answers: Any) -> GuardedEngine:
    """Return a guarded engine with these answers."""
    return GuardedEngine(Engine(**answers), OWNER)  # type: ignore[arg-type]


def test_the_own_engine_makes_releases(tmp_path):
    """A snapshot through the host is a source of the same engine, and so is what is kept of it."""
    engine = load_host().engine("duckdb")
    with engine.snapshot(FRAME, OPTIONS, SETTINGS) as taken:
        assert (taken.names, taken.records, taken.format) == (("a", "b"), 3, "parquet")
        assert engine.source_digest(taken, OPTIONS) == engine.source_digest(FRAME, OPTIONS, SETTINGS)
        taken.write(tmp_path / "x.csv", ["a"], "csv", seed=None)
        assert (tmp_path / "x.csv").read_bytes() == b"a\n1\n1\n2\n"
        with taken.keep(np.array([True, True, False])) as rest:
            for source, classes in ((taken, 2), (rest, 1)):
                assert engine.can_open(source)
                assert engine.column_names(source, OPTIONS, SETTINGS) == ("a", "b")
                with engine.open(source, OPTIONS, Needs(), SETTINGS) as table:
                    assert table.statistics(Grouping(qids=("a",)), (CLASSES,)) == {"classes": classes}
            with engine.snapshot(rest, OPTIONS, SETTINGS) as again:
                assert again.records == 2
        with pytest.raises(ValueError, match="truth value"):
            taken.keep(np.array([1]))
        with pytest.raises(DataError, match="no column 'c'"):
            taken.codes(["c"])


def test_an_engine_without_snapshots_cannot_make_releases():
    """It is said which engine and which one can."""
    for call in ("snapshot", "source_digest"):
        with pytest.raises(UserError) as caught:
            getattr(guarded(), call)(FRAME, OPTIONS, SETTINGS)
        expected = "engine 'odd' cannot make releases; use an engine that can, such as duckdb"
        assert str(caught.value) == expected


@pytest.mark.parametrize("answer", [None, 5, object()])
def test_what_is_no_snapshot_is_the_plugins_fault(answer):
    """A thing without the methods of a snapshot is refused at once."""
    with pytest.raises(PluginError, match=r"x-plugin 1.0: engine 'odd' took \w+, which is no snapshot"):
        guarded(snapshot=answer).snapshot(FRAME, OPTIONS, SETTINGS)


@pytest.mark.parametrize("answer", [None, 5, "", b"00"])
def test_what_is_no_digest_is_the_plugins_fault(answer):
    """A digest is a text that is not empty."""
    with pytest.raises(PluginError, match=r"gave \w+, not a text, as a digest"):
        guarded(source_digest=answer).source_digest(FRAME, OPTIONS)


@pytest.mark.parametrize(
    "method",
    ["types", "content_digest", "codes", "column", "keep", "recode", "new_table", "write", "keyed_classes"],
)
def test_a_failing_snapshot_is_the_plugins_fault(method):
    """Its error is passed on by its kind alone, and an error that was said on purpose as it is."""
    given = (FRAME, FRAME) if method == "recode" else (FRAME,)
    taken = guarded(snapshot=Odd(ZeroDivisionError("SECRET"))).snapshot(FRAME, OPTIONS, SETTINGS)
    with pytest.raises(PluginError, match="engine 'odd' failed with ZeroDivisionError") as caught:
        getattr(taken, method)(*given)
    assert "SECRET" not in str(caught.value)
    said = guarded(snapshot=Odd(DataError("said"))).snapshot(FRAME, OPTIONS, SETTINGS)
    with pytest.raises(DataError, match=r"^said$"):
        getattr(said, method)(*given)


def test_a_kept_snapshot_of_a_plugin_is_checked_too():
    """What keep gives back must be a snapshot as well."""

    class Keeping(Odd):
        def keep(self, kept: object) -> object:
            return kept

    taken = guarded(snapshot=Keeping(ValueError())).snapshot(FRAME, OPTIONS, SETTINGS)
    with pytest.raises(PluginError, match=r"took \w+, which is no snapshot"):
        taken.keep(5)  # type: ignore[arg-type]
