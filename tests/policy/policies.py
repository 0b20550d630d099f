"""Policies of every kind over columns with names that nobody should give, drawn by hypothesis."""

from decimal import Decimal

from hypothesis import strategies as st

from shoal.policy.draft.draft_policy import expression_name
from shoal.policy.model.policy import Policy
from shoal.policy.model.sql_names import sql_name_faults

HOSTILE = (
    "", " ", "a b", 'say "so"', "it's", "a.b", "[columns]", "[[guarantees]]", "# no comment", "two\nlines",
    "\r", "tab\t", "bell\a\x00\x1f\x7f\x85", "\u202egnp.exe", "\u2028", "back\\slash", "\\u0041", "=", "{}",
    "Straße", "ÄÖÜ", "Μισθός", "راتب", "年齢", "x" * 300, "'''", '"""', "true", "1", "-", "nan", "self",
)  # fmt: skip
names = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
words = st.lists(names, min_size=1, max_size=3, unique=True)
shares = st.decimals("0.001", "0.5", places=3)
amounts = st.decimals("0.01", "1000000", places=2) | st.sampled_from([Decimal("1E+3"), Decimal("0.00")])
whole = st.integers(2, 1000)

rules = st.one_of(
    st.fixed_dictionaries({"intervals": st.lists(amounts.filter(bool), min_size=1, max_size=4)}),
    st.fixed_dictionaries({"groups": st.lists(whole, min_size=1, max_size=3)}),
    st.sampled_from([{"mask": "left"}, {"mask": "right"}, {"dates": ["month", "quarter", "year"]}]),
    st.fixed_dictionaries({"frequency": st.lists(st.floats(1e-7, 0.5), min_size=1, max_size=3)}),
    st.builds(
        lambda tree: {"tree": tree},
        st.dictionaries(names, words | st.dictionaries(names, words, max_size=2), max_size=2),
    ),
    st.builds(lambda leaves: {"paths": [[leaf, "all"] for leaf in leaves]}, words),
)
values = st.booleans() | st.integers() | st.decimals(allow_nan=False) | names | words
options = st.dictionaries(names, values | st.dictionaries(names, values | words, max_size=2), max_size=3)


@st.composite
def asked(draw, quasi, sensitive):
    """A list of guarantees that may stand beside each other."""
    known = [expression_name(name) for name in quasi if name]  # no expression can name an empty one
    about = draw(st.sampled_from(sensitive))
    several = draw(st.sampled_from([about, sensitive]))
    some = {
        "k-anonymity": {"k": draw(whole)},
        "kf-anonymity": {
            "k": draw(whole), "knows": [" + ".join(known), *known[:1]][: draw(st.integers(1, 2))],
            "within": draw(st.none() | shares), "band": draw(st.sampled_from(["centred", "any"])),
            "also": draw(st.sampled_from([quasi, [] if len(known) == len(quasi) else [""]])),
        },
        "p-sensitivity": {"p": draw(whole)},
        "alpha-k-anonymity": {"alpha": draw(shares), "k": draw(whole)},
        "t-closeness": {"t": draw(shares), "sensitive": about, "distance": "ordered", "order": draw(words)},
        "ke-anonymity": {
            "k": draw(whole), "e": draw(amounts), "sensitive": about,
            "gap": draw(st.none() | amounts.filter(bool)),
        },
        "kpqr-anonymity": {
            "k": draw(whole), "p": 2, "q": draw(shares), "r": draw(amounts), "sensitive": several,
        },
    }  # fmt: skip
    diverse = draw(
        st.sampled_from(
            [
                {"l": 3, "sensitive": several},
                {"l": 2.5, "variant": "entropy", "sensitive": about, "alone": True},
                {"l": 3, "c": 4.0, "variant": "recursive", "sensitive": about},
                {"l": 3, "c": 0.1, "c2": 5, "variant": "npd-recursive", "sensitive": about, "allowed": ["a"]},
            ]
        )
    )
    if not known:
        del some["kf-anonymity"]
    if sql_name_faults([*quasi, *sensitive]):
        del some["ke-anonymity"]
    kind = draw(st.sampled_from(sorted(some)))
    first = [{"kind": kind} | some[kind]]
    return [*first, {"kind": "l-diversity"} | diverse] if draw(st.booleans()) else first


@st.composite
def policies(draw):
    quasi, sensitive = draw(words), draw(words)
    sensitive = [name for name in sensitive if name not in quasi] or ["diagnosis"]
    columns = dict.fromkeys(quasi, "quasi") | dict.fromkeys(sensitive, "sensitive") | {"the rest": "other"}
    some = st.lists(st.sampled_from(list(columns)), unique=True, max_size=2)
    limits = st.tuples(st.just(Decimal("-1.5")), amounts)
    return Policy(
        columns=columns,
        hierarchies={name: draw(rules) for name in draw(some)},
        domains={name: draw(limits) for name in draw(some)},
        missing={name: draw(st.sampled_from(["value", "zero", "suppress", "error"])) for name in draw(some)},
        guarantees=draw(asked(quasi, sensitive)),
        method={
            "name": draw(st.sampled_from(["auto", "mdav"])),
            "suppression": draw(st.sampled_from([0, 0.02, 1])),
            "objective": draw(st.sampled_from(["ncp", "entropy"])),
            "weights": {name: draw(st.floats(0, 1e20)) for name in draw(some)},
            "options": draw(options),
        },
    )
