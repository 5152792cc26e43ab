"""Private folders for copies of tables; what a dead process left in one, the next that makes one removes."""

import shutil
import tempfile
from pathlib import Path

from qidguard.core.lock import Lock

PREFIX = "qidguard-"
_IN_USE = "in-use"


class PrivateFolder:
    """A folder that nobody else can enter (mode 0700), with a lock that says that it is in use.

    Args:
        parent: Where it is made; None takes the system's folder for temporary files.
    """

    def __init__(self, parent: str | None = None) -> None:
        place = Path(parent or tempfile.gettempdir())
        sweep(place)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place)).absolute()
        self._lock = Lock(self.path / _IN_USE)
        try:
            self._lock.make()
        except BaseException:
            shutil.rmtree(self.path, ignore_errors=True)
            raise

    def remove(self) -> None:
        """Remove the folder with all that is in it; a second call does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.drop()


def sweep(parent: Path) -> None:
    """Remove the private folders in ``parent`` whose processes are dead; others' and those in use stay.

    Args:
        parent: Where private folders are made.

    Units:
        None.

    Raises:
        Nothing: what cannot be removed stays.

    Example:
        >>> with tempfile.TemporaryDirectory() as parent:
        ...     folder = PrivateFolder(parent)
        ...     sweep(Path(parent))
        ...     folder.path.is_dir()
        True
    """
    for path in parent.glob(f"{PREFIX}*/{_IN_USE}"):
        with Lock(path) as lock:
            if lock.take():
                shutil.rmtree(path.parent, ignore_errors=True)
