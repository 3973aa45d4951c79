// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout_state.hpp"

#include "read_indices.hpp"
#include "write_export.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <nanobind/stl/string.h>

#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace distview::python {

namespace {

constexpr const char* balanced = "balanced";
constexpr const char* regular = "regular";

/// The items of a list, a tuple or another sequence, except strings.
std::optional<std::vector<nb::object>> items_of(nb::handle object) {
    if (nb::isinstance<nb::str>(object) || nb::isinstance<nb::bytes>(object) ||
        !PySequence_Check(object.ptr()))
        return {};
    const nb::object items = nb::steal(PySequence_Tuple(object.ptr()));
    if (!items) {
        PyErr_Clear();
        return {};
    }
    std::vector<nb::object> result;
    for (const nb::handle item : nb::borrow<nb::tuple>(items)) result.push_back(nb::borrow(item));
    return result;
}

/// The numbers of a buffer of 64-bit integers, such as a NumPy array; empty for others.
std::optional<std::vector<std::int64_t>> integers_of_buffer(nb::handle object) {
    if (!PyObject_CheckBuffer(object.ptr())) return {};
    try {
        const PythonBuffer buffer(object);
        const std::optional<ElementType> type = parse_format(buffer.format(), buffer->itemsize);
        if (buffer->ndim != 1 || !type || !(*type == element_type<std::int64_t>())) return {};
        const AnySection section = buffer.section();
        std::vector<std::int64_t> result(static_cast<std::size_t>(section.count()));
        const char* at = static_cast<const char*>(section.data);
        for (std::int64_t& value : result) {
            std::memcpy(&value, at, sizeof(value));
            at += section.strides[0];
        }
        return result;
    } catch (nb::python_error&) {
        return {};
    }
}

std::optional<std::vector<std::int64_t>> integers_of(nb::handle object) {
    if (auto numbers = integers_of_buffer(object)) return numbers;
    const auto items = items_of(object);
    if (!items) return {};
    std::vector<std::int64_t> result;
    for (const nb::object& item : *items) {
        const ReadInteger read = read_integer(item);
        if (read.what != ReadInteger::fits) return {};
        result.push_back(read.value);
    }
    return result;
}

std::optional<Widths> widths_of(nb::handle object) {
    const auto pair = integers_of(object);
    if (!pair || pair->size() != 2) return {};
    return Widths((*pair)[0], (*pair)[1]);
}

/// Reads the dictionary of one axis.
class AxisState {
public:
    AxisState(int axis, nb::handle state) : m_axis(axis) {
        require<LayoutError>(nb::isinstance<nb::dict>(state), [&] {
            return text(at(), "expected a dictionary, got ", short_repr(state));
        });
        m_state = nb::borrow<nb::dict>(state);
    }

    AxisSpec spec() const {
        const std::string type = word("dist_type", {"b", "c", "u"});
        if (type == "c") {
            check_keys({"dist_type", "size", "block_size", "periodic"});
            return {CyclicSpec{integer("size"), integer("block_size"), flag("periodic")}};
        }
        if (type == "u") {
            check_keys({"dist_type", "lists", "one_to_one", "periodic"});
            AxisSpec result = unstructured(lists(), flag("one_to_one"));
            std::get<UnstructuredSpec>(result.value).periodic = flag("periodic");
            return result;
        }
        check_keys({"dist_type", "size", "bounds", "padding", "boundary", "periodic"});
        return block_axis();
    }

private:
    std::string at() const { return text("Layout: axis ", m_axis, ": "); }

    [[noreturn]] void refuse(const char* key, const char* expected) const {
        throw LayoutError(text(at(), "expected '", key, "' to be ", expected, ", got ",
                               short_repr(m_state[key])));
    }

    void check_keys(std::initializer_list<const char*> keys) const {
        for (const char* const key : keys)
            require<LayoutError>(m_state.contains(key),
                                 [&] { return text(at(), "expected the key '", key, "'"); });
        require<LayoutError>(m_state.size() == keys.size(), [&] {
            return text(at(), "expected ", keys.size(), " keys, got ", m_state.size());
        });
    }

    std::string word(const char* key, std::initializer_list<const char*> words) const {
        std::string known;
        if (m_state.contains(key)) {
            const nb::object given = m_state[key];
            for (const char* const one : words)
                if (nb::isinstance<nb::str>(given) && given.equal(nb::str(one))) return one;
        }
        for (const char* const one : words) known += text(known.empty() ? "'" : ", '", one, '\'');
        require<LayoutError>(m_state.contains(key),
                             [&] { return text(at(), "expected the key '", key, "'"); });
        refuse(key, text("one of ", known).c_str());
    }

    std::int64_t integer(const char* key) const {
        const ReadInteger read = read_integer(m_state[key]);
        if (read.what != ReadInteger::fits) refuse(key, "an integer of 64 bits");
        return read.value;
    }

    bool flag(const char* key) const {
        const nb::object given = m_state[key];
        if (!nb::isinstance<nb::bool_>(given)) refuse(key, "a bool");
        return given.is(nb::handle(Py_True));
    }

    Widths widths(const char* key) const {
        const std::optional<Widths> found = widths_of(m_state[key]);
        if (!found) refuse(key, "a pair of integers");
        return *found;
    }

    std::vector<std::vector<std::int64_t>> lists() const {
        const auto given = items_of(m_state["lists"]);
        if (!given) refuse("lists", "the indices of all processes");
        std::vector<std::vector<std::int64_t>> result;
        for (const nb::object& list : *given) {
            auto numbers = integers_of(list);
            if (!numbers) refuse("lists", "arrays of integers of 64 bits");
            result.push_back(std::move(*numbers));
        }
        return result;
    }

    /// One pair for each process; empty if one pair is for all.
    std::vector<Widths> widths_by_process() const {
        const nb::object given = m_state["padding"];
        if (widths_of(given)) return {};
        const auto items = items_of(given);
        if (!items || items->empty())
            refuse("padding", "one pair of integers, or one for each process");
        std::vector<Widths> result;
        for (const nb::object& item : *items) {
            const auto pair = widths_of(item);
            if (!pair) refuse("padding", "one pair of integers, or one for each process");
            result.push_back(*pair);
        }
        return result;
    }

    AxisSpec block_axis() const {
        const std::int64_t size = integer("size");
        std::vector<Widths> paddings = widths_by_process();
        BlockOptions options{
            .padding = {}, .boundary = widths("boundary"), .periodic = flag("periodic")};
        if (paddings.empty()) options.padding = widths("padding");
        const nb::object bounds = m_state["bounds"];
        if (nb::isinstance<nb::str>(bounds)) {
            const bool is_regular = word("bounds", {balanced, regular}) == regular;
            require<LayoutError>(paddings.empty(), [&] {
                return text(at(), "expected one pair of widths for blocks without given bounds");
            });
            return is_regular ? regular_block(size, options) : block(size, options);
        }
        auto numbers = integers_of(bounds);
        if (!numbers || numbers->empty()) refuse("bounds", "'balanced', 'regular' or integers");
        require<LayoutError>(numbers->back() == size, [&] {
            return text(at(), "expected block bounds that end at the size ", size, ", got ",
                        numbers->back());
        });
        return block_bounds(std::move(*numbers), options, std::move(paddings));
    }

    int m_axis;
    nb::dict m_state;
};

ProcessGrid grid_of(nb::handle given) {
    const auto numbers = integers_of(given);
    require<LayoutError>(numbers.has_value(), [&] {
        return text("Layout: expected the grid to be process counts, got ", short_repr(given));
    });
    std::vector<int> extents;
    for (const std::int64_t number : *numbers) {
        require<LayoutError>(number >= 1 && number <= std::numeric_limits<int>::max(), [&] {
            return text("Layout: expected process counts in [1, 2^31), got ", number);
        });
        extents.push_back(static_cast<int>(number));
    }
    return ProcessGrid(std::span<const int>(extents));
}

nb::tuple pair(const Widths& widths) { return nb::make_tuple(widths.low, widths.high); }

nb::dict state_of(const BlockSpec& block) {
    nb::dict result;
    result["dist_type"] = "b";
    result["size"] = block.interior_size;
    result["padding"] = pair(block.options.padding);
    if (block.split == BlockSplit::irregular) {
        result["bounds"] = int64_array(block.bounds);
        nb::list paddings;
        for (const Widths& widths : block.paddings) paddings.append(pair(widths));
        if (!block.paddings.empty()) result["padding"] = nb::tuple(paddings);
    } else {
        result["bounds"] = block.split == BlockSplit::regular ? regular : balanced;
    }
    result["boundary"] = pair(block.options.boundary);
    result["periodic"] = block.options.periodic;
    return result;
}

nb::dict state_of(const CyclicSpec& cyclic) {
    nb::dict result;
    result["dist_type"] = "c";
    result["size"] = cyclic.size;
    result["block_size"] = cyclic.block_size;
    result["periodic"] = cyclic.periodic;
    return result;
}

nb::dict state_of(const UnstructuredSpec& lists) {
    require<UsageError>(lists.known_process < 0, "Layout: expected the indices of all processes, "
                                                 "got a layout with the indices of one");
    require<UsageError>(lists.ghosts.empty(),
                        "Layout: expected a layout without ghosts, which a pickle cannot store");
    nb::list all;
    for (const std::vector<std::int64_t>& list : lists.labels) all.append(int64_array(list));
    nb::dict result;
    result["dist_type"] = "u";
    result["lists"] = nb::tuple(all);
    result["one_to_one"] = lists.one_to_one;
    result["periodic"] = lists.periodic;
    return result;
}

} // namespace

std::vector<AxisSpec> axes_of_state(nb::handle axes) {
    const auto given = items_of(axes);
    require<LayoutError>(given.has_value(), [&] {
        return text("Layout: expected the axes to be dictionaries, got ", short_repr(axes));
    });
    std::vector<AxisSpec> specs;
    for (const nb::object& axis : *given)
        specs.push_back(AxisState(static_cast<int>(specs.size()), axis).spec());
    return specs;
}

ArrayLayout layout_of_state(nb::handle grid, nb::handle axes) {
    const std::vector<AxisSpec> specs = axes_of_state(axes);
    return ArrayLayout(grid_of(grid), specs);
}

nb::tuple state_of_layout(const ArrayLayout& layout) {
    nb::list grid;
    nb::list axes;
    for (int d = 0; d < layout.rank(); ++d) {
        grid.append(nb::int_(layout.grid().extent(d)));
        axes.append(std::visit([](const auto& spec) { return state_of(spec); },
                               axis_spec(layout.axis(d)).value));
    }
    return nb::make_tuple(nb::tuple(grid), nb::tuple(axes));
}

} // namespace distview::python
