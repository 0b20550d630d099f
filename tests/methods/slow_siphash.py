"""SipHash-2-4 as the paper prints it, over plain Python integers and bytes of any length."""

WORD = 2**64 - 1


def slow_siphash(key: bytes, message: bytes) -> int:
    key0, key1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    state = [
        key0 ^ 0x736F6D6570736575,
        key1 ^ 0x646F72616E646F6D,
        key0 ^ 0x6C7967656E657261,
        key1 ^ 0x7465646279746573,
    ]
    for word in _words(message):
        state[3] ^= word
        state = _round(_round(state))
        state[0] ^= word
    state[2] ^= 0xFF
    for _ in range(4):
        state = _round(state)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _words(message: bytes) -> list[int]:
    """Whole words, then one with the remaining bytes and the length in its last byte."""
    padding = bytes(7 - len(message) % 8)
    padded = message + padding + bytes([len(message) % 256])
    return [int.from_bytes(padded[at : at + 8], "little") for at in range(0, len(padded), 8)]


def _round(state: list[int]) -> list[int]:
    v0, v1, v2, v3 = state
    v0 = (v0 + v1) & WORD
    v2 = (v2 + v3) & WORD
    v1 = _rotated(v1, 13) ^ v0
    v3 = _rotated(v3, 16) ^ v2
    v0 = _rotated(v0, 32)
    v2 = (v2 + v1) & WORD
    v0 = (v0 + v3) & WORD
    v1 = _rotated(v1, 17) ^ v2
    v3 = _rotated(v3, 21) ^ v0
    v2 = _rotated(v2, 32)
    return [v0, v1, v2, v3]


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> (64 - by)) & WORD


def slow_hash(key, purpose: int, number: int) -> int:
    """The hash that decides about a row or a column: of the purpose and its number, 16 bytes."""
    return slow_siphash(key.tobytes(), purpose.to_bytes(8, "little") + number.to_bytes(8, "little"))
