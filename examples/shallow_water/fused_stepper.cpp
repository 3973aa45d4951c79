// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exchange.hpp"
#include "fused_tiles.hpp"
#include "kernels_fused.hpp"
#include "steppers.hpp"

#include <string>
#include <utility>
#include <vector>

namespace shallow_water {

namespace {

using distview::FieldExchange;
using distview::PaddingExchangeOptions;
using distview::Stencil;
using distview::Widths;

/// Widths, by the side of the receiver.
struct Sides {
    int west = 0;
    int east = 0;
    int south = 0;
    int north = 0;
};

PaddingExchangeOptions options(const Sides& sides, Stencil stencil) {
    return {stencil, std::vector<Widths>{{sides.south, sides.north}, {sides.west, sides.east}}};
}

/// Mode C if every block has at least two rows and columns: one exchange and one sweep per step.
template <class Real, class Space>
class WideStepper final : public Stepper<Real, Space> {
public:
    explicit WideStepper(const StepperInput<Real, Space>& input)
        : Stepper<Real, Space>(input.arrays), m_kernels(input.exec, input.section, Parameters()),
          m_state(state_of<Real>(input.arrays)),
          m_exchange(make_exchange<Real, Space>(input.comm, input.layout, {}, input.poison,
                                                input.arrays[0], input.arrays[1],
                                                input.arrays[2])) {}

    void initialize(const Space&) override {}
    void step(const Space& exec, bool euler) override {
        m_exchange(exec);
        m_kernels.step(exec, m_state, euler);
    }
    double messages_per_step() const override { return m_exchange.messages(); }

private:
    fused::FusedKernels<Real, Space> m_kernels;
    State<Real> m_state;
    Exchange<Real, 3, Space> m_exchange;
};

/// The same with padding that is two cells wide for each of `deep` steps; the first of these steps exchanges. Besides
/// the section, every step computes those surrounding cells that later steps read, with the same bits as their owners.
/// The exchange includes tendencies, because each step of a round advances fewer cells than the one before.
template <class Real, class Space>
class DeepStepper final : public Stepper<Real, Space> {
public:
    explicit DeepStepper(const StepperInput<Real, Space>& input)
        : Stepper<Real, Space>(input.arrays),
          m_exchange(make_exchange<Real, Space>(
              input.comm, input.layout, {}, input.poison, input.arrays[0], input.arrays[1],
              input.arrays[2], input.arrays[3], input.arrays[4], input.arrays[5])) {
        for (int left = 0; left < input.deep; ++left) {
            const int around = reach * left;
            const int south = input.section.south_wall ? 0 : around;
            const int north = input.section.north_wall ? 0 : around;
            Section wider = input.section;
            wider.ny += south + north;
            wider.nx += 2 * around;
            wider.first_row -= south;
            wider.first_column -= around;
            State<Real> state = state_of<Real>(input.arrays);
            for (Field<Real>* field :
                 {&state.h, &state.u, &state.v, &state.dh, &state.du, &state.dv})
                field->origin -= south * field->stride + around;
            m_rounds.push_back(
                {fused::FusedKernels<Real, Space>(input.exec, wider, Parameters()), state, around});
        }
    }

    void initialize(const Space&) override {}
    void step(const Space& exec, bool euler) override {
        if (valid_cells() < reach) m_exchange(exec);
        const auto& round = m_rounds.at(static_cast<std::size_t>(valid_cells() / reach - 1));
        round.kernels.step(exec, round.state, euler);
        distview::ValidPadding valid;
        for (const int axis : {0, 1}) valid.set_depth(axis, round.around);
        valid.set_corners(true);
        for (const auto& array : this->m_arrays) array.mark_padding_valid(valid);
    }
    double messages_per_step() const override {
        return m_exchange.messages() / static_cast<double>(m_rounds.size());
    }

private:
    /// Distance from a cell up to which a step reads.
    static constexpr int reach = 2;

    /// A step that leaves `around` valid cells around the section.
    struct Round {
        fused::FusedKernels<Real, Space> kernels;
        State<Real> state; ///< begins at the first computed cell
        int around;
    };

    /// Columns are exchanged on every grid, and rows to the same depth.
    int valid_cells() const {
        return static_cast<int>(this->m_arrays[0].valid_padding().depth(1).low);
    }

    std::vector<Round> m_rounds; ///< by the number of steps that follow until the next exchange
    Exchange<Real, 6, Space> m_exchange;
};

/// WideStepper's step in tiles. Tiles are not updated in place: two sets of arrays take turns.
template <class Real, class Space>
class TiledStepper final : public Stepper<Real, Space> {
public:
    explicit TiledStepper(const StepperInput<Real, Space>& input)
        : Stepper<Real, Space>(input.arrays), m_section(input.section), m_other(other_set(input)),
          m_euler(Coefficients<Real>::make(Parameters(), true)),
          m_adams_bashforth(Coefficients<Real>::make(Parameters(), false)),
          m_exchange(exchange_of(input, input.arrays)),
          m_other_exchange(exchange_of(input, m_other)) {}

    void initialize(const Space&) override {}
    void step(const Space& exec, bool euler) override {
        using Tiles = fused::TileSweep<Real, Space>;
        m_exchange(exec);
        Kokkos::parallel_for(m_label, Tiles::policy(exec, m_section),
                             Tiles(euler ? m_euler : m_adams_bashforth, m_section,
                                   state_of<Real>(this->m_arrays), state_of<Real>(m_other)));
        std::swap(this->m_arrays, m_other);
        std::swap(m_exchange, m_other_exchange);
    }
    double messages_per_step() const override { return m_exchange.messages(); }

private:
    using Arrays = typename Stepper<Real, Space>::Arrays;

    /// All arrays except dh, which a cell needs only of itself.
    static Arrays other_set(const StepperInput<Real, Space>& input) {
        Arrays other = input.arrays;
        for (const std::size_t i : {0, 1, 2, 4, 5}) other[i] = make_array<Real>(input, "other");
        return other;
    }
    static auto exchange_of(const StepperInput<Real, Space>& input, const Arrays& arrays) {
        return make_exchange<Real, Space>(input.comm, input.layout, {}, input.poison, arrays[0],
                                          arrays[1], arrays[2]);
    }

    Section m_section;
    Arrays m_other;
    Coefficients<Real> m_euler;
    Coefficients<Real> m_adams_bashforth;
    Exchange<Real, 3, Space> m_exchange;
    Exchange<Real, 3, Space> m_other_exchange;
    std::string m_label = "shallow_water::TiledStepper::step";
};

/// Mode C for blocks of any size: a second exchange before friction.
template <class Real, class Space>
class NarrowStepper final : public Stepper<Real, Space> {
public:
    explicit NarrowStepper(const StepperInput<Real, Space>& input)
        : Stepper<Real, Space>(input.arrays), m_kernels(input.exec, input.section, Parameters()),
          m_state(state_of<Real>(input.arrays)),
          m_state_exchange(make_exchange<Real, Space>(input.comm, input.layout, {}, input.poison,
                                                      input.arrays[0], input.arrays[1],
                                                      input.arrays[2])),
          m_velocity_exchange(make_exchange<Real, Space>(input.comm, input.layout,
                                                         {.stencil = Stencil::faces}, input.poison,
                                                         input.arrays[1], input.arrays[2])) {}

    void initialize(const Space&) override {}
    void step(const Space& exec, bool euler) override {
        m_state_exchange(exec);
        m_kernels.narrow_tendencies(exec, m_state, euler);
        m_velocity_exchange(exec);
        m_kernels.narrow_friction(exec, m_state);
    }
    double messages_per_step() const override {
        return m_state_exchange.messages() + m_velocity_exchange.messages();
    }

private:
    fused::FusedKernels<Real, Space> m_kernels;
    State<Real> m_state;
    Exchange<Real, 3, Space> m_state_exchange;
    Exchange<Real, 2, Space> m_velocity_exchange;
};

/// Mode P: the padding of u and v keeps its values from before friction, and the next step reads these.
template <class Real, class Space>
class PublishedStepper final : public Stepper<Real, Space> {
public:
    explicit PublishedStepper(const StepperInput<Real, Space>& input)
        : PublishedStepper(input, work_arrays(input)) {}

    void initialize(const Space& exec) override { m_state_exchange(exec); }
    void step(const Space& exec, bool euler) override {
        m_kernels.published_diagnostics(exec, m_state, m_border);
        m_diagnostics_exchange(exec);
        m_kernels.published_tendencies(exec, m_state, m_border, euler);
        m_state_exchange(exec);
        m_kernels.published_friction_fluxes(exec, m_state, m_border);
        m_friction_exchange(exec);
        m_kernels.published_friction(exec, m_state, m_border);
    }
    double messages_per_step() const override {
        return m_diagnostics_exchange.messages() + m_state_exchange.messages() +
               m_friction_exchange.messages();
    }

private:
    using Arrays = typename Stepper<Real, Space>::Arrays;

    static Arrays work_arrays(const StepperInput<Real, Space>& input) {
        Arrays work;
        for (const char* name : {"fe", "fn", "q", "ke"})
            work.push_back(make_array<Real>(input, name));
        return work;
    }

    PublishedStepper(const StepperInput<Real, Space>& input, const Arrays& work)
        : Stepper<Real, Space>(input.arrays), m_work(work),
          m_kernels(input.exec, input.section, Parameters()), m_state(state_of<Real>(input.arrays)),
          m_border{first_cell<Real>(work[0]), first_cell<Real>(work[1]), first_cell<Real>(work[2]),
                   first_cell<Real>(work[3])},
          m_diagnostics_exchange(make_exchange<Real, Space>(
              input.comm,
              {FieldExchange{input.layout, options({.west = 1, .north = 1}, Stencil::box)},
               FieldExchange{input.layout, options({.east = 1, .south = 1}, Stencil::box)},
               FieldExchange{input.layout, options({.west = 1, .south = 1}, Stencil::faces)},
               FieldExchange{input.layout, options({.east = 1, .north = 1}, Stencil::faces)}},
              input.poison, work[0], work[1], work[2], work[3])),
          m_state_exchange(make_exchange<Real, Space>(
              input.comm,
              {FieldExchange{input.layout, options({.east = 1, .north = 1}, Stencil::box)},
               FieldExchange{input.layout, options({1, 1, 1, 1}, Stencil::faces)},
               FieldExchange{input.layout,
                             options({.east = 1, .south = 1, .north = 1}, Stencil::faces)}},
              input.poison, input.arrays[0], input.arrays[1], input.arrays[2])),
          m_friction_exchange(make_exchange<Real, Space>(
              input.comm,
              {FieldExchange{input.layout, options({.west = 1}, Stencil::faces)},
               FieldExchange{input.layout, options({.south = 1}, Stencil::faces)}},
              input.poison, work[0], work[1])) {}

    Arrays m_work;
    fused::FusedKernels<Real, Space> m_kernels;
    State<Real> m_state;
    Diagnostics<Real> m_border;
    Exchange<Real, 4, Space> m_diagnostics_exchange;
    Exchange<Real, 3, Space> m_state_exchange;
    Exchange<Real, 2, Space> m_friction_exchange;
};

} // namespace

std::int64_t state_padding(const Options& options, const distview::ProcessGrid& grid) {
    const std::int64_t padding = 2 * options.deep;
    const bool wide = options.exchanges == Exchanges::fused && options.mode == Mode::corrected &&
                      options.ny / grid.extent(0) >= padding &&
                      options.nx / grid.extent(1) >= padding;
    return wide ? padding : 1;
}

template <class Real, class Space>
std::unique_ptr<Stepper<Real, Space>> make_fused_stepper(const StepperInput<Real, Space>& input,
                                                         bool tiled) {
    if (input.mode == Mode::published)
        return std::make_unique<PublishedStepper<Real, Space>>(input);
    if (input.layout.axis(1).boundary_padding(0).low < 2)
        return std::make_unique<NarrowStepper<Real, Space>>(input);
    if (input.deep > 1) return std::make_unique<DeepStepper<Real, Space>>(input);
    if (tiled) return std::make_unique<TiledStepper<Real, Space>>(input);
    return std::make_unique<WideStepper<Real, Space>>(input);
}

template std::unique_ptr<Stepper<float>> make_fused_stepper(const StepperInput<float>&, bool);
template std::unique_ptr<Stepper<double>> make_fused_stepper(const StepperInput<double>&, bool);
#ifdef KOKKOS_ENABLE_CUDA
template std::unique_ptr<Stepper<float, Kokkos::Cuda>>
make_fused_stepper(const StepperInput<float, Kokkos::Cuda>&, bool);
template std::unique_ptr<Stepper<double, Kokkos::Cuda>>
make_fused_stepper(const StepperInput<double, Kokkos::Cuda>&, bool);
#endif

} // namespace shallow_water
