"""A first look at a table: its first rows, counts of each column, columns that seem to be keys, and what
names of columns say. Guesses only. What the owner decides is in `shoal.policy`.
"""
