// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "field_fixture.hpp"

#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/core/any_dist_view.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace distview::testing {

/// A TestField whose type is chosen at run time; one exchange can have any number of them.
class AnyField {
public:
    virtual ~AnyField() = default;
    virtual AnyDistView any() const = 0;
    virtual bool in_arena() const = 0;
    virtual std::int64_t element_size() const = 0;
    virtual void fill(std::uint64_t salt) = 0;
    virtual std::string find_flaw(std::uint64_t salt) const = 0;
    virtual std::string find_flaw_in(const LocalBox& box, std::uint64_t salt) const = 0;
    virtual std::vector<unsigned char> bytes() const = 0;
};

/// Makes a field of a random type with as many axes as the layout. Collective; `random` is the same on all ranks.
std::unique_ptr<AnyField> random_field(const ArrayGeometry& geometry, const ArrayLayout& layout,
                                       const Communicator& comm, Random& random, Memory memory);

/// The fields of one exchange, with the options that a plan needs for them.
struct FieldSet {
    bool one_geometry = false;
    std::vector<ArrayGeometry> geometries; ///< one per field
    std::vector<FieldExchange> exchanges;
    std::vector<std::unique_ptr<AnyField>> fields;
    std::vector<AnyDistView> views;

    /// Draws one to four fields of 1 to 6 axes. Collective; `random` is the same on all ranks.
    FieldSet(const Communicator& comm, Random& random);

    PaddingExchangePlan plan(const Communicator& comm) const;
    /// Whether all sections of this rank are in memory of make_dist_view().
    bool all_in_arena() const;
    std::vector<std::int64_t> element_sizes() const;
    void fill(std::uint64_t salt) const;
    /// The first wrong cell of any field, and a description of the field; "" if all cells are right.
    std::string find_flaw(std::uint64_t salt) const;
    std::string find_flaw_in(const LocalBox& box, std::uint64_t salt) const;
    std::vector<unsigned char> bytes() const;
};

} // namespace distview::testing
