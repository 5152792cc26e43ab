"""What a task is given, by hand, by a template or by another task: nothing is guessed, no secret shown."""

from dataclasses import replace

import pytest
from airflow.sdk import DAG, Asset, AssetAlias, XComArg
from airflow.sdk.exceptions import AirflowFailException
from airflow.sdk.log import _secrets_masker

from qidguard.core.errors import UserError
from qidguard_provider import place
from qidguard_provider.operators import (
    QidguardAnonymizeOperator,
    QidguardAuditOperator,
    QidguardReleaseOperator,
    QidguardVerifyOperator,
)

pytestmark = pytest.mark.airflow

SOURCE = "s3://key:{}@bucket/ward.csv"
OUTLETS = [
    Asset(name="ward", uri="file:///srv/ward"),
    Asset.ref(name="ward"),
    Asset.ref(uri="file:///srv/ward"),
    AssetAlias("ward"),
]


def _shown(text):
    return _secrets_masker().redact({"field": text})["field"]


def _render(tried, operator):
    from jinja2.nativetypes import NativeEnvironment

    operator.render_template_fields(tried.context(operator), NativeEnvironment())
    return operator


def _nothing(**given):
    """Return what stands for another task that left nothing."""
    with DAG("gate", schedule=None):
        arg = XComArg(QidguardAuditOperator(task_id="before", policy="/p.yaml"))
    object.__setattr__(arg, "resolve", lambda *_a, **_b: given.get("left"))
    return arg


@pytest.mark.parametrize("outlet", OUTLETS, ids=["asset", "name", "uri", "alias"])
def test_no_kind_of_outlet_may_go_on_when_blocked(ward, tried, outlet):
    """Airflow tells the consumers whatever the outlet is called by: when it is made, and when it runs."""
    given = {"task_id": "t", "policy": "ward.yaml", "source": "bad.csv", "to": str(ward.published)}
    with pytest.raises(UserError, match="has an outlet"):
        QidguardReleaseOperator(**given, outlets=[outlet], fail_on_block=False)
    late = QidguardReleaseOperator(**given, fail_on_block=False)
    late.outlets.append(outlet)
    with pytest.raises(AirflowFailException, match="is blocked"):
        tried.execute(late)


@pytest.mark.parametrize("outlet", OUTLETS, ids=["asset", "name", "uri", "alias"])
def test_the_event_of_every_kind_of_outlet_says_what_was_published(ward, tried, outlet):
    """A reference is told the same as the Asset itself."""
    said = tried.execute(
        QidguardReleaseOperator(
            task_id="t", policy="ward.yaml", source="ward.csv", to=str(ward.published), outlets=[outlet]
        )
    )
    assert tried.events[outlet].extra["release_id"] == said["release_id"]


@pytest.mark.parametrize(
    ("kind", "name", "given"),
    [
        (QidguardAuditOperator, "source", {"policy": "/p.yaml"}),
        (QidguardAuditOperator, "policy", {"source": "/t.csv"}),
        (QidguardReleaseOperator, "to", {"policy": "/p.yaml"}),
        (QidguardAnonymizeOperator, "to", {"policy": "/p.yaml"}),
        (QidguardVerifyOperator, "address", {}),
        (QidguardVerifyOperator, "policy", {"address": "/a"}),
    ],
)
def test_a_password_in_an_address_is_masked_before_it_is_kept(tried, kind, name, given):
    """By hand when the task is made, and by a template as soon as it is rendered, before the task runs."""
    literal = SOURCE.format(f"made-{kind.__name__}-{name}")
    kind(task_id="t", **given, **{name: literal})
    assert _shown(literal) == "***"
    secret = f"rendered-{kind.__name__}-{name}"
    templated = SOURCE.format("{{ '" + secret[:5] + "' }}" + secret[5:])
    operator = _render(tried, kind(task_id="t2", **given, **{name: templated}))
    assert getattr(operator, name) == SOURCE.format(secret)
    assert _shown(getattr(operator, name)) == "***"
    assert secret not in _shown(f"it failed with {secret}")


def test_a_path_that_is_no_text_is_masked_too():
    """An Asset stands for its URL."""
    url = SOURCE.format("open-asset").replace("s3", "x-gate")
    QidguardAuditOperator(task_id="t", policy="/p.yaml", source=_Path(url))
    assert _shown(url) == "***"


class _Path:
    def __init__(self, url):
        self.url = url

    def __fspath__(self):
        return self.url


@pytest.mark.parametrize("name", ["source", "to", "release_id", "data_set"])
@pytest.mark.parametrize("left", [None, ""])
def test_another_task_that_leaves_nothing_is_a_mistake(ward, tried, name, left):
    """Not the policy's own table, destination or name instead: nobody asked for those."""
    policy = ward.folder.joinpath("ward.yaml").read_text()
    policy = policy.replace("{data_set", f"{{destination: {ward.published}, data_set")
    ward.write("own.yaml", policy + "source: {path: ward.csv}\n")
    operator = QidguardReleaseOperator(task_id="t", policy="own.yaml", **{name: _nothing(left=left)})
    with pytest.raises(AirflowFailException, match=f"{name} was to come from another task, which left noth"):
        tried.execute(operator)
    assert ward.releases == []


@pytest.mark.parametrize("name", ["policy", "public_key", "data_set", "release_id"])
def test_what_a_release_is_compared_with_must_be_left(ward, tried, name):
    """Else less would be compared than the author of the DAG asked for."""
    made = tried.execute(
        QidguardReleaseOperator(task_id="t", policy="ward.yaml", source="ward.csv", to=str(ward.published))
    )
    operator = QidguardVerifyOperator(
        task_id="v", address=made["address"], is_unsigned_allowed=True, **{name: _nothing()}
    )
    with pytest.raises(AirflowFailException, match=f"{name} was to come from another task"):
        tried.execute(operator)


def test_a_mapped_task_that_is_given_nothing_is_a_mistake(ward, tried):
    """What it is expanded over says the table, so nothing is no table; what it does not say is left out."""
    ward.write("own.yaml", ward.folder.joinpath("ward.yaml").read_text() + "source: {path: ward.csv}\n")
    with DAG("gate", schedule=None):
        mapped = QidguardAuditOperator.partial(task_id="t", policy="own.yaml").expand(source=[None])
    with pytest.raises(AirflowFailException, match="source was to come from another task"):
        replace(tried, map_index=0).execute(mapped.unmap({"source": None}))
    assert replace(tried, map_index=0).execute(mapped.unmap({}))["outcome"] == "passed"


@pytest.mark.parametrize("value", ["False", "true", 0, None])
def test_a_switch_is_true_or_false(value):
    """The text "False" would count as true."""
    with pytest.raises(UserError, match="fail_on_block must be True or False, not a Python"):
        QidguardAuditOperator(task_id="t", policy="/p.yaml", fail_on_block=value)
    with pytest.raises(UserError, match="is_unsigned_allowed must be True or False, not a Python"):
        QidguardVerifyOperator(task_id="v", address="/a", is_unsigned_allowed=value)
    with pytest.raises(UserError, match="is_elsewhere_allowed must be True or False, not a Python"):
        QidguardVerifyOperator(task_id="v", address="/a", is_elsewhere_allowed=value)


@pytest.mark.parametrize(
    ("given", "folder", "expected"),
    [
        ("/srv/pub/ward/1", "/srv/pub", True),
        ("/srv/pub/ward/1", "/srv/pub/", True),
        ("/srv/pub", "/srv/pub", False),
        ("/srv/public/ward/1", "/srv/pub", False),
        ("/srv/pub/../x/1", "/srv/pub", False),
        ("s3://b/pub/ward/1", "s3://b/pub", True),
        ("s3://b/pub/ward/1/", "s3://b/pub/", True),
        ("s3://b/pub", "s3://b/pub", False),
        ("s3://b/public/ward/1", "s3://b/pub", False),
        ("s3://b/pub/../x/1", "s3://b/pub", False),
        ("s3://b/pub/%2e%2e/x/1", "s3://b/pub", False),
        ("s3://b/pub/ward/1?v=2", "s3://b/pub", False),
        ("/s3://b/pub/ward/1", "s3://b/pub", False),
    ],
)
def test_what_lies_below_a_folder(given, folder, expected):
    """Told from the addresses; what could lead elsewhere does not lie below."""
    assert place.is_below(given, folder) == expected


def test_a_link_that_leads_elsewhere_does_not_lie_below(tmp_path):
    """Local folders are followed to where they are."""
    (tmp_path / "pub").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "pub" / "ward").symlink_to(tmp_path / "other")
    assert not place.is_below(str(tmp_path / "pub" / "ward"), str(tmp_path / "pub"))


def test_what_an_alias_stands_for_is_told_too(ward, tried):
    """Assets that were named for it before, and no others, get events of their own."""
    from airflow.sdk.execution_time.context import OutletEventAccessors

    alias = AssetAlias("ward")
    operator = QidguardReleaseOperator(
        task_id="t", policy="ward.yaml", source="ward.csv", to=str(ward.published), outlets=[alias]
    )
    events = OutletEventAccessors()
    events[alias].add(Asset(name="ward", uri="file:///srv/ward"))
    said = operator.execute({**tried.context(operator), "outlet_events": events})
    [event] = events[alias].asset_alias_events
    assert event.extra["release_id"] == said["release_id"]
