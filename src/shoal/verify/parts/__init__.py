"""Verification of a table in parts: which rows lie in one part, what is measured of it, verdicts from the
joined measures, and the same driven over the rows of an engine. The definitions live in
`verify.guarantees` and `verify.truth`; release folders are unknown here.
"""
