"""A small anonymizer that answers with a new table, from noisy counts, with a guarantee that is true."""

from fractions import Fraction
from itertools import product
from math import ceil, prod

import numpy as np

from qidguard.sdk import (
    NewTable,
    NewTableKind,
    NoisedPart,
    NotMeasurable,
    Parameter,
    PrivacyGuarantee,
    ProtectedUnit,
    Recoded,
)

REACH = 2
"""One record that becomes another takes one from one count and adds one to another."""
NOT_COVERED = "how many records there are, and the categories, which the policy declares"
ADULTS = {"age": "20|30|40", "sex": "f|m", "illness": "flu|asthma|none"}


class Marginals:
    """Draws synthetic records from independent noisy marginals, or publishes one noisy table of counts.

    Categories are declared and never read off the data: a value that is none of them is counted nowhere.
    """

    name = "marginals"
    title = "synthetic records of independent noisy marginals"
    parameters = (
        Parameter(name="epsilon", type=Fraction, minimum=0, meaning="ε of each marginal"),
        Parameter(name="categories", type=str, per="column", meaning="values, with | between"),
        Parameter(name="made", type=str, default="records", choices=("records", "counts"), meaning="what"),
        Parameter(name="contributions", type=int, default=0, minimum=0, meaning="records a person"),
    )

    def __init__(self, **more):
        vars(self).update(more)

    def privacy_guarantee(self, records, arguments, task):
        """Say what each marginal costs, before anything is drawn."""
        columns = self.columns(records, arguments)
        epsilon, many = arguments["epsilon"], arguments["contributions"]
        counted = [columns] if arguments["made"] == "counts" else [(name,) for name in columns]
        scale = Fraction(self.scale(epsilon))
        parts = tuple(
            NoisedPart(
                columns=tuple(names),
                mechanism="discrete_laplace",
                scale=scale,
                reach=Fraction(REACH),
                epsilon=epsilon,
            )
            for names in counted
        )
        return PrivacyGuarantee(
            parts=parts,
            unit=ProtectedUnit.PERSON if many else ProtectedUnit.RECORD,
            contributions=many or 1,
            not_covered=(NOT_COVERED,),
        )

    def anonymize(self, records, arguments, task):
        """Count, draw noise, and make a table of the counts alone."""
        columns = self.columns(records, arguments)
        domains = [arguments["categories"][name].split("|") for name in columns]
        codes = [self.codes(records.column(n), domain) for n, domain in zip(columns, domains, strict=True)]
        values = [self.values(records.column(n), domain) for n, domain in zip(columns, domains, strict=True)]
        if arguments["made"] == "counts":
            return self.counts(columns, domains, codes, values, arguments, task)
        generator = np.random.default_rng([task.seed, 1])
        made = {}
        for at, name in enumerate(columns):
            counts = np.bincount(codes[at][codes[at] >= 0], minlength=len(domains[at]))
            noisy = self.noisy(counts, at, arguments, task)
            weights = np.clip(noisy, 0, None) + 1e-9
            drawn = generator.choice(len(weights), size=records.records, p=weights / weights.sum())
            made[name] = Recoded(codes=drawn, values=values[at])
        return NewTable(
            kind=NewTableKind.SYNTHETIC_RECORDS, columns=made, notes=("Columns are drawn independently.",)
        )

    def counts(self, columns, domains, codes, values, arguments, task):
        """Return every combination of declared categories with its noisy count."""
        shape = tuple(map(len, domains))
        is_known = np.all([one >= 0 for one in codes], axis=0)
        place = np.ravel_multi_index([one[is_known] for one in codes], shape)
        noisy = self.noisy(np.bincount(place, minlength=prod(shape)), 0, arguments, task)
        cells = np.array(list(product(*map(range, shape))))
        made = {n: Recoded(codes=cells[:, at], values=values[at]) for at, n in enumerate(columns)}
        numbers, code = np.unique(noisy, return_inverse=True)
        made["persons"] = Recoded(codes=code, values=tuple(map(int, numbers)))
        return NewTable(kind=NewTableKind.COUNTS, columns=made, counts="persons")

    def columns(self, records, arguments):
        """Return the columns with categories, in the source's order."""
        found = tuple(name for name in records.names if name in arguments["categories"])
        if not found:
            raise NotMeasurable("no column has categories; name one, such as sex: f|m")
        return found

    def codes(self, column, domain):
        """Return the place of each record's value among the categories, −1 for none of them."""
        places = {text: at for at, text in enumerate(domain)}
        return np.array([places.get(text, -1) for text in column.texts])[column.codes]

    def values(self, column, domain):
        """Return the categories as they are published: numbers where the column holds them."""
        return tuple(int(text) if column.is_numeric else text for text in domain)

    def scale(self, epsilon):
        """Return a scale that is large enough, in the float that OpenDP takes."""
        return float(ceil(REACH / epsilon))

    def noisy(self, counts, stream, arguments, task):
        """Return counts with noise: OpenDP's, which takes no seed; of a rehearsal by the seed."""
        scale = self.scale(arguments["epsilon"])
        if task.is_rehearsal:
            generator = np.random.default_rng([task.seed, 0, stream])
            return counts + np.rint(generator.laplace(scale=scale, size=len(counts))).astype(np.int64)
        import opendp.prelude as dp

        dp.enable_features("contrib")
        space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
        return np.array(dp.m.make_laplace(*space, scale=scale)(counts.astype(int).tolist()))


class Unprotected(Marginals):
    """The same without a guarantee: nothing is charged, and nothing protects."""

    name = "unprotected"
    privacy_guarantee = property()  # hasattr says no
