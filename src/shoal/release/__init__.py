"""A release: made, verified from what was written, opened again, checked and loaded into a database. The
files in this folder are the doors (anonymize, open_release, apply_recoding, check, publish) and the plain
words about a run; how bytes reach the disk is in storage, what is published in data, what vouches for it
in integrity. Methods, verifiers and the answers to questions live below and know no folders.
"""
