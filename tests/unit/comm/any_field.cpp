// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "any_field.hpp"

#include <distview/core/text.hpp>

#include <algorithm>

namespace distview::testing {

namespace {

using Host = Kokkos::HostSpace;
using Right = Kokkos::LayoutRight;
using Left = Kokkos::LayoutLeft;
using Strided = Kokkos::LayoutStride;

template <class View>
class FieldOf final : public AnyField {
public:
    FieldOf(const ArrayGeometry& geometry, const ArrayLayout& layout, const Communicator& comm,
            Random& random, Memory memory)
        : m_field(geometry, layout, comm, random, memory) {}

    AnyDistView any() const override { return m_field.view(); }
    bool in_arena() const override { return m_field.in_arena(); }
    std::int64_t element_size() const override { return sizeof(typename View::value_type); }
    void fill(std::uint64_t salt) override { m_field.fill(salt); }
    std::string find_flaw(std::uint64_t salt) const override { return m_field.find_flaw(salt); }
    std::string find_flaw_in(const LocalBox& box, std::uint64_t salt) const override {
        return m_field.find_flaw_in(box, salt);
    }
    std::vector<unsigned char> bytes() const override { return m_field.bytes(); }

private:
    TestField<View> m_field;
};

using MakeField = std::unique_ptr<AnyField> (*)(const ArrayGeometry&, const ArrayLayout&,
                                                const Communicator&, Random&, Memory);

template <class View>
std::unique_ptr<AnyField> make(const ArrayGeometry& geometry, const ArrayLayout& layout,
                               const Communicator& comm, Random& random, Memory memory) {
    return std::make_unique<FieldOf<View>>(geometry, layout, comm, random, memory);
}

// Sizes from 1 to 24 bytes, with every number of axes in every array layout.
const std::vector<std::vector<MakeField>> kinds{
    {make<DistView<double*>>, make<DistView<Bytes<12>*, Strided, Host>>,
     make<DistView<std::int8_t*, Left, Host>>},
    {make<DistView<double**>>, make<DistView<float**, Left, Host>>, make<DistView<bool**>>,
     make<DistView<Bytes<24>**, Strided, Host>>, make<DistView<std::int16_t**, Right, Host>>},
    {make<DistView<double***>>, make<DistView<Kokkos::complex<double>***, Left, Host>>,
     make<DistView<std::int16_t***, Strided, Host>>, make<DistView<Bytes<3>***>>},
    {make<DistView<float****>>, make<DistView<Bytes<12>****, Left, Host>>,
     make<DistView<double****, Strided, Host>>},
    {make<DistView<double*****, Left, Host>>, make<DistView<std::int8_t*****>>,
     make<DistView<float*****, Strided, Host>>},
    {make<DistView<float******>>, make<DistView<std::int8_t******, Strided, Host>>,
     make<DistView<double******, Left, Host>>},
};

} // namespace

std::unique_ptr<AnyField> random_field(const ArrayGeometry& geometry, const ArrayLayout& layout,
                                       const Communicator& comm, Random& random, Memory memory) {
    return random.pick(kinds.at(geometry.axes.size() - 1))(geometry, layout, comm, random, memory);
}

FieldSet::FieldSet(const Communicator& comm, Random& random) : one_geometry(random.chance(0.4)) {
    const Memory memory = random.chance(0.6) ? Memory::arena : Memory::mixed;
    const auto count = static_cast<std::size_t>(random.pick(std::vector<int>{1, 1, 2, 3, 4}));
    while (fields.size() < count) {
        if (one_geometry && !fields.empty()) {
            geometries.push_back(geometries.front());
        } else {
            // Few cells with many axes, but many cases with few axes.
            const int axis_count = random.pick(std::vector<int>{1, 1, 2, 2, 2, 3, 3, 4, 5, 6});
            GeometryLimits limits = limits_for(axis_count);
            limits.valid_only = true;
            geometries.push_back(random_geometry(
                random, random_process_grid(random, comm.size(), axis_count), limits));
        }
        const ArrayGeometry& geometry = geometries.back();
        exchanges.push_back({geometry.layout(), geometry.options()});
        fields.push_back(random_field(geometry, exchanges.back().layout, comm, random, memory));
        views.push_back(fields.back()->any());
    }
}

PaddingExchangePlan FieldSet::plan(const Communicator& comm) const {
    return one_geometry ? PaddingExchangePlan(comm, exchanges[0].layout, exchanges[0].options)
                        : PaddingExchangePlan(comm, exchanges);
}

bool FieldSet::all_in_arena() const {
    for (const auto& field : fields)
        if (!field->in_arena()) return false;
    return true;
}

std::vector<std::int64_t> FieldSet::element_sizes() const {
    std::vector<std::int64_t> sizes;
    for (const auto& field : fields) sizes.push_back(field->element_size());
    return sizes;
}

void FieldSet::fill(std::uint64_t salt) const {
    for (std::size_t i = 0; i < fields.size(); ++i) fields[i]->fill(salt * 100 + i);
}

std::string FieldSet::find_flaw(std::uint64_t salt) const {
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (const std::string flaw = fields[i]->find_flaw(salt * 100 + i); !flaw.empty())
            return text("field ", i, ": ", flaw, ": ", geometries[i].describe());
    return {};
}

std::string FieldSet::find_flaw_in(const LocalBox& box, std::uint64_t salt) const {
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (const std::string flaw = fields[i]->find_flaw_in(box, salt * 100 + i); !flaw.empty())
            return text("field ", i, ": ", flaw, ": ", geometries[i].describe());
    return {};
}

std::vector<unsigned char> FieldSet::bytes() const {
    std::vector<unsigned char> result;
    for (const auto& field : fields) {
        const std::vector<unsigned char> of_field = field->bytes();
        result.insert(result.end(), of_field.begin(), of_field.end());
    }
    return result;
}

} // namespace distview::testing
