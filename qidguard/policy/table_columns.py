"""Columns that stand for the records of several tables, or stand in them beside the persons'."""

from collections.abc import Mapping

from qidguard.policy.tables import LinkedTable


def made_columns(tables: Mapping[str, LinkedTable]) -> tuple[str, ...]:
    """Return the columns of the persons that are made of the records of other tables.

    Example:
        >>> made_columns({"e": LinkedTable(references={"p": "p"}, per_person={"visits": {"count": True}})})
        ('visits',)
    """
    return tuple(own for table in tables.values() for own in table.per_person)


def sensitive_beside(tables: Mapping[str, LinkedTable]) -> tuple[str, ...]:
    """Return the sensitive columns of the tables beside the persons', each as ``table.column``.

    Example:
        >>> sensitive_beside({"e": LinkedTable(references={"p": "p"}, sensitive=["code"])})
        ('e.code',)
    """
    return tuple(f"{name}.{column}" for name, table in tables.items() for column in table.sensitive)
