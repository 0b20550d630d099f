import pytest

from shoal.table.databases.address import DatabaseAddress


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ann:secret@host:5433/research?sslmode=require", "postgresql://ann@host:5433/research"),
        ("postgres://host/research?user=ann&password=secret", "postgresql://host/research"),
        ("postgresql://ann:se/cret@host/research", "postgresql://"),
        ("postgresql://ann:secret", "postgresql://"),
        ("postgresql://ann:se%2Fcret@host", "postgresql://ann@host"),
    ],
)
def test_an_address_is_shown_without_its_password(url, shown):
    assert str(DatabaseAddress(url)) == shown
    assert "secret" not in repr(DatabaseAddress(url))
