"""How the name of a file says what kind of table it holds. Nothing is loaded to know that."""

TEXT = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json")
ENDINGS = (*TEXT, ".parquet", *(f"{ending}.gz" for ending in TEXT))


def ending_of(name: str) -> str | None:
    """The ending that says how to read a file; None if it has none of ours.

    >>> ending_of("Tax.CSV.gz"), ending_of("notes.docx")
    ('.csv.gz', None)
    """
    return next((ending for ending in reversed(ENDINGS) if name.lower().endswith(ending)), None)
