// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/io/checkpoint.hpp>
#include <distview/io/hdf5.hpp>
#include <distview/io/hdf5_series.hpp>

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <utility>

// Functions of a build without HDF5. CMakeLists.txt chooses between this file and h5_*.cpp.

namespace distview {

namespace {

[[noreturn]] void refuse(const char* caller) {
    throw UsageError(text(caller,
                          ": expected a build with HDF5, got one without: install HDF5 and xxhash "
                          "(Debian: libhdf5-openmpi-dev, libxxhash-dev) and configure again"));
}

} // namespace

bool has_hdf5() noexcept { return false; }

void save_hdf5(const Communicator&, const std::string&, const std::vector<NamedArray>&,
               const Attributes&, const Hdf5Options&) {
    refuse("save_hdf5");
}
Hdf5Contents inspect_hdf5(const Communicator&, const std::string&) { refuse("inspect_hdf5"); }
void load_hdf5(const Communicator&, const std::string&, const std::vector<NamedArray>&,
               const FileOptions&) {
    refuse("load_hdf5");
}

Checkpoint::Checkpoint(const Communicator& comm, std::string path, CheckpointOptions options)
    : m_comm(comm), m_path(std::move(path)), m_options(std::move(options)) {}
std::string Checkpoint::path_of(int) const { return m_path; }
void Checkpoint::save(const std::vector<NamedArray>&, const Attributes&) const {
    refuse("Checkpoint::save");
}
LoadedCheckpoint Checkpoint::load(const std::vector<NamedArray>&, bool) const {
    refuse("Checkpoint::load");
}

Hdf5Series::Hdf5Series(const Communicator& comm, const std::string&, const std::vector<NamedArray>&,
                       const Attributes&, const Hdf5Options&)
    : m_comm(comm) {
    refuse("Hdf5Series");
}
void Hdf5Series::append(double, const std::vector<NamedArray>&) { refuse("Hdf5Series"); }
void load_hdf5_step(const Communicator&, const std::string&, std::int64_t,
                    const std::vector<NamedArray>&, const FileOptions&) {
    refuse("load_hdf5_step");
}

} // namespace distview
