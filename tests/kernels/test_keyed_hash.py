"""SipHash-2-4 against the published vectors, and the choices that are made with it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.keyed_hash import Purpose, fresh_key, hash_rows, key_from_bytes, seeded_key, siphash
from tests.draws import draws
from tests.methods.slow_siphash import slow_hash, slow_siphash

COUNTING = bytes(range(16))


def test_the_plain_hash_gives_the_papers_vector_for_fifteen_bytes():
    assert slow_siphash(COUNTING, COUNTING[:15]) == 0xA129CA6149BE45E5


def test_the_compiled_hash_gives_the_published_vector_for_sixteen_bytes():
    published = int.from_bytes(bytes.fromhex("db9bc2577fcc2a3f"), "little")
    first, second = np.frombuffer(COUNTING, np.uint64)
    assert slow_siphash(COUNTING, COUNTING) == published
    assert int(siphash(*key_from_bytes(COUNTING), first, second)) == published


@draws(200)
@given(st.binary(min_size=16, max_size=16), st.binary(min_size=16, max_size=16))
def test_the_compiled_hash_is_the_plain_one(key, message):
    first, second = np.frombuffer(message, np.uint64)
    assert int(siphash(*key_from_bytes(key), first, second)) == slow_siphash(key, message)


def test_every_row_is_hashed_by_its_number_and_purpose():
    key = seeded_key(7)
    for purpose in Purpose:
        assert hash_rows(key, purpose, 5).tolist() == [slow_hash(key, purpose, row) for row in range(5)]


def test_purposes_draw_from_different_streams():
    draws = {tuple(hash_rows(seeded_key(7), purpose, 3)) for purpose in Purpose}
    assert len(draws) == len(Purpose)


def test_a_secret_gives_its_key_back():
    secret = bytes(range(100, 116))
    assert key_from_bytes(secret).tobytes() == secret


def test_fresh_keys_differ():
    assert len({fresh_key().tobytes() for _ in range(20)}) == 20
