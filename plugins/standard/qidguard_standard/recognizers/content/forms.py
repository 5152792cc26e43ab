"""Values that their form gives away: addresses in nets, places and houses, phones, postcodes, written dates."""

# ruff: noqa: E501 - a pattern is read in one piece

import re
from calendar import monthrange
from ipaddress import IPv6Address

from qidguard.sdk import ContentTest, ValueType

TEXT = (ValueType.TEXT,)
TEXT_OR_WHOLE = (ValueType.TEXT, ValueType.INTEGER)

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_DEGREES = r"-?(?:1[0-7][0-9]|[1-9]?[0-9])\.[0-9]{3,}"
_MONTHS = (
    "jan|feb|m[aä]r|mrz|mrt|maa|apr|ma[iyï]|mei|mag|giu|lug|jun|jul|aug|ago|ao[uû]|sep|set|o[ck]t|out|ott|nov|de[cz]|dic|"
    "ene|gen|f[eé]v|avr|abr|juin|juil|d[eé]c"
)
_STREET_BEFORE = (
    "rue|avenue|av|bd|boulevard|chemin|place|impasse|all[ée]e|calle|c/|avenida|avda|plaza|paseo|camino|rua|travessa|"
    r"pra[çc]a|via|viale|piazza|corso|largo|am|an der|auf dem|zur|zum"
)
_STREET_AFTER = (
    "street|st|avenue|ave|road|rd|lane|ln|drive|dr|court|ct|boulevard|blvd|way|place|pl|terrace|ter|circle|cir|"
    "highway|hwy|parkway|pkwy|square|sq|close|crescent|gardens|grove|trail|trl|loop|run|row|mews|hill|green|path"
)
_NUMBER = r"[0-9]{1,5} ?[a-z]?(?: ?[-/] ?[0-9]{1,4}[a-z]?)?"
_STREET_WORD = r"[^\W\d_][\w.'’-]*"


def is_ipv6(text: str) -> bool:
    """Return whether a text is an IPv6 address, with or without the length of its prefix.

    Example:
        >>> is_ipv6("2001:db8::1"), is_ipv6("12:30:45")
        (True, False)
    """
    try:
        IPv6Address(text.partition("/")[0])
    except ValueError:
        return False
    return True


def is_ipv4(text: str) -> bool:
    """Return whether four numbers are an address and hardly a version: long, and it begins with 10 at least.

    Example:
        >>> is_ipv4("192.168.17.4"), is_ipv4("1.12.0.113"), is_ipv4("11.2.0.4")
        (True, False, False)
    """
    octets = text.partition("/")[0].split(".")
    return int(octets[0]) >= 10 and sum(map(len, octets)) >= 7  # noqa: PLR2004 - as the docstring says


def is_phone(text: str) -> bool:
    """Return whether what is written as a phone number has as many digits as one, and is no day.

    ITU-T E.164 allows at most 15 digits; fewer than 7 reach nobody from elsewhere.

    Example:
        >>> is_phone("+49 30 901820"), is_phone("+1 2"), is_phone("08-22-1990")
        (True, False, False)
    """
    if re.fullmatch(r"[0-9]{1,4}([-/. ])[0-9]{1,2}\1[0-9]{2,4}", text) and is_date(text):
        return False
    return 7 <= sum(map(str.isdigit, text.partition("x")[0])) <= 15  # noqa: PLR2004 - as the docstring says


def is_date(text: str) -> bool:
    """Return whether the numbers of a text are a day between 1850 and 2050, in one of the orders in use.

    Example:
        >>> is_date("31.12.1999"), is_date("1999-02-30"), is_date("31121999"), is_date("99999999")
        (True, False, True, False)
    """
    parts = re.findall("[0-9]+", text)[:3]
    if len(parts[0]) == 8:  # noqa: PLR2004 - year, month and day together, or day, month and year
        parts = [text[:4], text[4:6], text[6:8]]
        if not _is_day(*map(int, parts)):
            parts = [text[:2], text[2:4], text[4:8]]
    first, middle, last = map(int, parts)
    if len(parts[0]) == 4:  # noqa: PLR2004 - a year
        return _is_day(first, middle, last)
    year = last if len(parts[2]) == 4 else 1900 + last  # noqa: PLR2004 - a year
    is_year_first = len(parts[0]) == len(parts[2]) and _is_day(1900 + first, middle, last)
    return is_year_first or _is_day(year, middle, first) or _is_day(year, first, middle)


def _is_day(year: int, month: int, day: int) -> bool:
    is_month = 1850 <= year <= 2050 and 1 <= month <= 12  # noqa: PLR2004 - as the docstring says
    return is_month and 1 <= day <= monthrange(year, month)[1]


def is_band(text: str) -> bool:
    """Return whether the bounds of a band are ages: at most 130, at most 50 apart.

    Where brackets or signs say that it is a band, it may be one of weights or heights, up to 300.

    Example:
        >>> is_band("[70-80)"), is_band("1990-2020"), is_band("[175-200)"), is_band("150-175")
        (True, False, True, False)
    """
    bounds = [int(number) for number in re.findall("[0-9]+", text)]
    most = 130 if text[0].isdigit() else 300
    return max(bounds) <= most and (len(bounds) == 1 or 0 < bounds[1] - bounds[0] <= 50)  # noqa: PLR2004 - ages


FORMS = (
    ContentTest(
        name="email",
        title="e-mail addresses",
        pattern=r"(?:mailto:)?[^@\s<>,;:/\"]{1,64}@(?:[a-z0-9-]+\.)+[a-z]{2,24}",
    ),
    ContentTest(
        name="phone",
        title="phone numbers",
        pattern=r"(?:tel:)?(?:(?:\+|00)[1-9][0-9 ()./-]{5,20}[0-9]"
        r"|(?:1[-. ])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[-. /])[2-9][0-9]{2}[-. ][0-9]{4}"
        r"|\(?0[1-9][0-9]{0,4}\)?(?: ?[-/] ?| )[0-9]{2,4}(?:[ -]?[0-9]{2,4}){1,4})(?: ?(?:x|ext\.?) ?[0-9]{1,6})?",
        holds=is_phone,
    ),
    ContentTest(
        name="us_ssn",
        title="US Social Security numbers",
        pattern=r"(?!000|666)[0-9]{3}([- ])[0-9]{2}\1[0-9]{4}",
        chance=0.998,
    ),
    ContentTest(
        name="ipv4",
        title="IP addresses",
        pattern=rf"{_OCTET}(?:\.{_OCTET}){{3}}(?:/[0-9]{{1,2}})?",
        holds=is_ipv4,
    ),
    ContentTest(
        name="ipv6",
        title="IPv6 addresses",
        pattern=r"[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:.]*(?:/[0-9]{1,3})?",
        holds=is_ipv6,
    ),
    ContentTest(
        name="mac",
        title="network cards (MAC)",
        pattern="(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\\1){4}[0-9a-f]{2}",
    ),
    ContentTest(
        name="uuid",
        title="UUIDs",
        pattern=rf"(?:urn:uuid:|[a-z]+/)?\{{?{_UUID}\}}?|(?:https?://\S+/){_UUID}",
    ),
    ContentTest(
        name="profile",
        title="personal pages",
        pattern=r"(?:https?://)?(?:www\.)?(?:[a-z-]+\.)?(?:linkedin\.com/in|facebook\.com|instagram\.com|twitter\.com|"
        r"x\.com|github\.com|gitlab\.com|xing\.com/profile|tiktok\.com|t\.me|youtube\.com|researchgate\.net/profile|"
        r"mastodon\.social|orcid\.org|reddit\.com/user)/@?[\w.-]{2,60}/?"
        r"|https?://\S+/(?:~|users?/|profiles?/|people/|members?/|authors?/)[\w.-]{2,60}/?",
    ),
    ContentTest(name="handle", title="names of accounts", pattern=r"@[a-z_][\w.]{1,29}"),
    ContentTest(name="web_page", title="web pages", pattern=r"(?:https?|ftp)://[^\s/]+\.[a-z]{2,}\S*"),
    ContentTest(
        name="point",
        title="points on the map",
        pattern=rf"(?:point ?)?[(\[]?{_DEGREES} ?[,; ] ?{_DEGREES}[)\]]?"
        r"|[0-9]{1,3}°.{0,14}[NS][,; ]+[0-9]{1,3}°.{0,14}[EWO]",
    ),
    ContentTest(
        name="degrees",
        title="degrees with four digits or more behind the point",
        pattern=r"-?(?:1[0-7][0-9]|[1-9]?[0-9])\.[0-9]{4,}",
        value_types=(ValueType.NUMBER,),
        chance=0.28,
    ),
    ContentTest(
        name="street_address",
        title="postal addresses",
        pattern=rf"[0-9]{{1,6}}[a-z]? (?:{_STREET_WORD} ){{1,4}}(?:{_STREET_AFTER})\.?(?:[ ,].*)?"
        rf"|(?:[0-9]{{1,4}} ?(?:bis|ter)?,? )?(?:{_STREET_BEFORE})\.? (?:{_STREET_WORD}[ ,]*){{1,6}}(?:{_NUMBER})?(?:,.*)?"
        rf"|[^\W\d_][\w.' -]*(?:str(?:a(?:ß|ss)e|\.)|weg|platz|allee|gasse|ring|damm|ufer|straat|laan|plein|gracht|kade|"
        rf"dijk|steeg) {_NUMBER}(?:,.*)?",
        holds=lambda text: any(map(str.isdigit, text)),
    ),
    ContentTest(
        name="postcode_lettered",
        title="postcodes",
        pattern="[a-z]{1,2}[0-9][0-9a-z]? [0-9][a-z]{2}"  # GB
        "|[abceghj-nprstvxy][0-9][abceghj-nprstv-z] [0-9][abceghj-nprstv-z][0-9]"  # CA
        "|[1-9][0-9]{3} (?!s[ads])[a-z]{2}",  # NL
    ),
    ContentTest(
        name="postcode_dashed",
        title="postcodes",
        pattern="[0-9]{5}-[0-9]{4}|[0-9]{4}-[0-9]{3}|[0-9]{2}-[0-9]{3}|[0-9]{5}-[0-9]{3}|[0-9]{3}-[0-9]{4}"
        "|(?:d|f|i|e|a|ch|nl|b|l|dk|se?|cz|sk|fi|lt|lv|ee|si)-[0-9]{4,5}|[1-9][0-9]{2} [0-9]{2}",
    ),
    ContentTest(
        name="five_digits",
        title="whole numbers of five digits",
        pattern="[0-9]{5}",
        value_types=TEXT_OR_WHOLE,
        chance=1.0,
    ),
    ContentTest(
        name="written_date",
        title="dates",
        pattern=r"[12][0-9]{3}([-/.])[0-9]{1,2}\1[0-9]{1,2}(?:[T ].*)?"
        r"|[0-9]{1,2}([-/.] ?)[0-9]{1,2}\2(?:[12][0-9]{3}|[0-9]{2})(?:[T ][0-9].*)?"
        r"|[0-9]{1,2} [0-9]{1,2} [12][0-9]{3}"
        r"|(?:1[89]|20)[0-9]{6}(?:T[0-9]{4,6})?|[0-3][0-9][01][0-9](?:19|20)[0-9]{2}",
        holds=is_date,
        value_types=TEXT_OR_WHOLE,
        chance=0.0054,
    ),
    ContentTest(
        name="worded_date",
        title="dates",
        pattern=rf"(?:\w+, )?[0-9]{{1,2}}\.?[ -]?(?:de )?(?:{_MONTHS})\w*\.?[ ,-]*(?:de )?[0-9]{{2,4}}(?:[ T:].*)?"
        rf"|(?:\w+, )?(?:{_MONTHS})\w*\.? [0-9]{{1,2}}(?:st|nd|rd|th)?,? [0-9]{{2,4}}(?: .*)?"
        rf"|\w{{2,3}}\.?,? (?:{_MONTHS})\w*\.? [0-9]{{1,2}} [0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}} .*[0-9]{{4}}",
    ),
    ContentTest(
        name="year_and_month",
        title="months of years",
        pattern=r"(?:1[89]|20)[0-9]{2}[-/](?:0[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])[-/](?:1[89]|20)[0-9]{2}"
        rf"|(?:{_MONTHS})\w*\.?[ -](?:1[89]|20)[0-9]{{2}}",
        chance=0.0037,
    ),
    ContentTest(
        name="age_band",
        title="bands of ages or numbers",
        pattern=r"[\[(]?[0-9]{1,3} ?(?:-|–|to|bis|à|a|,) ?[0-9]{1,3}[\])]?(?: ?(?:years?|jahre|ans|años))?"
        r"|(?:[<>≥≤]=? ?|over |under |ab |bis )[0-9]{1,3}(?: ?(?:years?|jahre|ans|años))?|[0-9]{1,3} ?\+",
        holds=is_band,
    ),
    ContentTest(
        name="income_band",
        title="bands of incomes",
        pattern=r"(?:[<>≥≤]=? ?|under |over |below |above )?[$€£]?[0-9]{1,3}(?:[.,][0-9]{3})* ?k?"
        r"(?: ?(?:-|–|to) ?[<>]?[$€£]?[0-9]{1,3}(?:[.,][0-9]{3})* ?k?)?\.?",
        holds=lambda text: bool(
            re.search(r"[<>≥≤–-]|under|over|below|above| to ", text)
            and re.search(r"[k$€£]", text, re.IGNORECASE)
        ),
    ),
    ContentTest(
        name="blood_group", title="blood groups", pattern=r"(?:a|b|ab|0|o) ?(?:[+-]|pos|neg|rh ?[+-])"
    ),
    ContentTest(name="version", title="versions", pattern=r"v?[0-9]{1,3}(?:\.[0-9]{1,5}){2,3}(?:[-+]\w+)?"),
)
"""Tests of forms; the form itself is what nothing else has, so their chance says little."""
