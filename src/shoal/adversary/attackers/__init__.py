"""One file per attack: a function from a `Scene` to `AttackResult`s, a row of `ATTACKS`. An attack says
what somebody knows, what they find and how often they are right. How records and people are compared
lives in `matching`, what is believed of sensitive values in `beliefs`.
"""
