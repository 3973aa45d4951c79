// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "array.hpp"
#include "errors.hpp"
#include "registers.hpp"
#include "runtime.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>
#include <distview/io.hpp>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

namespace distview::python {

namespace {

/// Python's arrays by name.
using NamedArrays = std::vector<std::pair<std::string, Array>>;

/// Settings of the functions below.
struct FileSettings : CheckpointOptions {
    bool fortran_order = false;
};

/// Calls a function on files without the GIL. A plain Error becomes a FileError.
template <class Function>
auto on_files(Function&& function) {
    const nb::gil_scoped_release release;
    try {
        return std::forward<Function>(function)();
    } catch (const Error& error) {
        if (typeid(error) == typeid(Error)) throw FileError(error.what());
        throw;
    }
}

/// A program's function that gets the progress of a file. Its exception is raised after the file is written, since other
/// ranks cannot know of it before.
class Progress {
public:
    explicit Progress(nb::handle callback) : m_callback(nb::borrow(callback)) {}

    std::function<void(std::int64_t, std::int64_t)> function() {
        if (m_callback.is_none()) return {};
        return [this](std::int64_t done, std::int64_t all) {
            const nb::gil_scoped_acquire acquire;
            if (m_failure.image) return;
            try {
                m_callback(done, all);
            } catch (...) {
                m_failure = current_failure();
            }
        };
    }
    /// Collective.
    void agree(const Communicator& comm, const char* caller) const {
        python::agree(comm, caller, m_failure);
    }

private:
    nb::object m_callback;
    Failure m_failure{};
};

std::vector<NamedArray> views_of(const NamedArrays& arrays) {
    std::vector<NamedArray> result;
    for (const auto& [name, array] : arrays)
        result.push_back({name, array.state->view("DistView")});
    return result;
}

/// Whether files can describe the elements: numbers, and opaque bytes.
bool has_plain_elements(const ArrayState& array) {
    if (array.section().element.kind != ElementKind::opaque) return true;
    const std::string& format = array.format();
    return !format.empty() && format.find_first_not_of("0123456789") == format.size() - 1 &&
           format.back() == 'x';
}

/// Throws if arrays cannot be written or filled; then waits for pending work on their memory. Local.
void check_file_arrays(const std::string& caller, const Communicator& comm,
                       const NamedArrays& arrays) {
    for (const auto& [name, array] : arrays) {
        const ArrayState& state = *array.state;
        (void)state.view(caller.c_str());
        const auto& own = state.communicator();
        require<UsageError>(own ? *own == comm : comm.size() == 1, [&] {
            return text(caller, ": expected arrays of one communicator, got '", shortened(name),
                        "' of another one");
        });
        require<ShapeError>(has_plain_elements(state), [&] {
            return text(caller, ": expected numbers in native byte order as elements of '",
                        shortened(name), "', or bytes ('V'), got '", shortened(state.format()),
                        "'");
        });
    }
    require_kokkos(caller.c_str(), &comm);
    for (const auto& [name, array] : arrays) {
        const AnySection section = array.state->pending_section();
        const AnySection* const pointer = &section;
        begin_work(caller.c_str(), Kernels::host, {&pointer, 1});
    }
}

nb::str to_text(const std::string& bytes) {
    // Files of other software may have texts that are not UTF-8.
    return nb::steal<nb::str>(PyUnicode_DecodeUTF8(
        bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape"));
}

nb::dict to_python(const Attributes& attributes) {
    nb::dict result;
    for (const auto& [name, value] : attributes)
        result[to_text(name)] = std::visit(
            [](const auto& v) -> nb::object {
                if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::string>)
                    return to_text(v);
                else
                    return nb::cast(v);
            },
            value);
    return result;
}

nb::list to_python(const std::vector<StoredField>& fields) {
    nb::list result;
    for (const StoredField& field : fields)
        result.append(nb::make_tuple(to_text(field.name), typestr_of(field.element), field.shape,
                                     field.is_fortran_order));
    return result;
}

NpyOptions npy_options(const FileSettings& settings, Progress& progress) {
    return {.fortran_order = settings.fortran_order,
            .buffer_bytes = settings.buffer_bytes,
            .sync = settings.sync,
            .progress = progress.function()};
}

void save_file(const std::string& caller, const Communicator& comm, const std::string& kind,
               const std::string& path, const NamedArrays& arrays, const Attributes& attributes,
               const FileSettings& settings, nb::handle callback) {
    Progress progress(callback);
    if (kind == "hdf5") {
        Hdf5Options options = settings;
        options.progress = progress.function();
        on_files([&] { save_hdf5(comm, path, views_of(arrays), attributes, options); });
    } else {
        const NpyOptions options = npy_options(settings, progress);
        on_files([&] {
            const std::vector<NamedArray> views = views_of(arrays);
            if (kind == "npy") return save_npy(comm, path, views.at(0).array, options);
            save_npz(comm, path, views, options);
        });
    }
    progress.agree(comm, caller.c_str());
}

/// (fields, attributes, times)
nb::tuple inspect_file(const Communicator& comm, const std::string& kind, const std::string& path) {
    const Hdf5Contents contents = on_files([&]() -> Hdf5Contents {
        if (kind == "npy") return {{inspect_npy(comm, path)}, {}, {}};
        if (kind == "npz") return {inspect_npz(comm, path), {}, {}};
        return inspect_hdf5(comm, path);
    });
    return nb::make_tuple(to_python(contents.fields), to_python(contents.attributes),
                          contents.times);
}

void load_file(const Communicator& comm, const std::string& kind, const std::string& path,
               const NamedArrays& arrays, std::optional<std::int64_t> step,
               const FileSettings& settings) {
    const FileOptions options{.buffer_bytes = settings.buffer_bytes};
    on_files([&] {
        const std::vector<NamedArray> views = views_of(arrays);
        if (kind == "npy") return load_npy(comm, path, views.at(0).array, options);
        if (kind == "npz") return load_npz(comm, path, views, options);
        if (step) return load_hdf5_step(comm, path, *step, views, options);
        load_hdf5(comm, path, views, options);
    });
}

void save_checkpoint(const Communicator& comm, const std::string& path, const NamedArrays& arrays,
                     const Attributes& scalars, const FileSettings& settings, nb::handle callback) {
    Progress progress(callback);
    CheckpointOptions options = settings;
    options.progress = progress.function();
    on_files([&] { Checkpoint(comm, path, options).save(views_of(arrays), scalars); });
    progress.agree(comm, "Checkpoint.save");
}

/// (scalars, path, damage)
nb::tuple load_checkpoint(const Communicator& comm, const std::string& path,
                          const NamedArrays& arrays, bool falls_back,
                          const FileSettings& settings) {
    const LoadedCheckpoint loaded = on_files(
        [&] { return Checkpoint(comm, path, settings).load(views_of(arrays), falls_back); });
    return nb::make_tuple(to_python(loaded.scalars), to_text(loaded.path), to_text(loaded.damage));
}

} // namespace

void register_files(nb::module_& package) {
    using namespace nb::literals;
    nb::class_<FileSettings>(package, "FileSettings", "Options for writing and reading files.")
        .def(
            "__init__",
            [](FileSettings* self, std::int64_t buffer_bytes, bool sync, bool fortran_order,
               std::int64_t checksum_bytes, int compression,
               const std::optional<std::vector<double>>& spacing, const std::vector<double>& origin,
               bool on_points, const std::vector<std::string>& axis_names, int keep) {
                new (self) FileSettings;
                self->buffer_bytes = buffer_bytes;
                self->sync = sync;
                self->fortran_order = fortran_order;
                self->checksum_bytes = checksum_bytes;
                self->compression = compression;
                if (spacing) self->grid = UniformGrid{*spacing, origin, on_points};
                self->axis_names = axis_names;
                self->keep = keep;
            },
            nb::kw_only(), "buffer_bytes"_a, "sync"_a, "fortran_order"_a, "checksum_bytes"_a,
            "compression"_a, "spacing"_a.none(), "origin"_a, "on_points"_a, "axis_names"_a,
            "keep"_a);
    nb::class_<Hdf5Series>(package, "SeriesFile", "The compiled part of distview.Hdf5Series.")
        .def(
            "__init__",
            [](Hdf5Series* self, const Communicator& comm, const std::string& path,
               const NamedArrays& arrays, const Attributes& attributes,
               const FileSettings& settings) {
                on_files([&] {
                    new (self) Hdf5Series(comm, path, views_of(arrays), attributes, settings);
                });
            },
            "comm"_a, "path"_a, "arrays"_a, "attributes"_a, "settings"_a, "Collective.")
        .def(
            "append",
            [](Hdf5Series& self, double time, const NamedArrays& arrays) {
                on_files([&] { self.append(time, views_of(arrays)); });
            },
            "time"_a, "arrays"_a, "Collective; see Hdf5Series.append().")
        .def_prop_ro("steps", &Hdf5Series::steps, "Number of steps in the file. Local.");
    package.def("has_hdf5", &has_hdf5, "Whether this build can read and write HDF5 files. Local.");
    package.def("check_file_arrays", &check_file_arrays, "caller"_a, "comm"_a, "arrays"_a,
                "Raises an error if arrays, by name, cannot be written or filled. Local.");
    package.def("save_file", &save_file, "caller"_a, "comm"_a, "kind"_a, "path"_a, "arrays"_a,
                "attributes"_a, "settings"_a, "progress"_a.none(),
                "kind: npy, npz or hdf5. Collective; see save().");
    package.def("inspect_file", &inspect_file, "comm"_a, "kind"_a, "path"_a,
                "(fields, attributes, times); a field is (name, typestr, shape, fortran_order). "
                "Collective.");
    package.def("load_file", &load_file, "comm"_a, "kind"_a, "path"_a, "arrays"_a, "step"_a.none(),
                "settings"_a, "Fills arrays from a file. Collective.");
    package.def("save_checkpoint", &save_checkpoint, "comm"_a, "path"_a, "arrays"_a, "scalars"_a,
                "settings"_a, "progress"_a.none(), "Collective; see Checkpoint.save().");
    package.def("load_checkpoint", &load_checkpoint, "comm"_a, "path"_a, "arrays"_a, "falls_back"_a,
                "settings"_a, "(scalars, path, damage). Collective; see Checkpoint.load().");
    package.def(
        "checkpoint_path",
        [](const Communicator& comm, const std::string& path, int age) {
            return Checkpoint(comm, path).path_of(age);
        },
        "comm"_a, "path"_a, "age"_a, "The path of a checkpoint. Local.");
}

} // namespace distview::python
