// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "moved_arrays.hpp"

#include <distview/core/text.hpp>

#include <limits>

namespace distview::testing {

ExpectedSources::ExpectedSources(const RedistributionCase& c, int to_process) : m_case(c) {
    const GridCoordinates at = c.to.coordinates(to_process);
    for (std::size_t d = 0; d < static_cast<std::size_t>(c.to.rank()); ++d) {
        const auto a = static_cast<std::size_t>(c.options.permutation[d]);
        const AxisLayout& to = c.to.axis(static_cast<int>(d));
        m_axes[d].resize(static_cast<std::size_t>(to.local_extent(at[d])));
        for (const AxisMove& move :
             expected_moves(c.from.axis(static_cast<int>(a)), c.options.from_slice[a], to,
                            c.options.to_slice[d], c.options.fill_padding, true))
            if (move.to_process == at[d])
                m_axes[d][static_cast<std::size_t>(move.to_local)].push_back(
                    {move.from_process, move.from_local});
    }
}

std::vector<ExpectedSources::Element> ExpectedSources::of(const Position& to_local) const {
    struct Partial {
        GridCoordinates process{};
        Position local{};
    };
    std::vector<Partial> partials(1);
    for (std::size_t d = 0; d < static_cast<std::size_t>(m_case.to.rank()); ++d) {
        const auto a = static_cast<std::size_t>(m_case.options.permutation[d]);
        std::vector<Partial> longer;
        for (const Partial& partial : partials)
            for (const AxisPlace& place : m_axes[d][static_cast<std::size_t>(to_local[d])]) {
                longer.push_back(partial);
                longer.back().process[a] = place.coordinate;
                longer.back().local[a] = place.local;
            }
        partials = std::move(longer);
    }
    std::vector<Element> result;
    for (const Partial& partial : partials)
        result.push_back({m_case.from.grid().process(partial.process), partial.local});
    return result;
}

std::int32_t number_at(int process, const Position& local, std::uint64_t salt) {
    std::uint64_t hash = (salt + 1) * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(process);
    for (const std::int64_t index : local) {
        hash = (hash ^ static_cast<std::uint64_t>(index)) * 0xd6e8feb86659fd93u;
        hash ^= hash >> 29;
    }
    return static_cast<std::int32_t>((hash >> 20) % 2039) - 1019;
}

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// The element after conversion by static_cast and, if requested, conjugation.
template <class To, class From>
To converted(const From& value, bool conjugate) {
    if constexpr (std::is_same_v<From, To> && !std::is_arithmetic_v<From> &&
                  !has_arithmetic<From>) {
        return value;
    } else if constexpr (std::is_arithmetic_v<From>) {
        return static_cast<To>(value);
    } else {
        using Part = typename To::value_type;
        return To(static_cast<Part>(value.real()),
                  static_cast<Part>(conjugate ? -value.imag() : value.imag()));
    }
}

template <class From, class To, int Rank>
class TypedArrays final : public MovedArrays {
public:
    TypedArrays(const RedistributionCase& c, const Communicator& comm, const KnownLayouts& known,
                bool from_in_arena, Random& random)
        : m_case(c) {
        // All ranks draw equally many numbers from `random`.
        Random for_source(random.bits(), static_cast<std::uint64_t>(comm.rank()));
        Random for_target(random.bits(), static_cast<std::uint64_t>(comm.rank()));
        if (known.from_process >= 0)
            m_source.emplace(known.from, known.from_process, comm, for_source, from_in_arena);
        if (known.to_process >= 0)
            m_target.emplace(known.to, known.to_process, comm, for_target, for_target.chance(0.5));
    }

    Arriving possible(Arriving arriving) const override {
        const bool is_possible = arriving == Arriving::maximum ? has_order<To> : has_arithmetic<To>;
        return is_possible ? arriving : Arriving::insert;
    }
    std::int64_t element_size() const override { return sizeof(From); }
    std::vector<unsigned char> result() const override {
        return m_target ? m_target->bytes() : std::vector<unsigned char>();
    }

    std::string run(RedistributionPlan& plan, Arriving arriving, bool in_two_steps, bool twice,
                    std::uint64_t salt) override {
        fill(arriving, salt);
        const std::vector<unsigned char> source_before =
            m_source ? m_source->bytes() : std::vector<unsigned char>();
        const std::vector<unsigned char> expected = expected_bytes(arriving, salt);
        const auto* const source = m_source ? &m_source->view() : nullptr;
        const auto* const target = m_target ? &m_target->view() : nullptr;
        if (twice && arriving == Arriving::insert)
            plan.execute(Exec(), std::make_tuple(source), std::make_tuple(target));
        execute(plan, arriving, in_two_steps, source, target);
        if (m_source && m_source->bytes() != source_before) return "the source was written";
        if (!m_target) return {};
        return difference(expected, m_target->bytes());
    }

private:
    using SourceView = typename MovedSection<From, Rank>::View;
    using TargetView = typename MovedSection<To, Rank>::View;

    static auto alpha() {
        if constexpr (std::is_arithmetic_v<To>)
            return static_cast<To>(3);
        else
            return To(3, -1);
    }
    static auto beta() {
        if constexpr (std::is_arithmetic_v<To>)
            return static_cast<To>(2);
        else
            return To(1, 2);
    }

    void fill(Arriving arriving, std::uint64_t salt) {
        if (m_source) {
            m_source->clear();
            m_source->for_each_position([&](const Position& local) {
                m_source->store(local, element_at<From>(m_source->process(), local, salt));
            });
        }
        if (!m_target) return;
        m_target->clear();
        m_target->for_each_position(
            [&](const Position& local) { m_target->store(local, before(arriving, local, salt)); });
    }
    /// The target's value before the execution; NaN if the operation must not read it.
    To before(Arriving arriving, const Position& local, std::uint64_t salt) const {
        if constexpr (std::is_floating_point_v<To>)
            if (arriving == Arriving::insert || arriving == Arriving::scaled)
                return std::numeric_limits<To>::quiet_NaN();
        return element_at<To>(m_target->process(), local, salt + 17);
    }

    To after(Arriving arriving, const To& here, const From& from) const {
        const To incoming = converted<To>(from, m_case.options.conjugate);
        if constexpr (has_arithmetic<To>) {
            switch (arriving) {
            case Arriving::insert: return incoming;
            case Arriving::scaled: return static_cast<To>(alpha() * incoming);
            case Arriving::linear: return static_cast<To>(beta() * here + alpha() * incoming);
            case Arriving::sum: return static_cast<To>(here + incoming);
            case Arriving::own: return static_cast<To>(here + here - incoming);
            case Arriving::maximum:
                if constexpr (has_order<To>) return here < incoming ? incoming : here;
            }
        }
        return incoming;
    }

    std::vector<unsigned char> expected_bytes(Arriving arriving, std::uint64_t salt) const {
        if (!m_target) return {};
        std::vector<unsigned char> result = m_target->bytes();
        const ExpectedSources sources(m_case, m_target->process());
        m_target->for_each_position([&](const Position& local) {
            std::vector<ExpectedSources::Element> copies = sources.of(local);
            if (copies.empty()) return;
            const bool combines = arriving == Arriving::sum || arriving == Arriving::maximum ||
                                  arriving == Arriving::own;
            if (!combines) copies.resize(1);
            To value = before(arriving, local, salt);
            for (const ExpectedSources::Element& copy : copies)
                value = after(arriving, value, element_at<From>(copy.process, copy.local, salt));
            std::memcpy(result.data() + m_target->offset(local), &value, sizeof(To));
        });
        return result;
    }

    void execute(RedistributionPlan& plan, Arriving arriving, bool in_two_steps,
                 const SourceView* source, const TargetView* target) const {
        const Exec exec;
        const auto combine = [&](const auto& op) {
            if (in_two_steps) {
                auto handle = plan.start_combine(exec, op, source, target);
                while (!handle.can_finish()) {
                }
                handle.finish();
            } else {
                plan.combine(exec, op, source, target);
            }
        };
        if constexpr (has_arithmetic<To>) {
            switch (arriving) {
            case Arriving::insert: break;
            case Arriving::scaled: return plan.execute(exec, alpha(), source, To(0), target);
            case Arriving::linear:
                if (in_two_steps) return plan.start(exec, alpha(), source, beta(), target).finish();
                return plan.execute(exec, alpha(), source, beta(), target);
            case Arriving::sum: return combine(Sum{});
            case Arriving::own: return combine(TwiceAndLess{});
            case Arriving::maximum:
                if constexpr (has_order<To>) return combine(Maximum{});
            }
        }
        if (in_two_steps)
            plan.start(exec, source, target).finish();
        else
            plan.execute(exec, source, target);
    }

    std::string difference(const std::vector<unsigned char>& expected,
                           const std::vector<unsigned char>& got) const {
        if (expected == got) return {};
        std::string result = "wrote between the elements";
        m_target->for_each_position([&](const Position& local) {
            const std::size_t at = m_target->offset(local);
            if (std::memcmp(expected.data() + at, got.data() + at, sizeof(To)) != 0)
                result = text("process ", m_target->process(), ": wrong at ", tuple_text(local));
        });
        return result;
    }

    const RedistributionCase& m_case;
    std::optional<MovedSection<From, Rank>> m_source;
    std::optional<MovedSection<To, Rank>> m_target;
};

template <class From, class To, class... Arguments>
std::unique_ptr<MovedArrays> make_arrays(int rank, Arguments&&... arguments) {
    switch (rank) {
    case 0: return std::make_unique<TypedArrays<From, To, 0>>(arguments...);
    case 1: return std::make_unique<TypedArrays<From, To, 1>>(arguments...);
    case 2: return std::make_unique<TypedArrays<From, To, 2>>(arguments...);
    case 3: return std::make_unique<TypedArrays<From, To, 3>>(arguments...);
    default: return std::make_unique<TypedArrays<From, To, 4>>(arguments...);
    }
}

} // namespace

std::unique_ptr<MovedArrays> random_arrays(const RedistributionCase& c, const Communicator& comm,
                                           const KnownLayouts& known, bool from_in_arena,
                                           Random& random) {
    const auto choice = random.integer(0, 8);
    const auto make = [&]<class From, class To>() {
        return make_arrays<From, To>(c.to.rank(), c, comm, known, from_in_arena, random);
    };
    switch (choice) {
    case 0: return make.template operator()<float, float>();
    case 1: return make.template operator()<double, float>();
    case 2: return make.template operator()<float, double>();
    case 3: return make.template operator()<std::int32_t, std::int64_t>();
    case 4: return make.template operator()<std::int16_t, std::int16_t>();
    case 5: return make.template operator()<Kokkos::complex<float>, Kokkos::complex<double>>();
    case 6: return make.template operator()<Triple, Triple>();
    default: return make.template operator()<double, double>();
    }
}

} // namespace distview::testing
