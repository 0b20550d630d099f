"""A table as it was given: named Arrow columns (`table`), read whole from a path or frame (`read`) or some
rows at a time (`batches`). Formats live in `files`, what a column is in `columns`, the first look at a
table in `profile`. Roles, guarantees and hierarchies do not live here.
"""
