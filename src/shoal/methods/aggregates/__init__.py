"""Methods against somebody who knows an aggregate f of a record: `aggranon`, `residual`, `aligned`, what
they know of f (`aggregate`), of the attacker (`knowledge`) and the steps of their searches. Uses
`boxes.mondrian` as a rival and for what is left. Parsing an expression into an aggregate is not done here
(`shoal.policy`, `shoal.anonymizer`).
"""
