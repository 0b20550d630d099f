"""Microaggregation: classes of similar records show means, medians and modes (`mdav`, `vmdav`, `refined`,
`kpqr`, `kpqr-paper`).
"""
