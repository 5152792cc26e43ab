"""A method tried on a table: what it did, what it cost, whether the policy holds, and the file if it does."""

import weakref
from typing import TYPE_CHECKING, Any, Self

from qidguard.anonymizing.receipt import Receipt
from qidguard.core.errors import ExitCode, UserError
from qidguard.core.measurement import Measurement
from qidguard.core.report import AuditReport
from qidguard.rendering.sentence import reasons
from qidguard.trials.context import TrialContext
from qidguard.trials.measuring import MeasuredClaim
from qidguard.trials.read_places import other_sources
from qidguard.trials.stages import Tried
from qidguard.trials.table_file import TableFile, open_table_file

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from qidguard.engines.base import Snapshot
    from qidguard.plot.plot import Plot


class Trial:
    """What a method made of a table, audited from scratch.

    The transformed records stay in a private copy until ``close`` is called or the trial is forgotten.

    Args:
        before: The audit of the source.
        after: The audit of the transformed table; None where the method made none.
        receipt: What the method did; None where it made nothing.
        claims: What the method claims, each beside what was measured.
        utility: What was lost, by every installed metric that tells.
        plots: What the method drew of what it made, where that was asked for.
        class_sizes: The class sizes before and after, drawn where that was asked for and records were kept.
        seed: The seed of the method and of the records' order; it is not to be published.
        audit_id: The entry of the ledger, where the verdict was recorded.
    """

    def __init__(
        self,
        context: TrialContext,
        tried: Tried,
        *,
        audit_id: str | None = None,
        is_guessable: bool = False,
    ) -> None:
        made = tried.transformed
        self.before: AuditReport = tried.source.report
        self.after: AuditReport | None = None if made is None else made.audited.report
        self.receipt: Receipt | None = None if made is None else made.receipt
        self.claims: tuple[MeasuredClaim, ...] = () if made is None else made.claims
        self.utility: tuple[Measurement, ...] = () if made is None else made.losses
        self.plots: tuple[Plot, ...] = () if made is None else made.plots
        self.class_sizes: Plot | None = None if made is None else made.class_sizes
        self.seed = context.seed
        self.audit_id = audit_id
        self._is_passed = tried.is_passed
        self._reasons = tried.reasons
        self._selection = tried.selection
        self._snapshot = None if made is None else made.audited.snapshot
        # over what was read nothing may be written
        self._sources = (context.source, *other_sources(context.policy))
        self._drawing_seed = context.drawing_seed
        self._is_guessable = is_guessable
        self._scratch = context.settings.spill_directory
        self._closing = None if made is None else weakref.finalize(self, made.audited.snapshot.close)

    @property
    def is_passed(self) -> bool:
        """Whether the policy holds on the transformed table."""
        return self._is_passed

    @property
    def is_rehearsal(self) -> bool:
        """Whether noise was drawn by the seed only: nothing was charged, and nothing of it is written."""
        return self.receipt is not None and self.receipt.is_rehearsal

    @property
    def sentences(self) -> tuple[str, ...]:
        """Why the policy does not hold, one sentence each; none where it does."""
        if self.is_passed:
            return ()
        return (*self._reasons, *(() if self.after is None else reasons(self.after)))

    @property
    def exit_code(self) -> ExitCode:
        """0 where the policy holds, 1 where it does not, 3 where a plugin or qidguard itself failed."""
        if self.is_passed:
            return ExitCode.PASSED
        judged = self.before if self.after is None else self.after
        fault = judged.exit_code is ExitCode.INTERNAL_ERROR
        return ExitCode.INTERNAL_ERROR if fault else ExitCode.BLOCKED

    def _file(self, path: str) -> TableFile:
        """Return the file that a path names, checked to be apart from what was read.

        Args:
            path: A path or a URL of fsspec, ending in ``.parquet`` or ``.csv``.

        Raises:
            UserError: When it cannot be written there, or it is part of the source.
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

        Raises:
            UserError: When the policy does not hold, it cannot be written there, or values were drawn from a
                seed that was given: outside a release and a recorded trial no secret is mixed with it. Of a
                rehearsal of noise nothing is written.

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
            ...     qidguard.anonymize(
            ...         table,
            ...         policy=policy,
            ...         anonymizer="small_class_suppression[k=2, most_suppressed=0.5]",
            ...     ) as tried,
            ... ):
            ...     _ = tried.write(folder + "/safe.csv")
            ...     pd.read_csv(folder + "/safe.csv").to_dict("list")
            {'sex': ['f', 'f']}
        """
        snapshot, published = self._publishable("written")
        file = self._file(path)
        file.sweep()
        with file.staged(self._scratch) as place:
            seed = self._drawing_seed if shuffle else None
            snapshot.write(place, published, file.format, seed=seed)
        return file.label

    def to_pandas(self, *, shuffle: bool = False) -> "pd.DataFrame":
        """Return the transformed table, only if the policy holds on it: the columns that ``write`` writes.

        Args:
            shuffle: Whether the records are shuffled by the seed; else they stand in the source's order.

        Returns:
            One row a published record. Types are those of a published Parquet file; numbers that numpy holds
            only by rounding are Python's ``int`` and ``Decimal``.

        Raises:
            UserError: As ``write`` raises it, and where the engine hands no tables over.

        NULL is missing in pandas' own way. A table that passes has at least one record.

        Example:
            >>> import pandas as pd, qidguard
            >>> table = pd.DataFrame({"name": ["a", "b", "c"], "age": [31, 34, 62], "sex": ["f", "f", "f"]})
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "example",
            ...     "roles": {"quasi_identifiers": ["age", "sex"], "direct_identifiers": ["name"]},
            ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            ... }
            >>> with qidguard.anonymize(table, policy, anonymizer="mondrian") as tried:
            ...     tried.to_pandas().to_dict("list")
            {'age': ['[31, 62]', '[31, 62]', '[31, 62]'], 'sex': ['f', 'f', 'f']}
        """
        frame: pd.DataFrame = self._handed("to_pandas", shuffle=shuffle)
        return frame

    def to_arrow(self, *, shuffle: bool = False) -> "pa.Table":
        """Return what ``to_pandas`` does as an Arrow table, which holds every number exactly.

        Args:
            shuffle: Whether the records are shuffled by the seed; else they stand in the source's order.

        Raises:
            UserError: As ``to_pandas`` raises it, and where pyarrow is not installed: ``qidguard[arrow]``.

        Example:
            >>> import pandas as pd, qidguard
            >>> table = pd.DataFrame({"sex": ["f", "m"], "ill": [True, False]})
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "example",
            ...     "roles": {"quasi_identifiers": ["sex"], "sensitive": ["ill"]},
            ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            ... }
            >>> with qidguard.anonymize(table, policy, anonymizer="mondrian") as tried:
            ...     tried.to_arrow().to_pydict()
            {'sex': ['{f, m}', '{f, m}'], 'ill': [True, False]}
        """
        table: pa.Table = self._handed("to_arrow", shuffle=shuffle)
        return table

    def _handed(self, form: str, *, shuffle: bool) -> Any:
        snapshot, published = self._publishable("handed over")
        hand = getattr(snapshot, form, None)
        if hand is None:
            raise UserError("The engine hands no tables over; write it to a file.")
        return hand(published, seed=self._drawing_seed if shuffle else None)

    def _publishable(self, how: str) -> "tuple[Snapshot, tuple[str, ...]]":
        """Return the copy with the columns that a release would hold; UserError where it may not go out."""
        snapshot, selection = self._snapshot, self._selection
        if snapshot is None or selection is None or not self.is_passed:
            raise UserError(f"The policy does not hold on what the method made, so it is not {how}.")
        if self.is_rehearsal:
            raise UserError(
                "This was a rehearsal, whose noise is drawn by a seed and charged to nobody, so it is not"
                f" {how}; record the verdict or release the table, which charges the privacy budget."
            )
        if self._is_guessable:
            raise UserError(
                "The method drew what it publishes from the seed that was given, and whoever guesses that"
                f" takes the draws away again, so it is not {how}; leave the seed out, record the verdict,"
                " or release the table."
            )
        return snapshot, tuple(selection.published)

    def to_frame(self) -> "pd.DataFrame":
        """Return the judged thresholds before and after as a table.

        Returns:
            One row a threshold and ``stage``, with its figure and limit in the metric's ``unit``.

        Example:
            >>> import pandas as pd, qidguard
            >>> table = pd.DataFrame({"sex": ["f", "f", "m"]})
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "example",
            ...     "roles": {"quasi_identifiers": ["sex"]},
            ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            ... }
            >>> asked = "small_class_suppression[k=2, most_suppressed=0.5]"
            >>> with qidguard.anonymize(table, policy, anonymizer=asked) as tried:
            ...     tried.to_frame()[["stage", "metric", "value"]].values.tolist()
            [['before', 'k_anonymity', 1], ['after', 'k_anonymity', 2]]
        """
        from qidguard.rendering.frame import stages_frame

        return stages_frame({"before": self.before, "after": self.after})

    def to_dict(self) -> dict[str, Any]:
        """Return the document ``qidguard-trial/1`` as plain values: verdicts, what was done, what was lost.

        Returns:
            Counts, figures and column names. It holds the seed, which is not to be published.

        Example:
            >>> import pandas as pd, qidguard
            >>> table = pd.DataFrame({"sex": ["f", "f", "m"]})
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "example",
            ...     "roles": {"quasi_identifiers": ["sex"]},
            ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            ... }
            >>> asked = "small_class_suppression[k=2, most_suppressed=0.5]"
            >>> with qidguard.anonymize(table, policy, anonymizer=asked) as tried:
            ...     tried.to_dict()["outcome"], tried.to_json().splitlines()[1]
            ('passed', '  "format": "qidguard-trial/1",')
        """
        from qidguard.trials.receipt_document import trial_document

        return trial_document(self)

    def to_json(self) -> str:
        """Return ``to_dict`` as JSON text, the same as ``qidguard anonymize --format json`` writes.

        Example:
            >>> import pandas as pd, qidguard
            >>> table = pd.DataFrame({"sex": ["f", "f", "m", "m"]})
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "example",
            ...     "roles": {"quasi_identifiers": ["sex"]},
            ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            ... }
            >>> with qidguard.anonymize(table, policy, anonymizer="mondrian") as tried:
            ...     print(tried.to_json()[:49])
            {
              "format": "qidguard-trial/1",
              "outcome": "p
        """
        from qidguard.trials.receipt_document import trial_json

        return trial_json(self)

    def _repr_html_(self) -> str:
        from qidguard.trials.trial_lines import html_text

        return html_text(self)

    def close(self) -> None:
        """Remove the private copy."""
        if self._closing is not None:
            self._closing()

    def __bool__(self) -> bool:
        """Return whether the policy holds on the transformed table."""
        return self.is_passed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        from qidguard.trials.trial_lines import lines

        return "\n".join(lines(self))
