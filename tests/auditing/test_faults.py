"""Tests of what a broken plugin does to an audit."""

from dataclasses import replace
from types import MappingProxyType

import pytest

import qidguard
from audited import TABLE, policy, roles, threshold
from qidguard import ExitCode
from qidguard.host import Host, PluginFailure, PluginInfo, load_host
from qidguard.sdk import Metric, PluginError, TableFunction


def with_failure(host: Host) -> Host:
    """Return a host in which one more plugin is broken."""
    broken = PluginFailure(name="theirs", distribution="theirs", version="2.0", error="ImportError: gone")
    return replace(host, failures=(broken,))


def test_auto_with_a_broken_plugin_is_blocked_as_a_fault():
    """A recognizer may be missing, so nobody knows whether all QIDs were found: exit 3."""
    given = policy(**roles(quasi_identifiers="auto"))
    with qidguard.audit(TABLE, policy=given, host=with_failure(load_host())) as audit:
        assert audit.exit_code is ExitCode.INTERNAL_ERROR
        assert "theirs" in audit.verdict.blocks[0].sentence


def test_auto_with_a_broken_plugin_of_metrics_is_judged():
    """Its hooks are known and none of them is one of recognizers, so no recognizer is missing."""
    host = with_failure(load_host())
    known = replace(host, failures=(replace(host.failures[0], may_offer=frozenset({"metrics"})),))
    with qidguard.audit(TABLE, policy=policy(**roles(quasi_identifiers="auto")), host=known) as audit:
        assert audit.exit_code is not ExitCode.INTERNAL_ERROR


def test_an_unrelated_broken_plugin_does_not_block():
    """A policy that needs nothing of the broken plugin is judged as ever."""
    with qidguard.audit(TABLE, policy=policy(), host=with_failure(load_host())) as audit:
        assert audit.is_passed


def test_a_metric_that_may_be_the_broken_plugins_is_a_plugin_error():
    """A policy that needs a metric which no loaded plugin offers, while one is broken, ends with exit 3."""
    given = policy(**threshold("their_metric", at_most=1))
    with pytest.raises(PluginError, match=r"their_metric.*theirs 2\.0: ImportError") as raised:
        qidguard.audit(TABLE, policy=given, host=with_failure(load_host()))
    assert raised.value.exit_code == 3


def test_a_metric_that_crashes_blocks_as_a_fault():
    """The verdict is exit 3, names the plugin, and shows the other limits."""
    good = load_host()
    k = good.metrics["k_anonymity"]

    def crash(*_: object) -> int:
        raise RuntimeError("flu")

    broken: Metric = replace(k, method=TableFunction(measure=crash))
    registry = {**good.registry, "metrics": {**good.metrics, "k_anonymity": broken}}
    with qidguard.audit(
        TABLE, policy=policy(), host=replace(good, registry=MappingProxyType(registry))
    ) as audit:
        assert audit.exit_code is ExitCode.INTERNAL_ERROR
        first, second = audit.verdict.thresholds
        assert "RuntimeError" in first.measurement.reason
        assert "flu" not in repr(audit)
        assert second.is_met


def test_listeners_hear_the_report_and_a_broken_one_turns_a_pass_into_a_fault():
    """Evidence that could not be kept is no pass."""
    heard = []

    def broken(_: object) -> None:
        raise OSError("disk full")

    info = PluginInfo(name="ear", distribution="ear", version="1.0", offers={})
    good = replace(load_host(), listeners=((info, heard.append),))
    with qidguard.audit(TABLE, policy=policy(), host=good) as audit:
        assert audit.is_passed
        assert heard[0].policy == "p"
    with qidguard.audit(TABLE, policy=policy(), host=replace(good, listeners=((info, broken),))) as audit:
        assert audit.exit_code is ExitCode.INTERNAL_ERROR
        assert "plugin 'ear' of ear 1.0" in audit.verdict.blocks[0].sentence
