"""Addresses that a task is given: nothing but paths and URLs, and found the same from every worker."""

from os import PathLike
from pathlib import Path
from typing import Any

from airflow.sdk import XComArg
from airflow.sdk.log import mask_secret

from qidguard import UserError
from qidguard.sdk import secrets_in, shown_address


def is_left_out(value: Any) -> bool:
    """Return whether an argument was not given: None, or a template that gave nothing.

    Example:
        >>> is_left_out(None), is_left_out(" "), is_left_out("ward.csv")
        (True, True, False)
    """
    return value is None or (isinstance(value, str) and not value.strip())


def address(value: Any, name: str) -> Any:
    """Return what may stand for an address.

    Example:
        >>> address("/srv/ward.csv", "source")
        '/srv/ward.csv'
    """
    if isinstance(value, XComArg):
        return value
    if isinstance(value, PathLike):
        value = str(value.__fspath__())
    if isinstance(value, str) and value.strip():
        mask_address(value)
        return value
    kind = "an empty text" if isinstance(value, str) else f"a Python {type(value).__name__}"
    raise UserError(
        f"{name} must be a path or URL, not {kind}: nothing but addresses pass between tasks, so write a"
        " table to a file and give its address."
    )


def mask_address(value: Any) -> None:
    """Hide an address from what Airflow shows and logs, where a user, a password or a token stands in it."""
    if not isinstance(value, str) or shown_address(value) == value:
        return
    mask_secret(value)
    for password in secrets_in(value):
        mask_secret(password)


def true_or_false(value: Any, name: str) -> bool:
    """Return a switch of a task, which is never guessed: the text "False" would count as true.

    Example:
        >>> true_or_false(False, "fail_on_block")
        False
    """
    if not isinstance(value, bool):
        raise UserError(f"{name} must be True or False, not a Python {type(value).__name__}.")
    return value


def is_below(given: str, folder: str) -> bool:
    """Return whether an address lies below another one.

    Example:
        >>> is_below("s3://bucket/published/ward/1", "s3://bucket/published")
        True
        >>> is_below("s3://bucket/published/../other/ward/1", "s3://bucket/published")
        False
    """
    if "://" not in given + folder:
        try:
            place, top = (Path(text).expanduser().resolve() for text in (given, folder))
        except (RuntimeError, ValueError, OSError):  # no path of this machine is below another
            return False
        return place != top and place.is_relative_to(top)
    # what could lead elsewhere, once somebody decodes or follows it, does not count as below
    shown, above = shown_address(given), shown_address(folder).rstrip("/") + "/"
    rest = given.rpartition("@")[2] if shown != given else given
    parts = shown.removeprefix(above).rstrip("/").split("/")
    is_plain = not {"", ".", ".."} & set(parts) and not set("?#%\\") & set(rest) and "::" not in given
    return shown.startswith(above) and is_plain


def resolved(folder: str, given: Any, name: str) -> str:
    """Return an address as it is found from any working directory.

    Example:
        >>> resolved("/srv/dags", "policies/ward.yaml", "policy")
        '/srv/dags/policies/ward.yaml'
    """
    text = str(address(given, name))
    if _is_fixed(text):
        return text
    if shown_address(text) != text:  # behind a folder's path nothing could tell it from a file's name
        raise UserError(
            f"The address {shown_address(text)!r} is written like one with a password; name a path, or a URL"
            " with ://."
        )
    return Path(folder, text).as_posix()


def destination(given: Any, name: str = "to") -> str:
    """Return an address that is written to; it must not depend on where a worker runs.

    Example:
        >>> destination("s3://bucket/published")
        's3://bucket/published'
    """
    text = str(address(given, name))
    if not _is_fixed(text):
        raise UserError(
            f"{name} must be an absolute path or a URL, not {text!r}: a relative one would depend on where"
            " the worker runs."
        )
    return text


def _is_fixed(text: str) -> bool:
    return "://" in text or text.startswith("~") or Path(text).is_absolute()
