"""The connection: where ledger and keys are, what is refused, and that no secret stays or shows."""

import json
import os
import stat
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowException, AirflowFailException

from qidguard.core.errors import UserError
from qidguard.evidence.keys import load_private_key, new_key_pair
from qidguard.interfaces.run_access import pem_lines
from qidguard.ledger import open_ledger
from qidguard_provider.hooks.qidguard import QidguardHook
from qidguard_provider.operators import QidguardAuditOperator, QidguardReleaseOperator

pytestmark = pytest.mark.airflow

HISTORY_KEY = "0123456789abcdef" * 4
PASSPHRASE = "sesame"  # noqa: S105 - of a key that lives as long as a test


@pytest.fixture(autouse=True)
def _of_its_own(ward):
    """Let every test have a home of its own and no connection."""
    return ward


@pytest.fixture
def connect(monkeypatch):
    """Return a function that makes the connection ``gate`` and returns its hook."""

    def made(extra=None, **fields):
        said = {"conn_type": "qidguard", "extra": extra or {}, **fields}
        monkeypatch.setenv("AIRFLOW_CONN_GATE", json.dumps(said))
        return QidguardHook("gate")

    return made


@pytest.fixture
def pem(ward):
    """Return the text of a signing key with the passphrase ``sesame``."""
    new_key_pair(ward.folder / "keys", "ours", "sesame")
    return Path(ward.folder, "keys", "ours.key").read_text()


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Return the folder in which temporary folders are made."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path / "tmp"


def test_without_the_default_connection_the_environment_decides(monkeypatch):
    """Nothing is wished for but the passphrase of the environment's key."""
    monkeypatch.setenv("QIDGUARD_KEY_PASSPHRASE", "sesame")
    with QidguardHook().options() as options:
        assert (options["ledger"], options["key"], options["home"], options["passphrase"]) == (
            None,
            None,
            None,
            "sesame",
        )


def test_a_connection_says_where_things_are(connect):
    """Addresses and paths are handed on as they are."""
    extra = {"ledger": "postgresql://db/gate", "home": "/srv/gate", "signing_key": "/srv/sign.key"}
    with connect(extra, password=PASSPHRASE).options() as options:
        found = (options["ledger"], options["home"], options["key"], options["passphrase"])
    assert found == ("postgresql://db/gate", "/srv/gate", "/srv/sign.key", "sesame")


def test_fields_may_have_the_ending_that_airflow_hides(connect):
    """``…_secret`` means the same."""
    with connect({"ledger_secret": "/srv/l.db", "history_key_secret": HISTORY_KEY}).options() as options:
        assert options["ledger"] == "/srv/l.db"


@pytest.mark.parametrize("field", ["ledger", "signing_key", "history_key"])
def test_airflow_hides_what_has_that_ending(field):
    """Who may read connections sees three stars; this is why the form offers these names."""
    from airflow._shared.secrets_masker import redact

    assert redact({f"{field}_secret": "x" * 20}) == {f"{field}_secret": "***"}


def test_a_connection_may_be_a_url(monkeypatch):
    """The query holds the fields."""
    monkeypatch.setenv("AIRFLOW_CONN_GATE", "qidguard://:sesame@/?home=%2Fsrv%2Fgate")
    with QidguardHook("gate").options() as options:
        assert (options["home"], options["passphrase"]) == ("/srv/gate", "sesame")


def test_empty_fields_are_none(connect):
    """A form leaves empty texts and nulls."""
    with connect({"ledger": "", "home": None}).options() as options:
        assert (options["ledger"], options["home"]) == (None, None)


def test_keys_as_text_are_private_files_for_a_while(connect, pem, temporary):
    """Folder and files are their owner's alone, hold exactly the keys, and are gone afterward."""
    extra = {"ledger": "/srv/l.db", "signing_key": pem, "history_key": HISTORY_KEY}
    with connect(extra, password=PASSPHRASE).options() as options:
        (folder,) = temporary.iterdir()
        assert options["home"] == str(folder)
        files = {path.name: path for path in folder.rglob("*") if path.is_file()}
        for of_others in ("in-use", "anchors.jsonl", "anchors.jsonl.lock"):
            del files[of_others]
        assert sorted(files) == ["history.key", "signing.key", "signing.pub"]
        assert files["history.key"].read_bytes() == bytes.fromhex(HISTORY_KEY)
        assert files["signing.key"].read_text() == pem
        modes = {stat.S_IMODE(path.stat().st_mode) for name, path in files.items() if name != "signing.pub"}
        assert (stat.S_IMODE(folder.stat().st_mode), modes) == (0o700, {0o600})
        key = load_private_key(Path(options["key"]), "sesame")
        assert files["signing.pub"].read_text() == f"{key.public.text}\n"
    assert list(temporary.iterdir()) == []


def test_keys_as_text_are_removed_when_the_work_fails(connect, pem, temporary):
    """A failure on the way leaves nothing behind."""
    with pytest.raises(ZeroDivisionError), connect({"signing_key": pem}, password=PASSPHRASE).options():
        raise ZeroDivisionError
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    "spoilt", [str.strip, lambda t: t.replace("\n", "\\n"), lambda t: t.replace("\n", " ")]
)
def test_a_key_keeps_its_lines_whatever_brought_it_here(connect, pem, spoilt):
    """Forms and environment variables turn line ends into spaces or letters."""
    assert connect({"signing_key": spoilt(pem)}, password=PASSPHRASE).access().signer().public.text
    assert "\n".join(pem_lines(spoilt(pem))) == pem.strip()


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        ({"leger": "/srv/l.db"}, "has a field 'leger', and the known ones are ledger, home"),
        ({"home": 1}, "The field 'home' of the connection 'gate' must be text"),
        ({"ledger": "/a.db", "ledger_secret": "/b.db"}, "gives ledger twice"),
        ({"home": "gate"}, "The home of the connection 'gate' must be an absolute path"),
        ({"ledger": "l.db"}, "The ledger of the connection 'gate' must be an absolute path"),
        ({"ledger": "~/l.db"}, "The ledger of the connection 'gate' must be an absolute path"),
        ({"ledger": "sqlite:///l.db"}, "The ledger of the connection 'gate' must be an absolute path"),
        ({"ledger": "SQLITE:///l.db"}, "The ledger of the connection 'gate' must be an absolute path"),
        ({"ledger": "sqlite+pysqlite:///l.db"}, "The ledger of the connection 'gate' must be an absolute"),
        ({"ledger": "/l.db", "history_key": HISTORY_KEY, "anchors": "a"}, "The anchors of the connection"),
        ({"ledger": "/l.db", "anchors": "/srv/a"}, "gives anchors and no history_key"),
        ({"signing_key": "k.key"}, "The signing_key of the connection 'gate' must be an absolute path"),
        ({"home": "/h", "history_key": HISTORY_KEY}, "gives both home and history_key"),
        ({"history_key": HISTORY_KEY}, "gives a history_key and no ledger"),
        ({"ledger": "/l.db", "history_key": "xyz"}, "must be 64 hexadecimal digits"),
        ({"ledger": "/l.db", "history_key": "ab"}, "must be 64 hexadecimal digits"),
    ],
)
def test_what_is_not_understood_is_refused(connect, extra, sentence):
    """A misspelled field would otherwise mean another ledger than the one that was meant."""
    hook = connect(extra)
    with pytest.raises(UserError, match=sentence) as caught, hook.options():
        pass
    assert "xyz" not in str(caught.value)


@pytest.mark.parametrize(
    ("extra", "conn_type"), [("no json", "qidguard"), ("[1]", "qidguard"), ("", "postgres")]
)
def test_other_connections_are_refused(monkeypatch, extra, conn_type):
    """An extra that is no object, and a connection of another type."""
    connection = Connection(conn_id="gate", conn_type=conn_type, extra=extra)
    monkeypatch.setattr(QidguardHook, "get_connection", lambda _self, _name: connection)
    with pytest.raises(UserError, match=r"JSON object|is of type 'postgres'"):
        QidguardHook("gate").access()


def test_a_missing_connection_is_refused_unless_it_is_the_default():
    """A name that was written is meant."""
    with pytest.raises(UserError, match="There is no connection 'gate'"):
        QidguardHook("gate").access()


def test_secrets_do_not_show(connect, pem, capfd):
    """Neither what the connection says of itself nor the log carries a key or a password."""
    from airflow.sdk.log import _secrets_masker

    extra = {"ledger": "postgresql://me:open%20up@db/x", "signing_key": pem, "history_key": HISTORY_KEY}
    access = connect(extra, password=PASSPHRASE).access()
    shown = repr(access) + repr(vars(access).keys())
    secrets = ["sesame", "open up", "open%20up", HISTORY_KEY, pem.splitlines()[1]]
    assert not [secret for secret in secrets if secret in shown]
    masked = _secrets_masker().redact({"said": " ".join(secrets)})
    assert not [secret for secret in secrets if secret in masked["said"]]
    assert not [secret for secret in secrets if secret in "".join(capfd.readouterr())]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:open%20up@db/x",
        "postgresql://db/x?user=me&password=open%20up",
        "postgresql://db/x?user=me&password=open+up",
        "postgresql://db/x?sslPassword=open%20up&sslmode=require",
        "postgresql://me:other@db/x?password=open+up",
        "POSTGRES://me:open up@db/x",
    ],
)
def test_a_password_is_masked_wherever_the_url_has_it(connect, url):
    """Before the host or in the query, as it is written and as it is meant."""
    secrets = connect({"ledger": url}).access().secrets
    assert {"open up", url} <= set(secrets)


@pytest.mark.parametrize("password", ["a#b", "a?b", "a/b", "a:b"])
def test_a_password_with_signs_in_it_is_masked(connect, password):
    """The ledger takes such a URL as well."""
    assert password in connect({"ledger": f"postgresql://me:{password}@db/x"}).access().secrets


def test_a_url_without_password_is_no_secret(connect):
    """An address may stand in sentences."""
    assert connect({"ledger": "postgresql://me@db:5432/x?sslmode=require"}).access().secrets == ()


def test_a_cut_ledger_is_noticed_by_the_anchors_that_stay(connect, ward, tried, capfd):
    """Without a folder for them every task says that it could not notice; a new one is accepted in words."""
    ledger, anchors = ward.folder / "ledger.db", ward.folder / "anchors"
    extra = {"ledger": str(ledger), "history_key": HISTORY_KEY}

    def audit():
        given = {"policy": "ward.yaml", "source": "ward.csv", "qidguard_conn_id": "gate"}
        return tried.execute(QidguardAuditOperator(task_id="audit", **given))["outcome"]

    connect(extra)
    assert audit() == "passed"
    assert capfd.readouterr().out.count("names no folder of anchors") == 1
    connect({**extra, "anchors": str(anchors)})
    with pytest.raises(AirflowException, match="has no anchor for the ledger"):
        audit()
    with open_ledger(str(ledger), anchors=anchors / "anchors.jsonl") as opened:
        opened.accept("a new worker", by={"user": "eve"}, at=datetime.now(UTC))
    shorter = ledger.read_bytes()
    assert audit() == "passed"
    assert "names no folder" not in capfd.readouterr().out
    assert [file.name for file in anchors.iterdir() if file.suffix == ".jsonl"] == ["anchors.jsonl"]
    ledger.write_bytes(shorter)
    with pytest.raises(AirflowException, match="is older than what this machine saw"):
        audit()


def test_trying_a_connection_says_how_it_is(connect, ward, pem, tried):
    """The ledger is opened and the key loaded; an empty place is said and stays empty."""
    ledger = ward.folder / "ledger.db"
    extra = {"ledger": str(ledger), "signing_key": pem, "history_key": HISTORY_KEY}
    hook = connect(extra, password=PASSPHRASE)
    key = hook.access().signer().public.id[:12]
    assert hook.test_connection() == (
        True,
        f"There is no ledger yet, and the first task makes it; key {key} signs.",
    )
    assert not ledger.exists()
    given = {"policy": "ward.yaml", "source": "ward.csv", "to": str(ward.published)}
    tried.execute(QidguardReleaseOperator(task_id="publish", qidguard_conn_id="gate", **given))
    assert hook.test_connection() == (True, f"The ledger has 3 entries; key {key} signs.")


@pytest.mark.parametrize(
    ("extra", "password", "sentence"),
    [
        ({}, None, "There is no ledger yet, and the first task makes it; nothing signs."),
        ({"signing_key": "/none.key"}, None, "the key file '/none.key' cannot be read"),
        ({"ledger": "mysql://me:secret@db/x"}, None, "a ledger is in SQLite or PostgreSQL, not 'mysql'"),
        ({"leger": "/x"}, None, "has a field 'leger'"),
    ],
)
def test_trying_a_connection_that_is_not_well_says_why(connect, extra, password, sentence):
    """One sentence, and no secret in it."""
    is_well, said = connect(extra, password=password).test_connection()
    assert is_well == (not extra)
    assert sentence in said
    assert "secret" not in said


def test_a_wrong_passphrase_is_said(connect, pem):
    """The passphrase itself is not."""
    is_well, said = connect({"signing_key": pem}, password=PASSPHRASE[::-1]).test_connection()
    assert (is_well, PASSPHRASE[::-1] in said) == (False, False)


def test_airflow_itself_can_try_it(ward):
    """What the button in Airflow's form calls."""
    connection = Connection(conn_id="gate", conn_type="qidguard", extra=json.dumps({"home": str(ward.home)}))
    assert connection.test_connection() == (
        True,
        "There is no ledger yet, and the first task makes it; nothing signs.",
    )


def test_a_worker_without_a_home_publishes_by_the_connection_alone(connect, ward, pem, tried, monkeypatch):
    """Ledger, signing key and history key come from the connection, and nothing else is written."""
    monkeypatch.setenv("QIDGUARD_HOME", str(ward.folder / "nowhere"))
    ledger = ward.folder / "ledger.db"
    connect({"ledger": str(ledger), "signing_key": pem, "history_key": HISTORY_KEY}, password=PASSPHRASE)
    given = {"policy": "ward.yaml", "source": "ward.csv", "to": str(ward.published)}
    operator = QidguardReleaseOperator(task_id="publish", qidguard_conn_id="gate", **given)
    assert tried.execute(operator)["outcome"] == "passed"
    assert ledger.exists()
    assert not (ward.folder / "nowhere").exists()
    assert json.loads(next(ward.published.glob("*/*/manifest.json")).read_text())["key_id"]


def test_a_key_without_its_passphrase_fails_the_task(connect, ward, pem, tried):
    """Nothing is published unsigned because a key could not be opened."""
    connect({"signing_key": pem})
    given = {"policy": "ward.yaml", "source": "ward.csv", "to": str(ward.published)}
    with pytest.raises(AirflowFailException, match="encrypted"):
        tried.execute(QidguardReleaseOperator(task_id="publish", qidguard_conn_id="gate", **given))
    assert ward.releases == []
    assert os.environ.get("QIDGUARD_KEY_PASSPHRASE") is None
