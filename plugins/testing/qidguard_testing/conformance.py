"""The conformance tests of an anonymizer, as a class of pytest."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings

from qidguard.sdk import Anonymizer
from qidguard_testing.checking import K, check_large, check_sample
from qidguard_testing.determinism import in_fresh_process
from qidguard_testing.interruption import interruption
from qidguard_testing.real_noise import real_noise
from qidguard_testing.sample import Sample, drawn_samples, types
from qidguard_testing.samples import SAMPLES, plain, text
from qidguard_testing.subject import HierarchyMaker, Subject, make_subject
from qidguard_testing.violation import Violation


class AnonymizerConformance:
    """Tests that any anonymizer passes; subclass it, name the anonymizer, and pytest runs them.

    Class attributes: ``anonymizer``; ``arguments``, as a policy gives them; ``claims``, metric's name → limit
    that the tasks ask for, which is a k-anonymity of 3 where it is left out, whatever the arguments say, and
    which each test tells (``pytest -rP``, JUnit's property ``limits``); ``is_order_free``, ``hierarchy`` and
    their meaning as in ``check_anonymizer``; ``examples``, how many tables hypothesis draws. The test of
    100,000 records has the mark ``slow``.

    Example:
        >>> import numpy as np
        >>> from qidguard.sdk import Anonymized
        >>> class AsItIs:
        ...     name, title, parameters = "as_it_is", "each record as it is", ()
        ...
        ...     def anonymize(self, records, arguments, task):
        ...         return Anonymized(kept=np.ones(records.records, dtype=bool))
        >>> class TestAsItIs(AnonymizerConformance):
        ...     anonymizer = AsItIs()
        ...     claims = {}
    """

    anonymizer: ClassVar[Anonymizer]
    arguments: ClassVar[Mapping[str, Any]] = {}
    claims: ClassVar[Mapping[str, float]] = K
    is_order_free: ClassVar[bool | None] = None
    hierarchy: ClassVar[HierarchyMaker | None] = None
    examples: ClassVar[int] = 8

    @pytest.fixture
    def subject(self, record_property: Callable[[str, object], None]) -> Subject:
        """Return the anonymizer with its checked arguments and claims, and tell which limits these are."""
        cls = type(self)
        # a function that a class holds would be bound to it
        maker = inspect.getattr_static(cls, "hierarchy")
        made = make_subject(
            cls.anonymizer,
            cls.arguments,
            cls.claims,
            is_order_free=cls.is_order_free,
            hierarchy=maker.__func__ if isinstance(maker, staticmethod) else maker,
        )
        record_property("limits", made.asks)
        print(f"{cls.anonymizer.name}: {made.asks}")  # noqa: T201 - pytest shows it with -rP, or where one fails
        return made

    @pytest.mark.parametrize("make", SAMPLES, ids=lambda make: make.__name__)
    def test_made_up_table(self, subject: Subject, make: Callable[[], Sample]) -> None:
        """Everything that the protocol says holds on a table that methods stumble over."""
        _none(check_sample(subject, make()))

    def test_drawn_tables(self, subject: Subject) -> None:
        """Everything that the protocol says holds on tables that hypothesis draws."""

        @settings(
            max_examples=self.examples,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(drawn_samples())
        def holds(sample: Sample) -> None:
            _none(check_sample(subject, sample))

        holds()

    def test_process_of_its_own(self, subject: Subject) -> None:
        """Another process, with other hashes of texts and one thread, comes to the same."""
        _none(list(in_fresh_process(subject, [plain(), text(), types()])))

    def test_interruption(self, subject: Subject) -> None:
        """Ctrl-C at any step leaves the source as it is, and nothing else behind."""
        _none(list(interruption(subject, plain())))

    def test_noise(self, subject: Subject) -> None:
        """Noise is rehearsed by the seed, really drawn without one, and only for columns that are named."""
        _none(list(real_noise(subject, plain())))

    @pytest.mark.slow
    def test_hundred_thousand_records(self, subject: Subject) -> None:
        """The same holds on 100,000 records, and the method tells where it stands."""
        _none(check_large(subject))


def _none(found: list[Violation]) -> None:
    if found:
        pytest.fail("\n".join(map(str, found)), pytrace=False)
