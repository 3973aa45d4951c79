// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace distview::impl {

/// A thread's turn with HDF5, from construction to destruction: most builds of HDF5 allow calls by one thread at a
/// time. HDF5 prints no errors meanwhile; the program's setting is restored afterwards. Turns of a thread may nest.
///
/// Ranks must not wait for each other during a turn: on another rank, the thread waited for may itself wait for a turn.
class H5Turn {
public:
    H5Turn();
    ~H5Turn();
    H5Turn(const H5Turn&) = delete;
    H5Turn& operator=(const H5Turn&) = delete;

private:
    std::lock_guard<std::recursive_mutex> m_lock;
    H5E_auto2_t m_function = nullptr;
    void* m_data = nullptr;
};

/// HDF5's reasons for the last failed call: the first and the innermost one.
std::string h5_reason();

/// Calls of HDF5 for one file; errors name the file.
class H5Calls {
public:
    H5Calls(std::string caller, std::string path)
        : m_caller(std::move(caller)), m_path(std::move(path)) {}
    /// Throws unless result >= 0: DamageError, or a plain Error if the system failed. `what` says what was expected:
    /// "to create field 'h'".
    template <class Result>
    Result check(Result result, const std::string& what) const {
        if (result < 0) fail(what);
        return result;
    }
    [[noreturn]] void fail(const std::string& what) const;
    const std::string& caller() const noexcept { return m_caller; }
    const std::string& path() const noexcept { return m_path; }

private:
    std::string m_caller;
    std::string m_path;
};

/// An HDF5 id, closed at the end.
class H5Id {
public:
    using Close = herr_t (*)(hid_t);
    H5Id() = default;
    H5Id(hid_t id, Close close) : m_id(id), m_close(close) {}
    ~H5Id() { (void)reset(); }
    H5Id(H5Id&& other) noexcept
        : m_id(std::exchange(other.m_id, H5I_INVALID_HID)), m_close(other.m_close) {}
    H5Id& operator=(H5Id&& other) noexcept {
        std::swap(m_id, other.m_id);
        std::swap(m_close, other.m_close);
        return *this;
    }
    operator hid_t() const noexcept { return m_id; }
    /// Takes a turn itself, and does not change HDF5's reason for an error.
    herr_t reset() noexcept;

private:
    hid_t m_id = H5I_INVALID_HID;
    Close m_close = nullptr;
};

/// The type of elements in our files, as h5py writes and reads it.
H5Id h5_type(const ElementType& element);
/// The type in memory of elements of a dataset of type `stored`. HDF5 finds the members of complex numbers by their
/// names in the file, such as real and imag, and reads opaque bytes only if the tag is the same.
H5Id h5_memory_type(const ElementType& element, hid_t stored);
/// The library's type for a dataset's type; nothing for texts and tables.
std::optional<ElementType> element_of(hid_t type);

/// Visits elements [first, last) of an array in C order as boxes: visit(start, count, elements of the box). A box has
/// as many whole rows as begin and end in the range.
void for_each_box(
    const std::vector<std::int64_t>& extents, std::int64_t first, std::int64_t last,
    const std::function<void(const std::vector<hsize_t>& start, const std::vector<hsize_t>& count,
                             std::int64_t elements)>& visit);

/// Selects such a box of a dataset; `step` >= 0: at that index along its first axis. Returns the memory space of the
/// box's elements.
H5Id select_box(const H5Calls& calls, const std::string& what, hid_t space, std::int64_t step,
                std::vector<hsize_t> start, std::vector<hsize_t> count, std::int64_t elements);

std::vector<hsize_t> h5_extents(const std::vector<std::int64_t>& extents);

} // namespace distview::impl
