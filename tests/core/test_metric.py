"""What a metric says of itself, and what is refused."""

import pytest

from qidguard.sdk import Direction, Explanation, GroupBy, Metric, Role, Statistic, Unit

WORDS = Explanation(**dict.fromkeys(Explanation.__dataclass_fields__, "words"))


def metric(**fields):
    """Return a metric of class counts, with some fields of its own."""
    method = GroupBy(
        statistics=(Statistic(name="how_many", sql="count(*)"),), compute=lambda s, _: s["how_many"]
    )
    return Metric(
        name="how_many",
        title="How many",
        unit=Unit.CLASSES,
        minimum=0,
        maximum=9,
        direction=Direction.NEITHER,
        method=method,
        explanation=WORDS,
        **fields,
    )


def test_sensitive_is_an_attribute_among_others():
    """Both ways to say it mean the same, and a target is not sensitive."""
    assert metric(is_sensitive=True).attribute is Role.SENSITIVE
    assert metric(attribute=Role.SENSITIVE).is_sensitive is True
    assert metric(attribute=Role.TARGET).is_sensitive is False
    assert metric().attribute is None


@pytest.mark.parametrize(
    "fields", [{"attribute": Role.ENTITY}, {"attribute": Role.TARGET, "is_sensitive": True}]
)
def test_an_attribute_is_sensitive_target_or_treatment(fields):
    """No other column can stand beside the QIDs, and one cannot be two things."""
    with pytest.raises(ValueError, match="no metric is measured beside"):
        metric(**fields)


@pytest.mark.parametrize("fields", [{"attribute": "target"}, {"change_of": None}, {"is_of_size": 1}])
def test_a_field_of_another_kind_is_refused(fields):
    """A plugin written without a type checker hears of it at once."""
    with pytest.raises(TypeError, match=next(iter(fields))):
        metric(**fields)
