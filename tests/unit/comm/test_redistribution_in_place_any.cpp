// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random redistributions with source and target anywhere in one piece of memory, over every
// transport. All bytes of it are compared with the result of the same plan on two copies.
//
// DISTVIEW_CASES sets the number of cases; the campaign with label `full` sets it.
#include "moved_arrays.hpp"
#include "transports.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// Strides and size of a section, in elements; axes in random order, with or without gaps.
struct Shape {
    Kokkos::LayoutStride layout{};
    std::size_t elements = 1;

    Shape(const ArrayLayout& array, int process, Random& random) {
        const auto rank = static_cast<std::size_t>(array.rank());
        const Extents extents = array.local_extents(process);
        std::vector<std::size_t> order(rank);
        for (std::size_t d = 0; d < rank; ++d) order[d] = rank - 1 - d;
        if (random.chance(0.3)) random.shuffle(order);
        const bool has_gaps = random.chance(0.2);
        for (const std::size_t d : order) {
            layout.dimension[d] = static_cast<std::size_t>(extents[d]);
            layout.stride[d] = elements;
            elements *= layout.dimension[d];
            if (has_gaps) elements += static_cast<std::size_t>(random.integer(0, 3));
        }
        elements = std::max<std::size_t>(elements, 1);
    }
};

/// Allocates memory in the arena, or private memory.
std::shared_ptr<void> memory_of(const Communicator& comm, std::size_t bytes, bool in_arena) {
    if (in_arena)
        if (auto memory = allocate_shared(comm, bytes)) return memory;
    return {::operator new(bytes), [](void* memory) { ::operator delete(memory); }};
}

class OneMemory {
public:
    virtual ~OneMemory() = default;
    /// Returns the first wrong byte, "" if all are right. `plan` may be in place.
    virtual std::string run(RedistributionPlan& plan, RedistributionPlan& apart, double alpha,
                            bool in_two_steps) = 0;
    virtual void bind(RedistributionPlan& plan) const = 0;
};

/// A source of type From and a target of type To in one piece of memory.
template <class From, class To, int Rank>
class TypedMemory final : public OneMemory {
public:
    TypedMemory(const RedistributionCase& c, const Communicator& comm, int from, int to,
                bool is_one, bool in_arena, Random& random)
        : m_case(c), m_comm(comm), m_from(from), m_to(to) {
        Random mine(random.bits(), static_cast<std::uint64_t>(comm.rank()));
        std::size_t bytes = 64;
        const auto place = [&](const ArrayLayout& layout, int process, std::size_t size,
                               std::optional<Shape>& shape, std::size_t& offset) {
            if (process < 0) return;
            shape.emplace(layout, process, mine);
            offset =
                is_one || mine.chance(0.4) ? 0 : 8 * static_cast<std::size_t>(mine.integer(0, 40));
            bytes = std::max(bytes, offset + shape->elements * size);
        };
        place(c.from, from, sizeof(From), m_from_shape, m_from_offset);
        if (is_one) {
            m_to_shape = m_from_shape;
        } else {
            place(c.to, to, sizeof(To), m_to_shape, m_to_offset);
        }
        m_bytes = (bytes + 63) / 64 * 64;
        m_memory = memory_of(comm, m_bytes, in_arena);
        m_as_source = memory_of(comm, m_bytes, true);
        m_as_target = memory_of(comm, m_bytes, true);
        m_source = section<From>(m_memory, m_from_offset, c.from, from, m_from_shape);
        m_target = section<To>(m_memory, m_to_offset, c.to, to, m_to_shape);
        m_other_source = section<From>(m_as_source, m_from_offset, c.from, from, m_from_shape);
        m_other_target = section<To>(m_as_target, m_to_offset, c.to, to, m_to_shape);
    }

    void bind(RedistributionPlan& plan) const override {
        plan.bind(Exec(), pointer(m_source), pointer(m_target));
    }

    std::string run(RedistributionPlan& plan, RedistributionPlan& apart, double alpha,
                    bool in_two_steps) override {
        for (std::size_t i = 0; i < m_bytes / sizeof(From); ++i) {
            const From value = element_at<From>(m_comm.rank(), {static_cast<std::int64_t>(i)}, 5);
            std::memcpy(static_cast<char*>(m_memory.get()) + i * sizeof(From), &value,
                        sizeof(From));
        }
        std::memcpy(m_as_source.get(), m_memory.get(), m_bytes);
        std::memcpy(m_as_target.get(), m_memory.get(), m_bytes);
        execute(apart, alpha, pointer(m_other_source), pointer(m_other_target), false);
        execute(plan, alpha, pointer(m_source), pointer(m_target), in_two_steps);
        if (std::memcmp(m_memory.get(), m_as_target.get(), m_bytes) == 0) return "";
        for (std::size_t i = 0; i < m_bytes; ++i)
            if (static_cast<char*>(m_memory.get())[i] != static_cast<char*>(m_as_target.get())[i])
                return text("rank ", m_comm.rank(), ": byte ", i, " of ", m_bytes);
        return "";
    }

private:
    template <class T>
    using View = typename MovedSection<T, Rank>::View;

    template <class T>
    static std::optional<View<T>> section(const std::shared_ptr<void>& memory, std::size_t offset,
                                          const ArrayLayout& layout, int process,
                                          const std::optional<Shape>& shape) {
        if (process < 0) return std::nullopt;
        auto* const data = reinterpret_cast<T*>(static_cast<char*>(memory.get()) + offset);
        return View<T>(layout, process, typename View<T>::view_type(data, shape->layout), memory);
    }
    template <class T>
    static const T* pointer(const std::optional<T>& view) {
        return view ? &*view : nullptr;
    }

    template <class Source, class Target>
    static void execute(RedistributionPlan& plan, double alpha, const Source* source,
                        const Target* target, bool in_two_steps) {
        const Exec exec;
        if constexpr (has_arithmetic<To>)
            if (alpha != 1)
                return plan.execute(exec, To(static_cast<float>(alpha)), source, To(0), target);
        if (!in_two_steps) return plan.execute(exec, source, target);
        auto handle = plan.start(exec, source, target);
        while (!handle.can_finish()) {
        }
        handle.finish();
    }

    const RedistributionCase& m_case;
    const Communicator& m_comm;
    int m_from;
    int m_to;
    std::optional<Shape> m_from_shape, m_to_shape;
    std::size_t m_from_offset = 0, m_to_offset = 0, m_bytes = 0;
    std::shared_ptr<void> m_memory, m_as_source, m_as_target;
    std::optional<View<From>> m_source, m_other_source;
    std::optional<View<To>> m_target, m_other_target;
};

template <class From, class To, class... Arguments>
std::unique_ptr<OneMemory> make_memory(int rank, Arguments&&... arguments) {
    switch (rank) {
    case 0: return std::make_unique<TypedMemory<From, To, 0>>(arguments...);
    case 1: return std::make_unique<TypedMemory<From, To, 1>>(arguments...);
    case 2: return std::make_unique<TypedMemory<From, To, 2>>(arguments...);
    case 3: return std::make_unique<TypedMemory<From, To, 3>>(arguments...);
    default: return std::make_unique<TypedMemory<From, To, 4>>(arguments...);
    }
}

/// As many different ranks of a communicator, in any order; an empty list stands for the first ranks.
std::vector<int> random_ranks(Random& random, int count, int size) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    if (random.chance(0.6)) random.shuffle(ranks);
    ranks.resize(static_cast<std::size_t>(count));
    return ranks;
}

int process_of(const std::vector<int>& ranks, int rank) {
    const auto found = std::find(ranks.begin(), ranks.end(), rank);
    return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

class InPlaceCase {
public:
    InPlaceCase(Random& random, const Communicator& comm,
                std::map<std::string, std::int64_t>& tally)
        : m_random(random), m_comm(comm), m_tally(tally), m_is_one(random.chance(0.6)) {
        const auto processes = [&] {
            return random.chance(0.7) ? comm.size()
                                      : static_cast<int>(random.integer(1, comm.size() + 1));
        };
        const auto rank = static_cast<int>(random.integer(m_is_one ? 1 : 0, 5));
        const int from_processes = processes();
        m_case = m_is_one ? random_involution_case(random, rank, from_processes)
                          : random_redistribution_case(random, rank, from_processes, processes());
        m_case.options.conjugate = random.chance(0.5);
        m_case.options.fill_padding = m_case.options.fill_padding && !m_is_one;
        m_case.options.from_ranks = random_ranks(random, m_case.from.process_count(), comm.size());
        m_case.options.to_ranks =
            m_is_one ? m_case.options.from_ranks
                     : random_ranks(random, m_case.to.process_count(), comm.size());
        m_case.options.in_place = true;
        // Memory outside the arena cannot be read in place, but it can be packed.
        const bool in_arena = random.chance(0.8);
        const int from = process_of(m_case.options.from_ranks, comm.rank());
        const int to = process_of(m_case.options.to_ranks, comm.rank());
        const auto choice = random.integer(0, m_is_one ? 4 : 6);
        const auto make = [&]<class From, class To>() {
            return make_memory<From, To>(rank, m_case, comm, from, to, m_is_one, in_arena, random);
        };
        switch (choice) {
        case 0: m_memory = make.template operator()<float, std::int32_t>(); break;
        case 1:
            m_memory = make.template operator()<Kokkos::complex<float>, Kokkos::complex<float>>();
            break;
        case 2: m_memory = make.template operator()<Triple, Triple>(); break;
        case 4: m_memory = make.template operator()<float, double>(); break;
        case 5: m_memory = make.template operator()<double, float>(); break;
        default: m_memory = make.template operator()<double, double>(); break;
        }
    }

    std::string describe() const {
        return m_case.describe() + (m_is_one ? "\nan array with itself" : "");
    }

    void run(std::vector<TransportChoice> choices) {
        m_random.shuffle(choices);
        const double alpha = m_random.chance(0.3) ? 3 : 1;
        const bool in_two_steps = m_random.chance(0.3);
        const std::int64_t little =
            m_random.chance(0.5) ? 0 : 64 * m_random.integer(1, m_random.chance(0.5) ? 4 : 40);
        RedistributionOptions ordinary = m_case.options;
        ordinary.in_place = false;
        for (const TransportChoice choice : choices) {
            SCOPED_TRACE("transport " + name_of(choice) + ", buffer_bytes " +
                         std::to_string(little));
            RedistributionPlan apart(m_comm, m_case.from, m_case.to, ordinary);
            const TransportSetting setting(choice);
            m_case.options.buffer_bytes = little;
            std::optional<RedistributionPlan> plan;
            plan.emplace(m_comm, m_case.from, m_case.to, m_case.options);
            const Outcome outcome = bind(*plan, choice);
            if (outcome.refused) continue;
            if (outcome.needed > 0) {
                EXPECT_GT(outcome.needed, little);
                m_case.options.buffer_bytes = outcome.needed;
                plan.emplace(m_comm, m_case.from, m_case.to, m_case.options);
                EXPECT_EQ(bind(*plan, choice).needed, 0) << "after " << outcome.needed;
            }
            if (plan->describe().find("in place:") != std::string::npos &&
                m_case.options.buffer_bytes > 0) {
                EXPECT_LE(plan->workspace_bytes(),
                          static_cast<std::size_t>(m_case.options.buffer_bytes));
            }
            for (int round = 0; round < 2; ++round)
                EXPECT_EQ(m_memory->run(*plan, apart, alpha, in_two_steps), "")
                    << "round " << round << '\n'
                    << plan->describe();
            ++m_tally[plan->describe().find("change places") != std::string::npos ? "exchanged"
                      : plan->describe().find("in place:") != std::string::npos   ? "packed"
                                                                                  : "apart"];
        }
    }

private:
    struct Outcome {
        std::int64_t needed = 0; ///< 0: the set was bound
        bool refused = false;
    };
    /// Binds; or determines, identically on all ranks, how much memory is needed.
    Outcome bind(RedistributionPlan& plan, TransportChoice choice) const {
        Outcome outcome;
        try {
            m_memory->bind(plan);
        } catch (const UsageError& error) {
            const std::string what = error.what();
            const std::string needs = "in place, expected buffer_bytes of at least ";
            if (const auto at = what.find(needs); at != std::string::npos)
                outcome.needed = std::strtoll(what.c_str() + at + needs.size(), nullptr, 10);
            else
                outcome.refused = choice == Transport::direct &&
                                  what.find("DISTVIEW_TRANSPORT: 'direct'") != std::string::npos;
            EXPECT_TRUE(outcome.refused || outcome.needed > 0) << what;
        }
        EXPECT_EQ(all_reduce(m_comm, ReduceOperation::max, outcome.needed), outcome.needed);
        EXPECT_EQ(all_reduce(m_comm, ReduceOperation::min, outcome.needed), outcome.needed);
        return outcome;
    }

    Random& m_random;
    const Communicator& m_comm;
    std::map<std::string, std::int64_t>& m_tally;
    bool m_is_one;
    RedistributionCase m_case;
    std::unique_ptr<OneMemory> m_memory;
};

TEST(RedistributionInPlaceAny, MakesOfOneMemoryWhatItMakesOfTwo) {
    const Communicator comm(MPI_COMM_WORLD);
    const std::vector<TransportChoice> choices = possible_transports(comm);
    std::map<std::string, std::int64_t> tally;
    for_each_case(campaign_cases(300), [&](Random& random, std::uint64_t) {
        InPlaceCase in_place(random, comm, tally);
        SCOPED_TRACE(in_place.describe());
        in_place.run(choices);
    });
    // Enough cases of each kind, so that the comparison is significant.
    if (campaign_cases(300) >= 100 && !std::getenv("DISTVIEW_CASE")) {
        EXPECT_GT(tally["exchanged"], 20);
        EXPECT_GT(tally["packed"], 20);
    }
    if (world_rank() == 0) {
        std::cout << "cases:";
        for (const auto& [name, cases] : tally) std::cout << ' ' << name << ' ' << cases;
        std::cout << std::endl;
    }
}

} // namespace

} // namespace distview::testing
