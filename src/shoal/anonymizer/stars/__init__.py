"""Single cells replaced by stars (`suppress-cells`); every other cell is published as it is."""
