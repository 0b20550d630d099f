"""Questions to a release whose sensitive columns were permuted inside groups: the tables of groups and their
lists, the rewriting of a query over them, and the statements for DuckDB and PostgreSQL. Cells of
generalized releases are not read here.
"""
