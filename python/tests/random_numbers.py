# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Philox4x32-10 in Python integers, the reference for fill_random()."""


def philox(counter, key):
    for _ in range(10):
        first, second = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [
            (second >> 32) ^ counter[1] ^ key[0], second % 2**32, (first >> 32) ^ counter[3] ^ key[1], first % 2**32
        ]  # fmt: skip
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    return counter


def bits(number, seed, stream=0):
    """Two times 64 random bits."""
    words = philox(
        [number % 2**32, number >> 32, stream % 2**32, stream >> 32], [seed % 2**32, seed >> 32]
    )
    return words[1] << 32 | words[0], words[3] << 32 | words[2]
