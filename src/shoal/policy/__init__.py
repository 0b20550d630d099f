"""What the owner declares: roles of columns, guarantees, method. `model` is the policy and its faults,
`text` how it is written, `draft` what `shoal init` proposes; `toml` is the syntax that all of them share.
Forms that change a policy are in `shoal.web.forms`.
"""
