"""Anonymize a Spark frame."""
