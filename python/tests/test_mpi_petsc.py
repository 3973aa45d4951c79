# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays as petsc4py vectors over the same memory."""

import sys

import distview
import numpy as np
import pytest
from mpi_cases import on_rank, raised_on_all

SHAPES = [((17,), "b"), ((17,), "c"), ((7, 9), "bb"), ((5, 8, 6), "bbb")]


@pytest.fixture(scope="module")
def petsc():
    return pytest.importorskip("petsc4py.PETSc")


@pytest.mark.parametrize("shape, dist", SHAPES)
def test_memory_is_the_arrays(comm, petsc, shape, dist):
    u = distview.zeros(shape, dist, comm)
    vec = u.petsc_vec()
    assert isinstance(vec, petsc.Vec)
    assert vec.size == np.prod(shape) and vec.local_size == u.view.size
    with vec as memory:
        assert memory.ctypes.data == u.view.ctypes.data or u.view.size == 0
    vec.set(2.5)
    assert u.view.size == 0 or (u.view == 2.5).all()
    u.view[...] = comm.rank + 1
    vec.stateIncrease()  # PETSc caches norms until a change is reported
    assert vec.max()[1] == max(r + 1 for r, n in enumerate(comm.allgather(u.view.size)) if n)


def test_the_vec_keeps_the_memory(comm, petsc):
    u = distview.ones((12,), "b", comm)
    vec = u.petsc_vec()
    del u
    others = [distview.zeros((12,), "b", comm) for _ in range(10)]
    assert vec.norm(petsc.NormType.NORM_1) == 12
    del others


def test_an_array_of_the_int_of_a_communicator(comm, petsc):
    u = distview.ones((17,), "b", comm.py2f())
    vec = u.petsc_vec()
    assert vec.comm.size == comm.size and vec.size == 17
    assert vec.norm(petsc.NormType.NORM_1) == 17


def test_a_solution_stands_in_the_array(comm, petsc):
    n = 40
    b, u = distview.ones((n,), "b", comm), distview.zeros((n,), "b", comm)
    matrix = petsc.Mat().createAIJ(((b.view.size, n), (b.view.size, n)), nnz=3, comm=comm)
    for row in range(*matrix.getOwnershipRange()):
        for column, value in ((row - 1, -1.0), (row, 2.0), (row + 1, -1.0)):
            if 0 <= column < n:
                matrix[row, column] = value
    matrix.assemble()
    solver = petsc.KSP().create(comm)
    solver.setOperators(matrix)
    solver.setType("cg")
    solver.pc.setType("none")
    solver.setTolerances(rtol=1e-12)
    solver.solve(b.petsc_vec(), u.petsc_vec())
    x = u.global_indices(0) + 1
    assert np.allclose(u.view, x * (n + 1 - x) / 2)


def test_wrong_arrays_are_errors_on_all_ranks(comm, petsc):
    padded = distview.zeros((12,), "b", comm, padding=1)
    error = raised_on_all(comm, padded.petsc_vec)
    assert isinstance(error, distview.ShapeError) and "without padding" in str(error)
    floats = distview.zeros((12,), "b", comm, dtype=np.float32)
    error = raised_on_all(comm, floats.petsc_vec)
    assert isinstance(error, distview.UsageError) and "got float32" in str(error)


def test_without_petsc4py(comm, monkeypatch):
    """If it is missing on one rank, all ranks get the error."""
    u = distview.zeros((12,), "b", comm)
    if on_rank(comm, comm.size - 1, True, False):
        monkeypatch.setitem(sys.modules, "petsc4py", None)
    error = raised_on_all(comm, u.petsc_vec)
    assert isinstance(error, distview.UsageError)
    assert "petsc_vec: expected petsc4py to be installed (Debian: python3-petsc4py-real" in str(error)
