"""Presets carry integers, sources and marks, ask for metrics that exist, and are what the guidance says."""

import pytest

from qidguard.core.verdict import Bound
from qidguard.policy import PRESETS, load_policy
from qidguard.sdk import Direction
from qidguard_standard.metrics import METRICS

K_MIN = {
    "ema-0070": 11, "health-canada-prci": 11, "pdpc-sg-3": 3, "pdpc-sg-5": 5,
    "iso27559-style-public-low": 10, "iso27559-style-public-medium": 14, "iso27559-style-public-high": 20,
    "ipc-ontario-2025-low": 11, "ipc-ontario-2025-medium": 15, "ipc-ontario-2025-high": 20,
    "cihi-pumf-20": 20, "cihi-pumf-25": 25, "cms-11": 11, "irs-1075": 3, "irs-1075-below-state": 10,
    "cdc-wonder": 10, "eu-min-frequency": 3, "ons-10-5": 10, "opensafely": 8, "uk-llc": 10,
    "abs-datalab": 10,
}  # fmt: skip
AVERAGE_RISK = {"low": 0.1, "medium": 0.075, "high": 0.05}
FLOORS = {"cbs-nl-research": 100, "cbs-nl-public": 1000}
ATTESTED = {
    *("hipaa-safe-harbor", "hipaa-expert", "census-puma-5pct", "census-puma-1pct", "ferpa", "wp29-2014"),
    *("ico-2025", "oaic", "nist-800-188"),
}


def test_each_family_has_the_sizes_of_the_guidance() -> None:
    """k_min is the integer of the source, and k_anonymity asks for exactly it."""
    assert {name: p.k_min for name, p in PRESETS.items() if p.k_min is not None} == K_MIN
    for name, k_min in K_MIN.items():
        (threshold,) = (t for t in PRESETS[name].thresholds if t.metric != "rest_unique_share")
        assert (threshold.metric, threshold.at_least) == ("k_anonymity", k_min)
        assert isinstance(threshold.at_least, int)


def test_rules_for_microdata_warn_of_the_rest_at_the_risk_that_they_tolerate() -> None:
    """The limit is the rule's own risk, nominal or 1/k; families that say nothing of uniques set none."""
    risks = {
        "ema-0070": 0.09, "health-canada-prci": 0.09, "pdpc-sg-3": 0.33, "pdpc-sg-5": 0.2,
        "iso27559-style-public-low": 0.1, "iso27559-style-public-medium": 0.075,
        "iso27559-style-public-high": 0.05, "iso27559-style-shared-low": 0.1,
        "iso27559-style-shared-medium": 0.075, "iso27559-style-shared-high": 0.05,
        "ipc-ontario-2025-low": 0.09, "ipc-ontario-2025-medium": 0.075, "ipc-ontario-2025-high": 0.05,
        "cihi-pumf-20": 0.05, "cihi-pumf-25": 0.04,
    }  # fmt: skip
    found = {
        name: (t.at_most, t.on_miss)
        for name, p in PRESETS.items()
        for t in p.thresholds
        if t.metric == "rest_unique_share"
    }
    assert found == {name: (risk, "warn") for name, risk in risks.items()}
    for name, risk in risks.items():
        preset = PRESETS[name]
        assert preset.family == "class size in microdata"
        assert f"rest_unique_share ≤ {risk} (warns)" in preset.thresholds_text
        assert f"Warns when more than {risk} of the persons are unique outside the QIDs." in preset.note
        if preset.nominal.startswith("k = "):
            assert risk <= 1 / (preset.k_min or 0) < risk + 0.01
        else:
            assert str(risk) in preset.nominal


def test_average_risk_is_the_marketer_risk() -> None:
    """Controlled sharing limits the average, not the smallest class, and asks for safeguards."""
    for level, risk in AVERAGE_RISK.items():
        preset = PRESETS[f"iso27559-style-shared-{level}"]
        assert preset.thresholds_text.split(", ")[0] == f"marketer_risk ≤ {risk}"
        assert [t.metric for t in preset.thresholds] == ["marketer_risk", "rest_unique_share"]
        assert preset.attest


def test_population_floors_are_measured_on_the_population() -> None:
    """Floors on combinations are k_map; floors on one column are attested."""
    found = {n: p.thresholds[0].value for n, p in PRESETS.items() if "k_map" in p.thresholds_text}
    assert found == FLOORS


def test_presets_without_a_number_are_attested() -> None:
    """A rule without a threshold says what a person must attest."""
    assert {name for name, p in PRESETS.items() if not p.thresholds} == ATTESTED
    assert all(PRESETS[name].attest for name in ATTESTED)


def test_nominal_risks_hold_for_k_min() -> None:
    """1/k_min meets each nominal maximum risk; 0.09 is the known exception that 11 goes by."""
    for preset in PRESETS.values():
        if "maximum risk ≤ " in preset.nominal and preset.k_min:
            risk = float(preset.nominal.rsplit(" ", 1)[1])
            assert 1 / preset.k_min <= risk < 1 / (preset.k_min - 1)
        if "0.09" in preset.nominal:
            assert preset.k_min == 11
            assert "12" in preset.note


def test_cell_rules_say_that_they_are_an_analogy_and_what_zero_does() -> None:
    """The three families are not mixed up."""
    cells = [p for p in PRESETS.values() if p.family == "cell counts in tables"]
    assert len(cells) == 9
    for preset in cells:
        assert "analogy" in preset.note
        assert preset.zero_cells is not None
    assert (PRESETS["cms-11"].zero_cells, PRESETS["uk-llc"].zero_cells) == ("allowed", "barred")
    others = [p for p in PRESETS.values() if p.k_min is not None and p not in cells]
    assert {p.family for p in others} == {"class size in microdata"}


def test_marks_are_those_of_the_guidance() -> None:
    """Secondary sources are labeled, and nothing unchecked ships."""
    secondary = {n.split("-")[0] for n, p in PRESETS.items() if p.mark == "secondary source"}
    assert secondary == {"ema", "health", "iso27559", "ipc", "irs", "cdc", "hipaa"}
    assert {p.mark for p in PRESETS.values()} == {"verified", "secondary source", "attestation only"}


def test_rows_to_print_are_complete() -> None:
    """A preset goes by its name, and has every text."""
    for name, row in PRESETS.items():
        assert row.name == name
        assert all((row.family, row.thresholds_text, row.source, row.mark, row.applies_to))


@pytest.mark.parametrize("name", list(PRESETS))
def test_every_preset_can_be_used(name: str) -> None:
    """A policy with a threshold of its own and an attestation loads with any preset."""
    policy = load_policy(
        {
            "qidguard": 1,
            "name": "demo",
            "preset": name,
            "roles": {"quasi_identifiers": ["age"]},
            "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            "attestations": [{"statement": "done", "by": "A. Roe", "on": "2026-05-01"}],
        }
    )
    (main,) = policy.all_combinations(("age",))
    assert main.thresholds[1:] == PRESETS[name].thresholds


def test_a_sentence_with_commas_stays_one_attestation() -> None:
    """Neither a thousands separator nor a list in words splits what a person signs."""
    for name, sentence in {
        "census-puma-5pct": "every area in the file holds at least 100,000 persons",
        "census-puma-1pct": "every area in the file holds at least 400,000 persons",
        "cbs-nl-research": "every region holds at least 10,000 persons",
        "wp29-2014": (
            "singling out, linkability and inference were each assessed in context"
            " and are not reasonably likely"
        ),
    }.items():
        assert PRESETS[name].attest == (sentence,)


def test_every_threshold_of_a_preset_is_on_a_registered_metric() -> None:
    """at_least where higher is safer, at_most where lower is; the limit lies in the metric's range."""
    metrics = {metric.name: metric for metric in METRICS}
    safe = {Direction.HIGHER_IS_SAFER: Bound.AT_LEAST, Direction.LOWER_IS_SAFER: Bound.AT_MOST}
    thresholds = [threshold for preset in PRESETS.values() for threshold in preset.thresholds]
    assert len(thresholds) > 20
    for threshold in thresholds:
        metric = metrics[threshold.metric]
        assert threshold.bound is safe[metric.direction]
        assert metric.minimum <= threshold.value <= metric.maximum
