"""What the plugin provides."""

from collections.abc import Iterable

from qidguard.sdk import Recognizer, hookimpl


@hookimpl
def qidguard_recognizers() -> Iterable[Recognizer]:
    """Return the recognizers."""
    return ()
