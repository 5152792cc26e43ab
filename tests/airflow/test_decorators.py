"""``@task.qidguard_audit`` and ``@task.qidguard_release``: a function says what the gate judges."""

import re

import pandas as pd
import pytest
from airflow.sdk import DAG, task
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from qidguard.core.errors import UserError
from ward import FAILURE, SECRET

pytestmark = pytest.mark.airflow


def _task(function, kind="audit", *called, **given):
    function.__name__ = "ward"
    with DAG("gate", schedule=None):
        return getattr(task, f"qidguard_{kind}")(**given)(function)(*called).operator


def test_a_function_names_the_table(tried):
    """Its answer is audited, and the task is called as the function is."""

    def ward():
        return "ward.csv"

    operator = _task(ward, policy="ward.yaml")
    assert (operator.task_id, tried.execute(operator)["outcome"]) == ("ward", "passed")
    assert operator.source == "ward.csv"


def test_a_function_may_name_the_policy_too(tried):
    """It returns both; no policy need be known before."""
    operator = _task(lambda: ("ward.csv", "ward.yaml"))
    assert tried.execute(operator)["outcome"] == "passed"


def test_a_policy_that_the_function_names_is_the_one_that_counts(tried):
    """It stands above the decorator's."""
    operator = _task(lambda: ("ward.csv", "ward.yaml"), policy="none.yaml")
    assert tried.execute(operator)["outcome"] == "passed"


def test_arguments_reach_the_function(tried):
    """What it is called with is rendered, and names of the context are given."""

    def ward(name, run_id=None):
        assert run_id
        return f"{name}.csv"

    assert tried.execute(_task(ward, "audit", "{{ 'ward' }}", policy="ward.yaml"))["outcome"] == "passed"


def test_a_block_fails_as_the_operator_does(ward, tried):
    """The sentences are the same, and what was found is left."""
    operator = _task(lambda: "bad.csv", policy="ward.yaml")
    with pytest.raises(AirflowFailException, match=f"^{re.escape(FAILURE)}$"):
        tried.execute(operator)
    assert tried.left["return_value"]["audit_id"] == ward.entries[0].id


def test_a_function_may_name_what_is_released(ward, tried):
    """The gate publishes it where it passes."""
    operator = _task(lambda: "ward.csv", "release", policy="ward.yaml", to=str(ward.published))
    assert tried.execute(operator)["address"].startswith(str(ward.published))
    assert len(ward.releases) == 1


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (None, "the source that the function returns must be a path or URL, not a Python NoneType"),
        ("", "the source that the function returns must be a path or URL, not an empty text"),
        (pd.DataFrame({"illness": [SECRET]}), "the source that the function returns must be a path or URL"),
        (("ward.csv", None), "the policy that the function returns must be a path or URL"),
    ],
)
def test_another_answer_is_a_mistake(tried, answer, sentence):
    """A table itself never passes, and no value of it is said."""
    with pytest.raises(AirflowFailException, match=sentence) as caught:
        tried.execute(_task(lambda: answer, policy="ward.yaml"))
    assert SECRET not in str(caught.value)


def test_without_any_policy_the_sentence_asks_for_one(tried):
    """Neither the decorator nor the function names one."""
    with pytest.raises(AirflowFailException, match="the policy that the function returns"):
        tried.execute(_task(lambda: "ward.csv"))


@pytest.mark.parametrize("error", [AirflowSkipException("nothing new"), ZeroDivisionError()])
def test_what_the_function_raises_is_its_own_affair(tried, error):
    """A skip stays a skip, and an error an error."""

    def ward():
        raise error

    with pytest.raises(type(error)):
        tried.execute(_task(ward, policy="ward.yaml"))


def test_the_source_is_the_functions_to_say():
    """A source that is given besides would never be read."""
    with pytest.raises(UserError, match="The source is what the function returns"):
        _task(lambda: "ward.csv", policy="ward.yaml", source="other.csv")


def test_its_answer_is_no_template(ward, tried):
    """A file's name with braces in it is a name."""
    ward.write("{{ x }}.csv", ward.folder.joinpath("ward.csv").read_text())
    assert tried.execute(_task(lambda: "{{ x }}.csv", policy="ward.yaml"))["outcome"] == "passed"
