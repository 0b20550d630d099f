"""The method run again on inputs that could have led to the same release (for the minimality attack).
Possible inputs, the parts and the budget of a trial, and the beliefs that remain. The attack itself is
`attackers.minimality`.
"""
