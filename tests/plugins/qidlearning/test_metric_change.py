"""The changes of distinction and separation have no figure outside a search, and say so."""

import pytest

from qidguard import NotMeasurable, PolicyError, audit
from qidguard_qidlearning.metrics.change_metric import DELTA_DISTINCTION, DELTA_SEPARATION, change_of

BOTH = [(DELTA_DISTINCTION, "distinction"), (DELTA_SEPARATION, "separation")]


@pytest.mark.parametrize(("metric", "base"), BOTH, ids=lambda x: getattr(x, "name", x))
def test_the_search_knows_what_changes(metric, base):
    """The host computes the change itself, from the metric that is named."""
    assert metric.change_of == base
    assert (metric.minimum, metric.maximum) == (-1, 1)


@pytest.mark.parametrize(("metric", "base"), BOTH, ids=lambda x: getattr(x, "name", x))
def test_no_figure_outside_a_search(metric, base, people, measured):
    """A table alone has no change."""
    with pytest.raises(NotMeasurable, match=f"change of {base} within a search.*; ask for {base}"):
        measured(metric, people("ab", "xu"))


def test_a_change_of_a_change_is_not_made():
    """Only a figure of a table changes."""
    with pytest.raises(ValueError, match="a change already"):
        change_of(DELTA_DISTINCTION)


def test_a_policy_cannot_ask_for_it(tmp_path, medical):
    """A threshold on a change is refused when the policy is read against the metrics."""
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "qidguard: 1\nname: ward\nroles:\n  quasi_identifiers: [Age, Gender]\nthresholds:\n"
        "  - metric: delta_distinction\n    at_most: 0.5\n",
        encoding="utf-8",
    )
    with pytest.raises(PolicyError, match="ask for distinction"):
        audit(medical, policy=policy)
