"""Which published records fit what is known of a person. Every known fact is an axis; records and people
are compared on all axes at once, in one release or in several. Nothing here says how bad a match is: that
is the attackers' part.
"""
