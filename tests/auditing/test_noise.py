"""Thresholds over noised quasi-identifiers: as published or without them; what is in doubt has no figure."""

import random
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard import PolicyError, audit
from qidguard.auditing.demands import demands
from qidguard.auditing.noise import NOTHING_LEFT, OF_POPULATION, OF_SENSITIVE, noised_combinations, with_noise
from qidguard.core.noised import NoisedQids
from qidguard.core.privacy import NoisedPart, PrivacyGuarantee
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.host import load_host
from qidguard.measuring.evaluator import measure
from qidguard.policy import load_policy

QIDS = ("age", "sex", "town")
POPULATION = {"population": {"path": "all.csv"}}
ROLES = {"quasi_identifiers": list(QIDS), "sensitive": ["illness"]}


def rules(*thresholds, **more):
    """Return a policy over age, sex and town."""
    return load_policy({"qidguard": 1, "name": "p", "roles": ROLES, "thresholds": list(thresholds)} | more)


def limit(metric, noised=None, **more):
    """Return a threshold, which says how it takes columns with noise."""
    bound = {} if "at_least" in more else {"at_most": 0.5}
    return {"metric": metric, **({"noised": noised} if noised else {})} | bound | more


def k(noised="as_published", **more):
    """Return a threshold on k."""
    return limit("k_anonymity", noised, **{"at_least": 2} | more)


def asked(policy, *noised):
    """Return the questions of a policy where noise was drawn for some columns."""
    return [d.question for d in with_noise(demands(policy, QIDS, load_host()), noised)]


def laplace(column, epsilon=Fraction(1, 2), reach=Fraction(20), **more):
    """Return Laplace noise on a column of 20..40."""
    return NoisedPart(
        columns=(column,),
        mechanism="laplace",
        scale=reach / epsilon,
        reach=reach,
        bounds=(Fraction(20), Fraction(40)),
        epsilon=epsilon,
        **more,
    )


LEFT = ("sex", "town")
JOURNALIST, DIVERSE = "journalist_risk_max", "distinct_l_diversity"
AS_PUBLISHED, LEFT_OUT = (
    NoisedQids(over=QIDS, as_published=("age",)),
    NoisedQids(over=LEFT, left_out=("age",)),
)
QUESTIONS = {
    "nothing is said": (limit("k_anonymity", at_least=2), ["age"], QIDS, "", AS_PUBLISHED),
    "as published": (k(), ["age", "illness"], QIDS, "", AS_PUBLISHED),
    "left out": (k("left_out"), ["age", "illness"], LEFT, "", LEFT_OUT),
    "no noise": (k("left_out"), [], QIDS, "", None),
    "nothing left": (k("left_out"), QIDS, ..., NOTHING_LEFT, NoisedQids(over=(), left_out=QIDS)),
    "sensitive": (limit(DIVERSE, "as_published", at_least=2), ["illness"], ..., OF_SENSITIVE, ...),
    "sensitive, left out": (limit(DIVERSE, "left_out", at_least=2), ["illness"], ..., OF_SENSITIVE, ...),
    "population": (limit(JOURNALIST), ["age"], ..., OF_POPULATION, ...),
    "population, left out": (limit(JOURNALIST, "left_out"), ["age"], LEFT, "", ...),
    "loss": (limit("ncp"), ["age"], QIDS, "", None),
}
"""The threshold, the columns with noise, and its QIDs, its refusal and what noise it tells."""


@pytest.mark.parametrize(
    ("threshold", "noised", "qids", "refusal", "told"), QUESTIONS.values(), ids=QUESTIONS
)
def test_what_is_asked_where_columns_have_noise(threshold, noised, qids, refusal, told):
    """As published, or over what is left; what noise would falsify has no figure, a loss is over all."""
    (question,) = asked(rules(threshold, **POPULATION), *noised)
    assert question.refusal == refusal
    assert qids in (question.qids, ...)
    assert told in (question.noised, ...)


def test_an_attacker_of_any_m_knows_any_m_of_those_left():
    """And all of them, where fewer are left."""
    policy = rules(k("left_out"), attacker={"knows_any": 2})
    found = [[q.knows_any for q in asked(policy, *noised)] for noised in (["age"], ["age", "sex"], [])]
    assert found == [[2], [1], [2]]


@pytest.mark.parametrize(
    ("threshold", "said"),
    [
        (limit("ncp", "left_out"), "is a loss"),
        (limit("intersection_k_anonymity", "left_out", at_least=2), "is over several releases"),
        (limit("rest_unique_share", "left_out"), "is of what is published outside the QIDs"),
    ],
)
def test_where_leaving_out_has_no_meaning_the_policy_is_wrong(threshold, said):
    """A loss would be hidden by it, for one; the policy's error names the threshold."""
    with pytest.raises(PolicyError, match=said):
        asked(rules(threshold), "age")


def test_a_preset_is_never_laxer_than_it_is():
    """Its thresholds are over all columns, whatever the policy's own leave out."""
    policy = rules(k("left_out", at_least=5), preset="pdpc-sg-5")
    found = [(q.metric.name, q.qids) for q in asked(policy, "age") if q.metric.name == "k_anonymity"]
    assert found == [("k_anonymity", ("sex", "town")), ("k_anonymity", QIDS)]


def test_several_combinations_are_told_one_by_one():
    """Each sentence says what the noise is and over which columns its limits were measured."""
    others = [
        {"name": "voters", "quasi_identifiers": ["age", "town"], "thresholds": [k()]},
        {"name": "bare", "quasi_identifiers": ["sex", "town"], "thresholds": [k()]},
    ]
    policy = rules(k("left_out"), combinations=others)
    guarantee = PrivacyGuarantee(parts=(laplace("age"),))
    named = {c.name: tuple(c.quasi_identifiers) for c in policy.all_combinations(QIDS)}
    found = noised_combinations(
        guarantee, named, with_noise(demands(policy, QIDS, load_host()), guarantee.columns)
    )
    assert [(one.combination, one.noised) for one in found] == [("default", ("age",)), ("voters", ("age",))]
    noise = (
        "age has laplace noise of scale 40 (standard deviation 56.6 in its unit), and no two values in 20..40"
        " make what is published more than e^(1/2) = 1.65 times as likely, the one as the other"
    )
    assert found[0].sentence == (
        f"Noise was drawn for age of the QID combination default: {noise}; k_anonymity is measured over sex,"
        " town only, and says nothing of an attacker who knows age, too: of two records that agree in the"
        " others, they tell whose is whose at odds of at most e^1 = 2.72 to 1."
    )
    assert found[1].sentence == (
        f"Noise was drawn for age of the QID combination voters: {noise}; k_anonymity is measured over age,"
        " town, noised values as published, as if an attacker knew those."
    )


def test_an_audit_says_that_it_knows_of_no_noise():
    """The policy leaves columns out, and nobody drew noise for this table: all are measured."""
    table = [{"age": a, "sex": s, "town": "x", "illness": "flu"} for a in (1, 2) for s in "fm"]
    with audit(pd.DataFrame(table), policy=rules(k("left_out"))) as found:
        assert found.verdict.thresholds[0].measurement.qids == QIDS
        said = (
            "1 threshold leaves QIDs with noise out, and no remedy of the policy draws noise: it is measured"
        )
        assert any(note.startswith(said) for note in found.report.notes)


@pytest.mark.slow
@given(st.integers(0, 2**32))
def test_leaving_out_never_gives_a_smaller_k(seed):
    """Classes over fewer columns are larger: what is measured as published is the stricter of the two."""
    draw = random.Random(seed)  # noqa: S311 - it makes a table
    rows = [tuple(draw.randrange(3) for _ in QIDS) for _ in range(draw.randrange(1, 9))]
    noised = draw.sample(QIDS, draw.randrange(1, 3))
    kept = [at for at, name in enumerate(QIDS) if name not in noised]
    policy = rules(k(), k("left_out"))
    frame = pd.DataFrame(rows, columns=QIDS)
    table = ENGINE.open(frame, ReadOptions(), Needs(), EngineSettings())
    try:
        first, second = (m.value for m in measure(table, asked(policy, *noised)))
    finally:
        table.close()
    every, left = (min(map(of.count, of)) for of in (rows, [tuple(r[at] for at in kept) for r in rows]))
    assert (first, second) == (every, left)
    assert second >= first
