"""URLs of this machine's own files."""

from urllib.parse import unquote, urlsplit

from qidguard.core.address import shown_address
from qidguard.core.errors import UserError

_LOCAL = frozenset({"file", "local"})


def is_local(url: str) -> bool:
    """Return whether a URL names a file of this machine."""
    scheme, separator, _ = url.partition("://")
    return bool(separator) and scheme.lower() in _LOCAL


def local_path(url: str) -> str:
    """Return the path that a URL of this machine means."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise no_path(url) from None
    if parts.netloc not in {"", "localhost"}:
        raise UserError(
            f"{shown_address(url)!r} names another machine; write file:///folder/table.csv for a file here"
        )
    if parts.query or parts.fragment:
        raise no_path(url)
    return unquote(parts.path)


def no_path(to: str) -> UserError:
    """Return the error for what is no path."""
    return UserError(f"{shown_address(to)!r} is no path of this machine; name a file")
