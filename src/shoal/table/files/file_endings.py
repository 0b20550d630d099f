"""How the name of a file says what kind of table it holds. Nothing is loaded to know that."""

CSV = (".csv", ".tsv", ".txt")
JSON_LINES = (".jsonl", ".ndjson", ".json")
PARQUET = (".parquet",)
ARROW = (".arrow", ".feather", ".ipc")
EXCEL = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
DATABASES = (".sqlite", ".sqlite3", ".db", ".duckdb")
STUDY = (".sav", ".zsav", ".dta", ".sas7bdat", ".xpt")
PACKED = (".gz", ".zip")
TEXT = (*CSV, *JSON_LINES)
ENDINGS = (
    *TEXT,
    *PARQUET,
    *ARROW,
    *STUDY,
    *EXCEL,
    *DATABASES,
    ".zip",
    *(f"{ending}{packed}" for ending in TEXT for packed in PACKED),
)


def ending_of(name: str) -> str | None:
    """The ending that says how to read a file; None if it has none of ours.

    >>> ending_of("Tax.CSV.gz"), ending_of("notes.docx")
    ('.csv.gz', None)
    """
    return max((ending for ending in ENDINGS if name.lower().endswith(ending)), key=len, default=None)
