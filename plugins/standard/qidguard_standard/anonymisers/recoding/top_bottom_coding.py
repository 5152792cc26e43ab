"""Top and bottom coding: values beyond a limit are published alike."""

from datetime import date
from typing import ClassVar

import numpy as np

from qidguard import (
    Anonymised,
    Arguments,
    ColumnValues,
    NotMeasurable,
    Original,
    Parameter,
    Recoded,
    Records,
    Task,
    UserError,
    ValueType,
)
from qidguard_standard.anonymisers.clustering.wanted import wanted
from qidguard_standard.anonymisers.recoding.coding_limit import CodingLimit, coding_limit
from qidguard_standard.anonymisers.recoding.column_list import check_columns, numbers_by_column

TITLE = "top and bottom coding"


class TopBottomCoding:
    """Top and bottom coding of numeric and date quasi-identifiers (Hundepool et al. 2012, section 3.2.3).

    ``top: age=90`` publishes ages of 90 and above as ``>= 90``, or as 90. That is the rule of the HIPAA safe
    harbor for ages over 89 (45 CFR 164.514(b)(2)(i)(C)). A limit beyond which fewer than k persons lie would
    single them out, so it is moved inwards until there are k; and so is a limit from a quantile, to a round
    number, lest it be somebody's own value. Nothing is claimed: classes over several columns may be small.

    Literature: Hundepool, Domingo-Ferrer, Franconi, Giessing, Nordholt, Spicer & de Wolf 2012, Statistical
    disclosure control.
    """

    name: ClassVar[str] = "top_bottom_coding"
    title: ClassVar[str] = "top and bottom coding"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="top",
            type=str,
            default="",
            meaning="the limit of each column in its own unit, as age=90, income=99%, or a JSON object; "
            "a percentage is a quantile, the limit itself is coded too",
        ),
        Parameter(name="bottom", type=str, default="", meaning="the same for values below a limit"),
        Parameter(
            name="k",
            type=int,
            default=0,
            minimum=0,
            meaning="fewest persons beyond a limit, which is moved inwards until there are as many; 1 leaves "
            "it, 0 takes the policy's k_anonymity limit",
        ),
        Parameter(
            name="publish",
            type=str,
            default="label",
            choices=("label", "limit"),
            meaning="whether the label '>= 90' is published, or the limit 90 itself, which keeps a number",
        ),
    )

    def anonymize(self, records: Records, arguments: Arguments, task: Task) -> Anonymised:
        """Return the columns with their ends coded.

        Args:
            records: The table.
            arguments: ``top``, ``bottom``, ``k`` and ``publish``.
            task: Its QIDs and entity.

        Returns:
            The columns; every record is kept. NULL and what is no number stay, and so does a column
            without a value.

        Units:
            Those of the columns.

        Raises:
            NotMeasurable: When a column is no QID of numbers or dates, no limit has k persons beyond it, or
                its top and bottom overlap.
            UserError: When neither is set, or a limit cannot be read.

        Example:
            >>> TopBottomCoding().parameters[3].choices
            ('label', 'limit')
        """
        asked = {
            is_top: numbers_by_column(name, arguments[name])
            for name, is_top in (("top", True), ("bottom", False))
        }
        if not any(asked.values()):
            raise UserError("neither 'top' nor 'bottom' names a column; write column=number")
        for parameter, columns in (("top", asked[True]), ("bottom", asked[False])):
            check_columns(parameter, columns, task.quasi_identifiers)
        k = wanted(arguments, task).k
        entity = None if task.entity is None else records.codes((task.entity,))[:, 0]
        published, notes = {}, []
        names = list(dict.fromkeys((*asked[True], *asked[False])))
        for done, name in enumerate(names):
            task.progress.step(TITLE, done, len(names))
            values = records.column(name)
            if values.value_type is ValueType.EMPTY:
                continue  # there is nothing to code, whatever the column was meant to hold
            limits = [
                coding_limit(values, asked[is_top][name], k, entity, is_top=is_top)
                for is_top in (True, False)
                if name in asked[is_top]
            ]
            if len(limits) > 1 and limits[0].value <= limits[1].value:
                raise NotMeasurable(f"top and bottom of {name!r} overlap; set them further apart or lower k")
            notes += [_note(name, limit, k) for limit in limits if limit.is_moved]
            recoded = _coded(values, limits, is_label=arguments["publish"] == "label")
            if recoded is not None:
                published[name] = recoded
        task.progress.step(TITLE, len(names), len(names))
        kept = np.ones(records.records, dtype=np.bool_)
        return Anonymised(kept=kept, columns=published, notes=tuple(notes))


def _coded(values: ColumnValues, limits: list[CodingLimit], *, is_label: bool) -> Recoded | None:
    """Return the column with what lies beyond its limits coded; None where nothing does."""
    shown: list[Original | str | int | float | date] = [Original(code) for code in range(len(values.texts))]
    place = np.arange(len(values.texts))
    for limit in limits:
        beyond = np.zeros(0, dtype=np.bool_) if values.numbers is None else limit.beyond(values.numbers)
        if beyond.any():
            place[beyond] = len(shown)
            shown.append(limit.label if is_label else limit.shown)
    if len(shown) == len(values.texts):
        return None
    return Recoded(codes=place[values.codes], values=tuple(shown))


def _note(name: str, limit: CodingLimit, k: int) -> str:
    which = "top" if limit.is_top else "bottom"
    return f"the {which} of {name!r} was moved inwards, so that {k} persons lie beyond it"
