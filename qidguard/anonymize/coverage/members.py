"""The members of a published set: ``{a, b}`` with its quotes, and texts joined by a separator."""

_OPENING, _CLOSING = "[(", "])"


def set_members(text: str) -> list[str | None] | None:
    """Return the members of ``{a, b}``; None where the text is no such set.

    An empty place is a missing value, None; a quoted empty text is a value: ``qidguard.set_text`` inverted.
    """
    if len(text) < len("{}") or not (text.startswith("{") and text.endswith("}")):
        return None
    members: list[str | None] = []
    rest = text[1:-1]
    while True:
        rest = rest.lstrip()
        if rest.startswith('"'):
            found = _quoted(rest)
            if found is None:
                return None
            member, rest = found
            members.append(member)
            rest = rest.lstrip()
        else:
            end = _bare_end(rest)
            member = rest[:end].strip()
            members.append(member or None)
            rest = rest[end:]
        if not rest:
            return members
        if not rest.startswith(","):
            return None
        rest = rest[1:]


def _quoted(text: str) -> tuple[str, str] | None:
    """Return the text between quotes, two quotes being one, and what follows; None without an end."""
    at, parts = 1, []
    while True:
        end = text.find('"', at)
        if end < 0:
            return None
        parts.append(text[at:end])
        if text[end + 1 : end + 2] != '"':
            return "".join(parts), text[end + 1 :]
        parts.append('"')
        at = end + 2


def _bare_end(text: str) -> int:
    """Return where a member without quotes ends: at a comma outside brackets."""
    depth = 0
    for at, letter in enumerate(text):
        if letter == "," and depth == 0:
            return at
        depth += (letter in _OPENING) - (letter in _CLOSING and depth > 0)
    return len(text)


def joined_parts(text: str) -> list[list[str]]:
    """Return the ways in which a text may be joined of parts: by comma, tilde, semicolon or bar."""
    return [[part.strip() for part in text.split(one)] for one in ",~;|" if one in text]
