"""Addresses as they may be shown and kept: without a user, a password or a token."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

_PASSWORD = re.compile(r"[^/@:]*:(?!\d+([/?#]|$))[^@]*@")
"""A user and a password before the host; digits behind a colon are a port."""

_CONTAINERS = frozenset({"abfs", "abfss", "wasb", "wasbs"})
"""Protocols in which a container, and no user, stands before the host."""

_DATABASES = frozenset({"postgresql", "postgres", "mysql", "mariadb", "mssql", "oracle", "redshift"})
"""Protocols in whose addresses nothing but a user and a password ends in ``@``."""

_PAIR = re.compile(
    r"""(?ix) ([\w.%-]*
    (?: passw | pwd | passphrase | secret | token | credential | (?:api|access|account)[_-]?key )
    [\w.%-]*) (\s*=\s*) ( '(?:[^'\\]|\\.)*' | "[^"]*" | [^\s&;'"#]+ )"""
)
"""A password as a pair: in a query, or in the ``host=… password=…`` that databases take too."""

_WITHOUT_SLASHES = re.compile(r"^((?:[A-Za-z][\w+.-]*:/?(?=[^/@\s]*:)|//)?)[^/@:\s]+:\S*@(?=[^@]*$)")
"""What begins like an address with a password, and lacks the slashes of one."""


_IN_TEXT = re.compile(r"[A-Za-z][\w+.:-]*://[^\s'\"<>]+")
"""An address in a sentence."""

_BARE_IN_TEXT = re.compile(r"[^\s/@:'\"]+:[^\s'\"]+@(?=[\w.-]+(?:/|:\d))")
"""A user and a password in a sentence, before a host and what follows it."""


def shown_address(url: str) -> str:
    """Return an address without its user and password, and without what follows ``?`` or ``#``.

    Example:
        >>> shown_address("postgresql://ann:s%40cret@db/ledger?sslmode=require")
        'postgresql://db/ledger'
        >>> shown_address("host=db password=secret"), shown_address("data/table.csv")
        ('host=db password=***', 'data/table.csv')
    """
    if "://" not in url:
        return _PAIR.sub(r"\1\2***", _WITHOUT_SLASHES.sub(r"\1***@", url))
    # fsspec chains addresses: zip://table.csv::s3://bucket/all.zip
    parts = [url] if _is_database(url.partition("://")[0]) else url.split("::")
    return _PAIR.sub(r"\1\2***", "::".join(map(_shown, parts)))


def without_secrets(text: str) -> str:
    """Return a sentence whose addresses are without their passwords; every error of qidguard is said so.

    Example:
        >>> without_secrets("the ledger 'postgresql://ann:secret@db/x' cannot be read")
        "the ledger 'postgresql://db/x' cannot be read"
    """
    if "@" not in text and "=" not in text:
        return text
    text = _IN_TEXT.sub(
        lambda found: shown_address(found[0]) if set(found[0]) & set("@?") else found[0], text
    )
    return _PAIR.sub(r"\1\2***", _BARE_IN_TEXT.sub("***@", text))


def secrets_in(url: str) -> Iterator[str]:
    """Yield the passwords and tokens in an address, as they are written and as they are meant.

    Example:
        >>> list(secrets_in("postgresql://ann:s%40cret@db/ledger?password=other"))
        ['s%40cret', 's@cret', 'other']
    """
    head = url.partition("://")[2] or url
    user, at, _ = head.rpartition("@")
    found = [user.partition(":")[2]] if at else []
    found += [pair[2].strip("'\"") for pair in _PAIR.findall(url)]
    for secret in dict.fromkeys(found):
        if secret:
            yield from dict.fromkeys((secret, unquote(secret)))


def _is_database(scheme: str) -> bool:
    return scheme.rpartition(":")[2].partition("+")[0].lower() in _DATABASES


def _shown(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url
    is_database = _is_database(scheme)
    before_query = rest.partition("?")[0].partition("#")[0]
    if is_database and "@" in before_query.partition("/")[0] and "@" not in rest.partition("?")[2]:
        rest = before_query.rpartition("@")[2]
    elif _PASSWORD.match(rest) or (is_database and "@" in rest):
        # it may hold slashes and question marks, so the place begins behind the last @
        rest = rest.rpartition("@")[2]
    rest = rest.partition("?")[0].partition("#")[0]
    if scheme in _CONTAINERS:
        return f"{scheme}://{rest}"
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"
