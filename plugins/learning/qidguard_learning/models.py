"""The six models, classifiers of scikit-learn with their settings."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import Lock
from typing import Any

from qidguard.sdk import UserError

MODELS = (
    "decision_tree",
    "logistic_regression",
    "naive_bayes",
    "neural_network",
    "random_forest",
    "support_vector_machine",
)
"""The names of the models, as policies write them.

They are classifiers of scikit-learn with its own settings but for these. The decision tree asks for two
records a leaf, so that one record is no rule. The random forest has 60 trees of five records a leaf: it is as
accurate as with two, and follows the noise of single records less. Logistic regression stops after 300
rounds. Naive Bayes takes each feature for Gaussian and adds a tenth of the largest variance to each, or rare
categories would decide alone. The neural network has one hidden layer of 50 units, a learning rate of 0.01
and 40 rounds. The support vector machine has a radial kernel.
"""


def classifier(model: str, seed: int) -> Any:
    """Return a new, unfitted classifier of scikit-learn with the settings of ``MODELS``.

    Example:
        >>> classifier("naive_bayes", 0)
        GaussianNB(var_smoothing=0.1)
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    made = {
        "decision_tree": lambda: DecisionTreeClassifier(min_samples_leaf=2, random_state=seed),
        "logistic_regression": lambda: LogisticRegression(max_iter=300),
        "naive_bayes": lambda: GaussianNB(var_smoothing=0.1),
        "neural_network": lambda: MLPClassifier(
            hidden_layer_sizes=(50,), max_iter=40, learning_rate_init=0.01, random_state=seed
        ),
        "random_forest": lambda: RandomForestClassifier(
            n_estimators=60, min_samples_leaf=5, n_jobs=1, random_state=seed
        ),
        "support_vector_machine": SVC,
    }
    return made[model]()


_FILTERS = Lock()


def alone(model: str) -> AbstractContextManager[object]:
    """Return a context in which a model works while no other like it does.

    A random forest empties the warning filters of the whole process for each tree and puts them back; two at
    once leave them empty.
    """
    return _FILTERS if model == "random_forest" else nullcontext()


def check_models(models: Sequence[str]) -> None:
    """Raise UserError when there is none, or one has another name."""
    if not models:
        raise UserError(f"name at least one model: {', '.join(MODELS)}")
    for model in models:
        if model not in MODELS:
            raise UserError(f"the models are {', '.join(MODELS)}, and {model!r} is none of them")
