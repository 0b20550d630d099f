"""Does a published table keep its promises? One registry (`verify.py`), one file per guarantee, verdicts in
words. Read from the release as a recipient reads it; what a method computed is never used, and methods
are never imported.
"""
