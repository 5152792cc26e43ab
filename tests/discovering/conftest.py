"""Fixtures of the tests of discovery: a table of eight records, and hosts with plugins of a test's own."""

from dataclasses import replace
from types import MappingProxyType

import pandas as pd
import pytest

from qidguard.host import Host, PluginInfo, load_host


@pytest.fixture
def frame() -> pd.DataFrame:
    """Return eight records: age and ward together single everybody out, half of age is told by band.

    age makes 4 classes of 2, ward 2 of 4, band 2 of 4 (a function of age), age and ward 8 of 1.
    """
    return pd.DataFrame(
        {
            "ssn": [f"{i:09d}" for i in range(8)],
            "age": [30, 30, 41, 41, 52, 52, 63, 63],
            "ward": ["a", "b", "a", "b", "a", "b", "a", "b"],
            "band": ["young", "young", "young", "young", "old", "old", "old", "old"],
            "site": ["x"] * 8,
            "illness": ["flu", "flu", "cold", "flu", "cold", "flu", "acne", "flu"],
        }
    )


@pytest.fixture
def host() -> Host:
    """Return the installed plugins."""
    return load_host()


@pytest.fixture
def with_offers(host):
    """Return a function that adds objects to the installed plugins, as a plugin ``mine`` of ``mine 1.0``."""

    def extended(**offers: object) -> Host:
        registry = dict(host.registry)
        for kind, item in offers.items():
            registry[kind] = MappingProxyType({**registry[kind], item.name: item})
        names = {kind: (item.name,) for kind, item in offers.items()}
        info = PluginInfo(name="mine", distribution="mine", version="1.0", offers=names)
        return replace(host, plugins=(*host.plugins, info), registry=MappingProxyType(registry))

    return extended


@pytest.fixture
def without_kinds(host):
    """Return a function that takes kinds of offers away from the installed plugins."""

    def reduced(*kinds: str) -> Host:
        emptied = {kind: MappingProxyType({}) for kind in kinds}
        return replace(host, registry=MappingProxyType({**host.registry, **emptied}))

    return reduced
