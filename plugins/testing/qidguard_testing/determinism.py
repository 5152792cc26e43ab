"""The same seed gives the same published table: again, elsewhere, and for records in another order."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

from qidguard_testing.fresh import packed, unpacked
from qidguard_testing.sample import Sample
from qidguard_testing.subject import Subject
from qidguard_testing.trial import KitTrial, fingerprint, tried
from qidguard_testing.violation import Violation

_MOST_SECONDS = 300


def repeated(trial: KitTrial) -> Iterator[Violation]:
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
        [sys.executable, "-m", "qidguard_testing.fresh"],
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


def reordered(trial: KitTrial) -> Iterator[Violation]:
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


def content(trial: KitTrial) -> str:
    """Return a digest of what is published, whatever the order of records; a word where nothing is."""
    if trial.after is None:
        return "refused" if trial.refusal else "failed"
    return trial.after.content_digest(trial.after.names)
