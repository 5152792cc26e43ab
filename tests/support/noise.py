"""A small anonymizer that draws OpenDP's Laplace noise on whole numbers, with a guarantee that is true."""

from fractions import Fraction
from math import nextafter

import numpy as np

from qidguard.sdk import (
    Anonymized,
    NoisedPart,
    NotMeasurable,
    Parameter,
    PrivacyGuarantee,
    ProtectedUnit,
    Recoded,
)

NOT_COVERED = "how many records there are, and every column without noise"


def scale_of(width: Fraction, epsilon: Fraction) -> float:
    """Return the smallest float that is a large enough scale."""
    scale = float(width / epsilon)
    return scale if Fraction(scale) * epsilon >= width else nextafter(scale, float("inf"))


class Noisy:
    """Publishes whole numbers plus noise, within the bounds that the policy declares."""

    name = "noisy"
    title = "Laplace noise on numbers"
    parameters = (
        Parameter(name="epsilon", type=Fraction, minimum=0, meaning="ε of each column"),
        Parameter(name="bounds", type=Fraction, per="column", many=2, meaning="what a column may hold"),
        Parameter(name="contributions", type=int, default=0, minimum=0, meaning="records a person"),
    )

    def __init__(self, **more):
        self.drawn = []
        vars(self).update(more)

    def privacy_guarantee(self, records, arguments, task):
        """Say what each column costs, before anything is drawn."""
        parts = []
        for name, (low, high) in arguments["bounds"].items():
            if records.column(name).numbers is None:
                raise NotMeasurable(f"the column {name!r} holds no numbers; drop it from bounds")
            scale = Fraction(scale_of(high - low, arguments["epsilon"]))
            parts.append(
                NoisedPart(
                    columns=(name,),
                    mechanism="discrete_laplace",
                    scale=scale,
                    reach=high - low,
                    bounds=(low, high),
                    epsilon=arguments["epsilon"],
                )
            )
        many = arguments["contributions"]
        return PrivacyGuarantee(
            parts=tuple(parts),
            unit=ProtectedUnit.PERSON if many else ProtectedUnit.RECORD,
            contributions=many or 1,
            not_covered=(NOT_COVERED,),
        )

    def anonymize(self, records, arguments, task):
        """Draw, and clamp to the bounds."""
        self.drawn.append(task.seed)
        columns = {}
        for name, (low, high) in arguments["bounds"].items():
            column = records.column(name)
            numbers = np.clip(column.numbers[column.codes].astype(np.int64), int(low), int(high))
            scale = scale_of(high - low, arguments["epsilon"])
            if task.is_rehearsal:
                generator = np.random.default_rng([task.seed, len(columns)])
                drawn = generator.laplace(scale=scale, size=len(numbers))
                noisy = numbers + np.rint(drawn).astype(np.int64)
            else:
                noisy = self.noise(numbers, scale)
            values, codes = np.unique(np.clip(noisy, int(low), int(high)), return_inverse=True)
            columns[name] = Recoded(codes=codes, values=tuple(map(int, values)))
        return Anonymized(kept=np.ones(records.records, dtype=np.bool_), columns=columns)

    def noise(self, numbers, scale):
        """Return numbers with OpenDP's noise, which takes no seed."""
        import opendp.prelude as dp

        dp.enable_features("contrib")
        space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
        return np.array(dp.m.make_laplace(*space, scale=scale)(numbers.tolist()))


def costs(epsilon, column="age"):
    """Return a guarantee that costs ε for each record, by a mechanism that nobody checks."""
    part = NoisedPart(
        columns=(column,), mechanism="told", scale=Fraction(1), reach=Fraction(1), epsilon=Fraction(epsilon)
    )
    return PrivacyGuarantee(parts=(part,))


class Spending:
    """Says that it spends ε and suppresses classes of fewer than five; it draws nothing."""

    name = "noise"
    title = "draws noise"
    parameters = (Parameter(name="epsilon", type=float, minimum=0.0, maximum=10.0, meaning="ε"),)

    def __init__(self, note=lambda _: None):
        self.note = note

    def privacy_guarantee(self, records, arguments, task):
        """Say that ε is spent."""
        return costs(repr(arguments["epsilon"]))

    def anonymize(self, records, arguments, task):
        """Note the seed of the run, and suppress."""
        self.note(task.seed)
        codes = records.codes(["age"])[:, 0]
        return Anonymized(kept=np.bincount(codes)[codes] >= 5)
