"""Keyed classes and columns as bytes: what is read is what was written, and any damage is found."""

import json
import struct
import zlib
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from followed import keyed, published
from qidguard.releasing.history.keyed_bytes import classes_bytes, classes_from, columns_bytes, columns_from
from qidguard.sdk import DataError, InternalError, KeyedClasses, PublishedColumn

RELEASES = st.dictionaries(st.integers(0, 400), st.integers(0, 300), min_size=1, max_size=300)
PREFIX = struct.Struct("<16sI")


def same(found, expected):
    """Check that two releases hold the same arrays of the same types."""
    assert (found.persons.tobytes(), found.persons.dtype) == (expected.persons.tobytes(), np.uint8)
    assert list(found.classes) == list(expected.classes)
    for name, rows in expected.classes.items():
        assert found.classes[name].tobytes() == rows.tobytes()
        assert found.class_of[name].tolist() == expected.class_of[name].tolist()
        assert found.class_of[name].dtype == np.int64


def of_classes(persons, rows, class_of):
    """Return keyed classes of one combination."""
    return KeyedClasses(persons=persons, classes={"default": rows}, class_of={"default": class_of})


def parts(blob):
    """Return the header of a blob as text, and its arrays."""
    _, length = PREFIX.unpack_from(blob)
    return blob[PREFIX.size : PREFIX.size + length], blob[PREFIX.size + length : -32]


def spelled(text, arrays, magic):
    """Return a blob of a header and arrays, with a digest that matches."""
    content = PREFIX.pack(magic, len(text)) + text + arrays
    return content + sha256(content).digest()


def rewritten(blob, change=lambda _: None, *, magic=None, arrays=None):
    """Return a blob with another header, or other arrays, and a digest that matches."""
    text, found = parts(blob)
    header = json.loads(text)
    header = change(header) or header
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    return spelled(text, found if arrays is None else arrays, magic or blob[:16])


@given(release=RELEASES)
@example(release={})
def test_classes_come_back_as_they_were(release):
    """Persons, classes and who is in which, for two combinations; of no persons, too."""
    classes = keyed(default=release, coarse={p: c // 10 for p, c in release.items()})
    same(classes_from(classes_bytes(classes)), classes)


@pytest.mark.parametrize("classes", [1, 256, 257, 65_536, 65_537])
def test_numbers_of_every_width_come_back(classes):
    """One, two and four bytes a person, on both sides of each limit, in the order of the engine's arrays."""
    rows = np.zeros((classes, 16), dtype=np.uint8)
    rows[:, :4] = np.arange(classes, dtype=">u4").view(np.uint8).reshape(-1, 4)
    given_classes = of_classes(np.asfortranarray(rows), rows, np.arange(classes)[::-1].copy())
    same(classes_from(classes_bytes(given_classes)), given_classes)


def test_columns_come_back_as_they_were():
    """Names of any script, their types, and counts beyond 32 bits."""
    columns = [
        published("größe", [1, 2, None], "integer"),
        published('"', [], "text"),
        PublishedColumn(name="", value_type="date", buckets=np.full(1025, 2**40, dtype=np.int64)),
    ]
    found = columns_from(columns_bytes(columns))
    assert [(c.name, c.value_type) for c in found] == [(c.name, c.value_type) for c in columns]
    assert [c.buckets.tolist() for c in found] == [c.buckets.tolist() for c in columns]
    assert {c.buckets.dtype for c in found} == {np.dtype(np.int64)}


def test_the_size_is_that_of_the_hashes():
    """1,000 persons in 10 classes: 16 bytes a person and a class, and half a byte for who is in which."""
    classes = keyed(default={i: i % 10 for i in range(1000)})
    assert len(classes_bytes(classes)) < 1010 * 16 + 1000 * 0.6 + 300


def test_the_form_is_the_one_described():
    """Magic, length, header, arrays and digest, read here with nothing but the description."""
    classes = keyed(default={"p": 1, "q": 2, "r": 2})
    blob = classes_bytes(classes)
    magic, length = PREFIX.unpack_from(blob)
    assert magic == b"qidguard-keyed\x00\x01"
    arrays = [["|u1", [3, 16], 48, False], ["|u1", [2, 16], 32, False], ["|u1", [3], 3, False]]
    header = json.loads(blob[20 : 20 + length])
    assert header == {"kind": "classes", "describes": ["default"], "arrays": arrays}
    arrays = blob[20 + length : -32]
    assert arrays[:48] == classes.persons.tobytes()
    assert list(arrays[80:]) == classes.class_of["default"].tolist()
    assert blob[-32:] == sha256(blob[:-32]).digest()


@pytest.mark.parametrize(("blob", "read"), [
    (classes_bytes(keyed(default={"p": 1, "q": 2})), classes_from),
    (columns_bytes([published("age", [1, 2, 2])]), columns_from),
], ids=["classes", "columns"])  # fmt: skip
def test_every_byte_that_changes_or_is_missing_is_found(blob, read):
    """Whichever byte of the whole is another one, missing at the end, or was put there."""
    for place in range(len(blob)):
        damaged = bytearray(blob)
        damaged[place] ^= 1
        with pytest.raises(DataError, match="its digest does not match"):
            read(bytes(damaged))
    for other in (blob + b"\0", *(blob[:length] for length in range(len(blob)))):
        with pytest.raises(DataError):
            read(other)


def _set(key, value):
    return lambda header: header | {key: value}


def _array(place, *values):
    def change(header):
        header["arrays"][place] = list(values)

    return change


@pytest.mark.parametrize(("change", "fault"), [
    (_set("describes", []), "another number of arrays"),
    (_set("describes", ["default", "default"]), "another number of arrays"),
    (_set("describes", [1]), "not named once each"),
    (_set("describes", "default"), "describes no classes"),
    (_set("kind", "Classes"), "describes no classes"),
    (_set("more", 1), "describes no classes"),
    (lambda _: [1], "describes no classes"),
    (_set("arrays", 1), "describes no classes"),
    (_array(0, "|O", [2, 16], 32, False), "describes no classes"),
    (_array(0, "|u1", [-2, -16], 32, False), "describes no classes"),
    (_array(0, "|u1", [2, 16.0], 32, False), "describes no classes"),
    (_array(0, "|u1", [True, 32], 32, False), "describes no classes"),
    (_array(0, "|u1", [2, 16], 32, 0), "describes no classes"),
    (_array(0, "|u1", [2, 16]), "describes no classes"),
    (_array(0, ["|u1"], [2, 16], 32, False), "describes no classes"),
    (_array(0, "|u1", [32], 32, False), "persons are no ascending hashes"),
    (_array(0, "<u2", [2, 8], 32, False), "persons are no ascending hashes"),
    (_array(0, "|u1", [1, 16], 32, False), "another size"),
    (_array(0, "|u1", [2**40, 2**40], 32, False), "another size"),
    (_array(0, "|u1", [2, 16], 32, True), "does not decompress"),
    (_array(1, "|u1", [32], 32, False), "classes are no ascending hashes"),
    (_array(2, "|u1", [1, 2], 2, False), "not one class each"),
    (_array(2, "|u1", [2], 3, False), "another size"),
    (_array(2, "<u2", [1], 2, False), "not one class each"),
    (_array(2, "|u1", [1], 1, False), "more or less than it describes"),
])  # fmt: skip
def test_a_header_that_lies_is_found(change, fault):
    """Even with a digest that matches, nothing is read but what the form allows."""
    blob = classes_bytes(keyed(default={"p": 1, "q": 2}))
    same(classes_from(rewritten(blob)), classes_from(blob))
    with pytest.raises(DataError, match=fault):
        classes_from(rewritten(blob, change))


def test_another_version_or_kind_is_not_guessed():
    """The version is part of the magic, and columns are no classes."""
    classes, columns = classes_bytes(keyed(default={"p": 1})), columns_bytes([published("age", [1])])
    for read, blob, fault in (
        (classes_from, rewritten(classes, magic=b"qidguard-keyed\x00\x02"), "another form or version"),
        (classes_from, columns, "describes no classes"),
        (columns_from, classes, "describes no columns"),
    ):
        with pytest.raises(DataError, match=fault):
            read(blob)


def test_a_header_in_another_spelling_is_not_read():
    """One release has one header: no second spelling, no name twice, no other encoding, no depth."""
    blob = classes_bytes(keyed(default={"p": 1}))
    text, arrays = parts(blob)
    spellings = [b" " + text, text[:-1] + b',"kind":"classes"}', b"\xff" + text, b"[" * 100_000, b""]
    for other in spellings:
        with pytest.raises(DataError, match="describes no classes"):
            classes_from(spelled(other, arrays, blob[:16]))


@pytest.mark.parametrize("row", [0, 1])
def test_classes_that_there_are_not_are_found(row):
    """A person in the third of two classes."""
    classes = keyed(default={"p": 1, "q": 2})
    blob = bytearray(classes_bytes(classes))
    blob[-34 + row] = 2
    blob[-32:] = sha256(blob[:-32]).digest()
    with pytest.raises(DataError, match="classes that there are not"):
        classes_from(bytes(blob))


def test_compressed_arrays_hold_what_they_describe():
    """Neither a bomb, nor a cut, nor something after the end."""
    column = published("age", [1])
    blob = columns_bytes([column])
    text, arrays = parts(blob)
    ((dtype, shape, stored, is_compressed),) = json.loads(text)["arrays"]
    assert (dtype, shape, is_compressed) == ("|u1", [1, 1025], True)
    assert stored < 100
    raw = zlib.decompress(arrays)
    for other, fault in (
        (zlib.compress(bytes(50_000_000)), "compressed another way"),
        (zlib.compress(raw)[:-3], "compressed another way"),
        (zlib.compress(raw) + b"\0", "compressed another way"),
        (zlib.compress(raw[:-1]), "another size"),
        (zlib.compress(raw + b"\0"), "another size"),
    ):
        change = _array(0, dtype, shape, len(other), True)
        with pytest.raises(DataError, match=fault):
            columns_from(rewritten(blob, change, arrays=other))


@pytest.mark.parametrize(("describes", "fault"), [
    ([["age", 1]], "lack a name or a type"),
    ([["age"]], "lack a name or a type"),
    (["at"], "lack a name or a type"),
    ([["age", "text"], ["age", "text"]], "not named once each"),
    ([["age", "text"], ["sex", "text"]], "not 1025 counts each"),
    ([], "not 1025 counts each"),
])  # fmt: skip
def test_columns_that_lie_are_found(describes, fault):
    """Each has a name, a type and its counts."""
    blob = columns_bytes([published("age", [1])])
    with pytest.raises(DataError, match=fault):
        columns_from(rewritten(blob, _set("describes", describes)))


def test_arrays_of_an_engine_are_checked_before_they_are_kept():
    """What could not be read back is never written: it is the engine's fault, not the user's."""
    right = keyed(default={"p": 1, "q": 2})
    rows, class_of = right.classes["default"], right.class_of["default"]
    wrong = [
        (right.persons[::-1], rows, class_of, "persons are no ascending hashes"),
        (np.repeat(right.persons[:1], 2, axis=0), rows, class_of, "persons are no ascending hashes"),
        (right.persons[:, :8], rows, class_of, "persons are no ascending hashes"),
        (right.persons.astype(np.int64), rows, class_of, "persons are no ascending hashes"),
        (right.persons, rows[::-1], class_of, "classes are no ascending hashes"),
        (right.persons, rows, class_of[:1], "not one class each"),
        (right.persons, rows, class_of.astype(np.float64), "not one class each"),
        (right.persons, rows, class_of - 1, "classes that there are not"),
        (right.persons, rows, class_of + 1, "classes that there are not"),
    ]
    for persons, some, of, fault in wrong:
        with pytest.raises(InternalError, match=fault):
            classes_bytes(of_classes(persons, some, of))
    for names in ({}, {"other": rows}):
        broken = KeyedClasses(persons=right.persons, classes=names, class_of={"default": class_of})
        with pytest.raises(InternalError, match="not both classes and persons"):
            classes_bytes(broken)


def test_columns_of_an_engine_are_checked_before_they_are_kept():
    """1,025 counts that are not negative, and every name once."""
    age = published("age", [1])
    for buckets in (age.buckets[:-1], age.buckets - 1):
        broken = PublishedColumn(name="sex", value_type="text", buckets=buckets)
        with pytest.raises(InternalError, match="1025 counts"):
            columns_bytes([age, broken])
    with pytest.raises(InternalError, match="not named once each"):
        columns_bytes([age, age])


def test_nothing_of_the_values_is_said():
    """An error names the damage, and none of the texts that were kept."""
    blob = columns_bytes([published("diagnosis of Ann", ["flu"])])
    with pytest.raises(DataError) as refused:
        columns_from(rewritten(blob, _set("describes", [["diagnosis of Ann"]])))
    assert "Ann" not in str(refused.value)
