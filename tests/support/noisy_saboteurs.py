"""Anonymizers with noise that each break one rule of what they guarantee, and one that breaks none."""

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np

from qidguard.sdk import Anonymized, NoisedPart, NotMeasurable, PrivacyGuarantee, Recoded

LOW, HIGH, EPSILON = Fraction(0), Fraction(100_000), Fraction(20)


class Honest:
    """Draws noise on whole incomes: by the seed in a rehearsal, else by nothing that anybody knows."""

    name = "honest"
    title = "noise on incomes"
    parameters = ()
    is_order_free = False

    def privacy_guarantee(self, records, arguments, task):
        """Name the income."""
        self.check(records)
        return PrivacyGuarantee(parts=(self.part(),))

    def part(self, column="income"):
        """Return the noise on one column."""
        scale = (HIGH - LOW) / EPSILON
        return NoisedPart(
            columns=(column,),
            mechanism="discrete_laplace",
            scale=scale,
            reach=HIGH - LOW,
            bounds=(LOW, HIGH),
            epsilon=EPSILON,
        )

    def check(self, records):
        """Refuse a table whose incomes are no whole numbers."""
        column = records.column("income") if "income" in records.names else None
        numbers = None if column is None or column.numbers is None else column.numbers[column.codes]
        if numbers is None or not np.array_equal(numbers, np.round(numbers)):
            raise NotMeasurable("incomes must be whole numbers without a gap, and some are not; fill them in")

    def anonymize(self, records, arguments, task):
        """Draw."""
        self.check(records)
        return Anonymized(
            kept=np.ones(records.records, dtype=bool), columns={"income": self.drawn(records, "income", task)}
        )

    def generator(self, task):
        """Return what draws."""
        return np.random.default_rng(task.seed if task.is_rehearsal else None)

    def drawn(self, records, name, task):
        """Return a column with noise, within the bounds."""
        column = records.column(name)
        noise = np.rint(
            self.generator(task).laplace(scale=float((HIGH - LOW) / EPSILON), size=records.records)
        )
        noised = np.clip(column.numbers[column.codes] + noise, 0, 100_000).astype(np.int64)
        values, codes = np.unique(noised, return_inverse=True)
        return Recoded(codes=codes, values=tuple(map(int, values)))


class GuaranteesNothing(Honest):
    """Answers with something else than a guarantee."""

    def privacy_guarantee(self, records, arguments, task):
        """Return a number."""
        self.check(records)
        return 20


class GuaranteesWhatIsNot(Honest):
    """Names a column that the table has not."""

    def part(self, column="income"):
        """Name another one."""
        return super().part("wage")


class GuaranteesByTurns(Honest):
    """Tells another ε each time."""

    def __init__(self):
        self._asked = 0

    def privacy_guarantee(self, records, arguments, task):
        """Tell more."""
        self._asked += 1
        told = super().privacy_guarantee(records, arguments, task)
        parts = tuple(replace(part, epsilon=part.epsilon + self._asked) for part in told.parts)
        return replace(told, parts=parts)


class DrawsToGuarantee(Honest):
    """Draws while it is only asked."""

    def privacy_guarantee(self, records, arguments, task):
        """Draw a number."""
        random.random()  # noqa: S311 - it is what must not be done
        return super().privacy_guarantee(records, arguments, task)


class GuaranteesAndRefuses(Honest):
    """Says that it cannot, and does."""

    def privacy_guarantee(self, records, arguments, task):
        """Refuse."""
        raise NotMeasurable("incomes cannot be guaranteed: there are none; give some")


class FailsToGuarantee(Honest):
    """Fails when it is asked."""

    def privacy_guarantee(self, records, arguments, task):
        """Fail."""
        raise ZeroDivisionError


class NamesTooMuch(Honest):
    """Names a column that stays as it is."""

    def privacy_guarantee(self, records, arguments, task):
        """Name the number of the row."""
        self.check(records)
        return PrivacyGuarantee(parts=(self.part(), self.part("row")))


class RehearsesWithoutSeed(Honest):
    """Draws a rehearsal by nothing that anybody knows."""

    def generator(self, task):
        """Return what nobody can repeat."""
        return np.random.default_rng()


class RehearsesTheSame(Honest):
    """Draws every rehearsal by one seed of its own."""

    def generator(self, task):
        """Leave the task's seed aside."""
        return np.random.default_rng(1 if task.is_rehearsal else None)


class DrawsBySeed(Honest):
    """Draws a real run by the seed, too."""

    def generator(self, task):
        """Know the seed."""
        return np.random.default_rng(task.seed)


class DrawsUnnamed(Honest):
    """Really draws for one column more than it names; a rehearsal does not show it."""

    def anonymize(self, records, arguments, task):
        """Shuffle towns."""
        done = super().anonymize(records, arguments, task)
        if task.is_rehearsal:
            return done
        column = records.column("town")
        codes = self.generator(task).permutation(column.codes)
        present = sorted(set(codes.tolist()))
        values = tuple(column.texts[code] for code in present)
        town = Recoded(codes=np.searchsorted(present, codes), values=values)
        return replace(done, columns=done.columns | {"town": town})


class FailsForReal(Honest):
    """Knows only how to rehearse."""

    def anonymize(self, records, arguments, task):
        """Fail."""
        if not task.is_rehearsal:
            raise NotMeasurable("noise cannot be drawn here: its library is missing; install it")
        return super().anonymize(records, arguments, task)
