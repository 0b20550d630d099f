"""Tables in databases, which are read and never changed: SQLite, DuckDB and PostgreSQL."""
