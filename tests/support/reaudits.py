"""Re-audits for tests: of the data set ``people`` of ``releases``."""

from qidguard.releasing.reaudit.reaudit import reaudit

ANONYMOUS = {
    "quasi_identifiers": ["age", "sex"],
    "sensitive": ["illness"],
    "direct_identifiers": ["name"],
    "insensitive": ["person"],
}
"""Roles without an entity: each record is a person, and can be counted in what is published."""


def again(place, rules, release_id="r1", **more):
    """Judge a release of people again."""
    return reaudit("people", release_id, policy=rules, home=str(place.home), **more)


def figures(made):
    """Return metric → figure."""
    return {t.measurement.metric: t.measurement.value for t in made.report.verdict.thresholds}
