"""The same runs in a process of its own: what it is sent, what it answers, and the process itself."""

import importlib.util
import json
import pickle
import sys
from collections.abc import Sequence
from typing import Any

from qidguard_testing.sample import Sample
from qidguard_testing.subject import Subject, make_subject


def packed(subject: Subject, samples: Sequence[Sample]) -> bytes:
    """Return what a process of its own is sent, as bytes.

    Raises:
        Exception: What pickle raises where the anonymizer cannot be sent.
    """
    claims = {claim.metric.name: claim.limit.value for claim in subject.claims}
    parts: tuple[Any, ...] = (
        subject.anonymizer,
        dict(subject.given),
        claims,
        subject.is_order_free,
        subject.hierarchy,
        tuple(samples),
    )
    pickled = pickle.dumps(parts)
    names = {type(subject.anonymizer).__module__, getattr(subject.hierarchy, "__module__", None)}
    modules = [
        (name, str(sys.modules[name].__file__))
        for name in sorted(filter(None, names))
        if name in sys.modules and getattr(sys.modules[name], "__file__", None)
    ]
    return pickle.dumps((tuple(modules), pickled))


def unpacked(answer: bytes) -> list[str]:
    """Return the digests that a process of its own printed last."""
    found: list[str] = json.loads(answer.strip().splitlines()[-1])
    return found


def main() -> None:
    """Read what was sent, run it and print the digest of each run."""
    from qidguard_testing.trial import fingerprint, tried

    # only the process that started this one writes here
    modules, pickled = pickle.loads(sys.stdin.buffer.read())  # noqa: S301 - see above
    for name, file in modules:
        _import(name, file)
    anonymizer, arguments, claims, is_order_free, hierarchy, samples = pickle.loads(pickled)  # noqa: S301 - see above
    subject = make_subject(anonymizer, arguments, claims, is_order_free=is_order_free, hierarchy=hierarchy)
    digests = []
    for sample in samples:
        with tried(subject, sample, threads=1) as trial:
            digests.append(fingerprint(trial))
    sys.stdout.write("\n" + json.dumps(digests) + "\n")


def _import(name: str, file: str) -> None:
    """Import a module by its name, or else from its file, as tests are that belong to no package."""
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        found = None
    if found is not None:
        return
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    main()
