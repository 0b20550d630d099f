"""A verified release as one file for other programs: CSV, Parquet, SPSS, Stata or Excel. Here are the columns
as these programs compute with them, one module for each format, and the comparison of what was written with
the release. What a release states is checked elsewhere; no promise is judged here.
"""
