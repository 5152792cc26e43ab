"""What manifests, attestations and notices are made of: each kind of field, read strictly, with its refusal.

A refusal names the place, such as ``files[0].sha256``, and never what stands there; a field that is not
declared is refused without its name, which could be a value of the table.
"""

import re
from datetime import date, datetime, timedelta
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from qidguard.evidence.canonical import EvidenceFault, canonical_bytes, read_canonical

MANIFEST = "manifest.json"
"""The file that makes a folder a release; it is written last."""

ATTESTATION = "attestation.json"
"""The file with the statement about the release and its signature."""

LONGEST_NAME_BYTES = 255

_FIGURE_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


class EvidencePart(BaseModel):
    """An object of a document, with exactly the fields that it declares."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, populate_by_name=True, hide_input_in_errors=True
    )

    @classmethod
    def read(cls, content: bytes) -> Self:
        """Return what canonical JSON says; EvidenceFault for what is not as it is declared."""
        return cls.of(read_canonical(content))

    @classmethod
    def of(cls, document: object, place: str = "") -> Self:
        """Return what values of JSON say; EvidenceFault as ``read`` raises it."""
        try:
            return cls.model_validate_json(canonical_bytes(document))
        except ValidationError as error:
            raise EvidenceFault(_sentence(error.errors(), place)) from None

    def to_bytes(self) -> bytes:
        """Return it as canonical JSON."""
        return canonical_bytes(self.model_dump(by_alias=True))


def refused(sentence: str) -> WrapValidator:
    """Return a validator that says of whatever is refused what it is not."""

    def check(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except (ValidationError, ValueError, TypeError):
            raise PydanticCustomError("refused", "{what}", {"what": sentence}) from None

    return WrapValidator(check)


_WORDS = {
    "missing": "is missing",
    "tuple_type": "is not a list",
    "model_type": "is not an object",
    "dict_type": "is not an object",
    "string_type": "is not a text",
}


def _sentence(found: list[ErrorDetails], within: str) -> str:
    """Return the refusal of the first field that nobody knows, else of what is missing, else of the first."""
    ranks = {"extra_forbidden": 0, "missing": 1}
    error = min(found, key=lambda one: ranks.get(one["type"], 2))
    if error["type"] == "value_error":  # of a document's fields together
        return str(error["ctx"]["error"])
    place = within
    for part in error["loc"][:-1] if error["type"] == "extra_forbidden" else error["loc"]:
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else part
    if error["type"] == "extra_forbidden":
        return f"{place or 'it'} has a field that nobody knows"
    if error["type"] == "refused":
        words = error["msg"]
    elif expected := error.get("ctx", {}).get("expected"):  # what was declared
        words = f"is not {expected}"
    else:
        words = _WORDS.get(error["type"], "is not what it has to be")
    return f"{place or 'it'} {words}"


def _instant(text: str) -> str:
    if "T" not in text or datetime.fromisoformat(text).utcoffset() != timedelta(0):
        raise ValueError
    return text


def _day_or_instant(text: str) -> str:
    try:
        date.fromisoformat(text)
    except ValueError:
        _instant(text)
    return text


def _file_name(name: str) -> str:
    is_outside = name in {".", ".."} or any(one in "/\\" or ord(one) < ord(" ") for one in name)
    if is_outside or not 0 < len(name.encode()) <= LONGEST_NAME_BYTES:
        raise ValueError
    return name


def _named_figures(figures: dict[str, Any]) -> dict[str, Any]:
    """A name in this form is no value of a table that slipped in as a key; few values look like one."""
    if not all(map(_FIGURE_NAME.fullmatch, figures)):
        raise PydanticCustomError("refused", "has a name that is not of small letters, digits and _")
    return figures


AnyText = Annotated[str, refused("is not a text")]
Text = Annotated[str, Field(min_length=1), refused("is not a text")]
Digest = Annotated[
    str, Field(pattern=r"^[0-9a-f]{64}$"), refused("is not a SHA-256 in 64 hexadecimal digits")
]
Count = Annotated[int, Field(ge=0), refused("is not a whole number of at least 0")]
Number = Annotated[int | float, refused("is not a number")]
Truth = Annotated[bool, refused("is not true or false")]
Instant = Annotated[
    str, AfterValidator(_instant), refused("is not a time in UTC such as 2026-11-21T10:00:00Z")
]
DayOrInstant = Annotated[
    str, AfterValidator(_day_or_instant), refused("is not a time in UTC such as 2026-11-21T10:00:00Z")
]
FileName = Annotated[
    str, AfterValidator(_file_name), refused("is not the name of a file in the release's own folder")
]
Figures = Annotated[dict[str, Number], refused("is not an object of numbers"), AfterValidator(_named_figures)]
TextByName = Annotated[dict[Text, Text], refused("is not an object of texts")]
Outcome = Annotated[
    str,
    Field(pattern="^passed(_by_exception)?$"),
    refused("is not one of passed, passed_by_exception"),
]


class PolicyTold(EvidencePart):
    """The policy that a release was judged by."""

    name: Text
    sha256: Digest
    preset: Text | None


class ApprovalTold(EvidencePart):
    """A signed exception: who let which thresholds through, why, and until when."""

    id: Text
    by: Text
    key_id: Digest
    reason: Text
    expires: DayOrInstant
    thresholds: tuple[Text, ...]


def agree_on_exceptions(outcome: str, exceptions: int) -> None:
    """Refuse an exception that is not said, and one that is said and not there."""
    if (outcome == "passed_by_exception") != (exceptions > 0):
        raise EvidenceFault("its outcome and its exceptions contradict each other")
