"""What one published column tells of another: found in original rows and what was published of them,
whatever method and engine made it. What can be seen from a release alone is judged in
`verify.hidden_cells`, on its own.
"""
