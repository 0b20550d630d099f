"""The engines beyond memory make the releases that memory makes: on disk in tiny parts, and on Spark."""

import pytest

from .engines import OnDisk, OnSpark


@pytest.fixture(scope="session", params=["disk", "spark"])
def engine(request):
    return OnSpark(request.getfixturevalue("spark")) if request.param == "spark" else OnDisk()


@pytest.fixture(autouse=True, scope="module")
def quick_disk():
    """Thousands of releases are written here; that they reach the disk is tested elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda _: None)
        yield
