"""Files of SPSS, Stata and SAS: the door to the library that reads them, their rows, and their dates. What
their codes stand for is in `shoal.table.files.labels`.
"""
