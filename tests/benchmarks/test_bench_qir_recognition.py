"""QIR and SQI beside the searches of QIDLearningLib: who finds the quasi-identifiers of a labeled table."""

from statistics import mean

import pytest

from examples import IS_WHOLE

pytestmark = [pytest.mark.bench, pytest.mark.timeout(900)]

SEEDS = range(5 if IS_WHOLE else 3)
SEARCHES = {
    "exhaustive": ("exhaustive", {}),
    "evolutionary": ("evolutionary", {}),
    "greedy": ("greedy", {}),
    "qir": ("qir", {"samples": 3}),
    "qir with thresholds": ("qir", {"alpha": 20.0, "beta": 0.05, "samples": 3}),
    "sqi selective": ("sqi", {"algorithm": "selective"}),
    "sqi decompose": ("sqi", {"algorithm": "decompose"}),
}


def scores(found, truth):
    """Return precision, recall and F1 of found columns, 0..1."""
    right = len(set(found) & set(truth))
    precision, recall = (right / len(found) if found else 0.0), right / len(truth)
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0


@pytest.mark.untimed
def test_recognition_on_labeled_tables(figures):
    """On each table the searches find all six; QIR's classes find half to all among as many others.

    Counts of distinct values tell neither a coarser copy from its source nor a flag from a quasi-identifier,
    and SQI takes whatever has the most values, which here are measurements.
    """
    import qidguard
    from qidguard_qidlearning.generators import labeled_table

    found = {}
    for seed in SEEDS:
        made = labeled_table(2_000, seed=seed, derived=3, flags=2, measurements=2)
        for name, (strategy, parameters) in SEARCHES.items():
            done = qidguard.discover(
                made.frame, strategy=strategy, parameters=parameters, candidates=made.candidates, seed=seed
            )
            sets = {name: done.quasi_identifiers}
            if strategy == "qir":
                sets[f"{name}, all of its class"] = [
                    one.assignment.column
                    for one in done.search.classification
                    if one.assignment.role.value == "quasi_identifier"
                ]
            for which, columns in sets.items():
                found.setdefault(which, []).append(scores(columns, made.quasi_identifiers))
    means = {name: tuple(mean(column) for column in zip(*rows, strict=True)) for name, rows in found.items()}
    for name, (precision, recall, f1) in means.items():
        figures(who=name, precision=precision, recall=recall, f1=f1)
    assert min(means[name][2] for name in ("exhaustive", "evolutionary", "greedy")) >= 0.95
    assert means["qir with thresholds, all of its class"][1] >= 0.95
    assert means["qir"][2] < means["greedy"][2]
    assert means["sqi selective"] == (0.0, 0.0, 0.0)
