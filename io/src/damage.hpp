// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/error.hpp>

#include <cstdint>
#include <string>

namespace distview::impl {

/// A file does not contain the bytes that were written, so that an older file may help. Not thrown if the system
/// refuses something temporarily, such as descriptors or permission. HDF5's own lack of memory counts as damage, since
/// HDF5's reasons do not distinguish it.
///
/// An agreement makes a plain Error of it on all ranks; on the rank that found the damage, DamageWatch reports it.
class DamageError : public Error {
public:
    explicit DamageError(const std::string& message) : Error(message) { ++found(); }

private:
    friend class DamageWatch;
    static std::int64_t& found() noexcept {
        thread_local std::int64_t count = 0;
        return count;
    }
};

/// Whether this thread has found damage since construction.
class DamageWatch {
public:
    bool has_found() const noexcept { return DamageError::found() != m_before; }

private:
    std::int64_t m_before = DamageError::found();
};

} // namespace distview::impl
