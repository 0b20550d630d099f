"""The back end on the disk of one machine: batches in memory, parts in a temporary file without a name. The
same file names as `engines.spark`.
"""
