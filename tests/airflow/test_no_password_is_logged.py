"""Whatever address a task is given, its password is in no log line, failure, XCom or file."""

import json
import traceback

import pytest

from addresses import ADDRESSES, FEW, PASSWORD
from qidguard_provider.operators import (
    QidguardAnonymizeOperator,
    QidguardAuditOperator,
    QidguardReleaseOperator,
    QidguardVerifyOperator,
)
from quick import mostly_slow
from ward import POLICY

pytestmark = pytest.mark.airflow

ORDERED = [*FEW, *(name for name in ADDRESSES if name not in FEW)]
PLACES = {
    "audit": (QidguardAuditOperator, {"policy": "ward.yaml", "source": "ADDRESS"}),
    "audit, ledger": (QidguardAuditOperator, {"policy": "ward.yaml", "source": "ward.csv"}),
    "audit, policy": (QidguardAuditOperator, {"policy": "named.yaml", "source": "ward.csv"}),
    "release, source": (QidguardReleaseOperator, {"policy": "ward.yaml", "source": "ADDRESS", "to": "out"}),
    "release, to": (QidguardReleaseOperator, {"policy": "ward.yaml", "source": "ward.csv", "to": "ADDRESS"}),
    "release, policy": (QidguardReleaseOperator, {"policy": "named.yaml", "source": "ward.csv", "to": "out"}),
    "anonymize, source": (
        QidguardAnonymizeOperator,
        {"policy": "ward.yaml", "source": "ADDRESS", "to": "o.csv", "anonymizer": "mondrian[k=2]"},
    ),
    "anonymize, to": (
        QidguardAnonymizeOperator,
        {"policy": "ward.yaml", "source": "ward.csv", "to": "ADDRESS", "anonymizer": "mondrian[k=2]"},
    ),
    "verify": (QidguardVerifyOperator, {"address": "ADDRESS"}),
}


@pytest.mark.parametrize("name", mostly_slow(ORDERED, quick=len(FEW)))
@pytest.mark.parametrize("place", PLACES)
def test_a_task_shows_no_password(ward, tried, capfd, caplog, monkeypatch, place, name):
    """In the source, the destination, the ledger and the policy: whether the task ends well or fails."""
    address = ADDRESSES[name]
    text = POLICY.replace("release: {", f"population: {{path: {json.dumps(address)}}}\nrelease: {{")
    (ward.folder / "named.yaml").write_text(text, encoding="utf-8")
    if "ledger" in place:
        monkeypatch.setenv("QIDGUARD_LEDGER", address)
    kind, given = PLACES[place]
    given = {key: address if value == "ADDRESS" else value for key, value in given.items()}
    caplog.set_level("INFO")
    said = ""
    try:
        tried.execute(kind(task_id="t", **given))
    except Exception as error:  # noqa: BLE001 - whichever it is, it shows nothing
        said = "".join(traceback.format_exception(error))
    said += "".join(capfd.readouterr()) + caplog.text + json.dumps(tried.left, default=str)
    assert PASSWORD not in said
    kept = [p for p in ward.folder.parent.rglob("*") if p.is_file() and p.name != "named.yaml"]
    assert [str(p) for p in kept if PASSWORD.encode() in str(p).encode() + p.read_bytes()] == []
