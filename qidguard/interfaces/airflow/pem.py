"""The text of a key, as forms and environment variables hand it on."""

_BEGIN, _END, _DASHES = "-----BEGIN ", "-----END ", "-----"


def is_pem(text: str) -> bool:
    """Return whether a text is a key itself, and not the path of one.

    Args:
        text: The text.

    Returns:
        Whether it holds a PEM header.

    Example:
        >>> is_pem("/srv/signing.key")
        False
    """
    return _BEGIN in text


def pem_lines(text: str) -> list[str]:
    r"""Return the lines of a key; line ends that became spaces, or ``\n`` in letters, are line ends again.

    Args:
        text: A PEM text.

    Returns:
        Its header, its lines, its footer.

    Example:
        >>> pem_lines("-----BEGIN PRIVATE KEY----- AAAA BBBB -----END PRIVATE KEY-----")
        ['-----BEGIN PRIVATE KEY-----', 'AAAA', 'BBBB', '-----END PRIVATE KEY-----']
    """
    plain = text.replace("\\n", "\n")
    kind, _, rest = plain.partition(_BEGIN)[2].partition(_DASHES)
    body = rest.partition(_END)[0]
    return [f"{_BEGIN}{kind}{_DASHES}", *body.split(), f"{_END}{kind}{_DASHES}"]
