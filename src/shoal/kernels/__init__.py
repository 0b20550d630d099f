"""What several rooms compute with: the one door to compiled code (`compiled`), the keyed hash that every
random choice is drawn from, codes for combinations of values, random-tie order, and selection by rank.
Knows NumPy and Numba only. No method, no search predicate and no file, table or policy lives here; array
types are in `shoal.arrays`.
"""
