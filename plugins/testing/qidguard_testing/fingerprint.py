"""A digest of everything that one run came to."""

import hashlib
import json

from qidguard.anonymizing.protocol import Anonymized
from qidguard_testing.trial import KitTrial


def fingerprint(trial: KitTrial) -> str:
    """Return a digest of what was published, suppressed, claimed and said, hex.

    Args:
        trial: A run whose files are still open.

    Returns:
        64 hexadecimal digits; equal for runs that came to the same, cell by cell in the order of records.

    Raises:
        QidguardError: When the engine cannot read what was published.
    """
    digest = hashlib.sha256()
    said = [trial.refusal, type(trial.error).__name__]
    if trial.is_published:
        done = trial.new_table or trial.done
        said += [*map(str, done.notes), repr(done.guarantees)]
        if isinstance(done, Anonymized):
            said.append(str(sorted(dict(done.suppressed_by).items())))
            digest.update(done.kept.tobytes())
        for name in trial.published.names:
            column = trial.published.column(name)
            digest.update(json.dumps([name, column.value_type, column.texts]).encode())
            digest.update(column.codes.tobytes())
    digest.update(json.dumps(said).encode())
    return digest.hexdigest()
