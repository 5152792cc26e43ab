"""The part of the audit document's JSON Schema on whom releases isolate together."""

from qidguard.rendering.shape import Shape, a_count, a_list, a_text, an_object, nullable


def isolated_shape() -> Shape:
    """Return the shape of whom releases isolate; only a table that misses a threshold over time has it."""
    one = isolated_over_time("Whom the table and its earlier releases isolate over one QID combination.")
    return a_list(one, "Whom releases isolate, where a threshold over time is missed; internal.")


def isolated_over_time(description: str) -> Shape:
    """Return the shape of whom releases isolate over one combination."""
    by_release = an_object(
        "One earlier release.",
        {
            "release_id": a_text("Its name."),
            "isolated": _counts("Whom the table isolates with this release alone."),
        },
    )
    return an_object(
        description,
        {
            "combination": a_text("The QID combination's name."),
            "qids": a_list(a_text("A column."), "The columns that make the table's classes."),
            "k": a_count("Persons that a joint class needs."),
            "most_recent": nullable(a_count("How many of the latest releases are looked at; null for all.")),
            "releases": a_count("Number of earlier releases that are looked at."),
            "followed": a_count("Persons of any of the releases, this table's included."),
            "isolated": _counts("Whom all releases together leave in a joint class below k."),
            "already": _counts("Of these, whom the earlier releases isolate by themselves."),
            "at_any_level": _counts("Of these, whom no change of levels helps."),
            "by_release": a_list(by_release, "Each earlier release, oldest first."),
            "together": _counts("Whom no earlier release isolates alone, but all of them do."),
        },
    )


def _counts(description: str) -> Shape:
    return an_object(
        description,
        {
            "persons": a_count("How many they are."),
            "left": a_count("In an earlier release, not in the table."),
            "came": a_count("In the table, in no earlier release."),
            "stayed": a_count("In both."),
        },
    )
