"""How tables lie on disk and come in as frames: CSV, JSON lines, Parquet, pandas and others; with limits,
and refusals of what is no table. Nothing here says what a cell means; that is `shoal.table.columns`.
Release folders are written in `shoal.release`.
"""
