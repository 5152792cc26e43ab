"""The message about what the gate decided, and the ways that it goes."""

from types import SimpleNamespace

import pytest
from airflow.sdk import BaseNotifier
from airflow.sdk.exceptions import AirflowException, AirflowFailException

from qidguard_provider.notifications.qidguard import QidguardNotifier, message_of
from qidguard_provider.operators import QidguardAuditOperator
from ward import SECRET, SENTENCES

pytestmark = pytest.mark.airflow

RUN = "DAG gate, task audit, run manual__2026-11-21T12:00:00+00:00"


class Mail(BaseNotifier):
    """A notifier as others are: its fields are templates."""

    template_fields = ("subject", "body")
    sent = ()

    def __init__(self, subject, body):
        super().__init__()
        self.subject = subject
        self.body = body

    def notify(self, context):
        """Keep what would be sent."""
        del context
        Mail.sent = (*Mail.sent, (self.subject, self.body))


@pytest.fixture(autouse=True)
def _empty_mailbox():
    """Let every test begin without mail."""
    Mail.sent = ()


@pytest.fixture
def after(tried):
    """Return a function that runs an audit and gives the context of its callback."""

    def ran(source):
        operator = QidguardAuditOperator(task_id="audit", policy="ward.yaml", source=source)
        context = tried.context(operator)
        try:
            operator.execute(context)
        except AirflowException as error:
            context["exception"] = error
        return context

    return ran


def test_a_block_is_one_clear_message(ward, after):
    """Data set, verdict, first reason, where it ran and where the report is."""
    message = message_of(after("bad.csv"))
    assert message.subject == "ward blocked"
    assert message.text.splitlines() == [
        f"ward is blocked: {SENTENCES[0]} (and 1 more)",
        RUN,
        f"report /qidguard/audits/{ward.entries[0].id}",
    ]
    assert not message.is_good


def test_a_pass_is_one_clear_message(after):
    """The same for a table that passed."""
    message = message_of(after("ward.csv"))
    assert (message.subject, message.text.splitlines()[0], message.is_good) == (
        "ward passed",
        "ward passed.",
        True,
    )


def test_a_mistake_is_said(after):
    """A task that failed before its verdict says why, for the words are qidguard's own."""
    message = message_of(after("none.csv"))
    assert message.text.splitlines()[0].startswith("Task audit ended: ")
    assert "none.csv" in message.text
    assert not message.is_good


@pytest.mark.parametrize("error", [ValueError(SECRET), AirflowFailException(SECRET)])
def test_the_words_of_other_tasks_are_not_said(tried, error):
    """They could carry values of the table; their kind is enough."""
    task = SimpleNamespace(task_id="load", task_type="PythonOperator", outlets=[])
    message = message_of({**tried.context(task), "exception": error})
    assert message.text.splitlines()[0] == f"Task load ended: {type(error).__name__}."


def test_names_in_the_message_are_harmless_as_html():
    """A data set may be called anything."""
    from qidguard_provider.notifications.qidguard import Message

    text = "<script>&\nward"
    message = Message(subject="", text=text, is_good=True)
    assert message.fields()["html"] == "&lt;script&gt;&amp;<br>ward"


@pytest.fixture
def run():
    """Return the context of a DAG's callback, with two tasks of the gate that left something."""
    blocked = {"data_set": "ward", "outcome": "blocked", "sentences": ["Too few."], "audit_id": "audit-1"}
    passed = {"data_set": "beds", "outcome": "passed", "sentences": [], "audit_id": "audit-2"}
    left = {"audit": [blocked, passed], "publish": None, "load": "text"}
    kinds = {"audit": "QidguardAuditOperator", "publish": "QidguardReleaseOperator", "load": "BashOperator"}
    tasks = [SimpleNamespace(task_id=name, task_type=kind) for name, kind in kinds.items()]
    ti = SimpleNamespace(
        dag_id="gate", task_id="load", run_id="r1", xcom_pull=lambda task_ids: left[task_ids]
    )
    return {"dag": SimpleNamespace(dag_id="gate", tasks=tasks), "ti": ti, "reason": "task_failure"}


def test_the_message_about_a_run_names_what_blocked_in_it(run):
    """Mapped tasks leave several verdicts; what other tasks left is not looked at."""
    message = message_of(run)
    assert message.subject == "ward blocked"
    assert message.text.splitlines() == [
        "A run ended: task_failure.",
        "ward is blocked: Too few.",
        "report /qidguard/audits/audit-1",
        "DAG gate, run r1",
    ]


def test_what_cannot_be_read_is_left_out(run):
    """Where XCom is out of reach there is still a message."""

    def out_of_reach(**_):
        raise ConnectionError(SECRET)

    run["ti"].xcom_pull = out_of_reach
    assert message_of(run).text == "A run ended: task_failure.\nDAG gate, run r1"


def test_a_long_list_is_cut(run):
    """Ten verdicts are named, and the rest is counted."""
    blocked = {"data_set": "ward", "outcome": "blocked", "sentences": [], "audit_id": None}
    run["ti"].xcom_pull = lambda task_ids: [blocked] * 13 if task_ids == "audit" else None
    lines = message_of(run).text.splitlines()
    assert lines[1:-1] == ["ward is blocked: no reason is given."] * 10 + ["and 3 more"]


def test_another_notifier_renders_the_message(after):
    """Its templates may use subject, text and HTML; it can be used again."""
    context = after("bad.csv")
    mail = Mail("{{ qidguard.subject }}", "{{ qidguard.message }} in {{ run_id }}")
    del context["dag"]
    notifier = QidguardNotifier(through=mail)
    notifier(context)
    notifier(context)
    assert len(Mail.sent) == 2
    subject, body = Mail.sent[0]
    assert subject == "ward blocked"
    assert body.startswith("ward is blocked: ")
    assert body.endswith("in manual__2026-11-21T12:00:00+00:00")
    assert mail.subject == "{{ qidguard.subject }}"


def test_several_ways_are_taken_and_one_that_fails_stops_none(after, capfd):
    """The kind of the failure is logged, and not its words."""
    said = []

    def broken(_text):
        raise ConnectionError(SECRET)

    QidguardNotifier(through=[broken, said.append])(after("ward.csv"))
    assert said[0].startswith("ward passed.")
    log = "".join(capfd.readouterr())
    assert "The message did not go through function (ConnectionError)." in log
    assert SECRET not in log


def test_the_log_has_the_message(after, capfd):
    """Without any other way it is there."""
    QidguardNotifier()(after("bad.csv"))
    assert "ward is blocked: k-anonymity is 1 record" in "".join(capfd.readouterr())
