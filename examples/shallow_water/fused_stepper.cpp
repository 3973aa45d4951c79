// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exchange.hpp"
#include "kernels_fused.hpp"
#include "steppers.hpp"

#include <distview/comm/make_dist_view.hpp>

namespace shallow_water {

namespace {

using distview::FieldExchange;
using distview::PaddingExchangeOptions;
using distview::Stencil;
using distview::Widths;

/// Widths by side of the receiver.
struct Sides {
    int west = 0;
    int east = 0;
    int south = 0;
    int north = 0;
};

PaddingExchangeOptions options(const Sides& sides, Stencil stencil) {
    return {stencil, std::vector<Widths>{{sides.south, sides.north}, {sides.west, sides.east}}};
}

/// Mode C where every block has two rows and columns: one exchange and one sweep a step.
template <class Real>
class WideStepper final : public Stepper {
public:
    explicit WideStepper(const StepperInput<Real>& input)
        : m_kernels(input.exec, input.section, Parameters()), m_state(state_of(input.arrays)),
          m_exchange(make_exchange<Real>(input.comm, input.layout, {}, input.poison,
                                         input.arrays[0], input.arrays[1], input.arrays[2])) {}

    void initialize(const Exec&) override {}
    void step(const Exec& exec, bool euler) override {
        m_exchange(exec);
        m_kernels.step(exec, m_state, euler);
    }
    int messages_per_step() const override { return m_exchange.messages(); }

private:
    fused::FusedKernels<Real, Exec> m_kernels;
    State<Real> m_state;
    Exchange<Real, 3> m_exchange;
};

/// Mode C for any blocks: a second exchange before friction.
template <class Real>
class NarrowStepper final : public Stepper {
public:
    explicit NarrowStepper(const StepperInput<Real>& input)
        : m_kernels(input.exec, input.section, Parameters()), m_state(state_of(input.arrays)),
          m_state_exchange(make_exchange<Real>(input.comm, input.layout, {}, input.poison,
                                               input.arrays[0], input.arrays[1], input.arrays[2])),
          m_velocity_exchange(make_exchange<Real>(input.comm, input.layout,
                                                  {.stencil = Stencil::faces}, input.poison,
                                                  input.arrays[1], input.arrays[2])) {}

    void initialize(const Exec&) override {}
    void step(const Exec& exec, bool euler) override {
        m_state_exchange(exec);
        m_kernels.narrow_tendencies(exec, m_state, euler);
        m_velocity_exchange(exec);
        m_kernels.narrow_friction(exec, m_state);
    }
    int messages_per_step() const override {
        return m_state_exchange.messages() + m_velocity_exchange.messages();
    }

private:
    fused::FusedKernels<Real, Exec> m_kernels;
    State<Real> m_state;
    Exchange<Real, 3> m_state_exchange;
    Exchange<Real, 2> m_velocity_exchange;
};

/// Mode P: the padding of u and v stays as it was before friction, which the next step reads.
template <class Real>
class PublishedStepper final : public Stepper {
public:
    explicit PublishedStepper(const StepperInput<Real>& input)
        : PublishedStepper(input, work_arrays(input)) {}

    void initialize(const Exec& exec) override { m_state_exchange(exec); }
    void step(const Exec& exec, bool euler) override {
        m_kernels.published_diagnostics(exec, m_state, m_border);
        m_diagnostics_exchange(exec);
        m_kernels.published_tendencies(exec, m_state, m_border, euler);
        m_state_exchange(exec);
        m_kernels.published_friction_fluxes(exec, m_state, m_border);
        m_friction_exchange(exec);
        m_kernels.published_friction(exec, m_state, m_border);
    }
    int messages_per_step() const override {
        return m_diagnostics_exchange.messages() + m_state_exchange.messages() +
               m_friction_exchange.messages();
    }

private:
    static std::vector<Array<Real>> work_arrays(const StepperInput<Real>& input) {
        std::vector<Array<Real>> work;
        for (const char* name : {"fe", "fn", "q", "ke"})
            work.push_back(distview::make_dist_view<Real**, Kokkos::LayoutRight, Kokkos::HostSpace>(
                input.exec, input.comm, input.layout, std::string("shallow_water::") + name));
        return work;
    }

    PublishedStepper(const StepperInput<Real>& input, const std::vector<Array<Real>>& work)
        : m_work(work), m_kernels(input.exec, input.section, Parameters()),
          m_state(state_of(input.arrays)), m_border{first_cell(work[0]), first_cell(work[1]),
                                                    first_cell(work[2]), first_cell(work[3])},
          m_diagnostics_exchange(make_exchange<Real>(
              input.comm,
              {FieldExchange{input.layout, options({.west = 1, .north = 1}, Stencil::box)},
               FieldExchange{input.layout, options({.east = 1, .south = 1}, Stencil::box)},
               FieldExchange{input.layout, options({.west = 1, .south = 1}, Stencil::faces)},
               FieldExchange{input.layout, options({.east = 1, .north = 1}, Stencil::faces)}},
              input.poison, work[0], work[1], work[2], work[3])),
          m_state_exchange(make_exchange<Real>(
              input.comm,
              {FieldExchange{input.layout, options({.east = 1, .north = 1}, Stencil::box)},
               FieldExchange{input.layout, options({1, 1, 1, 1}, Stencil::faces)},
               FieldExchange{input.layout,
                             options({.east = 1, .south = 1, .north = 1}, Stencil::faces)}},
              input.poison, input.arrays[0], input.arrays[1], input.arrays[2])),
          m_friction_exchange(make_exchange<Real>(
              input.comm,
              {FieldExchange{input.layout, options({.west = 1}, Stencil::faces)},
               FieldExchange{input.layout, options({.south = 1}, Stencil::faces)}},
              input.poison, work[0], work[1])) {}

    std::vector<Array<Real>> m_work;
    fused::FusedKernels<Real, Exec> m_kernels;
    State<Real> m_state;
    Diagnostics<Real> m_border;
    Exchange<Real, 4> m_diagnostics_exchange;
    Exchange<Real, 3> m_state_exchange;
    Exchange<Real, 2> m_friction_exchange;
};

} // namespace

std::int64_t state_padding(const Options& options, const distview::ProcessGrid& grid) {
    const bool wide = options.exchanges == Exchanges::fused && options.mode == Mode::corrected &&
                      options.ny / grid.extent(0) >= 2 && options.nx / grid.extent(1) >= 2;
    return wide ? 2 : 1;
}

template <class Real>
std::unique_ptr<Stepper> make_fused_stepper(const StepperInput<Real>& input) {
    if (input.mode == Mode::published) return std::make_unique<PublishedStepper<Real>>(input);
    if (input.layout.axis(1).boundary_padding(0).low == 2)
        return std::make_unique<WideStepper<Real>>(input);
    return std::make_unique<NarrowStepper<Real>>(input);
}

template std::unique_ptr<Stepper> make_fused_stepper(const StepperInput<float>&);
template std::unique_ptr<Stepper> make_fused_stepper(const StepperInput<double>&);

} // namespace shallow_water
