"""The receipt: what an anonymizer did, counted by the host."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from qidguard.anonymizing.attack import AttackResult
from qidguard.anonymizing.protocol import Guarantee
from qidguard.core.parameter import Arguments


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What an anonymizer did, in counts; it holds no value of the table.

    Args:
        anonymizer: Its name.
        owner: The plugin that offers it, with its version.
        arguments: What the policy set, and the defaults.
        seed: The seed, kept in the internal record only; None for what draws noise.
        records_before: Records of the source.
        records_after: Records that are left.
        suppressed_by: Combination → records suppressed on its behalf.
        cells_changed: Column → kept records whose cell is not the source's, counted by the host.
        guarantees: What the anonymizer claims; the audit of the result proves or refutes it.
        notes: Sentences of the anonymizer.
        seconds: Wall time that the anonymizer took.
        peak_bytes: The largest memory that the process held meanwhile beyond what it held before, as the
            operating system tells it; None where that does not tell.
        attacks: What attacks found in a rehearsal.
        title: What it is called among people.
        hierarchies_sha256: Column → the digest of the hierarchy's file as it was read for this run, hex.
    """

    anonymizer: str
    owner: str
    arguments: Arguments
    seed: int | None
    records_before: int
    records_after: int
    suppressed_by: dict[str, int]
    cells_changed: Mapping[str, int] = field(default_factory=dict)
    guarantees: tuple[Guarantee, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    peak_bytes: int | None = None
    attacks: tuple[AttackResult, ...] = ()
    title: str = ""
    hierarchies_sha256: Mapping[str, str] = field(default_factory=dict)

    @property
    def records_suppressed(self) -> int:
        """Records of the source that are not published."""
        return self.records_before - self.records_after

    @property
    def columns_changed(self) -> tuple[str, ...]:
        """The columns of which at least one cell is not the source's."""
        return tuple(name for name, cells in self.cells_changed.items() if cells)
