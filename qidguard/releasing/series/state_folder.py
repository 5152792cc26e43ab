"""Where states are kept: a private folder, one file an attempt, two of them once a release is confirmed."""

import os
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from qidguard.core.errors import UserError
from qidguard.core.files import Lock, alone, new_draft, sweep_drafts, to_disk
from qidguard.core.naming import folded
from qidguard.core.system import why
from qidguard.evidence.private_file import make_folder
from qidguard.releasing.history.past import history_key_id
from qidguard.releasing.series.state import KeptRecords, SeriesState, write_state

if TYPE_CHECKING:
    from qidguard.releasing.context import ReleaseContext

_SUFFIX = ".state"
_LONGEST_WAIT_SECONDS = 60.0


class StateFolder:
    """The states of one data set, as kept under one history key.

    Args:
        root: The policy's folder, which is made where it is missing, for its owner only.
        name: The folder of the data set in it.
    """

    def __init__(self, root: Path, name: str) -> None:
        self.path = root / name
        make_folder(root)
        make_folder(self.path)
        for folder in (root, self.path):
            if os.name == "posix" and stat.S_IMODE(folder.stat().st_mode) & 0o077:
                raise UserError(
                    f"The folder {str(folder)!r} keeps last values of persons, and others can enter it; run:"
                    f" chmod 700 {folder}"
                )

    @classmethod
    def of(cls, context: "ReleaseContext", data_set: str) -> "StateFolder | None":
        """Return the folder of a data set's states; None where the policy keeps none.

        Raises:
            UserError: When it stands among what is published, or others can enter it.
        """
        root = context.policy.state_folder
        if root is None:
            return None
        published = None if context.destination is None else context.destination.path
        if published is not None and Path(root).resolve().is_relative_to(published.resolve()):
            raise UserError(
                f"The folder {root!r} keeps last values of persons and stands in {str(published)!r}, where"
                " releases are published; name another one as series.state."
            )
        return cls(Path(root), f"{folded(data_set)}-{history_key_id(context.history_key)}")

    def file(self, release_id: str, audit_id: str) -> Path:
        """Return where the state of an attempt to publish a release is."""
        return self.path / f"{release_id}.{audit_id}{_SUFFIX}"

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the folder between the writing of a state and its promise; UserError where others stay."""
        with ExitStack() as entered:
            try:
                entered.enter_context(alone(self.path / ".lock", _LONGEST_WAIT_SECONDS))
            except TimeoutError:
                raise UserError(f"Another run holds the folder {str(self.path)!r}; wait for it.") from None
            except OSError as error:
                raise self._unwritable(error) from None
            yield

    def write(self, state: SeriesState, records: KeptRecords) -> str:
        """Write a state, whole and lasting or not at all, and return its digest."""
        target = self.file(state.release_id, state.audit_id)
        try:
            sweep_drafts(target)
            with new_draft(target) as lock:
                digest = write_state(state, records, lock.path)
                lock.path.replace(target)
            to_disk(self.path)
        except OSError as error:
            raise self._unwritable(error) from None
        return digest

    def remove(self, release_id: str, audit_id: str) -> None:
        """Remove the state of an attempt that was never promised."""
        with suppress(OSError):
            self.file(release_id, audit_id).unlink()

    def sweep(self, kept: Collection[str], is_known: Callable[[str], bool]) -> None:
        """Remove the states of attempts that the ledger knows, but those of the audits that are kept.

        Args:
            kept: Names of audits whose states stay.
            is_known: Whether an audit is the ledger's; what another ledger kept stays.
        """
        with suppress(OSError, UserError), self.alone():
            for draft in self.path.glob(".*.draft"):
                with Lock(draft) as lock:
                    lock.take()
            for file in self.path.glob(f"*{_SUFFIX}"):
                audit_id = file.name.removesuffix(_SUFFIX).rpartition(".")[2]
                if audit_id not in kept and is_known(audit_id):
                    file.unlink()

    def _unwritable(self, error: OSError) -> UserError:
        return UserError(
            f"The folder {str(self.path)!r}, which keeps the state of the series, cannot be written"
            f" ({why(error)}), so nothing was published; check the disk and its rights."
        )
