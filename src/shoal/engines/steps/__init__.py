"""Operations on any engine's rows: global sort, shuffle, distinct rows, counts of values, cuts, classes that
show the same, statistics of parts. They know columns by name and nothing of policies.
"""
