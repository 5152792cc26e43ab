"""Every fault of a policy is one sentence with its line, the field, the rule and what to write."""

import re
from typing import get_args

import jsonschema
import pytest
from pydantic import ValidationError
from pydantic_core.core_schema import ErrorType
from ruamel.yaml import YAML

from policy_texts import TEXT, complaint, head
from qidguard.policy import policy_schema
from qidguard.policy.exceptions import EXAMPLE
from qidguard.policy.load import complaints_of
from qidguard.policy.model import Policy
from qidguard.policy.section import Section

OTHER = "ed25519:HTaha0K+CEjxUYVKa3GBXbOG5ZT892hDeWA7a1hDE/s="
REPLACED = {
    "at_least: 5": {
        "at_least: five": "line 10: thresholds[0].at_least must be a number, not 'five'; write for example",
        "at_least: '5'": "line 10: thresholds[0].at_least must be a number, not '5'; write for example",
        "at_least: true": "line 10: thresholds[0].at_least must be a number, not true; write for example",
        "at_most: .nan": "line 10: thresholds[0].at_most must be a finite number of at most 1e+15, not nan",
        "at_most: .inf": "line 10: thresholds[0].at_most must be a finite number of at most 1e+15, not inf",
        f"at_least: {'9' * 400}": "line 10: thresholds[0].at_least must be a finite number of at most 1e+15",
        "at_least:": "line 9: thresholds[0] has neither at_least nor at_most; write exactly one of them, for",
        "at_least: 5\n    at_most: 6": "line 9: thresholds[0] has both at_least and at_most",
        "at_least: 5\n    parameters: {k: [1]}":
            "line 11: thresholds[0].parameters.k must be a number, text, true or false, not a list; write",
    },
    "  - metric: k_anonymity\n": {
        "  - at_lest: 1\n": "line 9: thresholds[0] lacks 'metric', which is required; write for example",
    },
    "name: demo": {
        "title: demo": "line 2: there is no field title",
        "name:": "line 2: the policy lacks 'name', which is required",
        "name: ' '": "line 2: name must not be empty",
        "name: 12": "line 2: name must be text, not 12; put it in quotes: '12'",
        "name: [a]": "line 2: name must be text, not a list",
        "name: &a demo": "line 2: name uses an anchor or alias (& or *); write the value out",
        "name: !!binary demo": "line 2: name uses the tag or key tag:yaml.org,2002:binary",
        "name: a: b": "line 2: this is not YAML (mapping values are not allowed here)",
    },
    "qidguard: 1": {
        "qidguard: 2": "line 1: qidguard says format 2, and this qidguard reads format 1",
        "qidguard: true": "line 1: qidguard must be the number of the policy format, not true",
        "qidguard: 0": "line 1: qidguard must be 1, not 0; write for example qidguard: 1",
    },
    "- sex": {
        "- 2020": "line 6: roles.quasi_identifiers[1] must be text, not 2020; put it in quotes: '2020'",
        "- true": "line 6: roles.quasi_identifiers[1] must be text, not true; put it in quotes: 'true'",
        "- age": "line 6: roles.quasi_identifiers[1] names the column 'age' twice; keep one of them",
    },
    "quasi_identifiers:\n    - age\n    - sex\n": {
        "target: x\n": "line 3: roles lacks 'quasi_identifiers', which is required",
    },
    "\n    - age\n    - sex": {
        " []": "line 4: roles.quasi_identifiers must name at least one column; write for example",
        " age": "line 4: roles.quasi_identifiers must be a list of columns, or auto, not 'age'; write for",
    },
    "  sensitive: [disease]": {
        "  sensitve: [disease]": "line 7: there is no field roles.sensitve; did you mean 'sensitive'?",
        "  sensitive: disease": "line 7: roles.sensitive must be a list, not 'disease'; write for example",
    },
}  # fmt: skip
"""A part of the text → what stands in its place → what is said."""
ADDED = {
    "name: again": "line 3: name stands here for the second time",
    "1: x": "line 3: a key of the policy must be text; put it in quotes",
    "threads: 2.5": "line 3: threads must be a whole number, not 2.5",
    "threads: no": "line 3: threads must be a whole number, not 'no'",
    "memory_limit: 4": "line 3: memory_limit must be a size such as 4GB or 500MB, not 4",
    "memory_limit: 0GB": "line 3: memory_limit must be a size such as",
    "memory_limit: lots": "line 3: memory_limit must be a size such as",
    "sampling_fraction: 1.5": "line 3: sampling_fraction must be above 0 and at most 1, not 1.5",
    "sampling_fraction: 0": "line 3: sampling_fraction must be above 0",
    "review_by: 2026-13-45": "line 3: review_by must be a day of the calendar",
    "review_by: soon": "line 3: review_by must be a date, not 'soon'",
    "attacker: some": "line 3: attacker must be all, or knows_any with a number",
    "attacker: {knows_any: 0}": "line 3: attacker.knows_any must be at least 1, not 0; write for example",
    "unnamed_columns: blok": "line 3: unnamed_columns must be block, insensitive or quasi_identifier, not",
    "source: {format: xlsx}": "line 3: source.format must be csv, parquet or duckdb",
    "source: {header: no}": "line 3: source.header must be true or false, not 'no'",
    "source: {encoding: utf-99}": "line 3: source.encoding must be the name of a",
    "source: {encoding: rot13}": "line 3: source.encoding must be the name of a",
    "source: {delimiter: ;;}": "line 3: source.delimiter must be one character",
    "source: {quote: ''}": "line 3: source.quote must be one character",
    "source: {missing: [-9]}": "line 3: source.missing[0] must be text, not -9",
    "source:\n  missing:\n    - ?": "line 5: source.missing[0] holds a bare ?; put it in quotes: '?'",
    "source: {table: a, query: b}": "line 3: source has both a table and a query",
    "source: {header: true, columns: [a]}": "line 3: source names columns although the first line does",
    "source: {missing: ['*'], suppression_mark: '*'}": "line 3: source reads '*' both as missing and as",
    "population: people.csv": "line 3: population must be a mapping",
    "thresholds2: []": "line 3: there is no field thresholds2; did you mean",
}  # fmt: skip
"""What stands below the name → what is said."""
SECTIONS = {
    "{quasi_identifiers: [age, sex]}": {
        "release: x": "line 5: release must be a mapping, not 'x'",
        "release:\n  dorp: [a]": "line 6: there is no field release.dorp; did you mean 'drop'?",
        "release:\n  data_set: ../x": "line 6: release.data_set must be a name of at most 100 letters",
        "release: {data_set: .x}": "line 5: release.data_set must be a name of at most 100",
        "release: {data_set: -x}": "line 5: release.data_set must be a name of at most 100",
        "release: {data_set: ''}": "line 5: release.data_set must be a name of at most 100",
        "release: {data_set: 7}": "line 5: release.data_set must be a name of at most 100",
        'release: {data_set: "a\\n"}': "line 5: release.data_set must be a name of at most 100",
        "release: {data_set: ä}": "line 5: release.data_set must be a name of at most 100",
        f"release: {{data_set: {'x' * 101}}}": "line 5: release.data_set must be a name of at most 100",
        "release: {format: xlsx}": "line 5: release.format must be parquet or csv, not 'xlsx'",
        "release:\n  drop: ward": "line 6: release.drop must be a list, not 'ward'",
        "release:\n  drop:\n  - a\n  - a": "line 8: release.drop[1] names the column 'a' twice",
        "release:\n  drop:\n  - 7": "line 7: release.drop[0] must be text, not 7; put it in quotes: '7'",
        "release: {keep_order: 1}": "line 5: release.keep_order must be true or false, not 1",
        "release: {signature: require}": "line 5: release.signature must be required or optional, not",
        "release: {signature: true}": "line 5: release.signature must be required or optional, not true",
        "release: {earlier_releases: ignored}": "line 5: release.earlier_releases must be judged or",
        "release: {destination: ' '}": "line 5: release.destination must not be empty",
        "release: {signers: abc}": "line 5: release.signers must be a list, not 'abc'",
        "release:\n  signers:\n  - abc": "line 7: release.signers[0] must be a public key: ed25519: and the",
        f"release:\n  signers:\n  - {EXAMPLE}\n  - {EXAMPLE}":
            "line 8: release.signers[1] names the same key twice; keep one of them",
        "release:\n  signers:\n  - 7": "line 7: release.signers[0] must be the text of a public key, not 7",
        "remedy: {parameters: {k: 5}}": "line 5: remedy lacks anonymizer and recode, and one is required",
        "remedy: {anonymizer: a, recode: {age: drop}}": "line 5: remedy has both anonymizer and recode",
        "remedy: {anonymizer: a, suppress: 0.1}": "line 5: remedy has suppress without recode;",
        "remedy: {recode: {age: drop}, parameters: {k: 5}}": "line 5: remedy has parameters beside recode",
        "remedy: {recode: {age: drop}, choose: knee}": "line 5: remedy has choose beside recode; leave",
        "remedy: {recode: {age: drop}, output: new_table}": "line 5: remedy has output beside recode,",
        "remedy: {recode: {age: 0}}": "line 5: remedy has a recode that changes nothing; give a column",
        "remedy: {recode: {}}": "line 5: remedy has a recode that changes nothing; give a column",
        "remedy:\n  recode:\n    age: top": "line 7: remedy.recode.age must be a level, a whole number from",
        "remedy:\n  recode:\n    age: -1": "line 7: remedy.recode.age must be a level, a whole number",
        "remedy:\n  recode:\n    age: 1.5": "line 7: remedy.recode.age must be a level, a whole number",
        "remedy:\n  recode:\n    age: true": "line 7: remedy.recode.age must be a level, a whole number",
        "remedy:\n  recode: age": "line 6: remedy.recode must be a mapping of columns to levels, not 'age'",
        "remedy: {recode: {age: drop}, suppress: 1}":
            "line 5: remedy.suppress must be at least 0 and below 1, not 1; write for example suppress: 0.02",
        "remedy: {recode: {age: drop}, suppress: -0.1}": "line 5: remedy.suppress must be at least 0",
        "remedy: {recode: {age: drop}, suppress: all}": "line 5: remedy.suppress must be a number, not",
        "remedy:\n  recode:\n    age: 1":
            "line 7: recode puts column 'age' on level 1, and the policy declares no hierarchy of it; add",
        "remedy:\n  recode:\n    agee: drop": "line 7: recode is for QIDs, and column 'agee' has no role",
        "remedy:\n  anonymizer: ''": "line 6: remedy.anonymizer must not be empty",
        "remedy:\n  anonymizer: a\n  parameters:\n    k: [[5]]":
            "line 8: remedy.parameters.k must hold numbers, text, true or false, not a list",
        "exceptions: {longest_days: 0}": "line 5: exceptions.longest_days must be at least 1, not 0",
        "exceptions: {longest_days: 367}": "line 5: exceptions.longest_days must be at most 366, not 367",
        "exceptions: {longest_days: 1.5}": "line 5: exceptions.longest_days must be a whole number",
        "exceptions: {approvers: A. Roe}": "line 5: exceptions.approvers must be a list, not 'A. Roe'",
        "exceptions:\n  approvers:\n  - {name: A}":
            "line 7: exceptions.approvers[0] lacks 'key', which is required; write for example key: ed25519:",
        "exceptions:\n  approvers:\n  - name: A\n    key: rsa":
            "line 8: exceptions.approvers[0].key must be a public key: ed25519: and the base64 of 32 bytes",
        f'exceptions:\n  approvers:\n  - name: ""\n    key: "{EXAMPLE}"':
            "line 7: exceptions.approvers[0].name must not be empty",
        f"exceptions:\n  approvers:\n  - {{name: A, key: '{EXAMPLE}'}}\n  - name: B\n    key: '{EXAMPLE}'":
            "line 9: two approvers have this key; each signs with a key of their own",
        f"exceptions:\n  approvers:\n  - {{name: A, key: '{EXAMPLE}'}}\n  - name: A\n    key: '{OTHER}'":
            "line 8: two approvers have this name",
        "privacy_budget: {delta: 0.1}": "line 5: privacy_budget lacks 'epsilon', which is required",
        "privacy_budget: 1": "line 5: privacy_budget must be a mapping, not 1",
        "privacy_budget:\n  epsilon: 0": "line 6: privacy_budget.epsilon must be above 0 and at most 1e+15",
        "privacy_budget: {epsilon: -1}": "line 5: privacy_budget.epsilon must be above 0",
        "privacy_budget: {epsilon: 2e15}": "line 5: privacy_budget.epsilon must be above 0 and at most",
        "privacy_budget: {epsilon: true}": "line 5: privacy_budget.epsilon must be a number, or a text such",
        "privacy_budget: {epsilon: one}": "line 5: privacy_budget.epsilon must be a number, or a text",
        "privacy_budget: {epsilon: .inf}": "line 5: privacy_budget.epsilon must be a finite number",
        "privacy_budget: {epsilon: .nan}": "line 5: privacy_budget.epsilon must be a finite number",
        "privacy_budget: {epsilon: 1/0}": "line 5: privacy_budget.epsilon must not divide by zero, as '1/0'",
        "privacy_budget: {epsilon: 1, delta: 1}":
            "line 5: privacy_budget.delta must be at least 0 and below 1, not 1; write for example delta:",
        "privacy_budget: {epsilon: 1, delta: -0.1}": "line 5: privacy_budget.delta must be at least 0",
        "privacy_budget: {epsilon: 1, delta: 3/2}": "line 5: privacy_budget.delta must be at least 0",
        "privacy_budget: {epsilon: 1, population: 7}": "line 5: privacy_budget.population must be text",
        "evidence:\n  data_as_of: soon": "line 6: evidence.data_as_of must be a date, not 'soon'; write for",
        "evidence:\n  series: one": "line 6: evidence.series must be single, series or re-release, not 'one'",
        "evidence:\n  model: open": "line 6: evidence.model must be public, controlled or internal",
        "evidence:\n  columns: [age]": "line 6: evidence.columns must be a mapping, not a list",
        "evidence:\n  columns:\n    age: ''":
            "line 7: evidence.columns.age must not be empty; write for example columns: {age: readmission",
        "evidence:\n  columns:\n    age: 7": "line 7: evidence.columns.age must be text, not 7",
        "evidence:\n  tilte: x": "line 6: there is no field evidence.tilte; did you mean 'title'?",
    },
    "{quasi_identifiers: auto}": {
        "discovery: yes": "line 5: discovery must be a mapping, not 'yes'",
        "discovery:\n  stategy: greedy": "line 6: there is no field discovery.stategy; did you mean",
        "discovery:\n  strategy: ''": "line 6: discovery.strategy must not be empty",
        "discovery:\n  objective: [a]": "line 6: discovery.objective must be the name of an objective, or",
        "discovery:\n  objective: ''": "line 6: discovery.objective must",
        "discovery:\n  objective: {}": "line 6: discovery.objective must weigh at least one metric",
        "discovery:\n  objective:\n    distinction: much": "line 7: discovery.objective.distinction must be",
        "discovery:\n  objective: {a: .inf}": "line 6: discovery.objective.a must be a finite number",
        "discovery:\n  objective: {a: 0}": "line 6: discovery.objective weighs every metric with 0, so no",
        "discovery:\n  seed: -1": "line 6: discovery.seed must be at least 0, not -1",
        "discovery:\n  seed: 1.5": "line 6: discovery.seed must be a whole number, not 1.5",
        "discovery:\n  budget_seconds: 0": "line 6: discovery.budget_seconds must be above 0, not 0",
        "discovery:\n  budget_seconds: true": "line 6: discovery.budget_seconds must be a number, not true",
        "discovery:\n  largest: 0": "line 6: discovery.largest must be at least 1, not 0",
        "discovery:\n  parameters: {population: 5}": "line 5: discovery has parameters but no strategy they",
        "discovery:\n  strategy: greedy\n  parameters: {a: [1]}":
            "line 7: discovery.parameters.a must be a number, text, true or false, not a list",
    },
    "{quasi_identifiers: [age], sensitive: [illness], entity: person}": {
        "series: {}": "line 5: series says nothing; write left_on or state",
        "series: {left_on: a, state: b}": "line 5: series has both left_on and state",
        "series: {left_on: a, erased: b}": "line 5: series has erased without state; remove these persons",
        'series: {state: "s3://a/b"}': "line 5: series.state must be a folder of this machine",
        "series: {left_on: a, came_on: a}": "line 5: series.came_on names the column 'a' twice",
        "series: {left_on: age}": "line 5: column 'age' is left_on of the series and so never published",
        "series: {exit_on: illness}": "line 5: column 'illness' is exit_on of the series and so never",
        "series: {came_on: person}": "line 5: column 'person' is came_on of the series and so never",
        "series: {left: a}": "line 5: there is no field series.left; did you mean 'left_on'?",
        "series: {came_on: a}\nrelease: {earlier_releases: unrelated}":
            "line 6: the policy has a series, and says that earlier releases are of other people; write",
        "series: {came_on: a}\naccepted: [{columns: [a], reason: it is public}]":
            "line 6: column 'a' is accepted, but it is a column of the series and so never published",
    },
    "{quasi_identifiers: [age]}": {
        "remedy:\n  anonymizer: mondrian\n  attacks: linkage": "line 7: remedy.attacks must be a list, not",
        "remedy:\n  anonymizer: mondrian\n  attacks: [5]": "line 7: remedy.attacks[0] must be text, not 5",
        "remedy:\n  anonymizer: mondrian\n  atacks: [linkage]": "line 7: there is no field remedy.atacks",
        "remedy:\n  anonymizer: noisy\n  parameters: {bounds: {1: [0, 1]}}":
            "line 7: a key of remedy.parameters.bounds must be text",
        "remedy:\n  anonymizer: noisy\n  parameters: {bounds: {age: [[0], 1]}}":
            "line 7: remedy.parameters.bounds must hold numbers, text, true or false",
        "remedy:\n  anonymizer: noisy\n  parameters: {epsilon: .inf}": "line 7: remedy.parameters must be a",
        "remedy:\n  anonymizer: noisy\n  parameters: {epsilon: null}":
            "line 7: remedy.parameters.epsilon must hold numbers, text, true or false, not empty",
        "remedy: {anonymizer: mondrian, when: never}": "line 5: remedy.when must be always or missed, not",
    },
}  # fmt: skip
"""Roles of a policy of four lines → a section below them → what is said."""
HIERARCHIES = {
    "age:": "hierarchies.age is empty; write auto, or how the hierarchy is made",
    "age: automatic": "hierarchies.age must be auto, not 'automatic'; did you mean 'auto'?",
    "age: [5]": "hierarchies.age must be a mapping, not a list",
    "age: {}": "hierarchies.age says no way to make a hierarchy",
    "age: {intervals: [5], prefix: [1]}": "hierarchies.age has both intervals and prefix",
    "age: {interval: [5]}": "hierarchies.age has a field 'interval' that nobody knows; did you mean",
    "age: {ready: idc9}": "hierarchies.age.ready must be age_bands_eurostat, age_bands_hipaa, age_bands_un,",
    "age: {origin: 5, intervals: [5]}": "hierarchies.age has a field 'origin' that nobody knows",
    "age: {file: a.csv, from: 2}": "hierarchies.age has from without intervals",
    "age: {auto: auto, delimiter: ;}": "hierarchies.age has delimiter without file",
    "age: {intervals: [5, 12]}": "hierarchies.age.intervals does not nest: intervals of width 12 would",
    "age: {intervals: [5], bottom: 9, top: 3}": "hierarchies.age does not nest: bottom is below top, and 9",
    "age: {cuts: [[0, 10], [5]]}": "hierarchies.age.cuts does not nest: level 2 cuts at 5, where level 1",
    "age: {dates: [year, month]}": "hierarchies.age.dates does not nest: the units of dates go from finer to",
    "age: {prefix: [2, 3]}": "hierarchies.age.prefix does not nest: the lengths of prefixes fall, and 3",
    "illness: auto": "hierarchies are for QIDs, and column 'illness' is sensitive; remove it, or add the",
    "agee: auto": "hierarchies are for QIDs, and column 'agee' has no role; did you mean 'age'?",
}  # fmt: skip
"""A line of the section hierarchies → what is said."""
SCHEMA = jsonschema.Draft202012Validator(
    policy_schema(), format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
)
NO_MAPPING = re.compile(r"is not YAML|for the second time|a day of the calendar")
"""What is said of a text of which YAML makes no mapping."""
BEYOND_SCHEMA = re.compile(
    # one scalar: blanks, the last line end, infinity, arithmetic on a text, what Python calls an encoding
    r"' '|a\\n|(?<!budget: {epsilon: )\.inf|\.nan|9{400}|3/2|0GB"
    r"|source\.encoding|an anchor or alias|a key of remedy"
    # two fields that do not fit each other
    r"|has both (?!at_least|anonymizer|left_on)|although the first line|both as missing|has \w+ beside|nest"
    r"|has (suppress|erased|from|delimiter|parameters) (without|but)|says no way|two approvers|weighs every"
    r"|changes nothing|recode (puts|is)|of the series and so|of other people|column of the series"
    r"|for QIDs|a folder of this machine|came_on names"
)
"""A fault, and what is said of it, that no schema can know."""


def said_by_schema(text: str, fault: str) -> None:
    """Hold the schema to it that it refuses a text too, but for the faults that are beyond it."""
    if NO_MAPPING.search(fault) is None:
        is_beyond = BEYOND_SCHEMA.search(fault) is not None
        assert SCHEMA.is_valid(YAML(typ="safe", pure=True).load(text)) is is_beyond


@pytest.mark.parametrize(("old", "new", "expected"), [
    *((old, new, said) for old, cases in REPLACED.items() for new, said in cases.items()),
    *(("name: demo", f"name: demo\n{added}", said) for added, said in ADDED.items()),
])  # fmt: skip
def test_a_wrong_field_is_one_sentence_with_its_line(old: str, new: str, expected: str) -> None:
    """The sentence gives file, line, field, rule, offending value and remedy; nothing of pydantic's shows."""
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    said = complaint(text, "policy.yaml").splitlines()
    assert any(line.startswith(f"policy.yaml {expected}") for line in said)
    said_by_schema(text, new + expected)


@pytest.mark.parametrize(
    ("roles", "text", "expected"),
    [(roles, text, said) for roles, cases in SECTIONS.items() for text, said in cases.items()],
)
def test_a_wrong_section_is_one_sentence_with_its_line(roles: str, text: str, expected: str) -> None:
    """The sentence gives the line, the field, the rule and what to write, also of what must fit the rest."""
    assert complaint(head(roles) + text, "p.yaml").startswith(f"p.yaml {expected}")
    said_by_schema(head(roles) + text, text + expected)


@pytest.mark.parametrize(("written", "expected"), HIERARCHIES.items())
def test_a_wrong_hierarchy_is_one_sentence_with_its_line(written: str, expected: str) -> None:
    """The rule, the offending value and the remedy, with the line of the column."""
    roles = "{quasi_identifiers: [age, job], sensitive: [illness], target: income, entity: person}"
    text = f"{head(roles)}hierarchies:\n  {written}\n"
    assert complaint(text, "p.yaml").startswith(f"p.yaml line 6: {expected}")
    said_by_schema(text, expected)


def test_several_faults_stand_on_a_line_each_in_the_order_of_the_text() -> None:
    """Nobody corrects a policy one run at a time."""
    text = TEXT.replace("at_least: 5", "at_least: x").replace("name: demo", "nam: demo")
    assert [line.split(":")[0] for line in complaint(text, "policy.yaml").splitlines()] == [
        *("policy.yaml line 1", "policy.yaml line 2", "policy.yaml line 10")
    ]


@pytest.mark.parametrize("text", [
    "release: {signers: [hunter2-secret]}", "exceptions: {approvers: [{name: A, key: hunter2-secret}]}",
    'release: {destination: "s3://me:hunter2-secret@store/x"}',
    'release: {destination: "s3://:hunter2-secret@store"}',
])  # fmt: skip
def test_what_may_be_a_secret_is_not_repeated(text: str) -> None:
    """A secret key or a password in the wrong place stays out of the error."""
    said = complaint(head() + text, "p.yaml")
    assert said.startswith("p.yaml line 5: ")
    assert "hunter2" not in said


@pytest.mark.parametrize("kind", [*get_args(ErrorType), "of_a_later_version"])
def test_whatever_pydantic_finds_is_said_in_our_words(kind: str) -> None:
    """Its own words stay away, and so does the value where nobody foresaw the kind of error."""
    context = {"gt": 0, "le": 1, "expected": "'a' or 'b'", "error": "hunter2"}
    error = {"type": kind, "loc": ("name",), "msg": "Input should", "input": "hunter2", "ctx": context}
    (found,) = complaints_of(Policy, [error])
    said = found.sentence
    assert said.startswith(("name must", "name is not valid", "the policy lacks", "there is no field name"))
    if "must" not in said:
        assert "hunter2" not in said
    if kind == "of_a_later_version":
        assert said == "name is not valid; write for example name: hospital public file"


def _sections(of: type[Section]) -> list[type[Section]]:
    return [of, *(found for one in of.__subclasses__() for found in _sections(one))]


@pytest.mark.parametrize("value", [
    True, 5, -(10**400), 1e300, float("nan"), "x", "", " ", b"x", object(), [5], [[5]], [[[5]]], ["x", None],
    {"x": 5}, {"x": {"y": 5}}, {"x": ["y", 5]}, {5: "x"}, {"knows_any": []}, {"weights": {"x": []}},
])  # fmt: skip
def test_whatever_stands_in_a_field_has_a_sentence_of_its_own(value: object) -> None:
    """No field takes a value of which the loader can only say that it is not valid."""
    for section in _sections(Section):
        if not section.__module__.startswith("qidguard."):
            continue  # of another test
        for name, field in section.model_fields.items():
            try:
                section.model_validate({field.alias or name: value})
            except ValidationError as error:
                said = [found.sentence for found in complaints_of(section, error.errors())]
                assert not [one for one in said if "is not valid" in one or "nput" in one]
