"""Noisy marginals, and synthetic records from them, as anonymizers."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from qidguard.sdk import (
    AnonymizationTask,
    Anonymizer,
    Arguments,
    NewTable,
    NewTableKind,
    NotMeasurable,
    Parameter,
    PrivacyGuarantee,
    PublishedValue,
    Recoded,
    Records,
)
from qidguard_hybrid_dp.private.asked import (
    COUNTS_PARAMETERS,
    SYNTHETIC_PARAMETERS,
    PrivateRun,
    counts_run,
    synthetic_run,
)
from qidguard_hybrid_dp.private.measuring import PrivateMeasurements, measured
from qidguard_hybrid_dp.private.mechanisms import OpenDPMechanisms, SeededMechanisms
from qidguard_hybrid_dp.private.plots import marginals_plot
from qidguard_hybrid_dp.private.receipt import guarantee, notes_on
from qidguard_hybrid_dp.private.synthetic import synthetic


class PrivateSynthetic:
    """Synthetic records from noisy marginals: every published cell is (ε, δ)-differentially private.

    Counts of columns together get discrete Laplace noise of OpenDP: of each column with the center, of these
    and the edges of a tree with the center, or of a tree's edges alone. They are made to agree and records
    are drawn from them, which costs nothing more. Cells are declared: categories, or bins between bounds.
    Categories that are not declared are found where a noisy count is above a threshold, for δ; all others,
    and missing values, are one cell that is published without a value.

    Literature: Dwork & Roth 2014, The algorithmic foundations of differential privacy, Theorem 3.6; Rogers
    2023, A unifying privacy analysis framework for unknown domain algorithms; McKenna, Miklau & Sheldon 2021,
    Winning the NIST contest, for trees chosen privately; Friedman, Geiger & Goldszmidt 1997, Bayesian network
    classifiers, for the augmented star.
    """

    name: ClassVar[str] = "private_synthetic"
    title: ClassVar[str] = "synthetic records from noisy marginals: differential privacy for every cell"
    parameters: ClassVar[tuple[Parameter, ...]] = SYNTHETIC_PARAMETERS

    def privacy_guarantee(
        self, records: Records, arguments: Arguments, task: AnonymizationTask
    ) -> PrivacyGuarantee:
        """Return a part for each marginal, each threshold and each choice; NotMeasurable as ``anonymize``."""
        return guarantee(synthetic_run(records, arguments, task), task)

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> NewTable:
        """Return the synthetic records: QIDs, sensitive attributes and target.

        The table's size, order and missing values decide nothing but through noisy counts.

        Raises:
            NotMeasurable: When a parameter is out of its range, a column of numbers has no bounds, categories
                are not declared and δ is 0, a marginal would have more than 250,000 cells, a person has more
                records than is said, or the noisy number of records is below 1 or above 10,000,000.

        Example:
            >>> PrivateSynthetic().parameters[0].name
            'epsilon'
        """
        run = synthetic_run(records, arguments, task)
        done = _measured(run, task)
        # the noise of a rehearsal comes from the same seed, and another stream
        random = np.random.default_rng([task.seed, 1])
        made = synthetic(done.marginals, run.center, run.plan.given, random)
        if not made.records:
            raise NotMeasurable(
                "the noisy number of records is below 1; the table is small for this epsilon, so raise it"
            )
        columns = {
            name: _recoded(domain.drawn(made.cells[name], random)) for name, domain in done.domains.items()
        }
        return NewTable(
            kind=NewTableKind.SYNTHETIC_RECORDS,
            columns=columns,
            notes=notes_on(run, done, synthetic=made.records, is_rehearsal=task.is_rehearsal),
            plots=(marginals_plot(done, made.counts),),
        )


class NoisyMarginals:
    """Noisy counts of some columns together: each count is (ε, δ)-differentially private.

    Every cell is published, empty ones too, with discrete Laplace noise of OpenDP, so that some counts are
    below 0. Cells are declared or found as for ``private_synthetic``; numbers stand as intervals.

    Literature: Dwork & Roth 2014, The algorithmic foundations of differential privacy, Theorem 3.6; Rogers
    2023, A unifying privacy analysis framework for unknown domain algorithms.
    """

    name: ClassVar[str] = "noisy_marginals"
    title: ClassVar[str] = "noisy counts of columns together: differential privacy for every count"
    parameters: ClassVar[tuple[Parameter, ...]] = COUNTS_PARAMETERS

    def privacy_guarantee(
        self, records: Records, arguments: Arguments, task: AnonymizationTask
    ) -> PrivacyGuarantee:
        """Return a part for the counts and each threshold; NotMeasurable as ``anonymize``."""
        return guarantee(counts_run(records, arguments, task), task)

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> NewTable:
        """Return one record for each cell, with its noisy number of records.

        Raises:
            NotMeasurable: As for ``private_synthetic``; never for the number of records.

        Example:
            >>> NoisyMarginals().name
            'noisy_marginals'
        """
        run = counts_run(records, arguments, task)
        done = _measured(run, task)
        [marginal] = done.marginals
        counts = "noisy_count"
        while counts in {name.casefold() for name in records.names}:
            counts += "_"
        at = np.indices(marginal.counts.shape).reshape(len(marginal.columns), -1)
        columns = {
            name: Recoded(codes=cells, values=done.domains[name].labels)
            for name, cells in zip(marginal.columns, at, strict=True)
        }
        columns[counts] = _recoded(marginal.counts.ravel().tolist())
        return NewTable(
            kind=NewTableKind.COUNTS,
            columns=columns,
            counts=counts,
            notes=notes_on(run, done, is_rehearsal=task.is_rehearsal),
        )


def _measured(run: PrivateRun, task: AnonymizationTask) -> PrivateMeasurements:
    mechanisms = SeededMechanisms(task.seed) if task.is_rehearsal else OpenDPMechanisms()

    def step(done: int, total: int) -> None:
        task.progress.step("noisy marginals", done, total)

    return measured(run.columns, run.plan, mechanisms, step)


def _recoded(values: Sequence[PublishedValue]) -> Recoded:
    place: dict[PublishedValue, int] = {}
    codes = np.array([place.setdefault(value, len(place)) for value in values], dtype=np.int32)
    return Recoded(codes=codes, values=tuple(place))


ANONYMIZERS: tuple[Anonymizer, ...] = (NoisyMarginals(), PrivateSynthetic())
