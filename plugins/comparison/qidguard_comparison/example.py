"""A small comparison for examples."""

from qidguard.trials.comparing.comparison import Comparison
from qidguard.trials.comparing.row import MethodRow, Status


def small() -> Comparison:
    """Return a comparison of two methods, of which one makes the policy hold."""
    rows = [
        MethodRow(
            label=label,
            method=label,
            arguments={},
            status=status,
            is_passed=status is Status.PASSED,
            sentences=() if status is Status.PASSED else ("k-anonymity of age, sex is 1 record.",),
            figures={"k_anonymity": k, "prosecutor_risk_average": 1 / k, "ncp": loss},
        )
        for label, status, k, loss in (
            ("as it is", Status.AS_IT_IS, 1, 0.0),
            ("mondrian", Status.PASSED, 2, 0.25),
            ("rounding", Status.BLOCKED, 1, 0.125),
        )
    ]
    return Comparison(
        source="stays.csv", policy="stays", records=12, original=rows[0], methods=tuple(rows[1:])
    )
