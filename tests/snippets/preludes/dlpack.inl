const Kokkos::DefaultHostExecutionSpace exec;
const DistView<double*> view(exec, "view", ArrayLayout(ProcessGrid{1}, {block(8)}), 0);
const auto consume = [](auto* tensor) { tensor->deleter(tensor); };
const std::int64_t stream = -1; // asks for no stream
auto* const foreign = protocol::to_dlpack(exec, view).release();
