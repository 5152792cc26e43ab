"""Average class size against counting."""

import pandas as pd
import pytest

from qidguard_standard.metrics.average_class_size import AVERAGE_CLASS_SIZE


def mean_size(table):
    """Average the sizes of the classes."""
    sizes = [table.size(members) for members in table.classes().values()]
    return sum(sizes) / len(sizes)


def test_mean(people, measured):
    """Classes of 3 and 1 have 2 records in the mean."""
    assert measured(AVERAGE_CLASS_SIZE, people("ab", "xu", "xu", "xu", "yv")) == 2


def test_missing_is_a_class_of_its_own(people, measured):
    """NULL makes a third class of six records."""
    assert measured(AVERAGE_CLASS_SIZE, people("ab", "xu", "xu", "xu", "yu", "yu", "-u")) == 2


def test_single_class(people, measured):
    """With one class it is the number of records."""
    assert measured(AVERAGE_CLASS_SIZE, people("ab", "xu", "xu", "xu")) == 3


def test_entities(people, measured):
    """An entity counts once in each class it appears in: {1, 2} and {1} give 1.5."""
    table = people("abw", "xu1", "xu1", "xu2", "yu1", entity=True)
    assert measured(AVERAGE_CLASS_SIZE, table) == 1.5


def test_entities_break_monotony(people, measured):
    """Two classes of the same entities merge into one no larger, so coarser QIDs can lower the mean."""
    table = people("abw", "xu1", "xu2", "xv1", "xv2", "yu3", entity=True)
    assert measured(AVERAGE_CLASS_SIZE, table, "ab") == pytest.approx(5 / 3)
    assert measured(AVERAGE_CLASS_SIZE, table, "a") == 1.5
    assert not AVERAGE_CLASS_SIZE.is_monotone


@pytest.mark.realdata
def test_adult(adult, measured_frame):
    """QIDLearning's K of the 32,561 training records of Adult over all columns but income: 1.0008."""
    training = adult.iloc[:32561]
    qids = [name for name in training.columns if name != "income"]
    assert measured_frame(AVERAGE_CLASS_SIZE, training, qids) == pytest.approx(1.0008, abs=5e-5)


@pytest.mark.realdata
def test_car(data, measured_frame):
    """QIDLearning's K of car over buying, maint, lug_boot and eval: 16.777."""
    car = pd.read_csv(data / "car" / "car.data", dtype="string")
    qids = ["buying", "maint", "lug_boot", "eval"]
    assert measured_frame(AVERAGE_CLASS_SIZE, car, qids) == pytest.approx(16.777, abs=1e-3)


def test_equals_counting(agrees):
    """The mean is the one counted."""
    agrees(AVERAGE_CLASS_SIZE, mean_size)


@pytest.mark.realdata
def test_adult_of_arx(adult_arx, measured_frame):
    """ARX's 30,162 records of Adult fall into 18,109 classes."""
    qids = [name for name in adult_arx.columns if name != "salary-class"]
    assert measured_frame(AVERAGE_CLASS_SIZE, adult_arx, qids) == 30162 / 18109


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("table", "records", "classes"), [("complete_adult", 45222, 1900), ("german", 1000, 310)]
)
def test_combinations(request, measured_frame, table, records, classes):
    """The MO-OBAM paper's QID combinations: 1900 on Adult's complete records, 310 on German."""
    frame = request.getfixturevalue(table)
    qids = ["age", "race", "sex", "marital-status"] if table == "complete_adult" else frame.columns
    assert measured_frame(AVERAGE_CLASS_SIZE, frame, qids) == records / classes
