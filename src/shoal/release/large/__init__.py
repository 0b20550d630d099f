"""Releases of tables beyond memory on an engine: made, written, verified from what was written, opened and
verified again. It goes when `release` is written once for every engine.
"""
