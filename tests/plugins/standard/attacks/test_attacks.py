"""What holds for every attack: names, progress, interruption, secrecy, and a run on the engine."""

import numpy as np
import pandas as pd
import pytest

from in_turns import distances, in_turns
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.core.parameter import bind
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.sdk import AnonymizationTask, Attacked, Changes, NotMeasurable
from qidguard_standard.attacks import ATTACKS
from qidguard_standard.plugin import qidguard_attacks

EVERY = pytest.mark.parametrize("attack", ATTACKS, ids=lambda one: one.name)
NAMES = [attack.name for attack in ATTACKS]


class Heard:
    """Hears of progress, and may stop the work."""

    def __init__(self, most=None):
        self.steps = []
        self.most = most

    def step(self, title, done, total):
        """Hear of a step."""
        self.steps.append((title, done, total))
        if self.most is not None and len(self.steps) > self.most:
            raise KeyboardInterrupt


def table(records=200, seed=0):
    """Return a random table with values that could be recognized."""
    rng = np.random.default_rng(seed)
    return {
        "a": rng.integers(0, 20, records).tolist(),
        "b": [f"secret-{v}" for v in rng.integers(0, 4, records).tolist()],
        "s": [f"secret-{v}" for v in rng.integers(0, 3, records).tolist()],
    }


def test_the_plugin_offers_them_by_name():
    """Names are identifiers in order, and each parameter says what it means."""
    assert sorted(set(NAMES)) == NAMES
    assert tuple(qidguard_attacks()) == ATTACKS
    assert all(name.isidentifier() for name in NAMES)
    assert all(p.meaning and p.default is not None for attack in ATTACKS for p in attack.parameters)


@EVERY
def test_progress_goes_from_nothing_to_everything(attacked, attack):
    """The first step is 0, the last one all, of people in the table and withheld together."""
    heard = Heard()
    attack.attack(attacked(table(), withheld=table(seed=1), progress=heard), bind(attack.parameters, {}))
    titles, done, total = zip(*heard.steps, strict=True)
    assert set(titles) == {f"attack {attack.name}"}
    assert (done[0], done[-1]) == (0, total[-1])
    assert list(done) == sorted(done)
    assert len(heard.steps) > 3


@EVERY
def test_it_can_be_stopped(attacked, attack):
    """An interrupt on the way comes through."""
    with pytest.raises(KeyboardInterrupt):
        attack.attack(attacked(table(), progress=Heard(most=2)), bind(attack.parameters, {}))


@EVERY
def test_the_same_seed_gives_the_same_result(attacked, attack):
    """Two runs agree in everything; nothing of the table stands in the sentence."""
    arguments = bind(attack.parameters, {"targets": 30, "known": 1})
    first, second = (attack.attack(attacked(table(), withheld=table(seed=1)), arguments) for _ in range(2))
    assert first == second
    assert "secret" not in first.sentence
    assert first.sentence.endswith(".")
    assert first.attack == attack.name
    assert first.control is not None


@EVERY
def test_a_table_without_records_is_no_target(attacked, attack):
    """It is said that there is nobody."""
    with pytest.raises(NotMeasurable, match="no records"):
        attack.attack(attacked({"a": [], "b": [], "s": []}), bind(attack.parameters, {}))


@EVERY
def test_where_all_is_suppressed_nobody_is_found(attacked, attack):
    """A published table without records leaves people of whom nothing is known."""
    empty = {"a": [], "b": [], "s": []}
    scene = attacked(table(20), empty, kept=[False] * 20, withheld=empty)
    try:
        result = attack.attack(scene, bind(attack.parameters, {}))
    except NotMeasurable:
        pytest.fail("there is an answer: nobody")
    assert (result.published.successes, result.control) == (0, None)


@pytest.mark.slow
@EVERY
def test_an_engine_reads_the_tables(attack):
    """A CSV-like frame and its recoded copy, read by the engine, are attacked like any other."""
    one = pd.DataFrame({"a": [1, 2, 3, 4], "b": ["u", "u", "v", None], "s": ["p", "q", "p", "p"]})
    two = one.assign(a=["[1, 2]", "[1, 2]", "[3, 4]", "[3, 4]"])[:3]
    with (
        ENGINE.snapshot(one, ReadOptions(), EngineSettings(threads=1)) as before,
        ENGINE.snapshot(two, ReadOptions(), EngineSettings(threads=1)) as after,
    ):
        changes = Changes(
            before=SnapshotRecords(before, "*"),
            after=SnapshotRecords(after, "*"),
            kept=np.array([True, True, True, False]),
        )
        task = AnonymizationTask(combinations=(("a", "b"),), entity=None, sensitive=("s",), seed=1)
        scene = Attacked(changes=changes, withheld=SnapshotRecords(before, "*"), task=task)
        result = attack.attack(scene, bind(attack.parameters, {}))
    expected = {
        "attribute_inference": 3.0,  # of u half and half, of v right, of nobody the usual p
        "background_knowledge": 3.0,
        "homogeneity": 1.0,
        "linkage": 2.0,
        "singling_out": 1.0,
    }
    assert result.published.successes == pytest.approx(expected[attack.name])


@EVERY
@pytest.mark.bench
@pytest.mark.realdata
def test_thirty_thousand_people_are_attacked_in_seconds(attack, data, attacked):
    """30,162 × 8 with a fifth withheld, 8 and 3 QIDs: within 50 times a fixed work of about .1 s."""
    frame = pd.read_csv(data / "adult" / "adult_arx.csv", sep=";")
    frame.columns = list("abcdefghs")
    order = np.random.default_rng(1).permutation(len(frame))
    before, withheld = (frame.iloc[part] for part in (order[:24_000], order[24_000:]))
    low = before["b"] // 10 * 10
    after = before.assign(b="[" + low.astype(str) + ", " + (low + 9).astype(str) + "]")
    scene = attacked(
        *({name: one[name].tolist() for name in one} for one in (before, after)),
        withheld={name: withheld[name].tolist() for name in withheld},
        qids="abcdefgh",
    )
    for known in (0, 3):
        attacked_in, fixed = in_turns(
            lambda k=known: attack.attack(scene, bind(attack.parameters, {"known": k})), distances
        )
        print(f"{attack.name}, {known} known: {attacked_in:.2f} s")  # noqa: T201 - a benchmark prints its seconds
        assert attacked_in <= 50 * fixed
