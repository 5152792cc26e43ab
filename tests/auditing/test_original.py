"""A table held against the one that it was made from, where its policy limits what was lost."""

from dataclasses import replace

import pandas as pd
import pytest

from plugged import host_with, share_changed
from qidguard import EngineSettings, ReadOptions, UserError, audit
from qidguard.measuring.evaluator import NO_ORIGINAL
from qidguard.sdk import TableFunction

HOST = host_with(metrics=[share_changed()])
POLICY = {
    "qidguard": 1,
    "name": "losses",
    "roles": {"quasi_identifiers": ["age", "sex"]},
    "thresholds": [{"metric": "k_anonymity", "at_least": 2}, {"metric": "share_changed", "at_most": 0.5}],
}
ORIGINAL = pd.DataFrame({"age": ["30", "31", "40", "40"], "sex": ["f", "f", "m", "m"], "name": list("abcd")})
PUBLISHED = pd.DataFrame({"age": ["3*", "3*", "40", "40"], "sex": ["f", "f", "m", "m"]})


def audited(published=PUBLISHED, original=ORIGINAL, **given):
    """Audit a table beside its original."""
    given = {"policy": POLICY, "host": HOST, "is_same_order": True} | given
    return audit(published, original=original, **given)


@pytest.mark.slow
def test_losses_are_measured_against_the_original():
    """Two of eight cells are others; the original may have more columns."""
    with audited() as found:
        assert [t.measurement.value for t in found.verdict.thresholds] == [2, 0.25]
        assert found.is_passed
        assert found.report.source == "DataFrame"


def test_without_the_original_such_a_threshold_blocks():
    """The reason says what to give."""
    with audit(PUBLISHED, policy=POLICY, host=HOST) as found:
        result = found.verdict.thresholds[1]
        assert (result.measurement.value, result.measurement.reason) == (None, NO_ORIGINAL)
        assert not found.is_passed


@pytest.mark.slow
@pytest.mark.parametrize(("is_same", "kept"), [(True, [True] * 4), (False, None)])
def test_without_the_same_order_nobody_knows_which_record_became_which(is_same, kept):
    """The metric sees that."""
    seen = []

    def look(view, *_):
        seen.append(view.changes.kept)
        return 0.0

    metric = replace(share_changed(), method=TableFunction(measure=look))
    audited(host=host_with(metrics=[metric]), is_same_order=is_same).close()
    assert [found if found is None else found.tolist() for found in seen] == [kept]


def test_files_are_read_each_in_its_own_way(tmp_path):
    """The policy says how the original is read, the options how the table is."""
    ORIGINAL.to_csv(tmp_path / "was.csv", index=False, sep=";")
    PUBLISHED.to_csv(tmp_path / "is.csv", index=False)
    given = {"policy": POLICY | {"source": {"delimiter": ";"}}, "read": ReadOptions(delimiter=",")}
    with audited(str(tmp_path / "is.csv"), str(tmp_path / "was.csv"), **given) as found:
        assert found.verdict.thresholds[1].measurement.value == 0.25


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"original": ORIGINAL[["sex"]]}, "The original lacks the column 'age' of the table"),
        ({"original": ORIGINAL[:3]}, "The original holds 3 records and the table 4"),
        ({"policy": None}, "An original is for the thresholds of a policy"),
        ({"original": None}, "There is no original whose order could be the same"),
    ],
)
def test_what_does_not_fit_is_an_error_of_the_user(given, said):
    """The sentence says what to give instead."""
    with pytest.raises(UserError, match=said):
        audited(**given)


@pytest.mark.slow
def test_private_copies_are_removed(tmp_path):
    """When the audit is closed, and when it fails."""
    settings = EngineSettings(spill_directory=str(tmp_path))
    found = audited(settings=settings)
    assert list(tmp_path.iterdir())
    found.close()
    assert list(tmp_path.iterdir()) == []
    assert found.is_passed  # and is still held, so that nothing was merely forgotten
    with pytest.raises(UserError):
        audited(original=ORIGINAL[:3], settings=settings)
    assert list(tmp_path.iterdir()) == []
