"""Tests of objectives that cannot be measured."""

from dataclasses import replace
from types import MappingProxyType

import pandas as pd
import pytest

import qidguard
from qidguard import PluginError, UserError
from qidguard.host import Host, PluginInfo, load_host
from qidguard.sdk import Objective, Term

TABLE = pd.DataFrame({"age": [30, 30, 41], "ward": ["a", "b", "a"]})


def with_objective(metric: str) -> Host:
    """Return the host with an objective of a plugin that weighs one metric."""
    host = load_host()
    theirs = Objective(name="theirs", title="theirs", terms=(Term(metric=metric),))
    registry = {**host.registry, "objectives": {**host.objectives, "theirs": theirs}}
    info = PluginInfo(name="x", distribution="x-dist", version="1.0", offers={"objectives": ("theirs",)})
    return replace(host, plugins=(*host.plugins, info), registry=MappingProxyType(registry))


def test_an_objective_that_weighs_what_nobody_offers_is_its_plugins_fault():
    """Who asks for it by name made no mistake: exit 3, and the plugin that offers it is named."""
    words = r"plugin 'x' of x-dist 1\.0: objective 'theirs' cannot be measured.*'distinctoin'.*'distinction'"
    with pytest.raises(PluginError, match=words) as raised:
        qidguard.discover(TABLE, objective="theirs", host=with_objective("distinctoin"))
    assert raised.value.exit_code == 3


def test_a_metric_that_the_user_weighs_is_the_users_mistake():
    """Weights of one's own that name what there is not stay exit 2."""
    with pytest.raises(UserError, match="did you mean 'distinction'"):
        qidguard.discover(TABLE, objective={"distinctoin": 1})
