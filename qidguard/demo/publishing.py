"""The last chapter of the demo: the table that passed is published, verified, and tampered with."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from qidguard.core.progress import SILENT, Progress
from qidguard.evidence.keys import new_key_pair
from qidguard.evidence.verify import verify_release
from qidguard.releasing.result import Release
from qidguard.releasing.run import release

DATA_SET, KEY = "hospital", "demo-key"


@dataclass(frozen=True, kw_only=True)
class Published:
    """What came of publishing.

    Args:
        release: The release.
        faults: What verifying it found; nothing, if all went well.
        tampered: What verifying a copy found in which one byte was changed.
        files: Number of files of the release.
    """

    release: Release
    faults: tuple[str, ...]
    tampered: tuple[str, ...]
    files: int

    @property
    def is_as_expected(self) -> bool:
        """Whether it was published and verified, and the changed copy was found out."""
        return self.release.is_published and not self.faults and bool(self.tampered)


def publish(table: Path, policy: Path, place: Path, *, progress: Progress = SILENT) -> Published:
    """Publish a table into ``published`` below a folder, signed by a new key, with a ledger of its own.

    Args:
        table: The table.
        policy: The policy.
        place: The folder; the public key is left there too.
        progress: Hears of finished steps.

    Returns:
        What came of it.

    Raises:
        QidguardError: When it cannot be published; OSError when the folder cannot be written.

    Example:
        >>> from qidguard.demo.story import run_demo
        >>> run_demo(records=5000, seed=1).published.is_as_expected
        True
    """
    with tempfile.TemporaryDirectory(prefix="qidguard-demo-home-") as home:
        keys = Path(home) / "keys"
        key = new_key_pair(keys, KEY)
        shutil.copyfile(keys / f"{KEY}.pub", place / f"{KEY}.pub")
        made = release(
            table,
            policy=policy,
            to=str(place / "published"),
            home=home,
            data_set=DATA_SET,
            key=str(keys / f"{KEY}.key"),
            progress=progress,
        )
        if made.address is None:
            return Published(release=made, faults=("nothing was published",), tampered=(), files=0)
        copy = Path(home) / "copy" / DATA_SET / made.release_id
        shutil.copytree(made.address, copy)
        _change_one_byte(copy / f"{DATA_SET}.csv")
        return Published(
            release=made,
            faults=verify_release(made.address, keys=[key]).faults,
            tampered=verify_release(str(copy), keys=[key]).faults,
            files=len(list(Path(made.address).iterdir())),
        )


def _change_one_byte(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
