"""The paper's public tables, and a maker of published tables that are written by hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from qidguard.sdk import Anonymized, ReadOptions, Recoded, RehearsedTable, k_anonymity_task, records_of
from qidguard_mo_obam.evaluation.case import StudyCase

GERMAN = (
    *("checking", "duration", "credit_history", "purpose", "amount", "savings", "employment"),
    *("installment_rate", "personal_status", "other_debtors", "residence_since", "property", "age"),
    *("other_installment", "housing", "existing_credits", "job", "dependents", "telephone"),
    *("foreign_worker", "class"),
)
ADULT = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country"),
    "income",
)


@pytest.fixture(scope="session")
def german(data):
    """Return German Credit with the paper's roles."""
    read = ReadOptions(delimiter="whitespace", columns=GERMAN, has_header=False)
    path = data / "german" / "german.data"
    roles = ("age", "personal_status", "job"), ("checking", "savings")
    return SimpleNamespace(
        path=path,
        read=read,
        roles=roles,
        case=StudyCase.of(path, *roles, target="class", read=read),
        frame=pd.read_csv(path, sep=r"\s+", names=list(GERMAN)),
    )


@pytest.fixture(scope="session")
def adult(data):
    """Return Adult, both files without records that have a ``?``, with the paper's roles."""
    parts = [
        pd.read_csv(data / "adult" / name, names=list(ADULT), skipinitialspace=True, comment=comment)
        for name, comment in (("adult.data", None), ("adult.test", "|"))
    ]
    frame = pd.concat(parts, ignore_index=True)
    frame = frame[~(frame == "?").any(axis=1)].reset_index(drop=True)
    roles = ("age", "race", "sex", "marital-status"), ("occupation",)
    return SimpleNamespace(frame=frame, roles=roles, case=StudyCase.of(frame, *roles, target="income"))


@pytest.fixture
def published():
    """Return a maker of rehearsals: a table, and what is published in place of some of its columns."""

    def make(before, changed, qids, sensitive=(), *, entity=None, kept=None):
        rows = len(next(iter(before.values())))
        # records in memory stand in an order of their own
        held = records_of(pd.DataFrame({**before, "row": range(rows)}), entity=entity)
        row = held.column("row")
        order = np.asarray(row.numbers)[row.codes].astype(int)
        recoded = {}
        for name, values in changed.items():
            distinct = tuple(dict.fromkeys(values))
            codes = np.array([distinct.index(value) for value in values])
            recoded[name] = Recoded(codes=codes[order], values=distinct)
        return RehearsedTable(
            before=held,
            task=k_anonymity_task(2, qids, sensitive=sensitive, entity=entity),
            anonymizer="by hand",
            done=Anonymized(
                kept=np.ones(rows, dtype=np.bool_) if kept is None else np.array(kept)[order], columns=recoded
            ),
            seconds=0.0,
        )

    return make
