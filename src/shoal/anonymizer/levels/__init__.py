"""Full-domain recoding: every quasi column at one level of its hierarchy (`optimal`, `incognito`,
`samarati`, `datafly`), and the loss of labels. Cells that differ from class to class live in `local`.
"""
