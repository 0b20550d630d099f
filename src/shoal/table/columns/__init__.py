"""What a column is, decided once: numbers and their scale, dates, words, sets of words, missing cells, and
when two cells are the same value. Knows Arrow and NumPy columns, no file, no `Table` and no policy, so
that everybody above reads a column alike.
"""
