"""Policies as forms of the page: the fields of a guarantee, what a form sends back, changes to a policy
text, and previews. Pages are in `shoal.web.pages`; whatever is sound or not is decided by
`shoal.policy`.
"""
