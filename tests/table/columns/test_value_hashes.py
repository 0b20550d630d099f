"""Values are counted by hashes of which none is in every sample."""

import numpy as np
import pyarrow as pa
import pytest

from shoal.table.columns.value_hashes import ValueHashes, hashes_of
from shoal.table.profile.key_samples import KeySample, key_samples, keys_in_samples


@pytest.mark.parametrize("zero", [pa.scalar(0), pa.scalar(0.0), pa.scalar(False), pa.scalar("")])
def test_one_value_in_most_rows_leaves_every_sample_small(zero):
    many = ValueHashes.of(pa.repeat(zero, 600), most=1_000)
    joined = many.joined(many)
    assert len(joined.kept) <= 1_000
    assert joined.estimated


def test_strange_numbers_have_hashes():
    columns = [pa.array([1, 2], pa.decimal256(40)), pa.array([1.0, 2.0], pa.float16()), pa.array([[1], [2]])]
    assert [len(np.unique(one)) for one in hashes_of(columns)] == [2, 2, 2]


@pytest.mark.parametrize("seed", range(25))
def test_samples_of_batches_are_those_of_the_whole(seed):
    draw = np.random.default_rng(seed)
    people = draw.permutation(np.repeat(np.arange(900), 4))
    table = pa.table({"nr": people, "sex": people % 2, "zero": np.zeros(3_600, int), "x": draw.random(3_600)})
    names = table.column_names
    cuts = np.sort(draw.integers(1, 3_600, 3))
    parts = [table.slice(low, high - low) for low, high in zip([0, *cuts], [*cuts, 3_600], strict=True)]
    batches = [key_samples(names, names, part) for part in parts if len(part)]
    whole = key_samples(names, names, table)
    for name in names:
        joined: KeySample = batches[0][name]
        for batch in batches[1:]:
            joined = joined.joined(batch[name])
        halved = max(joined.halved, whole[name].halved)
        assert kept_below(joined, halved) == kept_below(whole[name], halved)
        assert len(joined.own) <= joined.most
    assert [key.name for key in keys_in_samples(whole, names)] == ["nr"]


def kept_below(sample, halved):
    own = sample.own if not halved else sample.own[sample.own >> np.uint64(64 - halved) == 0]
    return sorted(own.tolist())


def test_samples_of_wide_tables_stay_small():
    table = pa.table({f"c{at}": np.arange(5_000) // 2 + at for at in range(120)})
    samples = key_samples(table.column_names, table.column_names, table)
    assert sum(one.traits.nbytes + one.own.nbytes for one in samples.values()) < 16_000_000
