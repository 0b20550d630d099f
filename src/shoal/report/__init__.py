"""The report on a release: measured once, told for the owner or for the public, as a page or as JSON.
`measurements` measures, `report` makes sections of it, `public_view` says what the public may see,
`report_html` lays it out. The figures themselves come from `adversary`, `risk`, `utility` and `decision`.
"""
