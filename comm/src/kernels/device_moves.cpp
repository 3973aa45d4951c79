// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/kernels/device_moves.hpp>

#include <distview/core/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace distview::impl {

namespace {

/// Distance between elements of a loop.
std::int64_t distance(const MoveLoop& loop, std::int64_t stride, const std::int64_t* table) {
    return std::abs(table && loop.count > 1 ? table[1] - table[0] : stride);
}
/// Keys by which loops are sorted: loops of one element come first.
auto along_target(const MoveLoop& loop) {
    return std::pair(loop.count == 1, distance(loop, loop.to_stride, loop.to_table));
}
auto along_source(const MoveLoop& loop) {
    return std::pair(loop.count == 1, distance(loop, loop.from_stride, loop.from_table));
}

/// A move that still refers to the tables of `axes`.
struct HostMove {
    DeviceMove move{};
    std::vector<MoveLoop> loops; ///< other loops, then column, then row
    std::int64_t tiles = 0;

    void add(const MoveLoop& loop) {
        if (loop.count != 1 || loop.has_tables()) loops.push_back(loop);
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
    void arrange();
};

/// Orders axes and chooses tiles: squares if axes are transposed, else as long as rows, because
/// rows are contiguous in memory.
void HostMove::arrange() {
    for (const MoveLoop& loop : loops)
        if (loop.count == 0) return;
    while (loops.size() < 2) loops.insert(loops.begin(), MoveLoop{});
    std::stable_sort(loops.begin(), loops.end(), [](const MoveLoop& a, const MoveLoop& b) {
        return along_target(a) > along_target(b);
    });
    const auto row = loops.end() - 1;
    const auto source_row =
        std::min_element(loops.begin(), loops.end(), [](const MoveLoop& a, const MoveLoop& b) {
            return along_source(a) < along_source(b);
        });
    move.transposes = source_row != row && source_row->count > 1 &&
                      along_source(*source_row).second < along_source(*row).second;
    if (move.transposes) std::rotate(source_row, source_row + 1, row);

    constexpr std::int64_t all = DeviceMove::tile_elements;
    constexpr std::int64_t edge = DeviceMove::tile_edge;
    const std::int64_t rows = row->count;
    const std::int64_t columns = (row - 1)->count;
    // Rows longer than a tile are cut evenly: a rest of a few elements would take as long as a tile.
    const std::int64_t parts = (rows + all - 1) / all;
    const std::int64_t part = (rows + parts - 1) / parts;
    std::int64_t tile_rows = std::min(rows, (part + edge - 1) / edge * edge);
    if (move.transposes) tile_rows = std::min(rows, columns < edge ? all / columns : edge);
    std::int64_t tile_columns = std::min(columns, all / tile_rows);
    move.tile_rows = static_cast<int>(tile_rows);
    move.tile_columns = static_cast<int>(tile_columns);
    move.other_count = static_cast<int>(loops.size()) - 2;

    const std::int64_t along_row = (rows + tile_rows - 1) / tile_rows;
    const std::int64_t along_column = (columns + tile_columns - 1) / tile_columns;
    move.tiles_along_row = static_cast<int>(along_row);
    move.tiles_along_column = static_cast<int>(along_column);
    tiles = along_row * along_column;
    for (std::size_t d = 0; d + 2 < loops.size(); ++d) tiles *= loops[d].count;
}

/// Each element of a table adds two numbers to the memory that kernels read. An axis with more
/// elements stays a list of runs, and each run has separate tiles.
constexpr std::int64_t longest_table = std::int64_t{1} << 20;

/// Turns a transfer into moves: one, unless an axis has runs with too many elements for a
/// table. `axes` are the transfer's axes, and keep the tables.
std::vector<HostMove> moves_of(const MoveTransfer& transfer,
                               std::vector<MoveTransfer::Axis>& axes) {
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
                each.add({static_cast<std::int64_t>(axis.from_table.size()), 0, 0,
                          axis.from_table.data(), axis.to_table.data()});
            rest /= axis.choices();
        }
        each.arrange();
        if (each.tiles > 0) result.push_back(std::move(each));
    }
    return result;
}

} // namespace

DeviceTable<DeviceMove> move_table(DeviceLayer& layer, const std::vector<MoveTransfer>& transfers) {
    DeviceTable<DeviceMove> table;
    std::vector<HostMove> arranged;
    std::size_t numbers = 0;
    std::vector<std::vector<MoveTransfer::Axis>> axes;
    axes.reserve(transfers.size());
    for (const MoveTransfer& transfer : transfers)
        for (HostMove& each : moves_of(transfer, axes.emplace_back(transfer.axes()))) {
            each.move.first = static_cast<int>(table.units);
            table.units += each.tiles;
            for (const MoveLoop& loop : each.loops)
                if (loop.has_tables()) numbers += static_cast<std::size_t>(loop.count) * 2;
            arranged.push_back(std::move(each));
        }
    table.count = static_cast<int>(arranged.size());
    require<Error>(table.units <= std::numeric_limits<int>::max(),
                   "RedistributionPlan: more elements than one kernel moves");
    if (table.units == 0) return table;

    // The moves, followed by all tables.
    static_assert(sizeof(DeviceMove) % sizeof(std::int64_t) == 0);
    const std::size_t head = arranged.size() * sizeof(DeviceMove);
    std::vector<char> image(head + numbers * sizeof(std::int64_t));
    table.memory = layer.allocate_device(image.size());
    std::size_t at = head;
    const auto place = [&](const std::int64_t* offsets, std::int64_t count) {
        const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(std::int64_t);
        std::memcpy(image.data() + at, offsets, bytes);
        const char* const address = table.memory.get() + at;
        at += bytes;
        return reinterpret_cast<const std::int64_t*>(address);
    };
    for (std::size_t m = 0; m < arranged.size(); ++m) {
        HostMove& each = arranged[m];
        for (MoveLoop& loop : each.loops) {
            if (!loop.has_tables()) continue;
            loop.from_table = place(loop.from_table, loop.count);
            loop.to_table = place(loop.to_table, loop.count);
        }
        std::copy(each.loops.begin(), each.loops.end() - 2, each.move.others);
        each.move.column = *(each.loops.end() - 2);
        each.move.row = each.loops.back();
        static_assert(std::is_trivially_copyable_v<DeviceMove>);
        std::memcpy(image.data() + m * sizeof(DeviceMove), &each.move, sizeof(DeviceMove));
    }
    layer.upload(table.memory.get(), image.data(), image.size());
    return table;
}

} // namespace distview::impl
