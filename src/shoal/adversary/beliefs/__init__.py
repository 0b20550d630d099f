"""What an attacker believes of a sensitive value, given the records that fit a person. Values as codes,
their shares among the records that fit, and beliefs learned from all groups together. Which records fit
is found in `matching`.
"""
