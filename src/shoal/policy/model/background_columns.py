"""What somebody counts as knowing beside one sensitive column: the others that diversity is asked of."""

from collections.abc import Iterable

from shoal.policy.model.guarantee import Guarantee, LDiversity


def background_columns(
    asked: LDiversity, guarantees: Iterable[Guarantee | None], names: Iterable[str]
) -> list[str]:
    """The sensitive columns of all diversity guarantees but these; none for one that stands ``alone``.

    >>> ill, cost = LDiversity(l=3, sensitive="ill"), LDiversity(l=2, sensitive="cost")
    >>> background_columns(ill, [ill, cost], ["ill"])
    ['cost']
    """
    if asked.alone:
        return []
    checked = [one for one in guarantees if isinstance(one, LDiversity) and not one.alone]
    others = dict.fromkeys(column for one in checked for column in one.columns)
    return [column for column in others if column not in names]


def sentence_among(asked: Guarantee, guarantees: Iterable[Guarantee | None], told_apart: bool = False) -> str:
    """What a guarantee promises beside others; ``told_apart`` says that columns tell nothing of each other.

    >>> ill, cost = LDiversity(l=3, sensitive="ill"), LDiversity(l=2, sensitive="cost")
    >>> sentence_among(ill, [ill, cost])
    'every class has at least 3 different values of ill (seen by someone who knows cost)'
    """
    if told_apart or not isinstance(asked, LDiversity):
        return asked.sentence()
    return asked.sentence(background_columns(asked, guarantees, asked.columns))
