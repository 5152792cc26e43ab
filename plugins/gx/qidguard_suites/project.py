"""A Great Expectations project as a folder: which data it knows."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from qidguard.sdk import UserError, did_you_mean, visible

SETTINGS = "great_expectations.yml"


@dataclass(frozen=True, kw_only=True)
class Named:
    """A name with the id that a project gave it; no id where there is no project yet.

    Args:
        name: The name.
        id: The id, or None.
    """

    name: str
    id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Data:
    """Which batch a checkpoint judges.

    Args:
        data_source: The data source.
        asset: An asset of it.
        batch_definition: A batch definition of the asset.
    """

    data_source: Named
    asset: Named
    batch_definition: Named


def place_of(validation_definition: Mapping[str, Any]) -> str:
    """Return data source, asset and batch definition that a validation definition names."""
    data = validation_definition["data"]
    return " / ".join(data[kind]["name"] for kind in ("datasource", "asset", "batch_definition"))


@dataclass(frozen=True, kw_only=True)
class WantedNames:
    """The names that a user gave; None leaves the choice to the project.

    Args:
        data_source: Name of the data source.
        asset: Name of the asset.
        batch_definition: Name of the batch definition.
    """

    data_source: str | None = None
    asset: str | None = None
    batch_definition: str | None = None


@dataclass(frozen=True, kw_only=True)
class Project:
    """A project's folder, the one that holds great_expectations.yml.

    Args:
        folder: The folder.
        data_sources: What the project's settings say of its data; None where there is no such file.
    """

    folder: Path
    data_sources: Mapping[str, Any] | None

    @classmethod
    def at(cls, folder: Path) -> Self:
        """Return the project in a folder; UserError when its settings cannot be read."""
        settings = folder / SETTINGS
        if settings.is_file():
            return cls(folder=folder, data_sources=_data_sources(settings))
        inner = folder / "gx"
        if (inner / SETTINGS).is_file():
            raise UserError(f"{str(folder)!r} holds a project in its folder gx; write --to {inner!s}")
        return cls(folder=folder, data_sources=None)

    def find(self, wanted: WantedNames, usual: str) -> Data:
        """Return the batch that is meant: by the names given, else the only one in the project.

        Example:
            >>> project = Project(folder=Path("gx"), data_sources=None)
            >>> project.find(WantedNames(asset="visits"), "hospital").data_source.name
            'hospital'
        """
        if self.data_sources is None:
            return Data(
                data_source=Named(name=wanted.data_source or usual),
                asset=Named(name=wanted.asset or usual),
                batch_definition=Named(name=wanted.batch_definition or usual),
            )
        sources = self.data_sources
        source = self._choose("data source", "--data-source", wanted.data_source, sources)
        assets = _entries(sources[source.name], "assets")
        asset = self._choose("asset", "--asset", wanted.asset, assets)
        batches = _entries(assets[asset.name], "batch_definitions")
        batch = self._choose("batch definition", "--batch-definition", wanted.batch_definition, batches)
        return Data(data_source=source, asset=asset, batch_definition=batch)

    def _choose(self, what: str, option: str, wanted: str | None, found: Mapping[str, Any]) -> Named:
        where = str(self.folder / SETTINGS)
        names = ", ".join(visible(name) for name in found)
        if not found:
            raise UserError(f"{where}: there is no {what} to judge; add one to the project first")
        if wanted is None and len(found) > 1:
            raise UserError(f"{where}: there are several {what}s ({names}); choose one with {option}")
        name = next(iter(found)) if wanted is None else wanted
        if name not in found:
            hint = did_you_mean(name, tuple(found)) or f"there is {names}"
            raise UserError(f"{where}: there is no {what} {name!r}; {hint}")
        known = found[name]
        given = known.get("id") if isinstance(known, Mapping) else None
        return Named(name=name, id=None if given is None else str(given))


def _data_sources(settings: Path) -> Mapping[str, Any]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        document = YAML(typ="safe", pure=True).load(settings.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, YAMLError):
        raise UserError(f"{settings}: the project's settings cannot be read as YAML; correct them") from None
    return _entries(document, "fluent_datasources")


def _entries(section: Any, name: str) -> Mapping[str, Any]:
    entries = section.get(name) if isinstance(section, Mapping) else None
    return {str(key): value for key, value in entries.items()} if isinstance(entries, Mapping) else {}
