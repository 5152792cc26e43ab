"""Mean class size against the reciprocal of the mean risk."""

from fractions import Fraction

from qidguard_qidlearning.metrics.mean_class_size import MEAN_CLASS_SIZE


def harmonic_mean(table):
    """Take the harmonic mean over persons of the size of their smallest class, exactly."""
    smallest = table.smallest()
    return float(len(smallest) / sum(Fraction(1, size) for size in smallest))


def test_mean(people, measured):
    """Classes of 3 and 1: 2 records a class."""
    assert measured(MEAN_CLASS_SIZE, people("ab", "xu", "xu", "xu", "yv")) == 2


def test_missing_is_a_class(people, measured):
    """Two records lack b: a class of their own."""
    assert measured(MEAN_CLASS_SIZE, people("ab", "x-", "xu", "x-", "xu")) == 2


def test_single_class(people, measured):
    """With one class it is the number of records."""
    assert measured(MEAN_CLASS_SIZE, people("ab", "xu", "xu", "xu")) == 3


def test_everyone_unique(people, measured):
    """It is never below 1."""
    assert measured(MEAN_CLASS_SIZE, people("ab", "xu", "yu", "yv")) == 1


def test_entities(people, measured):
    """Entities 1 and 2 share a class, 1 is alone in another: 2 / (1 + 1/2)."""
    table = people("abw", "xu1", "xu1", "xu2", "yu1", entity=True)
    assert measured(MEAN_CLASS_SIZE, table) == 2 / 1.5


def test_equals_counting(agrees):
    """It is the harmonic mean over persons, which over records is records / classes."""
    agrees(MEAN_CLASS_SIZE, harmonic_mean)


def test_over_records_it_is_records_a_class(measured, on_random_people):
    """It is the plain mean of the class sizes."""

    def check(table, _):
        sizes = [len(members) for members in table.classes().values()]
        assert abs(measured(MEAN_CLASS_SIZE, table) - sum(sizes) / len(sizes)) < 1e-12

    on_random_people(check, metric=MEAN_CLASS_SIZE, entities=False)


def test_order_does_not_matter(ignores_order):
    """A shuffle of the records changes nothing."""
    ignores_order(MEAN_CLASS_SIZE)


def test_one_more_qid_never_raises_it(never_less_safe_when_coarser):
    """It is monotone over records and over entities, as it says."""
    never_less_safe_when_coarser(MEAN_CLASS_SIZE, entities=True)
    assert MEAN_CLASS_SIZE.is_monotone


def test_empty_table(has_no_value_when_empty):
    """Over no records there is no figure."""
    has_no_value_when_empty(MEAN_CLASS_SIZE)
