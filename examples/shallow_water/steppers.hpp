// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.hpp"

#include <distview/comm/make_dist_view.hpp>

#include <memory>
#include <string>
#include <vector>

namespace shallow_water {

/// The arguments of every stepper.
template <class Real, class Space = Exec>
struct StepperInput {
    Space exec;
    distview::Communicator comm;
    distview::ArrayLayout layout; ///< of the state
    Section section;
    std::vector<Array<Real, Space>> arrays; ///< h, u, v, dh, du, dv
    Mode mode = Mode::corrected;
    bool poison = false;
    int deep = 1; ///< steps that one exchange serves
};

/// An array with the state's layout, filled with zeros. Collective.
template <class Real, class Space>
Array<Real, Space> make_array(const StepperInput<Real, Space>& input, const char* name) {
    return distview::make_dist_view<Real**, Kokkos::LayoutRight, typename Space::memory_space>(
        input.exec, std::string("shallow_water::") + name, input.comm, input.layout);
}

/// The first owned cell of a section, in its arrays.
template <class Real, class AnyArray>
Field<Real> first_cell(const AnyArray& array) {
    return make_field(array.view(), array.interior_range(0).begin.value(),
                      array.interior_range(1).begin.value());
}

template <class Real, class AnyArray>
State<Real> state_of(const std::vector<AnyArray>& arrays) {
    return {first_cell<Real>(arrays[0]), first_cell<Real>(arrays[1]), first_cell<Real>(arrays[2]),
            first_cell<Real>(arrays[3]), first_cell<Real>(arrays[4]), first_cell<Real>(arrays[5])};
}

/// The published sequence of exchanges, one field at a time. Collective.
template <class Real, class Space>
std::unique_ptr<Stepper<Real, Space>> make_literal_stepper(const StepperInput<Real, Space>& input);

/// As few exchanges as the mode and the block sizes allow. If `tiled`, cells are divided into tiles instead of strips
/// of rows where the mode and the block sizes allow it. Collective.
template <class Real, class Space>
std::unique_ptr<Stepper<Real, Space>> make_fused_stepper(const StepperInput<Real, Space>& input,
                                                         bool tiled);

/// Width of padding that the state needs.
std::int64_t state_padding(const Options& options, const distview::ProcessGrid& grid);

} // namespace shallow_water
