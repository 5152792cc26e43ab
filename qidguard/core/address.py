"""Addresses as they may be shown and kept: without a user, a password or a token."""

import re

_PASSWORD = re.compile(r"[^/@:]*:(?!\d+(/|$))[^@]*@")
"""A user and a password before the host; digits behind a colon are a port."""

_CONTAINERS = frozenset({"abfs", "abfss", "wasb", "wasbs"})
"""Protocols in which a container, and no user, stands before the host."""


def shown_address(url: str) -> str:
    """Return an address without its user and password, and without what follows ``?`` or ``#``.

    Args:
        url: A URL, or a path, which is returned as it is.

    Returns:
        A text that may stand in reports, logs and ledgers.

    Units:
        None.

    Raises:
        AttributeError: When ``url`` is no text.

    Example:
        >>> shown_address("s3://key:secret@bucket/x.csv?token=1")
        's3://bucket/x.csv'
        >>> shown_address("zip://x.csv::s3://key:secret@bucket/x.zip")
        'zip://x.csv::s3://bucket/x.zip'
    """
    if "://" not in url:
        return url
    # fsspec chains addresses: zip://table.csv::s3://bucket/all.zip
    return "::".join(map(_shown, url.split("::")))


def _shown(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url
    rest = rest.partition("?")[0].partition("#")[0]
    if _PASSWORD.match(rest):  # it may hold slashes, so the place begins behind the last @
        return f"{scheme}://{rest.rpartition('@')[2]}"
    if scheme in _CONTAINERS:
        return f"{scheme}://{rest}"
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"
