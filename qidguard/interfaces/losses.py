"""The option ``--losses``: which losses a trial measures."""

from qidguard.core.errors import UserError


def losses_named(written: str | None) -> tuple[str, ...] | None:
    """Return the names of an option; None where it is not given, none for ``none``.

    Example:
        >>> losses_named("ncp, gcp"), losses_named("none"), losses_named(None)
        (('ncp', 'gcp'), (), None)
    """
    if written is None:
        return None
    names = tuple(part.strip() for part in written.split(",") if part.strip())
    if not names or ("none" in names and len(names) > 1):
        raise UserError(f"--losses: {written!r} names no losses; name some with commas between, all, or none")
    return () if names == ("none",) else names
