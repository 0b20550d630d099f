"""Charts: what a chart shows as data, sentence and table, and its drawing by Altair as SVG or PNG. The page
and the command use them too. No figure is computed here.
"""
