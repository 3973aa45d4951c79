const Communicator comm(MPI_COMM_WORLD);
const Kokkos::DefaultHostExecutionSpace exec;
const ArrayLayout layout(ProcessGrid::balanced(comm.size(), 2),
                         {block(200, {.padding = 1}), block(300, {.padding = 1, .periodic = true})});
const auto h = make_dist_view<double**>(exec, "h", comm, layout);
const auto u = make_dist_view<double**>(exec, "u", comm, layout);
const auto v = make_dist_view<double**>(exec, "v", comm, layout);
const auto f = make_dist_view<double**>(exec, "f", comm, layout);
const Extents extents = layout.local_extents(comm.rank());
const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> section(
    "section", static_cast<std::size_t>(extents[0]), static_cast<std::size_t>(extents[1]));
PaddingExchangePlan plan(comm, layout);
