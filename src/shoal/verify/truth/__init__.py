"""The original beside its release: does every published cell describe its person, how many records fit each
person, what follows from knowing the population. Guarantees that need the release alone live in
`verify.guarantees`.
"""
