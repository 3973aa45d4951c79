// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "comparison.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/core/any_dist_view.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <type_traits>
#include <variant>

namespace compare {

namespace {

using distview::AnyDistView;
using distview::ArrayLayout;
using distview::AttributeValue;
using distview::Communicator;
using distview::ReduceOperation;
using distview::text;

/// The distribution of an array: blocks along its first axis with an index for every rank, else along its longest axis.
struct Blocks {
    ArrayLayout layout;
    int axis = 0;

    Blocks(const std::vector<std::int64_t>& shape, int ranks) {
        const auto longest = std::max_element(shape.begin(), shape.end());
        const auto enough =
            std::find_if(shape.begin(), shape.end(), [&](std::int64_t n) { return n >= ranks; });
        axis = static_cast<int>((enough == shape.end() ? longest : enough) - shape.begin());
        std::vector<int> grid(shape.size(), 1);
        grid[static_cast<std::size_t>(axis)] = ranks;
        std::vector<distview::AxisSpec> axes;
        for (const std::int64_t extent : shape) axes.push_back(distview::block(extent));
        layout = ArrayLayout(distview::ProcessGrid(grid), axes);
    }
    Blocks() = default; ///< for an array without axes
};

/// Allocates memory for a rank's section, of any element type.
AnyDistView make_section(const Blocks& blocks, const distview::ElementType& element, int rank) {
    constexpr std::align_val_t alignment{64};
    const distview::Extents extents = blocks.layout.local_extents(rank);
    distview::AnySection section;
    section.element = element;
    section.extents.assign(extents.begin(), extents.begin() + blocks.layout.rank());
    section.strides = distview::AnySection::contiguous_strides(section.extents, element.bytes);
    const auto bytes = static_cast<std::size_t>(section.count() * element.bytes);
    const std::shared_ptr<void> memory(
        ::operator new(std::max<std::size_t>(bytes, 1), alignment),
        [](void* allocated) { ::operator delete(allocated, std::align_val_t{64}); });
    section.data = memory.get();
    section.owner = memory;
    return {section, blocks.layout, rank};
}

/// Sends a text, cut to 95 characters, from the only rank that has it to all ranks. Collective.
std::string from_one(const Communicator& comm, const std::string& mine) {
    std::array<char, 96> characters{};
    std::memcpy(characters.data(), mine.data(), std::min(mine.size(), characters.size() - 1));
    std::array<std::uint64_t, 12> words{};
    std::memcpy(words.data(), characters.data(), characters.size());
    distview::all_reduce(comm, ReduceOperation::sum, std::span<std::uint64_t>(words));
    std::memcpy(characters.data(), words.data(), characters.size());
    return characters.data();
}

/// The elements of a field in both files, and their differences.
class FieldPair {
public:
    FieldPair(const Communicator& comm, const Field& field, const Tolerance& tolerance)
        : m_comm(comm), m_field(field), m_tolerance(tolerance),
          m_blocks(field.shape.empty() ? Blocks() : Blocks(field.shape, comm.size())) {
        distview::agree_on(comm, "distview-compare", [&] {
            m_a.emplace(make_section(m_blocks, field.element, comm.rank()));
            m_b.emplace(make_section(m_blocks, field.element, comm.rank()));
        });
    }

    /// Collective.
    StepComparison compare(const File& a, const File& b, const Field& field_of_b,
                           std::int64_t step) {
        load(m_comm, a, m_field, step, *m_a);
        load(m_comm, b, field_of_b, step, *m_b);
        const auto* const data_a = static_cast<const std::byte*>(m_a->section().data);
        const auto* const data_b = static_cast<const std::byte*>(m_b->section().data);
        Differences mine =
            compare_elements(m_field.element, data_a, data_b, m_a->section().count(), m_tolerance);
        StepComparison result;
        result.step = step;
        std::array<std::int64_t, 3> counts{mine.elements, mine.count, mine.not_a_number};
        distview::all_reduce(m_comm, ReduceOperation::sum, std::span<std::int64_t>(counts));
        std::array<double, 2> largest{mine.absolute, mine.relative};
        distview::all_reduce(m_comm, ReduceOperation::max, std::span<double>(largest));
        result.found = {counts[0], counts[1], counts[2], largest[0], largest[1], -1};
        if (result.found.count == 0) return result;

        constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
        const std::int64_t at = mine.first < 0 ? none : global_number(mine.first);
        result.found.first = distview::all_reduce(m_comm, ReduceOperation::min, at);
        const bool is_mine = at == result.found.first;
        const auto value = [&](const std::byte* data) {
            return is_mine
                       ? element_text(m_field.element, data + mine.first * m_field.element.bytes)
                       : std::string();
        };
        result.first.a = from_one(m_comm, value(data_a));
        result.first.b = from_one(m_comm, value(data_b));
        result.first.index.resize(m_field.shape.size());
        std::int64_t number = result.found.first;
        for (std::size_t d = m_field.shape.size(); d-- > 0; number /= m_field.shape[d])
            result.first.index[d] = number % m_field.shape[d];
        return result;
    }

private:
    /// The number of an element in the whole array, from its number in this rank's section; both count in C order.
    std::int64_t global_number(std::int64_t local) const {
        const std::vector<std::int64_t>& extents = m_a->section().extents;
        std::int64_t number = 0;
        std::int64_t below = 1;
        for (std::size_t d = m_field.shape.size(); d-- > 0;) {
            std::int64_t index = local % extents[d];
            if (static_cast<int>(d) == m_blocks.axis)
                index = m_blocks.layout.axis(m_blocks.axis)
                            .to_global(m_comm.rank(), distview::LocalIndex(index))
                            .value();
            number += index * below;
            below *= m_field.shape[d];
            local /= extents[d];
        }
        return number;
    }

    Communicator m_comm;
    Field m_field;
    Tolerance m_tolerance;
    Blocks m_blocks;
    std::optional<AnyDistView> m_a;
    std::optional<AnyDistView> m_b;
};

std::string describe(const Field& field) {
    return text(distview::describe(field.element), " of shape ", distview::tuple_text(field.shape));
}

FieldComparison compare_fields(const Communicator& comm, const File& a, const Field& of_a,
                               const File& b, const Field& of_b, const Options& options) {
    FieldComparison result;
    result.name = !of_a.name.empty() ? of_a.name : of_b.name;
    if (of_a.element != of_b.element || of_a.shape != of_b.shape ||
        of_a.has_steps != of_b.has_steps) {
        const auto told = [](const Field& field) {
            return describe(field) + (field.has_steps ? " in steps" : "");
        };
        result.mismatch = text(told(of_a), " / ", told(of_b));
        return result;
    }
    result.has_numbers = is_number(of_a.element);
    result.has_steps = of_a.has_steps;
    FieldPair pair(comm, of_a, options.tolerance);
    const auto steps =
        static_cast<std::int64_t>(of_a.has_steps ? std::min(a.times.size(), b.times.size()) : 1);
    for (std::int64_t step = 0; step < steps; ++step) {
        StepComparison found = pair.compare(a, b, of_b, step);
        if (of_a.has_steps) found.time = a.times[static_cast<std::size_t>(step)];
        result.all.add(found.found);
        if (found.found.count > 0) result.steps.push_back(std::move(found));
    }
    return result;
}

std::string text_of(const AttributeValue* value) {
    if (!value) return "none";
    return std::visit(
        [](const auto& v) {
            using Value = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<Value, std::string>)
                return text('\'', v, '\'');
            else if constexpr (std::is_same_v<Value, double>)
                return element_text({distview::ElementKind::floating_point, 8},
                                    reinterpret_cast<const std::byte*>(&v));
            else if constexpr (std::is_arithmetic_v<Value>)
                return text(v);
            else
                return text(v.size(), " numbers");
        },
        *value);
}

bool are_same_values(const AttributeValue& a, const AttributeValue& b, const Tolerance& tolerance) {
    if (a.index() != b.index()) return false;
    return std::visit(
        [&](const auto& x) {
            using Value = std::decay_t<decltype(x)>;
            const auto& y = std::get<Value>(b);
            [[maybe_unused]] const auto same = [&](double p, double q) {
                return are_same(p, q, tolerance);
            };
            if constexpr (std::is_same_v<Value, double>)
                return same(x, y);
            else if constexpr (std::is_same_v<Value, std::vector<double>>)
                return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
            else
                return x == y;
        },
        a);
}

const AttributeValue* find(const distview::Attributes& all, const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? nullptr : &found->second;
}

void compare_attributes(const File& a, const File& b, const Tolerance& tolerance,
                        std::vector<std::string>& remarks) {
    std::set<std::string> names;
    for (const File* file : {&a, &b})
        for (const auto& each : file->attributes) names.insert(each.first);
    for (const std::string& name : names) {
        if (name.starts_with("distview_")) continue; // io's own attributes depend on the others
        const AttributeValue* const of_a = find(a.attributes, name);
        const AttributeValue* const of_b = find(b.attributes, name);
        if (!of_a || !of_b || !are_same_values(*of_a, *of_b, tolerance))
            remarks.push_back(
                text("attribute '", name, "': ", text_of(of_a), " / ", text_of(of_b)));
    }
}

void compare_times(const File& a, const File& b, const Tolerance& tolerance,
                   std::vector<std::string>& remarks) {
    if (a.times.size() != b.times.size())
        remarks.push_back(text("steps: ", a.times.size(), " / ", b.times.size()));
    for (std::size_t step = 0; step < std::min(a.times.size(), b.times.size()); ++step)
        if (!are_same(a.times[step], b.times[step], tolerance)) {
            const AttributeValue time_of_a = a.times[step], time_of_b = b.times[step];
            remarks.push_back(
                text("time of step ", step, ": ", text_of(&time_of_a), " / ", text_of(&time_of_b)));
            return;
        }
}

/// Names of fields to compare, each once: a's in their order, then b's.
std::vector<std::string> names_of(const File& a, const File& b, const Options& options) {
    std::vector<std::string> names;
    for (const File* file : {&a, &b})
        for (const Field& field : file->fields)
            if (std::find(names.begin(), names.end(), field.name) == names.end())
                names.push_back(field.name);
    if (options.fields.empty()) return names;
    for (const std::string& name : options.fields)
        distview::require<distview::UsageError>(
            std::find(names.begin(), names.end(), name) != names.end(), [&] {
                return text("--field: expected a field of '", a.path, "' or '", b.path, "', got '",
                            name, "'; these files have ", distview::tuple_text(names));
            });
    return options.fields;
}

/// Gives the only array of a .npy file the name of the array with which it is compared.
void name_array(File& file, const File& other, const Options& options) {
    if (file.kind != File::Kind::npy || other.kind == File::Kind::npy) return;
    const bool is_clear =
        options.fields.size() == 1 || (options.fields.empty() && other.fields.size() == 1);
    distview::require<distview::UsageError>(is_clear, [&] {
        std::vector<std::string> names;
        for (const Field& field : other.fields) names.push_back(field.name);
        return text("--field: expected exactly one field of '", other.path,
                    "' to compare with the array of '", file.path, "', one of ",
                    distview::tuple_text(names));
    });
    file.fields[0].name = options.fields.empty() ? other.fields[0].name : options.fields[0];
}

} // namespace

bool Comparison::differs() const {
    return !remarks.empty() || std::any_of(fields.begin(), fields.end(),
                                           [](const FieldComparison& f) { return f.differs(); });
}

Comparison compare_files(const Communicator& comm, const Options& options) {
    File a = look_at(comm, options.a);
    File b = look_at(comm, options.b);
    // From here on a and b are the same on all ranks.
    name_array(a, b, options);
    name_array(b, a, options);
    Comparison result;
    if (!options.no_attributes) compare_attributes(a, b, options.tolerance, result.remarks);
    compare_times(a, b, options.tolerance, result.remarks);
    for (const std::string& name : names_of(a, b, options)) {
        const Field* const of_a = a.find(name);
        const Field* const of_b = b.find(name);
        if (of_a && of_b) {
            // An array without axes is on one process: every rank compares it by itself.
            result.fields.push_back(
                compare_fields(of_a->shape.empty() ? Communicator(MPI_COMM_SELF) : comm, a, *of_a,
                               b, *of_b, options));
            continue;
        }
        FieldComparison only;
        only.name = name;
        only.mismatch = text("only in '", of_a ? a.path : b.path, '\'');
        result.fields.push_back(only);
    }
    return result;
}

namespace {

std::string number_text(double value) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.6g", value);
    return buffer.data();
}

std::string first_text(const StepComparison& step, bool has_steps) {
    return text(
        has_steps ? text(" in step ", step.step, " (time ", number_text(step.time), ")") : "",
        " at ", distview::tuple_text(step.first.index), ": ", step.first.a, " / ", step.first.b);
}

std::string size_text(const Differences& found, bool has_numbers) {
    if (!has_numbers) return {};
    return text("; largest difference ", number_text(found.absolute), ", relative ",
                number_text(found.relative),
                found.not_a_number > 0 ? text("; NaN on one side ", found.not_a_number) : "");
}

} // namespace

std::string to_text(const Comparison& comparison, const Options& options) {
    std::string all;
    for (const std::string& remark : comparison.remarks) all += remark + '\n';
    for (const FieldComparison& field : comparison.fields) {
        all += field.name.empty() ? "array" : field.name;
        if (!field.mismatch.empty()) {
            all += text(": ", field.mismatch, '\n');
        } else if (field.all.count == 0) {
            all += text(": the same, ", field.all.elements, " elements",
                        field.all.absolute > 0 ? size_text(field.all, true) : "", '\n');
        } else {
            all += text(": ", field.all.count, " of ", field.all.elements, " differ, first",
                        first_text(field.steps.front(), field.has_steps),
                        size_text(field.all, field.has_numbers), '\n');
            if (!options.by_step || !field.has_steps) continue;
            for (const StepComparison& step : field.steps)
                all += text("  step ", step.step, " (time ", number_text(step.time),
                            "): ", step.found.count, " of ", step.found.elements,
                            " differ, first at ", distview::tuple_text(step.first.index),
                            size_text(step.found, field.has_numbers), '\n');
        }
    }
    return all;
}

} // namespace compare
