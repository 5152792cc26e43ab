"""What holds for every metric of models: words, range and role."""

import pytest

from qidguard.sdk import MODELS, Direction, Role
from qidguard_standard.models import MODEL_METRICS


def test_they_stand_by_name():
    """No name occurs twice, and they are in order."""
    names = [metric.name for metric in MODEL_METRICS]
    assert names == sorted(set(names))


@pytest.mark.parametrize("metric", MODEL_METRICS, ids=lambda one: one.name)
def test_every_field_is_filled(metric):
    """Each says what it is, is measured beside the target against the original, and is no safety."""
    words = metric.explanation
    assert len(words.meaning.split()) >= 10
    assert "NULL" in words.missing
    assert any(word.strip(",:;").isdigit() for word in words.source.split())
    for field in words.__dataclass_fields__:
        assert "  " not in getattr(words, field)
    assert (metric.attribute, metric.needs_original) == (Role.TARGET, True)
    assert metric.direction is Direction.NEITHER
    assert metric.maximum == 1
    assert next(p for p in metric.parameters if p.name == "model").choices == MODELS
