// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/kernels/device_moves.hpp>

#include <distview/core/error.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview::impl {

namespace {

/// An axis with its tables, which have no address yet.
struct HostAxis {
    DeviceAxis axis{};
    std::vector<std::int64_t> from_table;
    std::vector<std::int64_t> to_table;

    std::int64_t distance(std::int64_t stride, const std::vector<std::int64_t>& table) const {
        return std::abs(table.size() > 1 ? table[1] - table[0] : stride);
    }
    std::int64_t to_distance() const { return distance(axis.to_stride, to_table); }
    std::int64_t from_distance() const { return distance(axis.from_stride, from_table); }
};

struct HostMove {
    DeviceMove move{};
    std::vector<HostAxis> axes; ///< the others, then column, then row
    std::int64_t tiles = 0;

    void add(const MoveLoop& loop) {
        if (loop.count != 1)
            axes.push_back(
                {{loop.count, loop.from_stride, loop.to_stride, nullptr, nullptr}, {}, {}});
    }
    void add(const MoveTransfer::Run& run) {
        move.from += run.from;
        move.to += run.to;
        MoveLoop both = run.elements;
        if (run.repeats.from_stride == both.count * both.from_stride &&
            run.repeats.to_stride == both.count * both.to_stride) {
            both.count *= run.repeats.count;
            return add(both);
        }
        add(run.repeats);
        add(both);
    }
    void add_tables(const MoveTransfer::Axis& axis) {
        const auto count = static_cast<std::int64_t>(axis.from_table.size());
        axes.push_back({{count, 0, 0, nullptr, nullptr}, axis.from_table, axis.to_table});
    }
    void arrange();
};

/// Puts axes in their order and chooses tiles: squares where they are transposed, else as long as rows are,
/// since rows are what lies together in memory.
void HostMove::arrange() {
    for (const HostAxis& axis : axes)
        if (axis.axis.count == 0) return;
    while (axes.size() < 2) axes.insert(axes.begin(), HostAxis{});
    std::stable_sort(axes.begin(), axes.end(), [](const HostAxis& a, const HostAxis& b) {
        // Axes of one element come first.
        return std::pair(a.axis.count == 1, a.to_distance()) >
               std::pair(b.axis.count == 1, b.to_distance());
    });
    const auto row = axes.end() - 1;
    const auto along_source =
        std::min_element(axes.begin(), axes.end(), [](const HostAxis& a, const HostAxis& b) {
            return std::pair(a.axis.count == 1, a.from_distance()) <
                   std::pair(b.axis.count == 1, b.from_distance());
        });
    move.transposes = along_source != row && along_source->axis.count > 1 &&
                      along_source->from_distance() < row->from_distance();
    if (move.transposes) std::rotate(along_source, along_source + 1, row);

    constexpr std::int64_t all = DeviceMove::tile_elements;
    constexpr std::int64_t edge = DeviceMove::tile_edge;
    const std::int64_t rows = row->axis.count;
    const std::int64_t columns = (row - 1)->axis.count;
    // Rows that are longer than a tile are cut evenly: a rest of a few elements would take as long as a tile.
    const std::int64_t parts = (rows + all - 1) / all;
    const std::int64_t part = (rows + parts - 1) / parts;
    std::int64_t tile_rows = std::min(rows, (part + edge - 1) / edge * edge);
    if (move.transposes) tile_rows = std::min(rows, columns < edge ? all / columns : edge);
    std::int64_t tile_columns = std::min(columns, all / tile_rows);
    move.tile_rows = static_cast<int>(tile_rows);
    move.tile_columns = static_cast<int>(tile_columns);
    move.other_count = static_cast<int>(axes.size()) - 2;

    move.row = row->axis;
    move.column = (row - 1)->axis;
    tiles = move.tiles_along_row() * move.tiles_along_column();
    for (std::size_t d = 0; d + 2 < axes.size(); ++d) tiles *= axes[d].axis.count;
}

/// The sizes of tables count twice in the memory that kernels read, so that beyond this many elements an axis
/// stays a list of runs, each of which has kernels' tiles of its own.
constexpr std::int64_t longest_table = std::int64_t{1} << 20;

/// A transfer as moves: one, unless it has runs along an axis that are too long for a table.
std::vector<HostMove> moves_of(const MoveTransfer& transfer) {
    std::vector<MoveTransfer::Axis> axes = transfer.axes();
    std::int64_t choices = 1;
    for (MoveTransfer::Axis& axis : axes) {
        std::int64_t elements = 0;
        for (const MoveTransfer::Run& run : axis.runs)
            elements += run.repeats.count * run.elements.count;
        if (axis.runs.size() > 1 && elements <= longest_table) axis.make_tables();
        choices *= axis.choices();
    }
    std::vector<HostMove> result;
    for (std::int64_t choice = 0; choice < choices; ++choice) {
        HostMove each;
        each.move.from = transfer.from();
        each.move.to = transfer.to();
        std::int64_t rest = choice;
        for (const MoveTransfer::Axis& axis : axes) {
            if (axis.from_table.empty())
                each.add(axis.runs[static_cast<std::size_t>(rest % axis.choices())]);
            else
                each.add_tables(axis);
            rest /= axis.choices();
        }
        each.arrange();
        if (each.tiles > 0) result.push_back(std::move(each));
    }
    return result;
}

} // namespace

DeviceMoves::DeviceMoves(DeviceLayer& layer, const std::vector<MoveTransfer>& transfers) {
    std::vector<HostMove> arranged;
    std::size_t numbers = 0;
    for (const MoveTransfer& transfer : transfers)
        for (HostMove& each : moves_of(transfer)) {
            each.move.first_tile = m_tiles;
            m_tiles += each.tiles;
            for (const HostAxis& axis : each.axes) numbers += axis.from_table.size() * 2;
            arranged.push_back(std::move(each));
        }
    m_count = static_cast<int>(arranged.size());
    require<Error>(m_tiles <= std::numeric_limits<int>::max(),
                   "RedistributionPlan: more elements than one kernel moves");
    if (m_tiles == 0) return;

    // First the moves, then the tables of all of them.
    static_assert(sizeof(DeviceMove) % sizeof(std::int64_t) == 0);
    const std::size_t head = arranged.size() * sizeof(DeviceMove);
    std::vector<char> image(head + numbers * sizeof(std::int64_t));
    m_memory = layer.allocate_device(image.size());
    std::size_t at = head;
    const auto place = [&](const std::vector<std::int64_t>& table) -> const std::int64_t* {
        if (table.empty()) return nullptr;
        std::memcpy(image.data() + at, table.data(), table.size() * sizeof(std::int64_t));
        const char* const address = m_memory.get() + at;
        at += table.size() * sizeof(std::int64_t);
        return reinterpret_cast<const std::int64_t*>(address);
    };
    for (std::size_t m = 0; m < arranged.size(); ++m) {
        HostMove& each = arranged[m];
        for (HostAxis& axis : each.axes) {
            axis.axis.from_table = place(axis.from_table);
            axis.axis.to_table = place(axis.to_table);
        }
        const std::size_t count = each.axes.size();
        for (std::size_t d = 0; d + 2 < count; ++d) each.move.others[d] = each.axes[d].axis;
        each.move.column = each.axes[count - 2].axis;
        each.move.row = each.axes[count - 1].axis;
        static_assert(std::is_trivially_copyable_v<DeviceMove>);
        std::memcpy(image.data() + m * sizeof(DeviceMove), &each.move, sizeof(DeviceMove));
    }
    layer.upload(m_memory.get(), image.data(), image.size());
}

} // namespace distview::impl
