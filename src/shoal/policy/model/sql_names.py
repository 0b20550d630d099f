"""Names of columns that SQL cannot use: a permuted release is a database too."""

from collections.abc import Sequence

from shoal.errors import Fault


def sql_name_faults(names: Sequence[str]) -> list[Fault]:
    """
    >>> [fault.what for fault in sql_name_faults(["age", "Age", ""])]
    ['a column has no name', "columns 'age' and 'Age' differ in capitals only, which SQL does not tell apart"]
    """
    faults = []
    if any(not name or "\0" in name for name in names):
        faults.append(Fault("a column has no name", "name every column."))
    first: dict[str, str] = {}
    for name in names:
        other = first.setdefault(name.lower(), name)
        if other != name:
            what = f"columns {other!r} and {name!r} differ in capitals only, which SQL does not tell apart"
            faults.append(Fault(what, "rename one of them."))
    return faults
