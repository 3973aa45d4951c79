// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

// The structs of DLPack 1.x. DLPack's ABI fixes their layout (Source: dlpack.h; specification D3).
namespace distview::dlpack {

struct Device {
    std::int32_t type;
    std::int32_t id;
};

struct DataType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};

struct Tensor {
    void* data;
    Device device;
    std::int32_t ndim;
    DataType dtype;
    std::int64_t* shape;
    std::int64_t* strides; ///< elements
    std::uint64_t byte_offset;
};

struct Managed {
    Tensor tensor;
    void* manager_ctx;
    void (*deleter)(Managed* self);
};

struct ManagedVersioned {
    std::uint32_t major;
    std::uint32_t minor;
    void* manager_ctx;
    void (*deleter)(ManagedVersioned* self);
    std::uint64_t flags;
    Tensor tensor;
};

inline constexpr std::uint32_t major_version = 1;
inline constexpr std::uint32_t minor_version = 0;
inline constexpr std::uint64_t flag_read_only = 1;
inline constexpr std::uint64_t flag_is_copied = 2;

static_assert(sizeof(void*) != 8 || (sizeof(Tensor) == 48 && offsetof(Tensor, shape) == 24 &&
                                     offsetof(Tensor, byte_offset) == 40));
static_assert(sizeof(void*) != 8 || (sizeof(Managed) == 64 && offsetof(Managed, deleter) == 56));
static_assert(sizeof(void*) != 8 ||
              (sizeof(ManagedVersioned) == 80 && offsetof(ManagedVersioned, flags) == 24 &&
               offsetof(ManagedVersioned, tensor) == 32));

} // namespace distview::dlpack
