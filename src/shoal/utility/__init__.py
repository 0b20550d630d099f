"""What a release is still good for: each column before and after, and all measures that follow from the two.
Distributions, moments, column losses, errors of answers, predictions; `utility` has all of them in one
object. No link between rows is used, but in `query_errors` and `release_moments`, which know a release in
memory. Losses that a search minimises live in `anonymizer`.
"""
