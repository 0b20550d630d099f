"""What guarantees, methods and words of the trade mean, for readers who do not program. `registry` has all
explanations and finds one; each has a tiny table before and after, which tests find true. The sentences
that a policy prints of itself live in `policy`.
"""
