// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/io/checkpoint.hpp>

#include "checksum.hpp"
#include "damage.hpp"
#include "h5_attributes.hpp"
#include "h5_fields.hpp"
#include "new_file.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <mutex>
#include <set>
#include <string>
#include <typeinfo>
#include <utility>

namespace distview {

namespace {

constexpr const char* save_caller = "Checkpoint::save";
constexpr const char* load_caller = "Checkpoint::load";
/// The attribute with the checksum of the other attributes, for which HDF5 has no checksums.
constexpr const char* scalars_checksum = "distview_scalars_checksum";

std::int64_t checksum_of(const Attributes& scalars) {
    impl::Packed packed;
    impl::put_attributes(packed, scalars);
    return static_cast<std::int64_t>(impl::xxh3(packed.bytes().data(), packed.bytes().size()));
}

/// Whether a file that cannot be read is damaged or missing; the error is the same on all ranks. Mistakes of the
/// caller, and refusals of the system on some rank, are no reason to go on from an older state. Collective.
bool is_damage(const Communicator& comm, const std::string& path, const Error& error,
               const impl::DamageWatch& watch) {
    if (typeid(error) != typeid(Error)) return false;
    const bool is_found = watch.has_found() || (comm.rank() == 0 && impl::is_missing(path));
    return all_reduce(comm, ReduceOperation::max, static_cast<std::int32_t>(is_found)) != 0;
}

/// Last checkpoints that load() has found damaged in this process. Kept for all Checkpoints, because programs may load
/// with one Checkpoint and save with another.
class DamagedFiles {
public:
    void add(const std::string& path) {
        const std::lock_guard lock(m_mutex);
        m_identities.insert(impl::identity_of(path));
    }
    bool has(const std::string& path) {
        const std::lock_guard lock(m_mutex);
        return m_identities.contains(impl::identity_of(path));
    }

private:
    std::mutex m_mutex;
    std::set<std::string> m_identities;
};

DamagedFiles& damaged_files() {
    static DamagedFiles files;
    return files;
}

} // namespace

Checkpoint::Checkpoint(const Communicator& comm, std::string path, CheckpointOptions options)
    : m_comm(comm), m_path(std::move(path)), m_options(std::move(options)) {
    require<UsageError>(m_options.keep >= 1, [&] {
        return text("Checkpoint: expected at least 1 checkpoint to keep, got ", m_options.keep);
    });
}

std::string Checkpoint::path_of(int age) const { return impl::NewFile::kept_name(m_path, age); }

void Checkpoint::save(const std::vector<NamedArray>& fields, const Attributes& scalars) const {
    const CollectiveCall call(m_comm, save_caller);
    Attributes all;
    agree_on(m_comm, save_caller, [&] {
        require<UsageError>(!scalars.contains(scalars_checksum), [&] {
            return text(save_caller, ": expected scalars without the reserved name '",
                        scalars_checksum, "', got one of this name");
        });
        all = scalars;
        all[scalars_checksum] = checksum_of(scalars);
    });
    // A damaged checkpoint must not take the place of a complete one.
    impl::save_fields(m_comm, save_caller, m_path, fields, all, m_options,
                      damaged_files().has(m_path) ? 1 : m_options.keep);
}

Attributes Checkpoint::load_from(const std::string& path,
                                 const std::vector<NamedArray>& fields) const {
    const impl::H5Calls calls(load_caller, path);
    impl::RawFile of_root;
    Attributes of_file = impl::from_root(
        m_comm, load_caller,
        [&] {
            of_root = impl::RawFile(load_caller, path, impl::RawFile::Mode::read);
            const impl::H5Turn turn;
            const impl::H5Id file = impl::open_h5_file(calls);
            Attributes scalars = impl::read_attributes(calls, file);
            const auto sum = scalars.find(scalars_checksum);
            require<impl::DamageError>(
                sum != scalars.end() && std::holds_alternative<std::int64_t>(sum->second), [&] {
                    return text(load_caller, ": expected a checkpoint in '", path,
                                "', got a file without '", scalars_checksum, "'");
                });
            const auto expected = std::get<std::int64_t>(sum->second);
            scalars.erase(sum);
            require<impl::DamageError>(checksum_of(scalars) == expected, [&] {
                return text(load_caller,
                            ": expected the scalars that were written, got damaged ones in '", path,
                            "': their checksum differs");
            });
            impl::Packed found;
            impl::put_attributes(found, scalars);
            return found;
        },
        impl::get_attributes);
    impl::load_fields(m_comm, calls, fields, -1, Hdf5Options(m_options), std::move(of_root));
    return of_file;
}

LoadedCheckpoint Checkpoint::load(const std::vector<NamedArray>& fields, bool falls_back) const {
    const CollectiveCall call(m_comm, load_caller);
    int keep = m_options.keep;
    impl::take_from_root(m_comm, keep, falls_back);
    LoadedCheckpoint loaded;
    for (int age = 0; age < keep; ++age) {
        loaded.path = path_of(age);
        const impl::DamageWatch watch;
        try {
            loaded.scalars = load_from(loaded.path, fields);
            return loaded;
        } catch (const Error& error) { // the same on all ranks
            if (!is_damage(m_comm, loaded.path, error, watch)) throw;
            if (age == 0) damaged_files().add(m_path);
            loaded.damage += text(loaded.damage.empty() ? "" : "; ", error.what());
        }
        if (!falls_back) break;
    }
    const std::string before = path_of(1);
    bool is_there = m_comm.rank() == 0 && !falls_back && keep > 1 && impl::is_file(before);
    impl::take_from_root(m_comm, is_there);
    throw Error(is_there ? text(loaded.damage,
                                "; load(fields, true) falls back to the checkpoint before it, '",
                                before, "'")
                         : loaded.damage);
}

} // namespace distview
