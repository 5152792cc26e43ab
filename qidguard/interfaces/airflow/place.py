"""Addresses that a task is given: nothing but paths and URLs, and found the same from every worker."""

from os import PathLike
from pathlib import Path
from typing import Any

from airflow.sdk import XComArg
from airflow.sdk.log import mask_secret

from qidguard.core.address import shown_address
from qidguard.core.errors import UserError


def is_left_out(value: Any) -> bool:
    """Return whether an argument was not given: None, or a template that gave nothing.

    Args:
        value: The argument.

    Returns:
        Whether a default takes its place.

    Units:
        None.

    Raises:
        Nothing.

    Example:
        >>> is_left_out(None), is_left_out(" "), is_left_out("ward.csv")
        (True, True, False)
    """
    return value is None or (isinstance(value, str) and not value.strip())


def address(value: Any, name: str) -> Any:
    """Return what may stand for an address.

    Args:
        value: A path, a URL, an Asset, or what another task leaves.
        name: The argument's name, for the sentence.

    Returns:
        Text, or the same where another task is yet to leave it.

    Units:
        None.

    Raises:
        UserError: When it is anything else, such as a table.

    Example:
        >>> address("/srv/ward.csv", "source")
        '/srv/ward.csv'
    """
    if isinstance(value, XComArg):
        return value
    if isinstance(value, PathLike):
        return str(value.__fspath__())
    if isinstance(value, str) and value.strip():
        if shown_address(value) != value:
            mask_secret(value)  # a user, a password or a token stands in it, and Airflow shows its fields
        return value
    kind = "an empty text" if isinstance(value, str) else f"a Python {type(value).__name__}"
    raise UserError(
        f"{name} must be a path or URL, not {kind}: nothing but addresses pass between tasks, so write a"
        " table to a file and give its address."
    )


def found_from(folder: str, given: Any, name: str) -> str:
    """Return an address as it is found from any working directory.

    Args:
        folder: The folder of the DAG's file, beside which relative paths are looked up.
        given: A path or a URL; a URL, an absolute path and one that begins with ``~`` stay as they are.
        name: The argument's name, for the sentence.

    Returns:
        The address.

    Units:
        None.

    Raises:
        UserError: When it is no address.

    Example:
        >>> found_from("/srv/dags", "policies/ward.yaml", "policy")
        '/srv/dags/policies/ward.yaml'
    """
    text = str(address(given, name))
    return text if _is_fixed(text) else Path(folder, text).as_posix()


def destination(given: Any, name: str = "to") -> str:
    """Return an address that is written to; it must not depend on where a worker runs.

    Args:
        given: An absolute path or a URL.
        name: The argument's name, for the sentence.

    Returns:
        The address.

    Units:
        None.

    Raises:
        UserError: When it is no address, or a relative path.

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
