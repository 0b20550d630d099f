"""What all families share when they work on parts: facts of the whole table, codes of sensitive values, rows
staged for a method, cells cut by Mondrian, and the choice of a family's part plan. What only one family
needs lives in its folder.
"""
