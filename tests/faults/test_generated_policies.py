"""Generated policies: a policy or a sentence, and no exception that is not ours."""

import json

import pytest
from ruamel.yaml import YAML

from generated import generated
from mutation import Mutator
from qidguard.policy import parse_policy

pytestmark = [pytest.mark.faults, pytest.mark.timeout(36_000)]

POLICY = """\
qidguard: 1
name: clinic
description: what the ward publishes
roles:
  quasi_identifiers: [age, sex, city]
  sensitive: [illness]
  direct_identifiers: [name]
  insensitive: [note]
  entity: person
thresholds:
  - {metric: k_anonymity, at_least: 2}
  - metric: distinct_l_diversity
    at_least: 2
    on_miss: warn
  - {metric: prosecutor_risk_max, at_most: 0.5}
attacker: {knows_any: 2}
sampling_fraction: 0.5
source: {format: csv, missing: ["NA", "?"], delimiter: ","}
hierarchies:
  age: {intervals: [5, 10]}
  city: {prefix: [3, 1]}
remedy: {anonymizer: mondrian, parameters: {k: 2}}
release: {data_set: clinic, earlier_releases: unrelated, drop: [note]}
memory_limit: 1GB
"""


def test_policies():
    """Changed texts and changed values."""
    assert parse_policy(POLICY).name == "clinic"
    value = json.loads(json.dumps(YAML(typ="safe", pure=True).load(POLICY)))

    def act(mutator: Mutator, number: int) -> None:
        if number % 2:
            parse_policy(mutator.text(POLICY))
        else:
            parse_policy(json.dumps(mutator.document(value), ensure_ascii=False))

    generated("policies", act)
