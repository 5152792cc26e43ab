"""scikit-learn's own checks of the selector."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from qidguard_qidlearning.selector import QidSelector


# where every column is a quasi-identifier, the inverse keeps none, and scikit-learn says so
@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
@parametrize_with_checks(
    [QidSelector(), QidSelector(inverse=True), QidSelector(objective={"distinction": 1.0})]
)
def test_the_selector_is_a_scikit_learn_estimator(estimator, check):
    """Each of scikit-learn's checks passes; none is expected to fail."""
    check(estimator)
