"""Questions to a generalized release: each record surely, possibly or never matches, and bounds follow with
NumPy. Nothing about permuted groups here.
"""
