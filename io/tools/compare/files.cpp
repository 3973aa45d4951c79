// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

namespace compare {

namespace {

using distview::StoredField;
using distview::text;

/// Determines the kind of a file from its first bytes. HDF5 files may begin later, after a user block.
File::Kind kind_of(const std::string& path) {
    std::array<char, 6> first{};
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    const bool is_open = static_cast<bool>(in);
    distview::require<distview::Error>(is_open, [&] {
        return text("expected to read '", path, "', got '", std::strerror(errno), "'");
    });
    in.read(first.data(), static_cast<std::streamsize>(first.size()));
    const std::string_view bytes(first.data(), static_cast<std::size_t>(in.gcount()));
    if (bytes == "\x93NUMPY") return File::Kind::npy;
    if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) return File::Kind::npz;
    return File::Kind::hdf5;
}

Field field_of(const StoredField& stored, std::size_t steps) {
    Field field{stored.name, stored.element, stored.shape, false};
    field.has_steps =
        steps > 0 && !stored.shape.empty() && stored.shape[0] == static_cast<std::int64_t>(steps);
    if (field.has_steps) field.shape.erase(field.shape.begin());
    return field;
}

} // namespace

const Field* File::find(const std::string& name) const {
    for (const Field& field : fields)
        if (field.name == name) return &field;
    return nullptr;
}

File look_at(const distview::Communicator& comm, const std::string& path) {
    File file;
    file.path = path;
    file.kind = distview::agree_on(comm, "distview-compare", [&] { return kind_of(path); });
    std::vector<StoredField> fields;
    switch (file.kind) {
    case File::Kind::npy: fields.push_back(distview::inspect_npy(comm, path)); break;
    case File::Kind::npz: fields = distview::inspect_npz(comm, path); break;
    case File::Kind::hdf5: {
        distview::Hdf5Contents contents = distview::inspect_hdf5(comm, path);
        fields = std::move(contents.fields);
        file.attributes = std::move(contents.attributes);
        file.times = std::move(contents.times);
        break;
    }
    }
    for (const StoredField& stored : fields)
        file.fields.push_back(field_of(stored, file.times.size()));
    return file;
}

void load(const distview::Communicator& comm, const File& file, const Field& field,
          std::int64_t step, const distview::AnyDistView& array) {
    switch (file.kind) {
    case File::Kind::npy: return distview::load_npy(comm, file.path, array);
    case File::Kind::npz: return distview::load_npz(comm, file.path, {{field.name, array}});
    case File::Kind::hdf5: break;
    }
    if (field.has_steps)
        distview::load_hdf5_step(comm, file.path, step, {{field.name, array}});
    else
        distview::load_hdf5(comm, file.path, {{field.name, array}});
}

} // namespace compare
