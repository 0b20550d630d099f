"""What somebody who knows an aggregate can tell apart: the image F of a record, joint images, bands, and
what is certain. Evaluates the policy's expressions on its own, apart from the methods.
"""
