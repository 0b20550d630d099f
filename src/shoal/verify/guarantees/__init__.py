"""One file per guarantee: its definition, what is measured of the classes, and the verdict. How cells are
read and classes are formed lives in `verify.cells`, ranges of aggregates in `verify.aggregate`.
"""
