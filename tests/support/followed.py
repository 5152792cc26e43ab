"""People followed over releases: keyed classes hashed by hand, and an oracle over dicts of sets.

A release is written as person → class; whoever it lacks is absent. A table of records is turned into one by
``classes_of``, where the class of a person with several records is the set of theirs.
"""

import hmac
from collections import Counter, defaultdict
from hashlib import sha256

import numpy as np

from qidguard.core.versions import BUCKETS
from qidguard.releasing.history.earlier import EarlierRelease, KeyedHistory, values_name
from qidguard.sdk import KeyedClasses, PublishedColumn

KEY = b"a key of the tests"


def hashed(what, value):
    """Return 16 keyed bytes of a value."""
    return hmac.new(KEY, f"{what}:{value!r}".encode(), sha256).digest()[:16]


def keyed(**combinations):
    """Return the keyed classes of a release: for each combination person → class."""
    persons = sorted({hashed("person", p): p for p in next(iter(combinations.values()))}.items())
    classes, class_of = {}, {}
    for name, release in combinations.items():
        rows = sorted({hashed("class", _written(c)) for c in release.values()})
        classes[name] = _rows(rows)
        class_of[name] = np.array(
            [rows.index(hashed("class", _written(release[p]))) for _, p in persons], dtype=np.int64
        )
    return KeyedClasses(persons=_rows([row for row, _ in persons]), classes=classes, class_of=class_of)


def _written(group):
    return sorted(map(repr, group)) if isinstance(group, frozenset) else group


def _rows(hashes):
    return np.frombuffer(b"".join(hashes), dtype=np.uint8).reshape(-1, 16)


def history(*releases, qids=("a", "b"), columns=(), values=(), is_by_content=False):
    """Return the history of releases as person → class, the last one being the table itself.

    ``values`` holds for each release under which name values are kept, person by person.
    """
    *earlier, now = releases
    before = columns[: len(earlier)] if columns else [()] * len(earlier)
    return KeyedHistory(
        earlier=[
            EarlierRelease(
                release_id=f"r{i}",
                load=lambda i=i, release=release: keyed(default=release, **(values[i] if values else {})),
                qids={"default": qids},
                columns=some,
            )
            for i, (release, some) in enumerate(zip(earlier, before, strict=True))
        ],
        now=lambda _: keyed(now=now),
        columns_now=lambda: columns[-1] if columns else (),
        is_by_content=is_by_content,
    )


def persons_of(table):
    """Return for each record of a table who it is: the entity, or its content and its place among equals."""
    if table.entity:
        return table.column("w")
    seen = Counter()
    return [(record, seen.update([record]) or seen[record]) for record in table.records]


def classes_of(table, qids="ab"):
    """Return person → the set of their classes."""
    found = defaultdict(set)
    values = zip(*(table.column(qid) for qid in qids), strict=True)
    for person, group in zip(persons_of(table), values, strict=True):
        found[person].add(group)
    return {person: frozenset(groups) for person, groups in found.items()}


def history_of(table, earlier):
    """Return the history of a table, whose earlier releases are tables classed by a and b."""
    return KeyedHistory(
        earlier=[
            EarlierRelease(
                release_id=f"r{i}",
                load=lambda release=release: keyed(default=classes_of(release), **values_of(release)),
                qids={"default": ("a", "b")},
                columns=columns_of(release),
            )
            for i, release in enumerate(earlier)
        ],
        now=lambda qids: keyed(now=classes_of(table, qids)),
        columns_now=lambda: columns_of(table),
        is_by_content=table.entity is None,
    )


def values_of(table):
    """Return for each column that is no QID under which name its values are kept, person by person."""
    return {values_name(name): classes_of(table, name) for name in table.columns if name not in "abw"}


def columns_of(table):
    """Return what is kept of a table's columns."""
    return tuple(published(name, table.column(name)) for name in table.columns)


def published(name, values, value_type="text"):
    """Return what is kept of a column with these values."""
    buckets = np.zeros(BUCKETS + 1, dtype=np.int64)
    for value in values:
        place = int.from_bytes(hashed(name, value), "big") % BUCKETS
        buckets[BUCKETS if value is None else place] += 1
    return PublishedColumn(name=name, value_type=value_type, buckets=buckets)


def joint(*releases):
    """Return the joint classes by brute force: what each release knows of a person → the persons."""
    found = defaultdict(set)
    for person in set().union(*releases):
        found[tuple(release.get(person) for release in releases)].add(person)
    return found


def intersection_k(*releases):
    """Return the smallest joint class of those who are in the last release and in one before."""
    sizes = [
        len(persons)
        for (*before, now), persons in joint(*releases).items()
        if now is not None and any(group is not None for group in before)
    ]
    return min(sizes, default=len(releases[-1]))


def differencing_k(*releases):
    """Return the smallest joint class of those who are absent from a release."""
    found = joint(*releases)
    sizes = [len(persons) for groups, persons in found.items() if None in groups]
    return min(sizes, default=sum(map(len, found.values())))


def size_changes(*releases):
    """Return for each earlier release by how many persons classes of the last differ in size, without 0."""
    *earlier, now = (Counter(release.values()) for release in releases)
    return [[abs(now[c] - then[c]) for c in {*now, *then} if now[c] != then[c]] for then in earlier]


def isolated(k, *releases):
    """Return the persons in joint classes below k."""
    return set().union(*(persons for persons in joint(*releases).values() if len(persons) < k))


def smallest(release):
    """Return the k of one release by itself."""
    return min(Counter(release.values()).values())
