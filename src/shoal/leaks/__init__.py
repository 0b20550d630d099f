"""What one published column tells of another.

A guarantee speaks of quasi columns, of an aggregate, or of permuted values. A column beside them that is
published as it is can undo it: a year of birth beside an age in ranges, the number of a household beside a
place. Here such columns are found in the table and what was made of it, whatever method made it and on
whatever engine. What can be seen from a release alone is judged in `verify`, on its own.
"""
