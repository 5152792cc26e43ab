"""Small tables for examples: six people published in pairs, and 24 on whom methods are tried."""

import numpy as np
import pandas as pd

from qidguard.sdk import Anonymized, Recoded, RehearsedTable, k_anonymity_task, records_of
from qidguard_mo_obam.evaluation.calls import changed_models, evaluate
from qidguard_mo_obam.evaluation.case import MethodTrial
from qidguard_mo_obam.evaluation.evaluation import StudyEvaluation
from qidguard_mo_obam.evaluation.figures import PublishedFigures
from qidguard_mo_obam.evaluation.models import ModelComparison
from qidguard_mo_obam.evaluation.plan import Setting
from qidguard_mo_obam.evaluation.study import Study, WeighedSetting


def pairs() -> RehearsedTable:
    """Return ages 30 30 31 33 50 52 published as 30 30 32 32 51 51, with an illness beside them."""
    frame = pd.DataFrame(
        {"age": [30, 30, 31, 33, 50, 52], "illness": ["flu", "flu", "flu", "asthma", "flu", "asthma"]}
    )
    done = Anonymized(
        kept=np.ones(6, dtype=np.bool_),
        columns={"age": Recoded(codes=np.array([0, 0, 1, 1, 2, 2]), values=(30, 32, 51))},
    )
    return RehearsedTable(
        before=records_of(frame),
        task=k_anonymity_task(2, ["age"], sensitive=["illness"]),
        anonymizer="by hand",
        done=done,
        seconds=0.0,
    )


def people() -> pd.DataFrame:
    """Return 24 people with an age, a sex, an illness, and whether they flew."""
    return pd.DataFrame(
        {
            "age": [20 + n * 7 % 24 for n in range(24)],
            "sex": ["f", "m"] * 12,
            "illness": ["flu", "asthma", "measles"] * 8,
            "flew": [n % 5 == 0 for n in range(24)],
        }
    )


def evaluated() -> StudyEvaluation:
    """Return them anonymized with k = 3 by MDAV and by Zheng's clustering."""
    return evaluate(people(), ["age", "sex"], ["illness"], k=[3], methods=["mdav", "zheng_l_diversity"])


def tested() -> ModelComparison:
    """Return two models that learned from them, and from what MDAV publishes with k = 3."""
    return changed_models(
        people(),
        ["age", "sex"],
        ["illness"],
        "flew",
        k=[3],
        methods=["mdav"],
        models=["decision_tree", "naive_bayes"],
        splits=3,
    )


def studied() -> Study:
    """Return two settings of a grid: four clusters with the loss .2, eight with .1 and three people open."""
    return Study(
        title="grid",
        qids=("age", "sex"),
        sensitive=("illness",),
        target=None,
        weighed=(_weighed(4, 0.2, 0), _weighed(8, 0.1, 3)),
        asked=2,
    )


def _weighed(clusters: int, loss: float, homogeneous: int) -> WeighedSetting:
    figures = PublishedFigures(
        records=24, persons=24, clusters=clusters, smallest=3, information_loss=loss,
        standardized_loss=loss, thresholds=(0.05,), at_risk=(24,), homogeneous=homogeneous,
        entropies=(0.5,), entropy_bounds=(1.6,),
    )  # fmt: skip
    trial = MethodTrial(method="mo_obam", settings=f"k=3, n_c={clusters}, lambda=0.1", k=3, figures=figures)
    return WeighedSetting(setting=Setting(k=3, n_c=clusters, weight=0.1), trial=trial)
