// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exchange.hpp"
#include "kernels_literal.hpp"
#include "steppers.hpp"

namespace shallow_water {

namespace {

/// Exchanges count applications of the published "enforce boundaries" B(a): 12 per step in mode P, 14 in mode C.
template <class Real, class Space>
class LiteralStepper final : public Stepper<Real, Space> {
public:
    explicit LiteralStepper(const StepperInput<Real, Space>& input)
        : Stepper<Real, Space>(input.arrays), m_section(input.section), m_mode(input.mode),
          m_state(state_of<Real>(input.arrays)),
          m_euler(Coefficients<Real>::make(Parameters(), true)),
          m_adams_bashforth(Coefficients<Real>::make(Parameters(), false)) {
        for (const char* name : {"hc", "fe", "fn", "q", "ke", "dh_new", "du_new", "dv_new"})
            m_work.push_back(make_array<Real>(input, name));
        const Arrays& state = input.arrays;
        const Arrays& work = m_work;
        for (const Array<Real, Space>* array :
             {&state[0], &state[1], &state[2], &work[0], &work[1], &work[2], &work[3], &work[4]})
            m_exchanges.push_back(
                make_exchange<Real, Space>(input.comm, input.layout, {}, input.poison, *array));
    }

    void initialize(const Space& exec) override {
        for (const auto& work : m_work) Kokkos::deep_copy(exec, work.view(), Real(0));
        m_exchanges[h](exec);
        m_exchanges[u](exec);
        exchange_closed(exec, v, m_state.v);
    }

    void step(const Space& exec, bool is_euler) override {
        using namespace literal;
        const Section& s = m_section;
        const Coefficients<Real>& c = is_euler ? m_euler : m_adams_bashforth;
        const Field<Real> hc = first_cell<Real>(m_work[0]);
        const Diagnostics<Real> d{first_cell<Real>(m_work[1]), first_cell<Real>(m_work[2]),
                                  first_cell<Real>(m_work[3]), first_cell<Real>(m_work[4])};
        const Field<Real> dh = first_cell<Real>(m_work[5]);
        const Field<Real> du = first_cell<Real>(m_work[6]);
        const Field<Real> dv = first_cell<Real>(m_work[7]);

        replicate_edges(exec, s, m_state.h, hc);
        m_exchanges[work_hc](exec);
        flux_east(exec, s, hc, m_state.u, d.fe);
        m_exchanges[work_fe](exec);
        flux_north(exec, s, hc, m_state.v, d.fn);
        exchange_closed(exec, work_fn, d.fn);
        vorticity(exec, s, c, hc, m_state.u, m_state.v, d.q);
        m_exchanges[work_q](exec);
        energy(exec, s, m_state.u, m_state.v, d.ke);
        m_exchanges[work_ke](exec);
        tendencies(exec, s, c, m_state.h, d, dh, du, dv);

        advance(exec, s, c, m_state.u, du, m_state.du);
        advance(exec, s, c, m_state.v, dv, m_state.dv);
        advance(exec, s, c, m_state.h, dh, m_state.dh);
        m_exchanges[h](exec);
        m_exchanges[u](exec);
        exchange_closed(exec, v, m_state.v);

        rub(exec, c, m_state.u, m_state.u, d);
        rub(exec, c, m_state.v, m_mode == Mode::published ? m_state.u : m_state.v, d);
        if (m_mode == Mode::corrected) {
            m_exchanges[u](exec);
            exchange_closed(exec, v, m_state.v);
        }
    }

    double messages_per_step() const override {
        const int exchanges = m_mode == Mode::corrected ? 14 : 12;
        return exchanges * m_exchanges[h].messages();
    }

private:
    using Arrays = typename Stepper<Real, Space>::Arrays;
    enum Exchanged { h, u, v, work_hc, work_fe, work_fn, work_q, work_ke };

    /// Exchanges a field on north faces, which is 0 on the wall.
    void exchange_closed(const Space& exec, Exchanged which, const Field<Real>& field) {
        literal::close_north_wall(exec, m_section, field);
        m_exchanges[which](exec);
    }

    /// Applies friction to a, with differences computed from w.
    void rub(const Space& exec, const Coefficients<Real>& c, const Field<Real>& a,
             const Field<Real>& w, const Diagnostics<Real>& d) {
        literal::friction_fluxes_east(exec, m_section, c, a, w, d.fe);
        m_exchanges[work_fe](exec);
        literal::friction_fluxes_north(exec, m_section, c, a, w, d.fn);
        exchange_closed(exec, work_fn, d.fn);
        literal::apply_friction(exec, m_section, c, d.fe, d.fn, a);
    }

    Section m_section;
    Mode m_mode;
    Arrays m_work; ///< hc, fe, fn, q, ke and the new tendencies
    State<Real> m_state;
    Coefficients<Real> m_euler;
    Coefficients<Real> m_adams_bashforth;
    std::vector<Exchange<Real, 1, Space>> m_exchanges;
};

} // namespace

template <class Real, class Space>
std::unique_ptr<Stepper<Real, Space>> make_literal_stepper(const StepperInput<Real, Space>& input) {
    return std::make_unique<LiteralStepper<Real, Space>>(input);
}

template std::unique_ptr<Stepper<float>> make_literal_stepper(const StepperInput<float>&);
template std::unique_ptr<Stepper<double>> make_literal_stepper(const StepperInput<double>&);
#ifdef KOKKOS_ENABLE_CUDA
template std::unique_ptr<Stepper<float, Kokkos::Cuda>>
make_literal_stepper(const StepperInput<float, Kokkos::Cuda>&);
template std::unique_ptr<Stepper<double, Kokkos::Cuda>>
make_literal_stepper(const StepperInput<double, Kokkos::Cuda>&);
#endif

} // namespace shallow_water
