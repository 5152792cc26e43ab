"""Every installed anonymizer passes the kit, with the arguments and for the targets that stand here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from qidguard.host import load_host
from qidguard.sdk import automatic_hierarchy
from qidguard_testing import Sample, check_anonymizer
from qidguard_testing.checking import check_large, check_sample
from qidguard_testing.determinism import in_fresh_process
from qidguard_testing.sample import alike, drawn_samples, large, outlier, persons, subsets, types
from qidguard_testing.samples import constant, distinct, few, missing, one, plain, text, ties
from qidguard_testing.subject import make_subject

K = {"k_anonymity": 3}
K_AND_L = {"k_anonymity": 3, "distinct_l_diversity": 2}
K_L_AND_T = {**K_AND_L, "t_closeness": 0.4}


@dataclass(frozen=True)
class Case:
    """How an anonymizer is tested.

    Args:
        arguments: Its arguments, as a policy gives them.
        claims: What the task asks for.
        hierarchy: What makes the hierarchies of the task; None gives none.
        makers: Makers of the tables, for arguments that name a column; None takes all of the kit.
        is_order_free: Whether the order of the records decides nothing; None takes the method's own word.
    """

    arguments: Mapping[str, Any] = field(default_factory=dict)
    claims: Mapping[str, float] = field(default_factory=lambda: K)
    hierarchy: Callable[[Any], Any] | None = None
    makers: tuple[Callable[[], Sample], ...] | None = None
    is_order_free: bool | None = None


WITH_INCOME = (plain, missing, constant, one, few, distinct, ties, persons, subsets, alike, outlier)
PERTURBED: dict[str, float] = {}
"""What a method that only changes values is asked for."""

CASES: dict[str, tuple[Case, ...]] = {
    "anneal": (
        Case(arguments={"effort": 0.05}),
        Case(arguments={"effort": 0.05, "publish": "sets"}, claims=K_AND_L, hierarchy=automatic_hierarchy),
    ),
    "blocks": (
        Case(),
        Case(arguments={"inside": "mdav", "publish": "means", "block_size": 20}, claims=K_AND_L),
    ),
    "full_domain": (Case(), Case(claims=K_AND_L, hierarchy=automatic_hierarchy)),
    "k_member": (
        Case(),
        Case(arguments={"diversity": 0.5}, claims=K_AND_L, hierarchy=automatic_hierarchy),
    ),
    "kept_groups": (
        Case(arguments={"leavers_stay": "until_k", "sensitive_changes": "never"}),
        Case(
            arguments={"leavers_stay": 12, "turnover": 0.02, "sensitive_changes": "accepted"},
            claims=K_AND_L,
            hierarchy=automatic_hierarchy,
        ),
    ),
    "local_recoding": (Case(), Case(claims=K_AND_L, hierarchy=automatic_hierarchy)),
    "local_suppression": (Case(arguments={"most_suppressed": 1.0}),),
    "mdav": (Case(), Case(arguments={"publish": "sets"}, claims=K_AND_L)),
    "mondrian": (
        Case(is_order_free=True),
        Case(arguments={"is_strict": False, "publish": "means"}, claims=K_AND_L),
        Case(claims=K_L_AND_T),
    ),
    "pram": (Case(claims=PERTURBED), Case(arguments={"is_invariant": True}, claims=PERTURBED)),
    "pram_sensitive": (Case(claims=PERTURBED),),
    "rounding": (
        Case(arguments={"base": "income=5000"}, claims=PERTURBED, makers=WITH_INCOME),
        Case(arguments={"base": "income=250", "is_random": True}, claims=PERTURBED, makers=WITH_INCOME),
    ),
    "small_class_suppression": (Case(arguments={"k": 3, "most_suppressed": 1.0}),),
    "top_bottom_coding": (
        Case(arguments={"top": "income=30000"}, claims=PERTURBED, makers=WITH_INCOME),
        Case(
            arguments={"top": "income=90%", "bottom": "income=31000", "publish": "limit"},
            claims=PERTURBED,
            makers=WITH_INCOME,
        ),
    ),
    "v_mdav": (Case(), Case(arguments={"gain": 1.1}, claims=K_AND_L, hierarchy=automatic_hierarchy)),
    "zheng_l_diversity": (Case(arguments={"l": 2}, claims=K_AND_L),),
}
"""Name → how it is tested; a new anonymizer is added here."""

QUADRATIC = {"anneal", "k_member", "mdav", "v_mdav", "zheng_l_diversity"}
"""What compares each record with each other: beyond some thousands, blocks run them inside."""
QUADRATIC_RECORDS = 4_000

ALL = [
    pytest.param(name, case, id=f"{name}-{place}")
    for name, cases in CASES.items()
    for place, case in enumerate(cases)
]


def test_every_installed_anonymizer_is_tested():
    """One that is not named above would go untested; other plugins run the kit beside their own tests."""
    others = {"mo_obam", "hybrid_dp", "noisy_marginals", "private_synthetic"}
    assert sorted(set(load_host().anonymizers) - others) == sorted(CASES)


@pytest.mark.samples(4)
@pytest.mark.parametrize(("name", "case"), ALL)
def test_one_table(name, case):
    """Everything that one run shows holds on a plain table, and a second run comes to the same."""
    assert _said(check_sample(_subject(name, case), plain())) == []


@pytest.mark.slow
@pytest.mark.timeout(1200)  # some take the square of the records
@pytest.mark.parametrize(("name", "case"), ALL)
def test_every_table(name, case):
    """Every table of the kit, and Ctrl-C at the first, a middle and the last step."""
    found = check_anonymizer(
        load_host().anonymizer(name),
        case.arguments,
        claims=case.claims,
        is_order_free=case.is_order_free,
        hierarchy=case.hierarchy,
        samples=None if case.makers is None else [make() for make in case.makers],
        is_thorough=False,
    )
    assert _said(found) == []


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("name", "case"), [one for one in ALL if one.values[1].makers is None])
def test_drawn_tables(name, case):
    """The same on tables that hypothesis draws."""
    subject = _subject(name, case)

    @settings(
        max_examples=8, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(drawn_samples())
    def holds(sample):
        assert _said(check_sample(subject, sample)) == []

    holds()


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_process_of_its_own(name):
    """Another process with other hashes comes to the same."""
    case = CASES[name][0]
    subject = _subject(name, case)
    tables = [plain(), text(), types()] if case.makers is None else [plain()]
    assert _said(in_fresh_process(subject, tables)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_large_table(name):
    """On 100,000 records, or 4,000, a method keeps its claims, tells where it stands and can be stopped."""
    case = CASES[name][0]
    records = QUADRATIC_RECORDS if name in QUADRATIC else 100_000
    assert _said(check_large(_subject(name, case), partial(large, records))) == []


def _subject(name, case):
    return make_subject(
        load_host().anonymizer(name),
        case.arguments,
        case.claims,
        is_order_free=case.is_order_free,
        hierarchy=case.hierarchy,
    )


def _said(found):
    return [str(violation) for violation in found]
