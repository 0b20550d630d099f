"""Whose classes have to be diverse: every attacker of a policy, and the records each cannot tell apart."""

from collections.abc import Iterable

from shoal.arrays import Ints
from shoal.kernels.classes import class_numbers
from shoal.policy.model.guarantee import AlphaKAnonymity, KAnonymity, KeAnonymity, KfAnonymity, KpqrAnonymity
from shoal.policy.model.policy import Policy
from shoal.verify.cells.cell_codes import cell_codes
from shoal.verify.cells.permutation_groups import permutation_groups
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.guarantees.kf_anonymity import class_of_equal_image, has_band

Attacker = KAnonymity | KfAnonymity | KeAnonymity


def attackers(policy: Policy) -> list[Attacker]:
    """The attackers that the policy states; without any, somebody who knows all quasi values. Where sensitive
    values are permuted that leads to a group, whatever its k and e."""
    if policy.permutes:
        return [next(one for one in policy.guarantees if isinstance(one, KeAnonymity))]
    knowing: list[Attacker] = [one for one in policy.guarantees if isinstance(one, KfAnonymity)]
    alike = KAnonymity | AlphaKAnonymity | KpqrAnonymity
    if not knowing or any(isinstance(one, alike) for one in policy.guarantees):
        knowing.append(KAnonymity(k=2))  # whatever its k, it is the same person
    return knowing


def stricter_notes(swept: Iterable[tuple[Attacker, bool]]) -> tuple[str, ...]:
    """What to say of a promise about sensitive values that fails on classes of equal image, where larger sets
    of candidates are meant and were not ``swept``."""
    if all(done or not (isinstance(one, KfAnonymity) and has_band(one)) for one, done in swept):
        return ()
    return ("classes of equal F were judged, not the larger sets of records that an attacker may hold: "
            "it may hold for these",)  # fmt: skip


def classes_of(published: PublishedTable, attacker: Attacker, policy: Policy) -> Ints:
    """The class of every record: its group, identical quasi cells, or the same image of what is known."""
    if isinstance(attacker, KfAnonymity):
        return class_of_equal_image(published, attacker, policy)
    if isinstance(attacker, KeAnonymity):
        return permutation_groups(published)
    quasi = policy.having("quasi")
    columns = [cell_codes(published, name) for name in quasi]
    return published.once(("classes", *quasi), lambda: class_numbers([column.codes for column in columns]))
