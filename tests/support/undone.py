"""An original table and what is published of it, drawn: with columns that undo the work, or with none."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from qidguard.core.column import ColumnValues, ValueType
from qidguard.core.versions import Changes
from qidguard.sdk import LeakTask
from qidguard_checks.plugin import Undoing

EPOCH = date(1970, 1, 1).toordinal()


@dataclass(frozen=True)
class Table:
    """A table of columns."""

    columns: dict[str, ColumnValues]

    @property
    def names(self):
        """The column names."""
        return tuple(self.columns)

    @property
    def records(self):
        """Number of records."""
        return next(iter(self.columns.values())).records

    def column(self, name):
        """Return a column."""
        return self.columns[name]


def coded(values, name):
    """Return an array as a column: numbers, days (datetime64) and texts keep their type, None is NULL."""
    values = np.asarray(values)
    if values.dtype == object:
        values = np.where(np.equal(values, None), "", values).astype(str)
    some, codes = np.unique(values, return_inverse=True)
    kind = {"i": ValueType.INTEGER, "f": ValueType.NUMBER, "M": ValueType.DATE}.get(
        values.dtype.kind, ValueType.TEXT
    )
    has_null = kind is ValueType.TEXT and len(some) > 0 and some[0] == ""
    if has_null:
        some, codes = some[1:], codes - 1
    numbers = None if kind is ValueType.TEXT else np.append(np.nan, some.astype("f8"))
    texts = (None, *(str(value) for value in some))
    return ColumnValues(
        name=name, value_type=kind, codes=(codes + 1).astype(np.int32), texts=texts, numbers=numbers
    )


def changed(before, *, kept=None, **published):
    """Return columns of values beside the published ones, of which some are others."""
    records = len(next(iter(before.values())))
    kept = np.ones(records, dtype=np.bool_) if kept is None else np.asarray(kept)
    was = {name: coded(values, name) for name, values in before.items()}
    after = {
        name: coded(published.get(name, np.asarray(values)[kept]), name) for name, values in before.items()
    }
    return Changes(before=Table(was), after=Table(after), kept=kept)


def find_leaks(changes, *, qids, published, seed=0, **more):
    """Return what the check finds."""
    task = LeakTask(changes=replace(changes, seed=seed), qids=tuple(qids), published=tuple(published), **more)
    return Undoing().find(task)


def decades(ages):
    """Return ages as texts of ten years each."""
    return np.char.add(np.char.mod("%d", np.asarray(ages) // 10), "0s")


def text(values, form="%d"):
    """Return numbers as texts."""
    return np.char.mod(form, values)


@dataclass(frozen=True)
class Planted:
    """A table in which columns undo a generalization.

    Args:
        changes: The original beside what is published.
        qid: The quasi-identifier.
        columns: The columns that undo it.
        also: Further quasi-identifiers.
    """

    changes: Changes
    qid: str
    columns: tuple[str, ...]
    also: tuple[str, ...] = ()


def _people(records, generator):
    """Return columns that have nothing to do with any other."""
    return {
        "sex": generator.choice(["f", "m"], records),
        "visits": generator.poisson(3, records),
        "weight": generator.normal(70, 12, records).round(1),
        "number": generator.permutation(records),
        "town": text(generator.zipf(1.6, records) % 400),
    }


def _planted(generator, qid, values, published, extra, also=None):
    """Return a table whose extra columns, which may be drawn last, undo what is published of a QID."""
    people = _people(len(values), generator)
    extra = extra() if callable(extra) else extra
    before = {qid: values, **{name: own for name, (own, _) in (also or {}).items()}, **people, **extra}
    others = {name: other for name, (_, other) in (also or {}).items()}
    return Planted(changed(before, **{qid: published}, **others), qid, tuple(extra), tuple(others))


def _noisy(age, generator):
    is_other = generator.random(len(age)) < 0.01
    return np.where(is_other, generator.permutation(age), age)


def _ages(extra):
    def plant(records, generator):
        age = generator.integers(18, 90, records)
        return _planted(generator, "age", age, decades(age), lambda: extra(age, generator))

    return plant


def _birth(age, generator, form=None):
    born = date(2020, 6, 30).toordinal() - EPOCH - (age * 365.25 + generator.random(len(age)) * 365.25)
    days = born.astype("i8").astype("M8[D]")
    if form is None:
        return days
    return np.array([day.strftime(form) for day in days.tolist()])


def _months(records, generator):
    """A day of the year told by its month and its day of the month."""
    day = generator.integers(0, 365, records)
    when = (day + 17_897).astype("M8[D]")
    first = when.astype("M8[M]")
    extra = {"month": first.astype("i8") % 12 + 1, "day": (when - first).astype("i8")}
    return _planted(generator, "visit", day, text(day // 90, "q%d"), extra)


def _cipher(records, generator):
    job, key = (generator.integers(0, 12, records) for _ in range(2))
    extra = {"key": key, "sealed": (job + key) % 12}
    return _planted(generator, "job", text(job, "j%02d"), text(job // 6), extra)


def _sums(sign):
    def plant(records, generator):
        first, second = (generator.integers(0, 10**6, records) for _ in range(2))
        income = first + sign * second + 1000
        extra = {"wage": first, "rent": second}
        return _planted(generator, "income", income, text(income // 400_000), extra)

    return plant


def _incomes(extra):
    """Plant columns beside an income that nobody shares."""

    def plant(records, generator):
        income = generator.permutation(records * 20)[:records]
        return _planted(generator, "income", income, text(income // (records * 5)), extra(income))

    return plant


def _prefix(records, generator):
    postcode = generator.integers(10_000, 99_999, records)
    extra = {"postcode": text(postcode, "%05d")}
    return _planted(generator, "region", text(postcode // 10), text(postcode // 10_000), extra)


def _date_part(form, number):
    def plant(records, generator):
        moment = (generator.integers(0, 20 * 365 * 86_400, records) + 10**9).astype("M8[s]")
        day = moment.astype("M8[D]")
        written = text(day.astype("i8")) if number else np.datetime_as_string(day)
        extra = {"moment": np.array([m.strftime(form) for m in moment.tolist()])}
        return _planted(generator, "day", written, np.datetime_as_string(moment.astype("M8[Y]")), extra)

    return plant


def _bijection(age, generator):
    return {"code": generator.permutation(100)[age]}


def _written(form):
    """Return a nearly unique text in which an age stands, and numbers and words that change."""

    def extra(age, generator):
        number, some = generator.permutation(len(age)), generator.random(len(age))
        words = generator.choice(["ill", "very ill", "well"], len(age))
        rows = zip(age.tolist(), number.tolist(), some.tolist(), words.tolist(), strict=True)
        return {"note": np.array([form(*row) for row in rows])}

    return extra


def _reckoned(operation):
    """Return two columns of which an operation gives the age, to six digits."""

    def extra(age, generator):
        other = generator.integers(100, 10_000, len(age))
        return {"first": operation(age, other), "second": other}

    return extra


def _visit(age, generator):
    visit = 18_262 + generator.integers(0, 1_500, len(age))
    born = visit - (age * 365.25 + generator.random(len(age)) * 365).astype("i8")
    return {"visit": visit.astype("M8[D]"), "born": born.astype("M8[D]")}


def _pay(age, generator):
    """Return two wages whose quotient is a matter of the age alone."""
    wage = generator.integers(1_000, 9_999, len(age))
    return {"wage": wage, "paid": (wage * (1 + (age // 5) / 100)).round(2)}


def _sorted_numbers(age, generator):
    rank = np.empty(len(age), dtype="i8")
    rank[np.argsort(age + generator.random(len(age)))] = np.arange(len(age))
    return {"serial": rank * 7 + 13}


def _cells(records, generator):
    """A code of an age and a sex together, which neither tells alone."""
    age, sex = generator.integers(18, 90, records), generator.integers(0, 2, records)
    code = generator.permutation(200)[age // 5 * 2 + sex]
    gender = {"gender": (text(sex, "g%d"), np.full(records, "*"))}
    return _planted(generator, "age", age, decades(age), {"code": code}, gender)


PLANTED: dict[str, tuple[float, Callable[..., Planted]]] = {
    "copy": (1.0, _ages(lambda age, _: {"copy": age})),
    "copy of 99 %": (0.98, _ages(lambda age, g: {"copy": _noisy(age, g)})),
    "bijection": (0.996, _ages(_bijection)),
    "finer code": (0.94, _ages(lambda age, g: {"code": age * 4 + g.integers(0, 4, len(age))})),
    "month and day": (0.93, _months),
    "cipher of two columns": (0.99, _cipher),
    "date of birth": (0.84, _ages(lambda age, g: {"born": _birth(age, g)})),
    "date of birth as text": (0.84, _ages(lambda age, g: {"born": _birth(age, g, "%d.%m.%Y")})),
    "sum": (0.99, _sums(1)),
    "difference": (0.99, _sums(-1)),
    "copy of unique values": (1.0, _incomes(lambda income: {"again": income})),
    "line through unique values": (1.0, _incomes(lambda income: {"again": 17 - 3 * income})),
    "prefix": (0.99, _prefix),
    "part of a date": (0.99, _date_part("%Y-%m-%d %H:%M:%S", number=False)),
    "part of a date as written": (0.99, _date_part("%d/%m/%Y %H:%M", number=False)),
    "band of two years": (0.96, _ages(lambda age, _: {"band": text(age // 2, "%d+")})),
    "middle of three years": (0.96, _ages(lambda age, _: {"about": age // 3 * 3 + 1})),
    "shifted decade": (0.96, _ages(lambda age, _: {"about": (age + 3) // 10})),
    "band with noise": (0.9, _ages(lambda age, g: {"about": _noisy(age, g) // 5})),
    "tariff steps": (0.96, _ages(lambda age, _: {"fee": np.array([10, 25, 45, 90])[age // 25]})),
    "band of unique values": (
        0.9,
        _incomes(lambda income: {"band": text(income // (len(income) // 5), "b%d")}),
    ),
    "known by two": (0.96, _cells),
    "quotient": (0.9, _ages(_reckoned(lambda age, other: age * other))),
    "product": (0.9, _ages(_reckoned(lambda age, other: age / other))),
    "quotient of a category": (0.9, _ages(_pay)),
    "days between two dates": (0.9, _ages(_visit)),
    "field of JSON": (
        0.96,
        _ages(_written(lambda a, n, s, _: f'{{"id": {n}, "p": {{"age": {a}, "s": {s}}}}}')),
    ),
    "name and value": (0.96, _ages(_written(lambda a, n, s, _: f"id={n}; age={a}; s={s:.4f}"))),
    "number in a sentence": (0.9, _ages(_written(lambda a, n, _, w: f"was {w} aged {a} on visit {n}"))),
    "middle of a code": (0.96, _ages(_written(lambda a, n, s, _: f"{int(s * 9999):04d}{a:02d}{n:06d}"))),
    "start of a number": (0.9, _ages(_written(lambda a, n, *_: f"{a}{n:06d}"))),
    "order of a serial number": (0.84, _ages(_sorted_numbers)),
}
"""Case → T that has to be met at every size, and how the table is made of records and a generator."""


@dataclass(frozen=True)
class Independent:
    """A table in which no column has to do with another.

    Args:
        changes: The original beside what is published.
        qids: The generalized quasi-identifiers.
        persons: The person of each record; None where nobody says.
        pairs: Ordered pairs of a quasi-identifier and a published column.
    """

    changes: Changes
    qids: tuple[str, ...]
    persons: np.ndarray | None
    pairs: int


def independent(seed):
    """Return a drawn table without relations: tripled rows, several records a person, and rare values too."""
    generator = np.random.default_rng([20261122, seed])
    persons = int(generator.choice([200, 600, 2000]))
    drawn = {f"q{i}": _hidden_column(i + seed, persons, generator) for i in range(5)}
    others = {f"x{i}": _other_column(i + seed, persons, generator) for i in range(11)}
    rows, of_persons = np.arange(persons), None
    if seed % 3 == 1:
        rows = np.repeat(rows, 3)
    if seed % 3 == 2:
        rows = of_persons = np.repeat(rows, generator.integers(1, 6, persons))
        # what a visit brings is another value each time
        others = {name: column[rows] for name, column in others.items()}
        for i in range(3):
            others[f"x{i}"] = generator.permutation(others[f"x{i}"])
        drawn = {name: column[rows] for name, column in drawn.items()}
        drawn["q0"] = generator.permutation(drawn["q0"])
    else:
        others = {name: column[rows] for name, column in others.items()}
        drawn = {name: column[rows] for name, column in drawn.items()}
    published = {
        name: _generalized(i + seed, column, generator) for i, (name, column) in enumerate(drawn.items())
    }
    changes = changed({**drawn, **others}, **published)
    return Independent(changes, tuple(drawn), of_persons, len(drawn) * (len(changes.after.names) - 1))


def _hidden_column(kind, records, generator):
    return (
        lambda: generator.integers(18, 90, records),
        lambda: (generator.random(records) < 0.04).astype("i8"),
        lambda: text(generator.zipf(1.5, records) % 1000, "t%d"),
        lambda: generator.permutation(records * 3)[:records],
        lambda: text(generator.choice(6, records, p=[0.7, 0.2, 0.05, 0.03, 0.01, 0.01]), "s%d"),
    )[kind % 5]()


def _other_column(kind, records, generator):
    return (
        lambda: generator.permutation(records),
        lambda: generator.lognormal(10, 0.4, records).round(),
        lambda: generator.integers(0, 2, records),
        lambda: text(generator.zipf(1.4, records) % 5000, "v%d"),
        lambda: (generator.integers(0, 20_000, records)).astype("M8[D]"),
        lambda: generator.integers(0, max(2, records // 3), records),
        lambda: generator.normal(0, 1, records),
        lambda: text(generator.choice(3, records, p=[0.96, 0.03, 0.01])),
    )[kind % 8]()


def _generalized(kind, values, generator):
    texts = values.astype(str).astype(object)
    if kind % 3 == 0:
        return np.array([value[:-1] + "*" for value in texts.tolist()])
    if kind % 3 == 1:
        return np.where(generator.random(len(values)) < 0.5, "*", texts).astype(str)
    return np.full(len(values), "*")
