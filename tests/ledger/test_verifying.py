"""A ledger is verified before anything is decided on it: old rows by a digest, new ones by the chain."""

import json

import pytest

from qidguard.ledger import LedgerError, open_ledger, verifying


@pytest.fixture
def anchors(tmp_path):
    """Return where this machine's anchors are kept."""
    return tmp_path / "anchors.json"


@pytest.fixture
def walked(monkeypatch):
    """Return the sequences of the rows that were held against the chain."""
    found, own = [], verifying.entry_of

    def noted(row, ledger):
        found.append(row.sequence)
        return own(row, ledger)

    monkeypatch.setattr(verifying, "entry_of", noted)
    return found


def filled(url, new, anchors, number=5):
    """Record entries of two kinds about two data sets."""
    with open_ledger(url, anchors=anchors) as ledger:
        for i in range(number):
            kind, data_set = ("audited", "released")[i % 2], ("visits", "claims")[i % 2]
            ledger.append(new(f"e{i}", kind=kind, data_set=data_set))


def test_only_what_is_new_is_walked(url, new, anchors, walked):
    """This machine saw five rows; of seven, the last one that it saw and two more are walked."""
    filled(url, new, anchors)
    with open_ledger(url) as another:
        another.append(new("f"))
        another.append(new("g"))
    walked.clear()
    with open_ledger(url, anchors=anchors) as ledger:
        assert len(list(ledger.entries())) == 7
        assert walked == [5, 6, 7]
        walked.clear()
        ledger.append(new("h"))
        assert walked == [7]
    walked.clear()
    with open_ledger(url, anchors=anchors) as ledger:
        ledger.verified()
    assert walked == [8]


def test_without_anchors_all_is_walked_once_by_each_ledger(url, new, walked):
    """A process that remembers nothing begins at the beginning."""
    filled(url, new, None)
    walked.clear()
    with open_ledger(url) as ledger:
        ledger.verified()
        assert walked == [1, 2, 3, 4, 5]
        ledger.verified()
    assert walked == [1, 2, 3, 4, 5, 5]


@pytest.mark.parametrize("places", [None, "0" * 64])
def test_anchors_without_a_digest_or_with_another_are_made_good(url, new, anchors, walked, places):
    """As an older qidguard left them: the chain proves the rows, and the digest is remembered."""
    filled(url, new, anchors)
    [(key, record)] = json.loads(anchors.read_text()).items()
    older = {name: record[name] for name in ("sequence", "hash", "at")} | (
        {"places": places} if places else {}
    )
    anchors.write_text(json.dumps({key: older}))
    walked.clear()
    with open_ledger(url, anchors=anchors) as ledger:
        ledger.verified()
    assert walked == [1, 2, 3, 4, 5]
    if places is None:
        assert json.loads(anchors.read_text())[key]["places"] == record["places"]


@pytest.mark.samples(2)
@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE entry SET kind = 'released' WHERE sequence = 3", "entry 3 was changed"),
        ("UPDATE entry SET data_set = 'x' WHERE sequence = 1", "entry 1 was changed"),
        ("UPDATE entry SET id = 'x' WHERE sequence = 2", "entry 2 was changed"),
        ("UPDATE entry SET hash = 'x' WHERE sequence = 2", "entry 2 was changed"),
        ("DELETE FROM entry WHERE sequence = 3", "entry 3 is missing"),
        ("DELETE FROM entry WHERE sequence < 3", "entries 1 to 2 are missing"),
        ("UPDATE entry SET sequence = 30 WHERE sequence = 3", "entry 3 is missing"),
        ("UPDATE entry SET sequence = -3 WHERE sequence = 3", "entry -3 stands before the first"),
        ("DELETE FROM entry WHERE sequence = 5", "the head of the ledger"),
    ],
)
@pytest.mark.parametrize("is_seen", [True, False])
def test_whatever_is_read_and_added_a_change_below_the_head_is_found(
    url, new, raw, anchors, statement, words, is_seen
):
    """Also where nobody asks for the row that was changed."""
    filled(url, new, anchors)
    raw.drop_triggers()
    raw.execute(statement)
    with open_ledger(url, anchors=anchors if is_seen else None) as ledger:
        for act in (
            lambda: list(ledger.entries(data_set="visits", kinds={"audited"}, limit=1)),
            lambda: ledger.entry("e0"),
            lambda: ledger.append(new("f"), guard=lambda _: None),
        ):
            with pytest.raises(LedgerError, match=words):
                act()


def test_a_payload_that_nobody_reads_is_found_where_it_is_read(url, new, raw, anchors):
    """The digest covers what rows are chosen by, and their hashes, against which is held what they say."""
    filled(url, new, anchors)
    raw.drop_triggers()
    raw.execute("UPDATE entry SET payload = ? WHERE sequence = 2", '{"k":6}')
    with open_ledger(url, anchors=anchors) as ledger:
        assert len(list(ledger.entries(data_set="visits"))) == 3
        with pytest.raises(LedgerError, match=r"entry 2 of the ledger at .* is not what was written"):
            list(ledger.entries(data_set="claims"))
