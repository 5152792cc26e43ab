"""Advice on tables, and what comes of it when a release does what it says."""

from typing import Any

from ruamel.yaml import YAML

from qidguard.advising.advice import Advice, Change
from qidguard.advising.run import advise
from qidguard.auditing.remedy import find_remedy
from qidguard.core.progress import SILENT
from qidguard.host import load_host
from qidguard.policy import load_policy
from qidguard.trials.context import TrialContext
from qidguard.trials.stages import Tried, audit_copy, try_remedy


def policy(qids: Any, *thresholds: Any, **more: Any) -> dict[str, Any]:
    """Return a policy over some QIDs, 2-anonymity where no threshold is named."""
    asked = thresholds or ({"metric": "k_anonymity", "at_least": 2},)
    roles = {"quasi_identifiers": list(qids), **more.pop("roles", {})}
    return {"qidguard": 1, "name": "p", "roles": roles, "thresholds": list(asked), **more}


def advised(table: Any, rules: dict[str, Any], *, seed: int = 1, **more: Any) -> Advice:
    """Return the advice on a table under a policy."""
    context = TrialContext.of(table, load_policy(rules), load_host(), progress=SILENT, seed=seed)
    with context.snapshot() as snapshot:
        return advise(context, audit_copy(context, snapshot), **more)


def with_lines(rules: dict[str, Any], change: Change) -> dict[str, Any]:
    """Return a policy with the lines of a change."""
    lines = YAML(typ="safe").load("\n".join(change.lines))
    made = {**rules, "remedy": lines["remedy"]}
    if "hierarchies" in lines:
        made["hierarchies"] = {**rules.get("hierarchies", {}), **lines["hierarchies"]}
    return made


def tried(table: Any, rules: dict[str, Any], change: Change) -> Tried:
    """Return what comes of a table under a policy with the lines of a change: recoded, and audited again."""
    made = load_policy(with_lines(rules, change))
    host = load_host()
    context = TrialContext.of(table, made, host, progress=SILENT, seed=1)
    with context.snapshot() as snapshot:
        remedy = find_remedy(made, host)
        assert remedy is not None
        done = try_remedy(context, remedy, audit_copy(context, snapshot))
        if done.transformed is not None:
            done.transformed.close()
        return done
