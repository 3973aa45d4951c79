// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz_tensor.hpp"

#include <distview/core/error.hpp>
#include <distview/core/protocol/dlpack.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace distview::fuzz {

namespace {

using namespace protocol;

enum Oddity : std::uint8_t { no_shape = 1, no_strides = 2, no_data = 4, odd_address = 8 };

/// A tensor made from bytes. Each pointer is NULL or points to as many numbers as the tensor has
/// axes, but at most ten.
template <class Managed>
struct FuzzTensor {
    Managed managed{};
    std::vector<std::int64_t> shape{};
    std::vector<std::int64_t> strides{};
    double element = 0;
    int deleted = 0;

    explicit FuzzTensor(Input& input) {
        const std::uint8_t oddities = input.byte();
        dlpack::Tensor& tensor = managed.tensor;
        tensor.ndim = input.integer32();
        tensor.device = {input.integer32(), input.integer32()};
        tensor.dtype.code = input.byte();
        tensor.dtype.bits = input.byte();
        tensor.dtype.lanes = input.byte();
        tensor.byte_offset = static_cast<std::uint64_t>(input.integer());
        for (int d = 0; d < std::clamp(tensor.ndim, 0, 10); ++d) {
            shape.push_back(input.integer());
            strides.push_back(input.integer());
        }
        tensor.shape = oddities & no_shape ? nullptr : shape.data();
        tensor.strides = oddities & no_strides ? nullptr : strides.data();
        tensor.data = oddities & odd_address ? reinterpret_cast<void*>(input.integer())
                      : oddities & no_data   ? nullptr
                                             : &element;
        managed.manager_ctx = this;
        managed.deleter = [](Managed* self) {
            ++static_cast<FuzzTensor*>(self->manager_ctx)->deleted;
        };
    }
    FuzzTensor(const FuzzTensor&) = delete;
    FuzzTensor& operator=(const FuzzTensor&) = delete;
};

void check_taken(const AnySection& taken, const dlpack::Tensor& tensor) {
    expect(taken.rank() == tensor.ndim && taken.rank() <= max_rank, "another number of axes");
    expect(std::equal(taken.extents.begin(), taken.extents.end(), tensor.shape), "other extents");
    expect(taken.is_addressable() && taken.is_aligned(), "memory that cannot be was accepted");
    const AnySection again = from_dlpack(to_dlpack(taken).release());
    expect(again.extents == taken.extents && again.strides == taken.strides &&
               again.element == taken.element && again.device == taken.device &&
               again.read_only == taken.read_only &&
               (taken.count() == 0 || again.data == taken.data),
           "a section changed on its way through to_dlpack and from_dlpack");
}

template <class Managed>
void take(FuzzTensor<Managed>& made) {
    ++reached().tensors;
    try {
        const AnySection taken = from_dlpack(&made.managed);
        ++reached().tensors_taken;
        expect(made.deleted == 0, "a tensor was deleted while in use");
        check_taken(taken, made.managed.tensor);
    } catch (const Error& error) {
        const std::string words = error.what();
        expect(words.size() > 20 && words.size() < 1000, "an error of no words, or of too many");
    }
    expect(made.deleted == 1, "a tensor was not deleted once");
}

} // namespace

void fuzz_tensor(Input& input) {
    if (input.below(2) == 0) {
        FuzzTensor<dlpack::Managed> made(input);
        return take(made);
    }
    FuzzTensor<dlpack::ManagedVersioned> made(input);
    made.managed.major = input.byte() < 240 ? dlpack::major_version : 2;
    made.managed.flags = input.byte();
    take(made);
}

} // namespace distview::fuzz
