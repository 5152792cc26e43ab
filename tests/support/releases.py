"""Small releases for tests: a table that passes, a policy, and what a destination holds."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from qidguard import Release, release
from qidguard.evidence.canonical import canonical_bytes
from qidguard.evidence.verify import Verification, verify_release
from qidguard.ledger import open_ledger


def people(groups: int = 3, size: int = 5, *, first: int = 0) -> pd.DataFrame:
    """Return ``groups`` classes of ``size`` persons, each with one record and an id."""
    rows = [
        {
            "person": f"p{first + group * size + i:06}",
            "name": f"Name {first + group * size + i}",
            "age": 20 + 10 * group,
            "sex": "f" if group % 2 else "m",
            "illness": ("flu", "asthma", "none")[i % 3],
        }
        for group in range(groups)
        for i in range(size)
    ]
    return pd.DataFrame(rows)


def at_least(**figures: float) -> list[dict[str, Any]]:
    """Return thresholds: metric → the least figure with which it holds."""
    return [{"metric": metric, "at_least": figure} for metric, figure in figures.items()]


def policy(**changes: Any) -> dict[str, Any]:
    """Return a policy for ``people``: 5-anonymous, and nobody is isolated over releases."""
    fields: dict[str, Any] = {
        "qidguard": 1,
        "name": "people, 5-anonymous",
        "roles": {
            "quasi_identifiers": ["age", "sex"],
            "sensitive": ["illness"],
            "direct_identifiers": ["name"],
            "entity": "person",
        },
        "thresholds": [
            {"metric": "k_anonymity", "at_least": 5},
            {"metric": "persons_isolated_over_releases", "at_most": 0, "parameters": {"k": 2}},
        ],
        "release": {"data_set": "people"},
    }
    return fields | changes


def once(**changes: Any) -> dict[str, Any]:
    """Return the policy for one release of its people, or an audit: 5-anonymous, and nothing more."""
    alone = {
        "thresholds": at_least(k_anonymity=5),
        "release": {"data_set": "people", "earlier_releases": "unrelated"},
    }
    return policy(**alone | changes)


def other_people(*names: str, **release: Any) -> dict[str, Any]:
    """Return the section that says of data sets that their releases are of other people."""
    said = [{"data_set": name, "reason": "patients of another hospital"} for name in names]
    return {"data_set": "people", "unrelated": said, **release}


def named(data_set: str) -> dict[str, Any]:
    """Return the policy for a data set of another name."""
    return policy(release={"data_set": data_set})


def judged(**changes: Any) -> dict[str, Any]:
    """Return the policy that also looks at earlier releases."""
    thresholds = at_least(k_anonymity=5, intersection_k_anonymity=5, differencing_k_anonymity=5)
    return policy(thresholds=thresholds, release={"data_set": "people"}) | changes


class Place:
    """A folder for releases with a home of its own: keys, ledger and history key."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.to = root / "published"

    @property
    def ledger(self) -> str:
        """The ledger's URL."""
        return f"sqlite:///{self.home / 'ledger.db'}"

    def release(
        self, source: Any, rules: Any = None, *, to: str | None = None, now: Any = None, **options: Any
    ) -> Release:
        """Release a table."""
        return release(
            source,
            policy=policy() if rules is None else rules,
            to=str(self.to) if to is None else to or None,
            home=str(self.home),
            **options,
            now=now,
        )

    def releases(self, data_set: str = "people") -> list[Path]:
        """Return the folders that anybody would take for releases."""
        folder = self.to / data_set
        return sorted(p for p in folder.iterdir() if not p.name.startswith(".")) if folder.is_dir() else []

    def left_over(self, data_set: str = "people") -> list[str]:
        """Return the hidden names beside the releases."""
        folder = self.to / data_set
        return sorted(p.name for p in folder.iterdir() if p.name.startswith(".")) if folder.is_dir() else []

    def entries(self, *kinds: str) -> list[Any]:
        """Return the ledger's entries."""
        with open_ledger(self.ledger) as ledger:
            return list(ledger.entries(kinds=set(kinds) if kinds else None))

    def verification(self) -> Verification:
        """Return what verifying the newest release of people finds."""
        return verify_release(str(self.releases()[-1]), is_unsigned_allowed=True)

    def forged(self, path: Sequence[str | int], value: Any) -> bytes:
        """Return the statement of the newest release with another value at a path of its predicate."""
        told = canonical_bytes(self.verification().statement)
        statement = json.loads(told)
        spot = statement["predicate"]
        for step in path[:-1]:
            spot = spot[step]
        spot[path[-1]] = value
        changed = canonical_bytes(statement)
        assert changed != told
        return changed

    def faults(self) -> tuple[str, ...]:
        """Return what is wrong with the ledger."""
        with open_ledger(self.ledger, anchors=self.home / "anchors.jsonl") as ledger:
            return ledger.check()

    def record(self, audit_id: str) -> dict[str, Any]:
        """Return the internal record of an audit."""
        with open_ledger(self.ledger) as ledger:
            entry = ledger.entry(audit_id)
            assert entry is not None
            found: dict[str, Any] = json.loads(ledger.attachment(entry.payload["record"]))
            return found


def table_of(made: Release) -> pd.DataFrame:
    """Return the table of a release of people."""
    [path] = Path(str(made.address)).glob("people.*")
    return pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)


def verified(folder: Any, **options: Any) -> tuple[str, ...]:
    """Return what is wrong with a release."""
    return verify_release(str(folder), is_unsigned_allowed=True, **options).faults
