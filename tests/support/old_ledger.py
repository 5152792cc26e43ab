"""The ledger that qidguard 0.1.0 wrote, and the policies, key and history key under which it wrote.

The dump ``tests/ledger/support/written_by_0_1_0.sql.gz`` was made once with the code of 0.1.0: releases to
``memory://published``, moments and names given, the system's user and host replaced, then ``iterdump``.
It holds every kind of entry; 0.1.0 spelled ``anonymiser`` in payloads and records.
"""

import gzip
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from qidguard.evidence.ed25519 import SigningKey
from qidguard.ledger.anchors import Anchors, Seen

DUMP = Path(__file__).parents[1] / "ledger" / "support" / "written_by_0_1_0.sql.gz"
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
"""A day after the newest entry; the exceptions hold until 2026-12-15."""

ENTRIES = 32
HEAD = "9b1160e223a748fb46bab7cae7271c11158d6511763f6796ec281bf3d445b593"


def approver() -> SigningKey:
    """Return the key that signed the exceptions."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))


def restore(home: Path) -> dict[str, Any]:
    """Write ledger, anchor and history key into a home folder, and return the options that name it."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(sqlite3.connect(home / "ledger.db")) as database:
        database.executescript(gzip.decompress(DUMP.read_bytes()).decode())
    identity = f"sqlite:{(home / 'ledger.db').resolve()}"
    Anchors(home / "anchors.jsonl", identity).remember(Seen(sequence=ENTRIES, hash=HEAD, at="2026-11-21"))
    handle = os.open(home / "history.key", os.O_CREAT | os.O_WRONLY, 0o600)
    os.write(handle, bytes(range(32)))
    os.close(handle)
    return {"home": str(home), "seed": 7}


def table(size: int = 3) -> pd.DataFrame:
    """Return two classes of people."""
    rows = [
        {"person": f"p{group}{i}", "age": 20 + 10 * group, "illness": ("flu", "none")[i % 2]}
        for group in range(2)
        for i in range(size)
    ]
    return pd.DataFrame(rows)


def rules(data_set: str, **changes: Any) -> dict[str, Any]:
    """Return the policy of a data set as it was then, so that it has the same digest."""
    fields: dict[str, Any] = {
        "qidguard": 1,
        "name": "ward, 3-anonymous",
        "roles": {"quasi_identifiers": ["age"], "sensitive": ["illness"], "entity": "person"},
        "thresholds": [{"metric": "k_anonymity", "at_least": 3}],
        "release": {"data_set": data_set, "earlier_releases": "unrelated"},
    }
    return fields | changes


def judged() -> dict[str, Any]:
    """Return the policy of ``ward``, which holds releases against earlier ones."""
    metrics = ("k_anonymity", "intersection_k_anonymity", "differencing_k_anonymity")
    thresholds = [{"metric": name, "at_least": 3} for name in metrics]
    return rules("ward", thresholds=thresholds, release={"data_set": "ward"})


def excepted(data_set: str) -> dict[str, Any]:
    """Return the policy of ``pilot`` and ``panel``, which has an approver."""
    approvers = [{"name": "A. Roe", "key": approver().public.text}]
    return rules(data_set, exceptions={"approvers": approvers, "longest_days": 30})
