"""The same seed gives the same published table: again, elsewhere, and for records in another order."""

import importlib.util
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from qidguard.core.parameter import plain
from qidguard.testing.fingerprint import fingerprint
from qidguard.testing.sample import Sample
from qidguard.testing.subject import Subject, make_subject
from qidguard.testing.trial import Trial, tried
from qidguard.testing.violation import Violation

_MOST_SECONDS = 300


def repeated(trial: Trial) -> Iterator[Violation]:
    """Yield a violation where a second run, on another number of threads, comes to something else."""
    with tried(trial.subject, trial.sample, threads=1) as again:
        if fingerprint(again) != fingerprint(trial):
            yield Violation(
                check="determinism",
                sample=trial.sample.name,
                sentence="a second run with the same seed came to something else; draw from the task's seed"
                " alone",
            )


def in_fresh_process(subject: Subject, samples: Sequence[Sample]) -> Iterator[Violation]:
    """Yield a violation for each table on which a process of its own comes to something else.

    Its texts hash differently (PYTHONHASHSEED), and it may use one thread only.
    """
    here = []
    for sample in samples:
        with tried(subject, sample) as trial:
            here.append(fingerprint(trial))
    try:
        work = packed(subject, samples)
    except Exception as error:  # noqa: BLE001 - pickle raises what it likes
        yield Violation(
            check="determinism",
            sample="all",
            sentence=f"it cannot be pickled for a process of its own ({type(error).__name__}: {error});"
            " define its class at the top of a module",
        )
        return
    one = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    hashing = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    done = subprocess.run(
        [sys.executable, "-m", "qidguard.testing.fresh"],
        input=work,
        capture_output=True,
        check=False,
        timeout=_MOST_SECONDS,
        env={
            **os.environ,
            **one,
            "PYTHONHASHSEED": hashing,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        },
    )
    there = unpacked(done.stdout) if done.returncode == 0 else None
    if there is None:
        last = (done.stderr.decode(errors="replace").strip().splitlines() or ["nothing"])[-1]
        yield Violation(
            check="determinism", sample="all", sentence=f"a process of its own failed and said: {last}"
        )
        return
    for sample, mine, theirs in zip(samples, here, there, strict=True):
        if mine != theirs:
            yield Violation(
                check="determinism",
                sample=sample.name,
                sentence="a process of its own, of one thread and other hashes of texts, came to something"
                " else; never depend on the order of a set",
            )


def reordered(trial: Trial) -> Iterator[Violation]:
    """Yield a violation where records in the opposite order give other published records."""
    sample = trial.sample
    if not trial.subject.is_order_free or isinstance(sample.table, str):
        return
    table = sample.table
    backwards = range(trial.source.records)[::-1]
    table = table.take(list(backwards)) if hasattr(table, "take") else table[::-1]
    with tried(trial.subject, replace(sample, table=table)) as other:
        if content(trial) != content(other):
            yield Violation(
                check="order",
                sample=sample.name,
                sentence="records in the opposite order give another table; take is_order_free away, or break"
                " ties by values",
            )


def content(trial: Trial) -> str:
    """Return a digest of what is published, whatever the order of records; a word where nothing is."""
    if trial.after is None:
        return "refused" if trial.refusal else "failed"
    return trial.after.content_digest(trial.after.names)


def packed(subject: Subject, samples: Sequence[Sample]) -> bytes:
    """Return what a process of its own is sent, as bytes.

    Raises:
        Exception: What pickle raises where the anonymizer cannot be sent.
    """
    claims = {claim.metric.name: claim.limit.value for claim in subject.claims}
    parts: tuple[Any, ...] = (
        subject.anonymizer,
        plain(subject.arguments),  # a mapping that nobody may change cannot be pickled
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
    from qidguard.testing.fingerprint import fingerprint
    from qidguard.testing.trial import tried

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
