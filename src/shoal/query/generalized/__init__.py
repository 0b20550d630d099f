"""Aggregate SQL over a generalized release: each record surely, possibly or never matches."""
