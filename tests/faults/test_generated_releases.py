"""Generated manifests, attestations and data of a release: verified never, a fault or a sentence always."""

import json

import pytest

from generated import generated
from mutation import Mutator
from qidguard.core.errors import QidguardError
from qidguard.evidence.verify import verify_release
from released import contents, new_key, write

pytestmark = [pytest.mark.faults, pytest.mark.timeout(36_000)]


@pytest.mark.usefixtures("memory")
def test_releases():
    """Every byte counts, but an envelope may say the same in another spelling."""
    key = new_key()
    files = contents(key)
    place = "memory://whole/patients/20261121-000001"
    assert verify_release(write(place, files), keys=[key.public]).faults == ()

    def act(mutator: Mutator, number: int) -> None:  # noqa: ARG001 - as all of them
        name = mutator.draw.choice(sorted(files))
        changed = mutator.content(files[name]) if name.endswith(".csv") else mutator.json(files[name])
        address = write("memory://changed/patients/20261121-000001", {**files, name: changed})
        found = verify_release(address, keys=[key.public])
        is_same = changed == files[name] or _is_same_json(name, changed, files[name])
        assert found.faults or is_same, name
        if found.faults:
            raise QidguardError(" ".join(found.faults))

    answered, refused = generated("releases", act)
    assert refused > answered


def _is_same_json(name: str, changed: bytes, original: bytes) -> bool:
    """Whether an envelope says the same in another spelling; a manifest is held to its bytes."""
    try:
        return name == "attestation.json" and json.loads(changed) == json.loads(original)
    except ValueError:
        return False
