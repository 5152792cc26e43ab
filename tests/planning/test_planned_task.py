"""What a plan asks of a method is what a release will ask."""

from hospital_files import hospital_policy
from qidguard.host import load_host
from qidguard.planning.method import planned_task
from qidguard.policy import load_policy


def test_what_stands_for_records_of_other_tables_is_held():
    """Else a plan would show groups that a release may not form, and too small a loss."""
    task = planned_task(load_policy(hospital_policy()), load_host(), 1)
    assert (task.held, task.sensitive_beside) == (("encounters", "codes"), ("conditions.code",))
