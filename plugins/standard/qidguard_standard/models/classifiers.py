"""The six classifiers whose scores tell what a table is worth for learning."""

from typing import Any

MODELS = (
    "decision_tree",
    "logistic_regression",
    "naive_bayes",
    "neural_network",
    "random_forest",
    "support_vector_machine",
)
"""The names of the models, as policies write them."""


def classifier(model: str, seed: int) -> Any:
    """Return a new, unfitted classifier of scikit-learn.

    Their settings are scikit-learn's own but for these: the tree and the forest ask for two records a leaf,
    so that one record is no rule, and the forest has 60 trees; the neural network has one hidden layer of 50
    units, a learning rate of 0.01 and 40 rounds; logistic regression stops after 300. Naive Bayes takes each
    feature for Gaussian and adds a tenth of the largest variance to each, or rare categories would decide
    alone. The support vector machine has a radial kernel.

    Args:
        model: One of ``MODELS``.
        seed: Seeds what is random in it, ≥ 0.

    Returns:
        An object with ``fit`` and ``predict``.

    Units:
        None.

    Raises:
        KeyError: When there is no such model.

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
            n_estimators=60, min_samples_leaf=2, n_jobs=1, random_state=seed
        ),
        "support_vector_machine": SVC,
    }
    return made[model]()
