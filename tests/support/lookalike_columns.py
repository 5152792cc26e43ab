"""A hundred harmless columns that look like identifiers, drawn by a seed. Written before any test was tuned."""

# ruff: noqa: E501, SIM905 - lists of words are read as words

import random
import string
from collections.abc import Callable

Draw = Callable[[random.Random], str]

_MAKERS = "Acme Globex Initech Umbrella Soylent Hooli Vandelay Stark Wayne Wonka Cyberdyne Tyrell".split()
_THINGS = "lamp chair table mug pen desk shelf phone cable router kettle screen".split()
_STORMS = (
    "Andrew Katrina Sandy Ivan Irma Maria Harvey Michael Florence Hugo Gilbert Mitch Wilma Rita Charley Frances Jeanne "
    "Dennis Emily Ophelia Matthew Dorian Laura Ida Ian Nicole Idalia Helene Milton Beryl"
).split()
_FLOWERS = "rose lily violet iris daisy tulip poppy orchid jasmine heather".split()
_COLORS = "red blue green black white grey yellow brown orange purple".split()
_CARS = "Ford Toyota Volkswagen Mercedes Tesla Honda Renault Fiat Skoda Volvo Peugeot Seat".split()
_COUNTRIES = "Germany France Italy Spain China Vietnam Mexico Poland Turkey India Portugal Japan".split()
_HOSPITALS = "Mercy General|St Mary|Lakeside|Riverside|Mount Pleasant|Northgate|Holy Cross|Central".split("|")


def _one(*words: str) -> Draw:
    return lambda r: r.choice(words)


def _shape(shape: str) -> Draw:
    """9 is a digit, A a letter, h a hexadecimal digit, everything else itself."""
    kinds = {"9": string.digits, "A": string.ascii_uppercase, "h": "0123456789abcdef"}
    return lambda r: "".join(r.choice(kinds[c]) if c in kinds else c for c in shape)


def _whole(low: int, high: int, form: str = "{}") -> Draw:
    return lambda r: form.format(r.randint(low, high))


def _part(low: float, high: float, form: str = "{:.2f}") -> Draw:
    return lambda r: form.format(r.uniform(low, high))


def _words(*parts: Draw, between: str = " ") -> Draw:
    return lambda r: between.join(part(r) for part in parts)


LOOKALIKES: dict[str, Draw] = {
    # numbers that have the length of an identifier
    "year": _whole(1950, 2025),
    "year_span": _words(_whole(1950, 1999), _whole(2000, 2025), between="-"),
    "two_years": _words(_whole(1950, 1999), _whole(2000, 2025), between=""),
    "years_as_card": _words(*[_whole(1950, 2025)] * 4, between=" "),
    "order_no": _whole(4_000_000_000, 4_999_999_999),
    "order_no_9": _whole(100_000_000, 999_999_999),
    "order_no_11": _shape("99999999999"),
    "order_no_13": _shape("4999999999999"),
    "order_no_16": _shape("4999999999999999"),
    "order_dashed": _words(_whole(2019, 2025), _shape("9999"), _shape("99999"), between="-"),
    "order_grouped": _shape("99-9999-9999"),
    "order_slash": _words(_shape("9999"), _whole(19, 25), between="/"),
    "ticket": _shape("INC9999999"),
    "invoice_number": _words(_one("RE", "INV"), _whole(2019, 2025), _shape("99999"), between="-"),
    "invoice_amount": _part(5, 9000),
    "invoice_amount_euro": _part(5, 9000, "{:.2f} €"),
    "quantity": _whole(1, 99),
    "small_count": _whole(0, 9),
    "percent": _part(0, 100, "{:.1f}%"),
    "score": _whole(300, 850),
    "epoch_seconds": _whole(1_500_000_000, 1_760_000_000),
    "epoch_millis": _whole(1_500_000_000_000, 1_760_000_000_000),
    "tracking_12": _shape("999999999999"),
    "batch_18": _shape("999999999999999999"),
    "lot_20": _shape("99999999999999999999"),
    "meter_reading": _whole(10_000, 99_999),
    "steps": _whole(100, 30_000),
    "pressure": _part(950, 1050),
    "voltage": _part(210, 245),
    "temperature": _part(-20, 40, "{:.1f}"),
    "ph": _part(3, 10),
    "distance_m": _whole(1, 100_000),
    "pixels": _words(_whole(100, 4000), _whole(100, 4000), between="x"),
    "ratio": _words(_whole(1, 20), _whole(1, 20), between=":"),
    "price_list": _words(_whole(1, 99), _one("95", "99", "49"), between="."),
    "bits": _shape("hhhh"),
    "seed": _whole(0, 2**31),
    "five_digits": _shape("99999"),
    "four_digits": _whole(1000, 9999),
    "clock": _words(_whole(0, 23, "{:02}"), _whole(0, 59, "{:02}"), between=":"),
    "duration": _words(_whole(0, 99, "{:02}"), _whole(0, 59, "{:02}"), _whole(0, 59, "{:02}"), between=":"),
    # codes
    "version": _words(*[_whole(0, 20)] * 3, between="."),
    "build": _words(_whole(1, 15), _whole(0, 9), _whole(0, 99), _whole(0, 99), between="."),
    "windows_build": _words(_one("10.0"), _whole(10_000, 26_000), _whole(1, 999), between="."),
    "build_stage": _one("alpha", "beta", "rc", "final", "nightly"),
    "state": _one("open", "closed", "pending"),
    "state_letters": _one("o", "c", "p"),
    "shirt_size": _one("S", "M", "L", "XL", "XXL"),
    "size_two": _one("S", "M"),
    "true_false_letters": _one("t", "f"),
    "yes_no": _one("yes", "no"),
    "grade": _one("A", "B", "C", "D", "F"),
    "seat": _words(_whole(1, 40), _one(*"ABCDEF"), between=""),
    "shelf": _words(_one(*"ABCD"), _shape("99"), between=""),
    "bin": _words(_one(*"ABCDEFGH"), _shape("99"), _shape("9"), between="-"),
    "credit_codes": _one("A11", "A12", "A13", "A14", "A30", "A31", "A32"),
    "part": _shape("AA-9999"),
    "part_long": _shape("AAA99999"),
    "serial": _shape("AA99AA9999"),
    "sku": _shape("AAA-99-AA"),
    "flight": _words(_one("LH", "AF", "BA", "DL"), _whole(1, 9999), between=""),
    "course": _words(_one("MATH", "CS", "BIO", "HIST"), _whole(100, 499), between=" "),
    "room": _words(_one(*"ABC"), _whole(1, 5), _shape("99"), between="."),
    "currency": _one("EUR", "USD", "GBP", "CHF", "JPY", "SEK"),
    "unit": _one("kg", "g", "mg", "l", "ml", "mmol/l"),
    "file_name": _words(_one("report", "photo", "scan"), _shape("9999"), _one("pdf", "png"), between="."),
    "file_path": _words(_one("/var/log", "/srv/data"), _shape("hhhh.log"), between="/"),
    "mime": _one("text/html", "image/png", "application/json", "text/csv"),
    "zip_file_size": _whole(1_000, 90_000_000),
    "language_code": _one("de", "en", "fr", "es", "it", "nl"),
    "isbn13": lambda r: _ean("978" + _shape("999999999")(r)),
    "ean13": lambda r: _ean("40" + _shape("9999999999")(r)),
    "isbn10": lambda r: _isbn10(_shape("999999999")(r)),
    "issn": lambda r: _issn(_shape("9999999")(r)),
    "container": _shape("AAAU9999999"),
    "hex_color": _shape("#hhhhhh"),
    "chemical": _words(_shape("99999"), _shape("99"), _shape("9"), between="-"),
    # words
    "product_url": _words(_one("https://shop.example.com/p"), _shape("999999"), between="/"),
    "product_url_words": _words(_one("https://www.example.org"), _one(*_THINGS), _shape("99"), between="/"),
    "image_url": _words(_one("https://cdn.example.net/img"), _shape("hhhhhhhh.jpg"), between="/"),
    "hostname": _words(_one("web", "db", "cache"), _shape("99"), between="-"),
    "domain": _words(_one(*_THINGS), _one("example.com", "example.org"), between="."),
    "package": _words(_one(*_THINGS), _whole(0, 9, "{}.2.1"), between="@"),
    "storm": _one(*_STORMS),
    "flower": _one(*_FLOWERS),
    "colour": _one(*_COLORS),
    "car": _one(*_CARS),
    "country_of_manufacture": _one(*_COUNTRIES),
    "maker": _words(_one(*_MAKERS), _one("Inc.", "Ltd", "GmbH")),
    "product": _words(_one(*_COLORS), _one(*_THINGS)),
    "product_title": _words(_one("Large", "Small", "Fine"), _one(*_COLORS), _one(*_THINGS)),
    "hospital": _words(_one(*_HOSPITALS), _one("Hospital", "Clinic", "Medical Center")),
    "department": _one("Sales", "Finance", "Purchasing", "Logistics", "Support", "Research"),
    "weekday": _one("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
    "material": _one("oak", "pine", "steel", "glass", "cotton", "wool", "plastic"),
    "severity": _one("low", "medium", "high", "critical"),
    "ship": _words(_one("MS", "SS"), _one("Europa", "Titanic", "Bremen", "Aurora", "Victoria")),
    "team": _words(_one("Boston", "Chicago", "Denver", "Miami"), _one("Bears", "Heat", "Bulls", "Rockets")),
    "street_kind": _one("avenue", "street", "road", "lane"),
    "song": _words(_one("Blue", "Summer", "Midnight", "Golden"), _one("Rain", "Train", "Moon", "Road")),
}


def _ean(body: str) -> str:
    total = sum(int(c) * (3 if at % 2 else 1) for at, c in enumerate(body))
    return body + str(-total % 10)


def _isbn10(body: str) -> str:
    check = -sum(int(c) * (10 - at) for at, c in enumerate(body)) % 11
    return body + "0123456789X"[check]


def _issn(body: str) -> str:
    check = -sum(int(c) * (8 - at) for at, c in enumerate(body)) % 11
    return f"{body[:4]}-{body[4:]}{'0123456789X'[check]}"


def lookalike(name: str, seed: int, records: int = 400) -> list[str]:
    """Return the values of one column."""
    drawn = random.Random(f"{name} {seed}")  # noqa: S311 - reproducible, no secret
    return [LOOKALIKES[name](drawn) for _ in range(records)]
