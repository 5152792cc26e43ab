"""scikit-learn's own checks of the selector."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from qidguard_qidlearning.selector import QidSelector

ESTIMATORS = (QidSelector(), QidSelector(inverse=True), QidSelector(objective={"distinction": 1.0}))


@pytest.mark.samples(2)
@parametrize_with_checks(list(ESTIMATORS[:1]))
def test_the_selector_is_a_scikit_learn_estimator(estimator, check):
    """Each of scikit-learn's checks passes; none is expected to fail."""
    check(estimator)


# where every column is a quasi-identifier, the inverse keeps none, and scikit-learn says so
@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
@pytest.mark.slow
@parametrize_with_checks(list(ESTIMATORS[1:]))
def test_so_it_is_with_any_setting(estimator, check):
    """Inverse and with an objective of one's own, too."""
    check(estimator)
