"""The paper's medical example."""

import pandas as pd
import pytest


@pytest.fixture(scope="session")
def medical():
    """Return Table 3 of the paper: ten patients."""
    h, d, good, bad = "Hypertension", "Diabetes", "Improved", "Not Improved"
    rows = [
        (34, "M", h, "A", good),
        (28, "F", d, "B", bad),
        (45, "F", h, "A", good),
        (34, "M", d, "B", good),
        (29, "M", h, "A", bad),
        (60, "F", h, "A", good),
        (34, "M", d, "B", good),
        (41, "F", h, "A", bad),
        (54, "F", d, "B", good),
        (39, "M", h, "A", bad),
    ]
    return pd.DataFrame(rows, columns=["Age", "Gender", "Diagnosis", "Treatment", "Outcome"])
