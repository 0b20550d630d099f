"""Policies, methods and parameters side by side, and what to do when a policy has no release. `compare`
tries them, `vary` makes the policies to try, `recommend` chooses, `smallest_change` finds the least that
has to be given up and says so as a `Diagnosis`. Nothing is written and nothing is drawn: charts live in
`report.charts`.
"""
