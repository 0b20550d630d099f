"""A policy and a table become a published table: one entry (`anonymize.py`), one registry of methods, a
folder per family. Algorithms on arrays live in `methods`; checking the result in `verify`; writing it in
`release`.
"""
