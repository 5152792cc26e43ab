"""A method tried on a table: what it did, what it cost, whether the policy holds, and the file if it does."""

import weakref
from typing import Any, Self

from qidguard.anonymize.receipt import Receipt
from qidguard.core.errors import ExitCode, UserError
from qidguard.core.measurement import Measurement
from qidguard.core.report import AuditReport
from qidguard.releasing.claims import Claim
from qidguard.releasing.cure import Cure
from qidguard.releasing.table_file import TableFile, open_table_file
from qidguard.report.sentence import reasons


class Trial:
    """What a method made of a table, audited from scratch.

    The transformed records stay in a private copy until ``close`` is called or the trial is forgotten.

    Args:
        cure: What came of it.
        sources: What was read, which no file may be written over.
        seed: Shuffles the records where that is asked for.
        scratch: Where a file on its way to a store is made.
        audit_id: The entry of the ledger, where the verdict was recorded.
    """

    def __init__(
        self, cure: Cure, *, sources: tuple[Any, ...], seed: int, scratch: str | None, audit_id: str | None
    ) -> None:
        self.audit_id = audit_id
        self._cure = cure
        self._sources = sources
        self._seed = seed
        self._scratch = scratch
        self._closing = None if cure.snapshot is None else weakref.finalize(self, cure.snapshot.close)

    @property
    def before(self) -> AuditReport:
        """The audit of the source."""
        return self._cure.before

    @property
    def after(self) -> AuditReport | None:
        """The audit of the transformed table; None where the method made none."""
        return self._cure.after

    @property
    def receipt(self) -> Receipt | None:
        """What the method did; None where it made nothing."""
        return self._cure.receipt

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the method claims, each beside what was measured."""
        return self._cure.claims

    @property
    def utility(self) -> tuple[Measurement, ...]:
        """What was lost, by every installed metric that tells."""
        return self._cure.utility

    @property
    def seed(self) -> int:
        """The seed of the method and of the records' order; it is not to be published."""
        return self._seed

    @property
    def is_passed(self) -> bool:
        """Whether the policy holds on the transformed table."""
        return self._cure.is_passed

    @property
    def sentences(self) -> tuple[str, ...]:
        """Why the policy does not hold, one sentence each; none where it does."""
        if self.is_passed:
            return ()
        return (*self._cure.reasons, *(() if self.after is None else reasons(self.after)))

    @property
    def exit_code(self) -> ExitCode:
        """0 where the policy holds, 1 where it does not, 3 where a plugin or qidguard itself failed."""
        if self.is_passed:
            return ExitCode.PASSED
        judged = self.before if self.after is None else self.after
        fault = judged.exit_code is ExitCode.INTERNAL_ERROR
        return ExitCode.INTERNAL_ERROR if fault else ExitCode.BLOCKED

    def file(self, path: str) -> TableFile:
        """Return the file that a path names, checked to be apart from what was read.

        Args:
            path: A path or a URL of fsspec, ending in ``.parquet`` or ``.csv``.

        Units:
            None.

        Raises:
            UserError: When it cannot be written there, or it is part of the source.

        Example:
            >>> import inspect
            >>> list(inspect.signature(Trial.file).parameters)
            ['self', 'path']
        """
        file = open_table_file(path)
        for source in self._sources:
            file.check_apart(source)
        return file

    def write(self, path: str, *, shuffle: bool = False) -> str:
        """Write the transformed table, only if the policy holds on it.

        The file holds the columns that a release would: no direct identifier, no entity unless the policy
        calls it insensitive, none that the policy drops. It appears in one step, or not at all.

        Args:
            path: A path or a URL of fsspec, ending in ``.parquet`` or ``.csv``; an earlier file is
                replaced.
            shuffle: Whether the records are shuffled by the seed; else they stand in the source's order.

        Returns:
            The address, without secrets.

        Units:
            None.

        Raises:
            UserError: When the policy does not hold, or it cannot be written there.

        Example:
            >>> import pandas as pd, qidguard, tempfile
            >>> table = pd.DataFrame({"name": ["a", "b", "c"], "sex": ["f", "f", "m"]})
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "example",
            ...     "roles": {"quasi_identifiers": ["sex"], "direct_identifiers": ["name"]},
            ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            ... }
            >>> with (
            ...     tempfile.TemporaryDirectory() as folder,
            ...     qidguard.anonymise(
            ...         table,
            ...         policy=policy,
            ...         method="small_class_suppression",
            ...         parameters={"k": 2, "most_suppressed": 0.5},
            ...     ) as tried,
            ... ):
            ...     _ = tried.write(folder + "/safe.csv")
            ...     pd.read_csv(folder + "/safe.csv").to_dict("list")
            {'sex': ['f', 'f']}
        """
        snapshot, selection = self._cure.snapshot, self._cure.selection
        if snapshot is None or selection is None or not self.is_passed:
            raise UserError("The policy does not hold on what the method made, so it is not written.")
        file = self.file(path)
        file.sweep()
        with file.staged(self._scratch) as place:
            seed = self._seed if shuffle else None
            snapshot.write(place, selection.published, file.format, seed=seed)
        return file.label

    def close(self) -> None:
        """Remove the private copy."""
        if self._closing is not None:
            self._closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        from qidguard.releasing.trial_lines import lines

        return "\n".join(lines(self))
