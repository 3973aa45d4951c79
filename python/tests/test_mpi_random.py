# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fill_random() over several processes depends on global indices only, in any layout."""

import distview
import numpy as np
import pytest
from global_arrays import random_layout
from random_numbers import bits


@pytest.mark.parametrize("seed", range(8))
def test_same_numbers_in_any_layout(comm, seed):
    layout = random_layout(np.random.default_rng([seed, comm.size]), comm.size)
    u = distview.zeros(None, layout, comm)
    distview.fill_random(u, seed, stream=seed + 1)
    indices = [u.global_indices(d, "interior") for d in range(u.ndim)]
    part = u.interior if u.ndim else u.view
    for at in np.ndindex(*part.shape):
        number = 0
        for d, i in enumerate(at):
            number = (number * u.shape[d] + int(indices[d][i])) % 2**64
        assert part[at] == (bits(number, seed, seed + 1)[0] >> 11) * 2.0**-53


def test_of_blocks_and_cyclic_axes(comm):
    arrays = [distview.zeros((9, 14), text, comm) for text in ("bb", "cb", "nc")]
    wholes = []
    for u in arrays:
        distview.fill_random(u, 5)
        wholes.append(u.gather())
    if comm.rank == 0:
        assert (wholes[0] == wholes[1]).all() and (wholes[0] == wholes[2]).all()
