// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.hpp"

#include <memory>
#include <vector>

namespace shallow_water {

/// What every stepper is made from.
template <class Real>
struct StepperInput {
    Exec exec;
    distview::Communicator comm;
    distview::ArrayLayout layout; ///< of the state
    Section section;
    std::vector<Array<Real>> arrays; ///< h, u, v, dh, du, dv
    Mode mode = Mode::corrected;
    bool poison = false;
};

/// The first owned cell of a section, in its arrays.
template <class Real>
Field<Real> first_cell(const Array<Real>& array) {
    return make_field(array.view(), array.interior_range(0).begin.value(),
                      array.interior_range(1).begin.value());
}

template <class Real>
State<Real> state_of(const std::vector<Array<Real>>& arrays) {
    return {first_cell(arrays[0]), first_cell(arrays[1]), first_cell(arrays[2]),
            first_cell(arrays[3]), first_cell(arrays[4]), first_cell(arrays[5])};
}

/// The published sequence of exchanges, one field at a time. Collective.
template <class Real>
std::unique_ptr<Stepper> make_literal_stepper(const StepperInput<Real>& input);

/// As few exchanges as the mode and the block sizes allow. Collective.
template <class Real>
std::unique_ptr<Stepper> make_fused_stepper(const StepperInput<Real>& input);

/// Widths of padding that the state needs.
std::int64_t state_padding(const Options& options, const distview::ProcessGrid& grid);

} // namespace shallow_water
