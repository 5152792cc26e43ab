"""What a policy has recognizers read beside the table: words for names of columns, and a codebook."""

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from qidguard.core.codebook import Codebook
from qidguard.core.column import ColumnFacts
from qidguard.core.errors import UserError
from qidguard.core.guard import PluginCode
from qidguard.core.system import open_plain, why
from qidguard.engines.codebook import read_codebook
from qidguard.host.kinds import RECOGNIZERS

if TYPE_CHECKING:
    from qidguard.core.recognizer import Recognizer
    from qidguard.host import Host
    from qidguard.policy import Policy

INLINE = "policy"
"""What a fault of words calls those that stand in the policy itself."""
LARGEST_BYTES = 1_000_000
"""A larger file holds no words for names."""


@dataclass(frozen=True, kw_only=True)
class ReadBeside:
    """What is read beside a table, once, before it is loaded.

    Args:
        recognizers: Name → the recognizer that knows the policy's words, in the place of the installed one.
        codebook: The policy's codebook.
        digests: ``lexicon`` and ``codebook`` → SHA-256 of the bytes that were read, hex.
    """

    recognizers: Mapping[str, "Recognizer"] = field(default_factory=lambda: MappingProxyType({}))
    codebook: Codebook | None = None
    digests: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def labeled(self, columns: Sequence[ColumnFacts]) -> tuple[ColumnFacts, ...]:
        """Return the facts with what the policy's codebook says, where an argument's says nothing."""
        book = self.codebook
        if book is None:
            return tuple(columns)
        return tuple(
            replace(
                facts,
                label=facts.label or book.label(facts.name),
                has_value_labels=facts.has_value_labels or book.is_coded(facts.name),
            )
            for facts in columns
        )


NOTHING = ReadBeside()
"""Of a policy that names neither words nor a codebook."""


def read_beside(policy: "Policy | None", host: "Host") -> ReadBeside:
    """Return what a policy has recognizers read, read now.

    Raises:
        PolicyError: When a file is missing, cannot be read or is not what it must be; when no recognizer
            takes words.
    """
    if policy is None:
        return NOTHING
    digests = {}
    recognizers: Mapping[str, Recognizer] = {}
    if policy.lexicon is not None:
        texts, digests["lexicon"] = _texts(policy)
        recognizers = _extended(policy, host, texts)
    codebook = None
    if policy.source.codebook is not None:
        try:
            codebook = read_codebook(policy.resolve(policy.source.codebook))
        except UserError as error:
            raise policy.error(str(error).rstrip("."), "source", "codebook") from None
        digests["codebook"] = codebook.sha256
    return ReadBeside(recognizers=recognizers, codebook=codebook, digests=digests)


def _texts(policy: "Policy") -> tuple[dict[str, str], str]:
    """Return file → its text, and a digest of all of them with the words of the policy itself."""
    settings = policy.lexicon
    assert settings is not None  # noqa: S101 - the caller looked
    found: dict[str, bytes] = {}
    if settings.path is not None:
        for file in _files(policy, settings.path):
            found[file.name] = _content(policy, file)
    if settings.words:
        # a text in JSON is one in TOML
        tables = (
            f"[{_quoted(name)}]\nall = {_quoted(list(words))}\n" for name, words in settings.words.items()
        )
        found[INLINE] = "".join(tables).encode()
    whole = hashlib.sha256()
    for name, content in found.items():
        whole.update(f"{len(name)}:{name}:{len(content)}:".encode() + content)
    texts = {}
    for name, content in found.items():
        try:
            texts[name] = content.decode("utf-8-sig")
            tomllib.loads(texts[name])
        except ValueError as error:
            fault = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
            sentence = f"{name} of the lexicon is not TOML ({fault}); correct the file"
            raise policy.error(sentence, "lexicon") from None
    return texts, whole.hexdigest()


def _quoted(value: str | list[str]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _files(policy: "Policy", written: str) -> list[Path]:
    place = Path(policy.resolve(written))
    try:
        if not place.is_dir():
            return [place]
        found = sorted(path for path in place.iterdir() if path.suffix == ".toml")
    except (OSError, ValueError) as error:
        raise _unreadable(policy, written, error) from None
    if not found:
        raise policy.error(f"the lexicon's folder {written!r} holds no .toml file; add one", "lexicon")
    return found


def _content(policy: "Policy", file: Path) -> bytes:
    try:
        with open_plain(file) as opened:
            content = opened.read(LARGEST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise _unreadable(policy, file.name, error) from None
    if len(content) > LARGEST_BYTES:
        raise policy.error(f"{file.name} of the lexicon is larger than 1 MB; is it the table?", "lexicon")
    return content


def _unreadable(policy: "Policy", name: str, error: Exception) -> Exception:
    return policy.error(
        f"the lexicon {name!r} cannot be read ({why(error)}); check its path and rights", "lexicon"
    )


def _extended(policy: "Policy", host: "Host", texts: Mapping[str, str]) -> dict[str, "Recognizer"]:
    found: dict[str, Recognizer] = {}
    for recognizer in host.recognizers.values():
        extend: Any = getattr(recognizer, "extended_with", None)
        if not callable(extend):
            continue
        owner = host.owner(RECOGNIZERS.name, recognizer.name)
        try:
            with PluginCode(owner, f"recognizer {recognizer.name!r}", passes=(ValueError,)):
                found[recognizer.name] = extend(texts)
        except ValueError as error:
            raise policy.error(f"the lexicon cannot be used: {error}", "lexicon") from None
    if not found:
        sentence = "no installed recognizer takes words; install a plugin with one, or remove the section"
        raise policy.error(sentence, "lexicon")
    return found
