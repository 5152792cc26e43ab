"""The fault of a piece of evidence, inside this room; at its doors it becomes a sentence or an error."""


class EvidenceFault(ValueError):  # noqa: N818 - it is what a check found, and a verification collects them
    """Evidence is not what it must be; the message says what, and repeats no more of it than names."""
