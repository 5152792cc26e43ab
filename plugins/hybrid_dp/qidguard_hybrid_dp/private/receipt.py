"""What a fully private run guarantees, and what its receipt says of each measurement."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from qidguard.sdk import AnonymizationTask, PrivacyGuarantee, ProtectedUnit
from qidguard_hybrid_dp.private.asked import PrivateRun
from qidguard_hybrid_dp.private.measuring import PrivateMeasurements
from qidguard_hybrid_dp.private.plan import Drawing

NOT_COVERED = (
    "Names and types of columns, declared categories, bounds and bins are taken as public.",
    "What a report says of the source, or of synthetic records beside it, is exact and not covered.",
)


def guarantee(run: PrivateRun, task: AnonymizationTask) -> PrivacyGuarantee:
    """Return what is drawn and whom it protects: a person where persons are told apart, else a record."""
    is_person = task.entity is not None or run.records_per_person > 1
    alone = () if is_person else ("A person who has several records is protected record by record.",)
    return PrivacyGuarantee(
        parts=run.plan.parts,
        unit=ProtectedUnit.PERSON if is_person else ProtectedUnit.RECORD,
        contributions=run.records_per_person,
        not_covered=(*alone, *NOT_COVERED),
    )


def notes_on(
    run: PrivateRun, done: PrivateMeasurements, *, synthetic: int = 0, is_rehearsal: bool
) -> tuple[str, ...]:
    """Return the notes of a receipt: names, counts of cells and exact maps, and no value of the table.

    ``synthetic`` is the number of synthetic records; 0 where counts are published.
    """
    plan = run.plan
    notes = []
    for finding in plan.findings:
        [name] = finding.columns
        found = done.domains[name].cells - 1
        epsilon, delta = finding.mapped
        notes.append(
            f"Categories of {name} that were found: {found:,}, those with a noisy count above"
            f" {finding.threshold:,} (scale {finding.scale:.4g}); OpenDP's map for one record is"
            f" ε = {epsilon!r}, δ = {delta!r}. All others are one cell, published without a value."
        )
    notes += _counted(plan.countings, ["×".join(one.columns) for one in plan.countings])
    pairs = ["×".join(one.columns) for one in done.marginals[len(plan.countings) :]]
    if plan.choosings:
        first = plan.choosings[0]
        notes.append(
            f"{len(plan.choosings):,} pairs were chosen by permute and flip (scale {first.scale:.4g});"
            f" OpenDP's map for one record is ε = {first.mapped[0]!r} each."
        )
        notes += _counted(plan.chosen, pairs)
    drawn = "from the seed, as a rehearsal" if is_rehearsal else "by OpenDP"
    notes.append(f"Noise was drawn {drawn}.")
    if synthetic:
        notes.append(
            f"The number of records is not public: {synthetic:,} synthetic ones are what noisy counts say."
        )
    if synthetic and len(run.columns) > 1:
        kept = f"each column with {run.center}" if not plan.choosings or plan.given else "the pairs of a tree"
        beside = ", and the pairs of a tree given it" if plan.given else ""
        notes.append(f"What is kept is {kept}{beside}: what else links columns is lost.")
    return tuple(notes)


def _counted(countings: Iterable[Drawing], names: Iterable[str]) -> Iterator[str]:
    """Yield one sentence for each run of marginals with noise of one scale."""
    both = zip(countings, names, strict=True)
    for (scale, mapped), group in groupby(both, key=lambda one: (one[0].scale, one[0].mapped[0])):
        together = [name for _, name in group]
        each = " each" if len(together) > 1 else ""
        yield (
            f"Noisy counts of {', '.join(together)}: discrete Laplace noise of scale {scale:.4g}; OpenDP's"
            f" map for one record is ε = {mapped!r}{each}."
        )
