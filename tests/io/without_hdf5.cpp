// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A build without HDF5 reports this on all ranks, whichever function of HDF5 files is called.
#include <distview/comm/communicator.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/io.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <vector>

namespace distview::testing {

namespace {

TEST(WithoutHdf5, all_functions_say_what_is_missing) {
    const Communicator world(MPI_COMM_WORLD);
    const auto u = make_dist_view<double*>(Kokkos::DefaultHostExecutionSpace(), "u", world,
                                           ArrayLayout(ProcessGrid{world.size()}, {block(5)}));
    const std::vector<NamedArray> arrays{{"u", u}};
    EXPECT_FALSE(has_hdf5());
    const auto refuses = [](const char* caller, const auto& call) {
        SCOPED_TRACE(caller);
        EXPECT_THROW_ON_ALL_RANKS(call(), UsageError,
                                  std::string(caller) + ": expected a build with HDF5");
    };
    refuses("save_hdf5", [&] { save_hdf5(world, "/tmp/u.h5", arrays); });
    refuses("inspect_hdf5", [&] { (void)inspect_hdf5(world, "/tmp/u.h5"); });
    refuses("load_hdf5", [&] { load_hdf5(world, "/tmp/u.h5", arrays); });
    refuses("load_hdf5_step", [&] { load_hdf5_step(world, "/tmp/u.h5", 0, arrays); });
    refuses("Hdf5Series", [&] { (void)Hdf5Series(world, "/tmp/u.h5", arrays); });
    refuses("Checkpoint::save", [&] { Checkpoint(world, "/tmp/u.h5").save(arrays); });
    refuses("Checkpoint::load", [&] { (void)Checkpoint(world, "/tmp/u.h5").load(arrays); });
}

} // namespace

} // namespace distview::testing
