"""Thirty kinds of identifiers with digits that check, written in three ways, by arithmetic of their own."""

# ruff: noqa: E501, SIM905 - lists of words are read as words

import random
import string
from collections.abc import Callable, Sequence

Draw = Callable[[random.Random], str]
SPELLINGS = 3
"""Ways to write each kind: as Synthea, FHIR and OMOP write their fields, or plain, grouped and with a prefix."""

_FIRST = (
    "Anna Peter Maria Thomas Julia Michael Sarah David Laura Daniel Sophie Paul Elena Marco Lucia Carlos Pierre "
    "Claire Jan Eva Hans Ingrid Luis Carmen Giulia Luca Joao Ana Pieter Emma James Linda Robert Karen Zubin Oluwaseun"
).split()
_LAST = (
    "Smith Johnson Garcia Müller Schmidt Schneider Fischer Weber Martin Bernard Dubois Rossi Russo Ferrari Silva "
    "Santos Pereira Jansen Bakker Visser Lopez Gonzalez Williams Brown Miller Davis Hernandez Wagner Okonkwo Brzycki"
).split()
_STREETS = ("Main", "Oak", "Maple", "Church", "Park", "Lindquist", "Haley")
_CODES = (
    "I10",
    "E11.9",
    "J45.0",
    "M54.5",
    "F32.1",
    "K21.0",
    "N39.0",
    "C50.9",
    "G40.3",
    "S72.0",
    "Z38.0",
    "R51",
)
_DRUGS = (
    "lisinopril losartan atorvastatin metoprolol omeprazole amoxicillin adalimumab metformin ramipril".split()
)


def digits(r: random.Random, count: int) -> str:
    """Return random digits."""
    return "".join(r.choice(string.digits) for _ in range(count))


def luhn(body: str) -> str:
    """Return the digit that makes the sum of digits, every second doubled, a multiple of ten."""
    total = sum(sum(divmod(2 * int(c), 10)) if at % 2 == 0 else int(c) for at, c in enumerate(reversed(body)))
    return str(-total % 10)


def weighted(body: str, weights: Sequence[int], modulus: int) -> int:
    """Return a weighted sum of digits modulo a number."""
    return sum(int(c) * w for c, w in zip(body, weights, strict=True)) % modulus


def _until(made: Callable[[], str | None]) -> str:
    while (found := made()) is None:
        pass
    return found


def _card(r):
    body = r.choice(("4", "51", "55", "2221")) + digits(r, 15)
    return body[:15] + luhn(body[:15])


def _iban(r):
    bban = digits(r, 18)
    check = 98 - int(bban + "131400") % 97
    return f"DE{check:02}{bban}"


def _nhs(r):
    def made():
        body = str(r.randint(4, 7)) + digits(r, 8)
        check = (11 - weighted(body, range(10, 1, -1), 11)) % 11
        return None if check == 10 else body + str(check)

    return _until(made)


def _bsn(r):
    def made():
        body = str(r.randint(1, 9)) + digits(r, 7)
        check = weighted(body, range(9, 1, -1), 11)
        return None if check == 10 else body + str(check)

    return _until(made)


def _cpf(r):
    word = digits(r, 9)
    for length in (9, 10):
        word += str(weighted(word, range(length + 1, 1, -1), 11) * 10 % 11 % 10)
    return word


def _nir(r):
    body = f"{r.randint(1, 2)}{digits(r, 2)}{r.randint(1, 12):02}{r.randint(10, 95)}{r.randint(1, 990):03}{digits(r, 3)}"
    return body + f"{97 - int(body) % 97:02}"


def _dni(r):
    body = digits(r, 8)
    return body + "TRWAGMYFPDXBNJZSQVHLCKE"[int(body) % 23]


def _ssn(r):
    return f"{r.choice((r.randint(1, 665), r.randint(667, 899))):03}-{r.randint(1, 99):02}-{r.randint(1, 9999):04}"


def _sin(r):
    body = str(r.randint(1, 7)) + digits(r, 7)
    return body + luhn(body)


def _born(r):
    return r.randint(40, 99), r.randint(1, 12), r.randint(1, 28)


def _pesel(r):
    year, month, day = _born(r)
    body = f"{year:02}{month:02}{day:02}{digits(r, 4)}"
    return body + str(-weighted(body, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3), 10) % 10)


def _personnummer(r):
    year, month, day = _born(r)
    body = f"{year:02}{month:02}{day:02}{digits(r, 3)}"
    return f"{body[:6]}-{body[6:]}{luhn(body)}"


def _ahv(r):
    body = "756" + digits(r, 9)
    total = sum(int(c) * (3 if at % 2 else 1) for at, c in enumerate(body))
    return body + str(-total % 10)


def _imei(r):
    body = "35" + digits(r, 12)
    return body + luhn(body)


def _npi(r):
    body = "1" + digits(r, 8)
    return body + luhn("80840" + body)


def _kvnr(r):
    letter = r.choice(string.ascii_uppercase)
    body = digits(r, 8)
    total = sum(sum(divmod(int(c) * (1 + at % 2), 10)) for at, c in enumerate(f"{ord(letter) - 64:02}{body}"))
    return letter + body + str(total % 10)


_VIN = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"
_VIN_VALUES = dict(
    zip(
        "ABCDEFGHJKLMNPRSTUVWXYZ",
        (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9),
        strict=True,
    )
)


def _vin(r):
    word = "WVW" + "".join(r.choice(_VIN) for _ in range(8)) + digits(r, 6)
    values = [_VIN_VALUES.get(c) or int(c) for c in word[:8] + "0" + word[9:]]
    check = (
        sum(v * w for v, w in zip(values, (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2), strict=True))
        % 11
    )
    return word[:8] + "0123456789X"[check] + word[9:]


def _verhoeff_product(a: int, b: int) -> int:
    """Multiply in the group of the symmetries of a pentagon."""
    if a < 5:
        return (a + b) % 5 if b < 5 else 5 + (a + b - 5) % 5
    return 5 + (a - 5 - b) % 5 if b < 5 else (a - b) % 5


def verhoeff(body: str) -> str:
    """Return the Verhoeff digit of a number."""
    permutation = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]
    total = 0
    for at, c in enumerate(reversed(body), start=1):
        digit = int(c)
        for _ in range(at % 8):
            digit = permutation[digit]
        total = _verhoeff_product(total, digit)
    return next(str(d) for d in range(10) if _verhoeff_product(total, d) == 0)


def _aadhaar(r):
    body = str(r.randint(2, 9)) + digits(r, 10)
    return body + verhoeff(body)


def _snomed(r):
    body = str(r.randint(1, 9)) + digits(r, r.randint(3, 5)) + "00"
    return body + verhoeff(body)


def _orcid(r):
    body = "0000000" + str(r.randint(1, 3)) + digits(r, 7)
    total = 0
    for c in body:
        total = (total + int(c)) * 2
    word = body + "0123456789X"[(12 - total % 11) % 11]
    return "-".join(word[at : at + 4] for at in range(0, 16, 4))


def _uuid(r):
    word = f"{r.getrandbits(128):032x}"
    return f"{word[:8]}-{word[8:12]}-4{word[13:16]}-{r.choice('89ab')}{word[17:20]}-{word[20:]}"


def _ipv4(r):
    return ".".join((str(r.randint(11, 223)), *(str(r.randint(0, 255)) for _ in range(3))))


def _grouped(word: str, *sizes: int, by: str = " ") -> str:
    parts, at = [], 0
    for size in sizes:
        parts.append(word[at : at + size])
        at += size
    return by.join(p for p in parts if p)


def _mail(r):
    return f"{r.choice(_FIRST)}.{r.choice(_LAST)}{r.randint(1, 999)}@example.{r.choice(('org', 'com', 'de'))}".lower()


def _date(r):
    return r.randint(1930, 2020), r.randint(1, 12), r.randint(1, 28)


_MONTHS = "January February March April May June July August September October November December".split()

IDENTIFIERS: dict[str, tuple[str, Callable[[random.Random], tuple[str, str, str]]]] = {
    "mail": ("direct_identifier", lambda r: (w := _mail(r), w.upper(), f"mailto:{w}")),
    "phone": (
        "direct_identifier",
        lambda r: (
            f"555-{r.randint(200, 999)}-{digits(r, 4)}",
            f"+49 {r.randint(151, 179)} {digits(r, 7)}",
            f"({r.randint(201, 989)}) {r.randint(200, 999)}-{digits(r, 4)}",
        ),
    ),
    "card": (
        "direct_identifier",
        lambda r: (w := _card(r), _grouped(w, 4, 4, 4, 4), _grouped(w, 4, 4, 4, 4, by="-")),
    ),
    "iban": ("direct_identifier", lambda r: (w := _iban(r), _grouped(w, 4, 4, 4, 4, 4, 2), w.lower())),
    "nhs": (
        "direct_identifier",
        lambda r: (w := _nhs(r), _grouped(w, 3, 3, 4), _grouped(w, 3, 3, 4, by="-")),
    ),
    "bsn": ("direct_identifier", lambda r: (w := _bsn(r), _grouped(w, 4, 2, 3, by="."), w)),
    "cpf": ("direct_identifier", lambda r: (w := _cpf(r), _grouped(w[:9], 3, 3, 3, by=".") + "-" + w[9:], w)),
    "nir": ("direct_identifier", lambda r: (w := _nir(r), _grouped(w, 1, 2, 2, 2, 3, 3, 2), w)),
    "dni": ("direct_identifier", lambda r: (w := _dni(r), w[:8] + "-" + w[8:], w.lower())),
    "ssn": ("direct_identifier", lambda r: (w := _ssn(r), w, w.replace("-", " "))),
    "sin": (
        "direct_identifier",
        lambda r: (w := _sin(r), _grouped(w, 3, 3, 3), _grouped(w, 3, 3, 3, by="-")),
    ),
    "pesel": ("direct_identifier", lambda r: (w := _pesel(r), w, w)),
    "personnummer": ("direct_identifier", lambda r: (w := _personnummer(r), w.replace("-", ""), "19" + w)),
    "ahv": ("direct_identifier", lambda r: (w := _ahv(r), _grouped(w, 3, 4, 4, 2, by="."), w)),
    "imei": ("direct_identifier", lambda r: (w := _imei(r), _grouped(w, 2, 6, 6, 1, by="-"), w)),
    "npi": ("direct_identifier", lambda r: (w := _npi(r), w, w)),
    "kvnr": ("direct_identifier", lambda r: (w := _kvnr(r), w, w.lower())),
    "vin": ("direct_identifier", lambda r: (w := _vin(r), w, w.lower())),
    "aadhaar": ("direct_identifier", lambda r: (w := _aadhaar(r), _grouped(w, 4, 4, 4), w)),
    "orcid": ("direct_identifier", lambda r: (w := _orcid(r), "https://orcid.org/" + w, w.replace("-", ""))),
    "uuid": ("direct_identifier", lambda r: (w := _uuid(r), "urn:uuid:" + w, "Patient/" + w)),
    "ipv4": ("direct_identifier", lambda r: (w := _ipv4(r), w + "/32", w)),
    "ipv6": (
        "direct_identifier",
        lambda r: (
            ":".join(f"{r.getrandbits(16):x}" for _ in range(8)),
            f"2001:db8::{r.getrandbits(16):x}:{r.getrandbits(16):x}",
            ":".join(f"{r.getrandbits(16):04X}" for _ in range(8)),
        ),
    ),
    "mac": (
        "direct_identifier",
        lambda r: (
            w := ":".join(f"{r.getrandbits(8):02x}" for _ in range(6)),
            w.replace(":", "-"),
            w.upper(),
        ),
    ),
    "profile": (
        "direct_identifier",
        lambda r: (
            f"https://www.linkedin.com/in/{r.choice(_FIRST).lower()}-{digits(r, 4)}",
            f"https://github.com/{r.choice(_LAST).lower()}{digits(r, 3)}",
            f"https://twitter.com/{r.choice(_FIRST).lower()}{digits(r, 3)}",
        ),
    ),
    "name": (
        "direct_identifier",
        lambda r: (
            f"{(f := r.choice(_FIRST))}{digits(r, 3)} {(s := r.choice(_LAST))}{digits(r, 3)}",
            f"{f} {s}",
            f"{s}, {f}",
        ),
    ),
    "address": (
        "direct_identifier",
        lambda r: (
            f"{r.randint(1, 999)} {r.choice(_STREETS)} {r.choice(('Street', 'Ave', 'Rd', 'Lane Apt 5'))}",
            f"{r.choice(('Haupt', 'Linden', 'Bahnhof'))}straße {r.randint(1, 99)}",
            f"{r.randint(1, 99)} rue de la {r.choice(_STREETS)}",
        ),
    ),
    "point": (
        "quasi_identifier",
        lambda r: (
            f"{r.uniform(42, 43):.6f},{r.uniform(-73, -70):.6f}",
            f"({r.uniform(48, 53):.5f}, {r.uniform(7, 14):.5f})",
            f"POINT({r.uniform(7, 14):.5f} {r.uniform(48, 53):.5f})",
        ),
    ),
    "written_date": (
        "quasi_identifier",
        lambda r: (
            "{:02}/{:02}/{}".format(*reversed(_date(r))),
            f"{r.randint(1, 28)} {_MONTHS[r.randint(0, 11)]} {r.randint(1930, 2020)}",
            "{}{:02}{:02}".format(*_date(r)),
        ),
    ),
    "diagnosis": (
        "sensitive",
        lambda r: (_snomed(r), r.choice(_CODES), r.choice(_DRUGS) + " 20 MG Oral Tablet"),
    ),
}
"""Kind → the role that it has, and three spellings of one drawn value."""


def identifiers(kind: str, spelling: int, seed: int, records: int = 400) -> list[str]:
    """Return the values of one column."""
    drawn = random.Random(f"{kind} {seed}")  # noqa: S311 - reproducible, no secret
    return [IDENTIFIERS[kind][1](drawn)[spelling] for _ in range(records)]
