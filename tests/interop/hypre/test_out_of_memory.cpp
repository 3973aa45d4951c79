// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory ends on one rank while objects of hypre are made, and while equations are solved.
#include "../../unit/comm/out_of_memory.hpp"
#include "equations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace distview::testing {

namespace {

/// Objects over a separate communicator that gives up: the component uses the numbering's communicator.
class HypreOutOfMemory : public ::testing::Test {
protected:
    static Communicator patient(MPI_Comm duplicate) {
        Communicator comm(duplicate);
        comm.set_deadline(std::chrono::seconds(20));
        return comm;
    }

    const OwnedComm duplicate = duplicate_world();
    const Communicator comm = patient(duplicate.get());
    const hypre::Session session{comm};
    const System system{comm, Equations{{8, 7, 9}, {Sides::walls, Sides::walls, Sides::walls}}, 5};
    const MatrixRows rows = system.assembled();
    const System::Vector b = system.make_scattered("b", 3), u = system.make("u");
};

TEST_F(HypreOutOfMemory, InMatrices) {
    check_out_of_memory([&](const Communicator&) {
        const hypre::Matrix matrix = hypre::ij_matrix(rows);
        hypre::set_values(matrix, rows);
        return matrix.get() != nullptr;
    });
}

TEST_F(HypreOutOfMemory, InStructMatrices) {
    check_out_of_memory([&](const Communicator&) {
        return hypre::struct_matrix(hypre::struct_grid(system.rows), rows).get() != nullptr;
    });
}

TEST_F(HypreOutOfMemory, InVectors) {
    const hypre::StructGrid grid = hypre::struct_grid(system.rows);
    check_out_of_memory([&](const Communicator&) {
        const hypre::Vector x = hypre::vector(system.rows, u);
        const hypre::StructVector y = hypre::struct_vector(grid, u);
        x.put(), y.put(), x.fetch(), y.fetch();
        return x.get() != nullptr && y.get() != nullptr;
    });
}

TEST_F(HypreOutOfMemory, InSolutions) {
    const hypre::Matrix a = hypre::ij_matrix(rows);
    const hypre::Vector right = hypre::vector(system.rows, b), x = hypre::vector(system.rows, u);
    check_out_of_memory([&](const Communicator&) {
        std::fill_n(u.view().data(), u.view().size(), 0.);
        return hypre::solve(comm, a, right, x, {.preconditioner = "boomeramg"}).converged;
    });
}

} // namespace

} // namespace distview::testing
