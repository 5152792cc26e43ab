import pytest

from officers import Officer
from postgres import postgres_server
from releases import Place

__all__ = ["postgres_server"]


@pytest.fixture
def place(tmp_path):
    """Return a folder for releases with a home of its own."""
    return Place(tmp_path)


@pytest.fixture
def postgres_url(postgres_server):
    """Return the URL of an empty database."""
    return postgres_server.create_database()


@pytest.fixture
def officer(tmp_path):
    """Return an approver of missed thresholds."""
    return Officer(tmp_path)
