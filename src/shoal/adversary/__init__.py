"""Attack a release, or a raw table, before others do. `attacks` is the entry and the registry `ATTACKS`; a
`Scene` is what was published beside the people it is about, an `AttackResult` what one attacker finds.
`attackers` has a file per attack, `matching` finds the records that fit what is known of a person,
`beliefs` what is then believed of a sensitive value, `trials` runs the method again on possible inputs,
`large` counts candidates in tables beyond memory. Formulas on class sizes live in `risk`; whether the
release may be published is decided in `decision`.
"""
