"""May this be published? One function decides, for the command, the page and the report.

`decide` takes whatever was measured, `Evidence`, and gives a `Decision`: a level, a first sentence in people,
the reasons, and what was not measured. The same evidence gives the same words at every door; more evidence
fills in what was not measured, and never makes a level better. What attackers find is measured in
`adversary`, and how it is laid out on a page is the report's.
"""
