// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random arrays with one or several faults: each fault must be found, no other fault reported, and
// accepted arrays must mean what their data state.
#include "protocol_cases.hpp"
#include "protocol_oracle.hpp"
#include "protocol_random.hpp"

#include <distview/core/protocol/validate.hpp>

#include <cstdlib>
#include <functional>
#include <map>
#include <string>

namespace distview::testing {

using protocol::check_all;
using protocol::layout_from_dim_data;
using protocol::Version;

using Array = std::vector<SectionDescription>;

/// One dictionary of an array, with the whole array.
struct Place {
    const Version& version;
    Array& array;
    std::size_t process;
    std::size_t axis;

    DimData& dim() const { return array[process].dim_data[axis]; }
    std::int64_t& extent() const { return array[process].extents[axis]; }
    bool is(const char* type) const { return dim().dist_type == type; }
    bool first() const { return *dim().proc_grid_rank == 0; }
    bool last() const { return *dim().proc_grid_rank == *dim().proc_grid_size - 1; }
    bool many() const { return array.size() > 1; }
    /// Whether no other process has this grid rank.
    bool alone_in_grid_rank() const {
        return static_cast<std::int64_t>(array.size()) == *dim().proc_grid_size;
    }
    std::int64_t between() const { return *dim().stop - *dim().start; }
    std::int64_t padding_sum() const {
        return dim().padding ? dim().padding->low + dim().padding->high : 0;
    }
};

/// Introduces one fault; returns false if it cannot occur here.
using Corrupt = std::function<bool(const Place&)>;

/// A kind of fault and the reason code that it must cause.
struct Corruption {
    const char* name;
    const char* code;
    Corrupt apply;
};

bool set(std::optional<std::int64_t>& value, std::int64_t to) {
    value = to;
    return true;
}

const std::vector<Corruption>& corruptions() {
    static const std::vector<Corruption> all{
        {"no dist_type", "missing_key",
         [](const Place& at) {
             at.dim().dist_type.reset();
             return true;
         }},
        {"no size", "missing_key",
         [](const Place& at) {
             at.dim().size.reset();
             return true;
         }},
        {"no proc_grid_size", "missing_key",
         [](const Place& at) {
             at.dim().proc_grid_size.reset();
             return true;
         }},
        {"no proc_grid_rank", "missing_key",
         [](const Place& at) {
             at.dim().proc_grid_rank.reset();
             return true;
         }},
        {"no start", "missing_key",
         [](const Place& at) {
             at.dim().start.reset();
             return !at.is("u");
         }},
        {"no stop", "missing_key",
         [](const Place& at) {
             at.dim().stop.reset();
             return at.is("b");
         }},
        {"no indices", "missing_key",
         [](const Place& at) {
             at.dim().indices.reset();
             return at.is("u");
         }},
        {"unknown dist_type", "bad_dist_type",
         [](const Place& at) {
             at.dim().dist_type = "d";
             return true;
         }},
        {"padding without a block", "key_not_applicable",
         [](const Place& at) {
             at.dim().padding = PaddingValue{0, 1};
             return !at.is("b");
         }},
        {"periodic without a block in 0.10", "key_not_applicable",
         [](const Place& at) {
             at.dim().periodic = true;
             return !at.is("b") && at.version.is_0_10();
         }},
        {"negative size", "size_negative", [](const Place& at) { return set(at.dim().size, -1); }},
        {"grid of nobody", "grid_size_lt1",
         [](const Place& at) { return set(at.dim().proc_grid_size, 0); }},
        {"rank beyond the grid", "grid_rank_range",
         [](const Place& at) { return set(at.dim().proc_grid_rank, *at.dim().proc_grid_size); }},
        {"negative rank", "grid_rank_range",
         [](const Place& at) { return set(at.dim().proc_grid_rank, -1); }},
        {"negative start", "start_negative",
         [](const Place& at) { return at.is("b") && set(at.dim().start, -1); }},
        {"stop below start", "stop_lt_start",
         [](const Place& at) { return at.is("b") && set(at.dim().stop, *at.dim().start - 1); }},
        {"stop beyond size", "stop_gt_size",
         [](const Place& at) { return at.is("b") && set(at.dim().stop, *at.dim().size + 1); }},
        {"first start not 0", "edge_start",
         [](const Place& at) {
             return at.is("b") && at.first() && *at.dim().stop > 0 && set(at.dim().start, 1);
         }},
        {"last stop not size", "edge_stop",
         [](const Place& at) {
             return at.is("b") && at.last() && at.between() > 0 &&
                    set(at.dim().stop, *at.dim().size - 1);
         }},
        {"longer buffer", "shape_mismatch",
         [](const Place& at) {
             ++at.extent();
             return true;
         }},
        {"shorter buffer", "shape_mismatch", [](const Place& at) { return at.extent()-- > 0; }},
        {"one width", "padding_form",
         [](const Place& at) {
             at.dim().padding = PaddingValue{0, 0, 1};
             return at.is("b");
         }},
        {"negative width", "padding_form",
         [](const Place& at) {
             at.dim().padding = PaddingValue{0, -1};
             return at.is("b");
         }},
        {"padding on one process in 0.9", "padding_partial",
         [](const Place& at) {
             const bool possible =
                 at.is("b") && at.many() && at.version.is_0_9() && !at.dim().padding;
             at.dim().padding = PaddingValue{0, 0};
             return possible;
         }},
        {"padding wider than the section", "padding_too_wide",
         [](const Place& at) {
             if (!at.is("b") || !at.version.is_0_10()) return false;
             at.dim().padding = PaddingValue{at.between(), 1};
             return true;
         }},
        {"seam of two widths in 0.10", "padding_mismatch",
         [](const Place& at) {
             if (!at.is("b") || !at.version.is_0_10() || at.last() || !at.alone_in_grid_rank() ||
                 *at.dim().stop == *at.dim().size)
                 return false;
             PaddingValue padding = at.dim().padding.value_or(PaddingValue{});
             ++padding.high;
             at.dim().padding = padding;
             ++at.extent();
             return set(at.dim().stop, *at.dim().stop + 1);
         }},
        {"gap between blocks", "block_not_contiguous",
         [](const Place& at) {
             const bool possible = at.is("b") && !at.last() && at.alone_in_grid_rank() &&
                                   at.between() > at.padding_sum();
             if (!possible) return false;
             --at.extent();
             return set(at.dim().stop, *at.dim().stop - 1);
         }},
        {"block_size 0", "block_size_lt1",
         [](const Place& at) { return at.is("c") && set(at.dim().block_size, 0); }},
        {"rotated start", "cyclic_start",
         [](const Place& at) {
             return at.is("c") && at.extent() > 0 && set(at.dim().start, *at.dim().start + 1);
         }},
        {"an index twice", "indices_not_unique",
         [](const Place& at) {
             if (!at.is("u") || at.extent() < 2) return false;
             at.dim().indices->back() = at.dim().indices->front();
             return true;
         }},
        {"an index on two processes", "not_one_to_one",
         [](const Place& at) {
             if (!at.is("u") || !at.dim().one_to_one || !at.alone_in_grid_rank() ||
                 at.extent() == 0 || at.first())
                 return false;
             const auto& others = *at.array[0].dim_data[at.axis].indices;
             if (others.empty()) return false;
             at.dim().indices->back() = others.front();
             return true;
         }},
        {"more elements than indices", "size_sum",
         [](const Place& at) {
             if (!at.is("u")) return false;
             std::map<std::int64_t, std::size_t> counts;
             for (const SectionDescription& section : at.array)
                 counts[*section.dim_data[at.axis].proc_grid_rank] =
                     section.dim_data[at.axis].indices->size();
             std::size_t sum = 0;
             for (const auto& count : counts) sum += count.second;
             for (SectionDescription& section : at.array)
                 section.dim_data[at.axis].size = static_cast<std::int64_t>(sum) + 1;
             return at.array[0].dim_data.size() == 1; // else the product could be wrong
         }},
        {"another size on one process", "axis_inconsistent",
         [](const Place& at) {
             return at.is("u") && at.many() && set(at.dim().size, *at.dim().size + 1);
         }},
        {"periodic on one process", "axis_inconsistent",
         [](const Place& at) {
             if (!at.is("b") || !at.many() || at.padding_sum() > 0) return false;
             at.dim().periodic = !at.dim().periodic.value_or(false);
             return true;
         }},
        {"another axis more", "axis_inconsistent",
         [](const Place& at) {
             at.array[at.process].dim_data.push_back(block_dim(1, 1, 0, 0, 1));
             at.array[at.process].extents.push_back(1);
             return at.many();
         }},
        {"a dictionary too few", "ndim_mismatch",
         [](const Place& at) {
             at.array[at.process].dim_data.pop_back();
             return true;
         }},
        {"exchanged processes", "grid_order",
         [](const Place& at) {
             std::swap(at.array.front(), at.array.back());
             return at.many();
         }},
        {"a process too few", "grid_product",
         [](const Place& at) {
             if (!at.many()) return false;
             at.array.pop_back();
             return true;
         }},
        {"a process too many", "grid_product",
         [](const Place& at) {
             at.array.push_back(at.array.back());
             return true;
         }},
    };
    return all;
}

TEST(ProtocolCorruptions, each_has_its_reason_code) {
    std::map<std::string, int> applied;
    for_each_case(1500, [&](Random& random, std::uint64_t index) {
        const Version version = both_versions[index % 2];
        const ArrayLayout layout = random_layout(random, PaddingKind::expressible);
        if (layout.rank() == 0) return;
        const Array good = exported(layout, version);
        for (const Corruption& corruption : corruptions()) {
            Array array = good;
            const auto process =
                static_cast<std::size_t>(random.integer(0, layout.process_count()));
            const auto axis = static_cast<std::size_t>(random.integer(0, layout.rank()));
            if (!corruption.apply({version, array, process, axis})) continue;
            ++applied[corruption.name];
            const auto verdict = check_all(version, array);
            EXPECT_EQ(code_of(verdict), corruption.code)
                << corruption.name << " in " << to_string(version) << ", process " << process
                << ", axis " << axis << '\n'
                << (verdict ? verdict->message : "") << '\n'
                << describe(good[process].dim_data) << '\n'
                << layout.describe();
        }
    });
    if (std::getenv("DISTVIEW_CASE") || HasFailure()) return;
    for (const Corruption& corruption : corruptions())
        EXPECT_GT(applied[corruption.name], 8) << corruption.name;
}

/// A random small change of one of the numbers or keys.
void mutate(Random& random, DimData& dim, std::int64_t& extent) {
    const auto change = [&](std::optional<std::int64_t>& value) {
        if (value && random.chance(0.7))
            *value += random.integer(0, 2) * 2 - 1;
        else if (random.chance(0.6))
            value = random.integer(-2, 12);
        else
            value.reset();
    };
    const auto flip = [&](std::optional<bool>& value) {
        if (random.chance(0.3))
            value.reset();
        else
            value = !value.value_or(random.chance(0.5));
    };
    switch (random.integer(0, 12)) {
    case 0: change(dim.size); break;
    case 1: change(dim.proc_grid_size); break;
    case 2: change(dim.proc_grid_rank); break;
    case 3: change(dim.start); break;
    case 4: change(dim.stop); break;
    case 5: {
        PaddingValue padding = dim.padding.value_or(PaddingValue{});
        (random.chance(0.5) ? padding.low : padding.high) += random.integer(0, 4) - 1;
        if (random.chance(0.05)) padding.length = static_cast<int>(random.integer(0, 4));
        dim.padding = padding;
        if (random.chance(0.2)) dim.padding.reset();
        break;
    }
    case 6: flip(dim.periodic); break;
    case 7: flip(dim.one_to_one); break;
    case 8: change(dim.block_size); break;
    case 9: extent = std::max<std::int64_t>(extent + random.integer(-1, 2), 0); break;
    case 10:
        if (dim.indices && !dim.indices->empty())
            dim.indices->at(static_cast<std::size_t>(random.integer(
                0, static_cast<std::int64_t>(dim.indices->size())))) = random.integer(-8, 14);
        break;
    default:
        dim.dist_type = random.pick(std::vector<std::string>{"b", "c", "u", "n", "x"});
        if (random.chance(0.3)) dim = DimData{};
        break;
    }
}

/// One random change: of a dictionary, of an axis on all processes, or of the processes.
void mutate(Random& random, Array& array) {
    const auto pick_process = [&] {
        return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(array.size())));
    };
    const std::size_t process = pick_process();
    const std::size_t rank = array[process].dim_data.size();
    if (rank == 0 || array[process].extents.size() != rank) return;
    const auto axis = static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(rank)));
    if (random.chance(0.1)) {
        std::swap(array[process], array[pick_process()]);
    } else if (random.chance(0.1)) {
        const std::size_t other = pick_process();
        if (array[other].dim_data.size() <= axis) return;
        array[process].dim_data[axis] = array[other].dim_data[axis];
        array[process].extents[axis] = array[other].extents[axis];
    } else if (random.chance(0.4)) {
        // The same change on all processes, which often gives another conforming array.
        const Random same = random;
        for (SectionDescription& section : array) {
            Random again = same;
            if (section.dim_data.size() > axis)
                mutate(again, section.dim_data[axis], section.extents[axis]);
        }
        random.bits();
    } else {
        mutate(random, array[process].dim_data[axis], array[process].extents[axis]);
    }
}

/// An array of one or two axes: small enough that several changes may fit each other.
Array small_array(Random& random, const Version& version) {
    const auto rank = static_cast<int>(random.integer(1, 3));
    const std::vector<int> grid =
        random_process_grid(random, static_cast<int>(random.integer(1, 5)), rank);
    std::vector<AxisSpec> axes;
    for (const int extent : grid)
        axes.push_back(random_axis(random, extent, PaddingKind::expressible));
    return exported(ArrayLayout(ProcessGrid{std::span<const int>(grid)}, axes), version);
}

TEST(ProtocolCorruptions, accepted_exactly_when_the_elements_say_so) {
    int accepted = 0;
    int refused = 0;
    int without_layout = 0;
    std::map<std::string, int> codes;
    for_each_case(40'000, [&](Random& random, std::uint64_t index) {
        const Version version = both_versions[index % 2];
        Array array = small_array(random, version);
        const Array original = array;
        // Sometimes the data are read with the other version's rules.
        const Version read_as = random.chance(0.1) ? both_versions[1 - index % 2] : version;
        for (auto changes = random.integer(1, 4); changes > 0; --changes) mutate(random, array);
        const auto verdict = check_all(read_as, array);
        const bool expected = oracle_accepts(read_as, array);
        EXPECT_EQ(!verdict, expected) << summary(verdict) << (verdict ? verdict->message : "");
        if (verdict) {
            ++refused;
            ++codes[verdict->code];
            EXPECT_EQ(verdict->message.rfind(
                          "DAP import, process " + std::to_string(verdict->process) + ": ", 0),
                      0u)
                << verdict->message;
            EXPECT_LT(verdict->process, static_cast<int>(array.size()));
        } else {
            accepted += array != original;
            try {
                EXPECT_EQ(find_map_difference(read_as, array, layout_from_dim_data(read_as, array)),
                          "");
            } catch (const ProtocolError& error) { // rule X5 permits different boundary padding
                EXPECT_EQ(error.code() + error.key(), "axis_inconsistentpadding") << error.what();
                ++without_layout;
            }
        }
        if (!HasFailure()) return;
        for (const SectionDescription& section : array)
            ADD_FAILURE() << describe(section.dim_data) << tuple_text(section.extents);
    });
    if (std::getenv("DISTVIEW_CASE") || HasFailure()) return;
    EXPECT_GT(refused, 10'000);
    EXPECT_GT(accepted, 1000);
    EXPECT_LT(without_layout, accepted / 4);
    // Together the changes cover nearly every rule; other tests cover the versions and numbers
    // beyond 64 bits.
    for (const std::string_view code : protocol::reason::all) {
        const bool elsewhere = code == "version_format" || code == "version_unsupported" ||
                               code == "ndim_mismatch" || code == "overflow";
        EXPECT_TRUE(elsewhere || codes[std::string(code)] > 0) << code;
    }
}

} // namespace distview::testing
