"""Addresses as they may be shown and kept: without a user, a password or a token."""


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
    host, slash, path = rest.partition("?")[0].partition("#")[0].partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"
