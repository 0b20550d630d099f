"""Every engine makes the releases of the same tables: in memory, on disk in tiny parts, and on Spark."""

import pytest

from .engines import Memory, OnDisk, OnSpark


@pytest.fixture(scope="session", params=["memory", "disk", "spark"])
def engine(request):
    if request.param == "spark":
        return OnSpark(request.getfixturevalue("spark"))
    return Memory() if request.param == "memory" else OnDisk()


@pytest.fixture(autouse=True, scope="module")
def quick_disk():
    """Thousands of releases are written here; that they reach the disk is tested elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda _: None)
        yield
