"""Generated tables: a verdict or a sentence, and no value of a class of one in either."""

import pytest

import qidguard
from generated import COLUMNS, generated, rules
from mutation import Mutator
from odd_tables import odd_table

pytestmark = [
    pytest.mark.faults,
    pytest.mark.timeout(36_000),
    pytest.mark.filterwarnings("ignore::pandas.errors.PerformanceWarning"),
]

METRICS = (
    *("distinct_l_diversity", "entropy_l_diversity", "t_closeness", "t_closeness_ordered"),
    *("prosecutor_risk_max", "average_class_size", "k_anonymity_per_class"),
)


def test_tables(tmp_path):
    """Files in any dialect, frames, Arrow and Parquet with odd names, cells and types; damaged files."""

    def act(mutator: Mutator, number: int) -> str:
        drawn = odd_table(mutator, tmp_path)
        draw = mutator.draw
        names = drawn.names if draw.random() < 0.8 else COLUMNS
        policy = rules(names, ("k_anonymity", *draw.sample(METRICS, draw.choice((0, 1, 1, 3)))))
        settings = qidguard.EngineSettings(threads=1)
        judged = None if draw.random() < 0.1 else policy
        with qidguard.audit(drawn.source, judged, read=drawn.read, settings=settings) as found:
            said = found.to_json() + str(found)
            return said + found._repr_html_() if number % 10 == 0 else said

    generated("tables", act)
