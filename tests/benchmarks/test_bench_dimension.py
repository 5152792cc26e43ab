"""Algorithm 2 of QIR on Adult: processor time, everything included."""

import pytest

pytestmark = [pytest.mark.bench, pytest.mark.realdata, pytest.mark.timeout(600)]

OURS = """
    import json, sys
    import pandas as pd
    from in_turns import distances, in_turns
    from qidguard_qir.calls import find_dimension
    names = "age workclass fnlwgt education education-num marital-status occupation relationship".split()
    names += "race sex capital-gain capital-loss hours-per-week native-country income".split()
    left_out = {"fnlwgt", "sex", "capital-gain", "capital-loss", "income"}
    frame = pd.concat([
        pd.read_csv(path, names=names, skipinitialspace=True, comment="|")
        for path in sys.argv[1:]
    ])
    qids = [name for name in names if name not in left_out]
    result = []

    def found():
        result[:] = [find_dimension(frame, qids, seeds=10)]

    yardstick, seconds = in_turns(distances, found, repeats=1)
    dimensions = [one.dimension for one in result[0].chosen]
    print(json.dumps({"yardstick_s": yardstick, "seconds": seconds, "dimensions": dimensions}))
"""


def test_the_dimension_on_adult(data, figures, in_own_process):
    """Ten QIDs at k = 5, 15 and 25 on all ten 10 % samples: at most 250 yardsticks of distances.

    It works in one process, so that its processor time is all of it.
    """
    ours = in_own_process(OURS, str(data / "adult" / "adult.data"), str(data / "adult" / "adult.test"))
    ratio = ours["seconds"] / ours["yardstick_s"]
    figures(**ours, ratio=ratio)
    assert ours["dimensions"] == [2, 1, 1]
    assert ratio <= 250
