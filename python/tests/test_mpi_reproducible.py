# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reproducible sums on any number of ranks and in any layout, against fractions of the whole array."""

import distview
import numpy as np
import pytest
from exact_fractions import ADVERSARIAL, bits, exact_dot, exact_root, exact_sum
from mpi_cases import on_rank, raised_on_all, same_on_all

LAYOUTS = {
    "blocks": lambda comm: "b",
    "cyclic": lambda comm: "c",
    "block-cyclic": lambda comm: (("c", 5),),
    "bounds": lambda comm: ([0] * comm.size + [173],),
    "indices": lambda comm: (("u", [list(range(r, 173, comm.size)) for r in range(comm.size)]),),
}


@pytest.mark.parametrize("kind", ADVERSARIAL)
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_whatever_the_ranks_and_the_layout(comm, kind, layout):
    rng = np.random.default_rng([7, ADVERSARIAL.index(kind)])
    x, y = (kind(rng, 173) for _ in range(2))
    u, v = (
        distview.from_function(lambda i, values=values: values[i], 173, layout(comm), comm)
        for values in (x, y)
    )
    assert bits(same_on_all(comm, u.sum(reproducible=True))) == bits(exact_sum(x))
    assert bits(distview.dot(u, v, reproducible=True)) == bits(exact_dot(x, y))
    assert bits(u.norm(reproducible=True)) == bits(exact_root(exact_dot(x, x, rounded=False)))


def test_other_options_on_one_rank(comm):
    u = distview.ones(12, comm=comm)
    for rank in range(comm.size if comm.size > 1 else 0):
        odd = on_rank(comm, rank, True, False)
        for call in (
            lambda: u.sum(reproducible=odd),  # noqa: B023
            lambda: u.dot(u, reproducible=odd),  # noqa: B023
            lambda: u.norm(reproducible=odd),  # noqa: B023
        ):
            caught = raised_on_all(comm, call)
            assert "reproducible" in str(caught)
        array = on_rank(comm, rank, 3, u)
        assert "expected a DistView, got int" in str(raised_on_all(comm, lambda: distview.dot(array, u)))  # noqa: B023
    assert same_on_all(comm, u.sum(reproducible=True)) == 12
