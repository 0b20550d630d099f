"""Full-domain generalization: `optimal`, `incognito`, `samarati`, `datafly` on one lattice of levels, the
roll-up of counts between its nodes, and the choice of classes that are suppressed. Hierarchies themselves
are read and built in `shoal.hierarchy`; here they are arrays of groups and losses.
"""
