"""Where rows are, and how they are worked on when they need not fit into memory: the protocol (`Rows`,
`Parts`, `Engine`), what an engine has written, progress, and pieces of files. It knows Arrow tables and
column names. Policies, methods' plans, verifiers, releases and attacks live above. Nothing is imported
here, so that the command starts fast.
"""
