"""A table of eight people, a policy, and methods that do what their name says."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

from plugged import Doing
from qidguard.host import load_host
from qidguard.sdk import Anonymized, NotMeasurable, Parameter, Recoded

K = Parameter(name="k", type=int, default=2, minimum=1, meaning="smallest class, persons")
MARK = "Zqx"


class Method(Doing):
    """An anonymizer whose work is a function of the records."""

    def __init__(self, name, work, parameters=(K,)):
        super().__init__(lambda records, *_: work(records), name)
        self.parameters = parameters


def hidden(records, *columns):
    """Publish the suppression mark in every cell of some columns."""
    codes = np.zeros(records.records, dtype=np.int32)
    return Anonymized(
        kept=np.ones(records.records, dtype=np.bool_),
        columns={name: Recoded(codes=codes, values=("*",)) for name in columns},
    )


def unreachable(_):
    """Say that it cannot be done."""
    raise NotMeasurable("k = 2 is more than the table has; take another")


def broken(_):
    """Fail as no plugin should, with a value of the table in its words."""
    raise RuntimeError(MARK)


def stopped(_):
    """Be interrupted."""
    raise KeyboardInterrupt


METHODS = (
    Method("hide_town", lambda r: hidden(r, "town")),
    Method("hide_all", lambda r: hidden(r, "town", "age")),
    Method("do_nothing", hidden),
    Method("cannot", unreachable),
    Method("fails", broken),
    Method("interrupted", stopped),
    Method("without_k", lambda r: hidden(r, "town"), parameters=()),
)


@pytest.fixture
def table():
    """Return eight people: two ages, four towns that tell them apart in pairs."""
    return pd.DataFrame(
        {
            "age": [30, 30, 30, 30, 40, 40, 40, 40],
            "town": ["a", "a", "a", f"{MARK}b", "c", "c", "d", "d"],
            "illness": ["flu", "cold", "flu", "cold", "flu", "cold", "flu", "cold"],
        }
    )


@pytest.fixture
def policy():
    """Return a policy that town alone breaks."""
    return {
        "qidguard": 1,
        "name": "p",
        "roles": {"quasi_identifiers": ["age", "town"], "sensitive": ["illness"]},
        "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
    }


@pytest.fixture
def options():
    """Return the options for a host with these methods beside the installed metrics, and a fixed seed."""
    host = load_host()
    registry = dict(host.registry)
    registry["anonymizers"] = MappingProxyType({one.name: one for one in METHODS})
    return {"host": replace(host, registry=MappingProxyType(registry)), "seed": 7}
