"""Methods that publish ranges (`residual`, `aggranon`, `aligned`, `mondrian` on numbers): aggregates in
whole numbers, sets of words per class, loss by width.
"""
