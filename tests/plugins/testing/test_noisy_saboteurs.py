"""The kit asks what is guaranteed of noise, and holds rehearsals and real runs against it."""

import re

import pytest

import noisy_saboteurs as noisy
from qidguard_testing.checking import check_anonymizer, check_sample
from qidguard_testing.real_noise import real_noise
from qidguard_testing.sample import types
from qidguard_testing.samples import one, plain
from qidguard_testing.subject import make_subject
from quick import mostly_slow


def subject_of(kind):
    """Return an anonymizer under test."""
    return make_subject(kind(), {}, {})


def said_by(found):
    """Return check → sentences."""
    return {violation.check: violation.sentence for violation in found}


ONE_RUN = [
    (noisy.GuaranteesByTurns, "guaranteed", "tells something else when it is asked again"),
    (noisy.GuaranteesNothing, "guaranteed", "returned int, not PrivacyGuarantee"),
    (noisy.GuaranteesWhatIsNot, "guaranteed", "speaks of a column that the table does not have"),
    (noisy.DrawsToGuarantee, "guaranteed", "privacy_guarantee draws (from the generator of the process)"),
    (noisy.GuaranteesAndRefuses, "guaranteed", "cannot be done .* and anonymize does it"),
    (noisy.FailsToGuarantee, "guaranteed", "raised ZeroDivisionError"),
    (noisy.NamesTooMuch, "guaranteed", "its guarantee names 'row', and no cell"),
    (noisy.RehearsesWithoutSeed, "determinism", "a second run with the same seed"),
]


@pytest.mark.parametrize(
    ("kind", "check", "said"), mostly_slow(ONE_RUN), ids=lambda x: getattr(x, "__name__", "")
)
def test_a_rehearsal_shows_what_is_wrong_with_the_guarantee(kind, check, said):
    """The check that is broken finds it, and no other does."""
    found = said_by(check_sample(subject_of(kind), plain()))
    assert list(found) == [check]
    assert re.search(said.replace("(", r"\(").replace(")", r"\)"), found[check])


REAL = [
    (noisy.RehearsesTheSame, "a rehearsal with another seed comes to the same"),
    (noisy.DrawsBySeed, "two real runs with the same seed come to the same"),
    (noisy.DrawsUnnamed, "two real runs differ in town, which the guarantee does not name"),
    (noisy.FailsForReal, "a real run fails where a rehearsal does not"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "said"), REAL, ids=lambda x: getattr(x, "__name__", ""))
def test_real_runs_show_what_a_rehearsal_hides(kind, said):
    """Nothing of it is seen in a rehearsal."""
    subject = subject_of(kind)
    assert check_sample(subject, plain()) == []
    assert said in said_by(real_noise(subject, plain()))["noise"]


@pytest.mark.slow
def test_one_that_draws_noise_passes_the_whole_kit():
    """On every table that methods stumble over, in a process of its own, and by Ctrl-C."""
    found = check_anonymizer(noisy.Honest(), {}, claims={}, samples=[plain(), one(), types()])
    assert list(map(str, found)) == []


@pytest.mark.slow
def test_who_keeps_the_rules_is_told_nothing():
    """Neither of one that draws noise nor of one that draws none."""
    from conforming import Blocks

    subject = subject_of(noisy.Honest)
    assert check_sample(subject, plain()) == []
    assert list(real_noise(subject, plain())) == []
    assert list(real_noise(make_subject(Blocks(), {"k": 3}, {}), plain())) == []


@pytest.mark.slow
def test_what_opendp_draws_for_a_guarantee_is_seen():
    """Its measurements have no seed, and no state that anybody could look at."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    draw = dp.m.make_laplace(dp.atom_domain(T="i64"), dp.absolute_distance(T="i64"), scale=1.0)

    class Draws(noisy.Honest):
        def privacy_guarantee(self, records, arguments, task):
            draw(1)
            return super().privacy_guarantee(records, arguments, task)

    found = said_by(check_sample(subject_of(Draws), plain()))
    assert "privacy_guarantee draws (by OpenDP)" in found["guaranteed"]
    assert draw(1) is not None  # and OpenDP is as it was
