"""Machine code of all kernels, made ahead: for `shoal warm`, for wheels and before tests.

What a kernel is and where its machine code is kept is in `kernels/`; here is what makes every kernel run
once.
"""
