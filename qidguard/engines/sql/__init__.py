"""Plain SQL that every engine speaks: identifiers and the one group-by statement."""
