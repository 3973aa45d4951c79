// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transfer.hpp"

#include "check_field.hpp"
#include "from_root.hpp"
#include "rounds.hpp"
#include "stage.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/error.hpp>
#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <span>
#include <utility>

namespace distview::impl {

namespace {

/// Shorter runs of consecutive bytes are reordered by a redistribution, which copies in square tiles.
constexpr std::int64_t shortest_run = 64;

/// Facts that all ranks must know before an array is moved.
struct Outline {
    bool goes_directly = false;
    std::vector<std::int64_t> most_below; ///< see Rounds
};

/// Collective.
Outline make_outline(const Communicator& comm, const MovableArray& movable) {
    const OwnBox box = own_box(movable);
    const AnySection& section = movable.array.section();
    const StridedBytes bytes(box.data, box.extents, box.strides, section.element.bytes);
    const bool runs = box.is_empty || bytes.run_bytes() >= std::min(shortest_run, bytes.bytes());
    std::vector<std::int64_t> most{runs && section.device.host_accessible() ? 0 : 1};
    std::int64_t below = section.element.bytes;
    for (std::size_t d = box.extents.size(); d-- > 0; below *= box.extents[d])
        most.push_back(below);
    all_reduce(comm, ReduceOperation::max, std::span(most));
    Outline outline;
    outline.goes_directly = most[0] == 0 && has_rows_in_order(movable);
    outline.most_below.assign(most.rbegin(), most.rend() - 1);
    return outline;
}

/// The range of this rank's bytes in the file's order, if rows are in order.
std::pair<std::int64_t, std::int64_t> own_bytes(const MovableArray& movable) {
    const int axis = movable.permutation[0];
    const AxisLayout& layout = movable.array.layout().axis(axis);
    const int at =
        movable.array.layout().coordinates(movable.array.process())[static_cast<std::size_t>(axis)];
    const std::int64_t below = movable.bytes_below(0);
    if (!layout.is_block()) return {0, layout.size() * below};
    const GlobalRange mine = layout.as_block().interior(at);
    return {mine.begin.value() * below, mine.end.value() * below};
}

std::vector<int> inverse(const std::vector<int>& permutation) {
    std::vector<int> result(permutation.size());
    for (std::size_t d = 0; d < permutation.size(); ++d)
        result[static_cast<std::size_t>(permutation[d])] = static_cast<int>(d);
    return result;
}

/// Converts slices by axis of the file to slices by axis of the array.
std::vector<AxisSlice> of_array(const std::vector<AxisSlice>& slices,
                                const std::vector<int>& permutation) {
    std::vector<AxisSlice> result(slices.size());
    for (std::size_t d = 0; d < slices.size(); ++d)
        result[static_cast<std::size_t>(permutation[d])] = slices[d];
    return result;
}

std::vector<AxisSlice> whole(const std::vector<AxisSlice>& slices) {
    std::vector<AxisSlice> result;
    for (const AxisSlice& slice : slices) result.push_back({0, slice.count, 1});
    return result;
}

/// Reports that `part` of `parts` are done. Rank 0 reports its own part: the other ranks are about as far.
void tell(const Communicator& comm, const Transfer& transfer, const StoredArray& stored,
          std::int64_t part, std::int64_t parts) {
    if (!transfer.progress || comm.rank() != 0) return;
    const double bytes = static_cast<double>(stored.bytes());
    transfer.progress(part < parts ? static_cast<std::int64_t>(static_cast<double>(part) /
                                                               static_cast<double>(parts) * bytes)
                                   : stored.bytes());
}

} // namespace

FileOptions options_of_root(const Communicator& comm, FileOptions options) {
    take_from_root(comm, options.buffer_bytes, options.sync);
    return options;
}

std::function<void(std::int64_t)>
progress_of(const FileOptions& options, const std::vector<NamedArray>& arrays, std::size_t number) {
    if (!options.progress) return {};
    std::int64_t before = 0, all = 0;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        std::int64_t bytes = arrays[a].array.section().element.bytes;
        for (int d = 0; d < arrays[a].array.rank(); ++d) bytes *= arrays[a].array.extent(d);
        if (a < number) before += bytes;
        all += bytes;
    }
    return [before, all, progress = options.progress](std::int64_t done) {
        progress(before + done, all);
    };
}

void check_processes(const std::string& caller, const Communicator& comm,
                     const AnyDistView& array) {
    require<UsageError>(
        array.layout().process_count() == comm.size() && array.process() == comm.rank(), [&] {
            return text(caller, ": expected an array on ", comm.size(),
                        " processes, one for each rank, and its section of process ", comm.rank(),
                        ", got an array on ", array.layout().process_count(),
                        " processes and the section of process ", array.process());
        });
}

std::uint64_t digest_of(const FilePlace& place, const std::vector<NamedArray>& arrays,
                        Names names) {
    Hash digest;
    const auto add_text = [&](const std::string& characters) {
        digest.add(characters.size());
        for (const char c : characters) digest.add(c);
    };
    add_text(place.path);
    digest.add(place.step).add(arrays.size());
    for (const NamedArray& each : arrays) {
        const ElementType& element = each.array.section().element;
        digest.add(element.kind).add(element.bytes).add(each.array.layout().fingerprint());
        if (names == Names::of_all) add_text(each.name);
    }
    return digest.value();
}

std::vector<Argument> arguments_of(const FilePlace& place, const std::vector<NamedArray>& arrays,
                                   Names names) {
    std::vector<Argument> arguments{{"path", text('\'', place.path, '\'')},
                                    {"step", text(place.step)},
                                    {"number of arrays", text(arrays.size())}};
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        const AnyDistView& array = arrays[a].array;
        if (names == Names::of_all)
            arguments.push_back({text("name of array ", a), text('\'', arrays[a].name, '\'')});
        arguments.push_back(
            {text("array ", a), describe_field(array.section().element, shape_of(array))});
        arguments.push_back({text("layout of array ", a), impl::describe_fully(array.layout())});
    }
    return arguments;
}

void check_not_replaced(const Communicator& comm, const std::string& caller,
                        const RawFile& of_root) {
    agree_on(comm, caller.c_str(), [&] {
        require<Error>(comm.rank() != 0 || !of_root.is_replaced(), [&] {
            return text(caller, ": expected file '", of_root.path(),
                        "' to stay in place while it is read, got another file under this name");
        });
    });
}

std::vector<std::int64_t> file_extents(const AnyDistView& array,
                                       const std::vector<int>& permutation) {
    std::vector<std::int64_t> extents;
    for (const int axis : permutation) extents.push_back(array.extent(axis));
    return extents;
}

void write_array(const Communicator& comm, const AnyDistView& array, const RawFile& file,
                 const StoredArray& stored, Transfer& transfer) {
    const char* const caller = transfer.caller.c_str();
    const auto movable =
        agree_on(comm, caller, [&] { return make_movable(array, transfer.permutation); });
    if (stored.elements() == 0) return;
    const Outline outline = make_outline(comm, movable);

    if (outline.goes_directly) {
        agree_on(comm, caller, [&] {
            const OwnBox box = own_box(movable);
            if (box.is_empty) return tell(comm, transfer, stored, 1, 1);
            const StridedBytes memory(box.data, box.extents, box.strides,
                                      movable.array.section().element.bytes);
            const auto [begin, end] = own_bytes(movable);
            const std::int64_t mine = end - begin;
            std::vector<std::byte> copy;
            write_piece(file, stored, transfer.blocks, transfer.what, begin, end,
                        [&, base = begin](std::int64_t b, std::int64_t e) -> const std::byte* {
                            tell(comm, transfer, stored, b - base, mine);
                            const std::byte* const found = memory.find(b - base, e - base);
                            if (found) return found;
                            copy.resize(static_cast<std::size_t>(e - b));
                            memory.copy_out(b - base, e - base, copy.data());
                            return copy.data();
                        });
            tell(comm, transfer, stored, 1, 1);
        });
        return;
    }

    const Rounds rounds(movable, comm.rank(), comm.size(), transfer.buffer_bytes,
                        outline.most_below);
    Stage stage = agree_on(comm, caller, [&] {
        return Stage(comm, rounds.run_bytes(), movable.array.section().device);
    });
    for (std::int64_t number = 0; number < rounds.count(); ++number) {
        const Round round = rounds.round(number);
        RedistributionPlan plan(comm, movable.array.layout(), round.layout,
                                {.permutation = movable.permutation,
                                 .from_slice = of_array(round.slices, movable.permutation),
                                 .to_slice = whole(round.slices)});
        stage.execute(plan, movable.array,
                      stage.array(movable.array.section().element, round.layout, comm.rank()));
        stage.bring_to_host(round.end - round.begin);
        agree_on(comm, caller, [&] {
            write_piece(
                file, stored, transfer.blocks, transfer.what, round.begin, round.end,
                [&](std::int64_t b, std::int64_t) { return stage.host() + (b - round.begin); });
            tell(comm, transfer, stored, round.all_end, stored.bytes());
        });
    }
}

void read_array(const Communicator& comm, const AnyDistView& array, const ByteSource& source,
                const StoredArray& stored, const Transfer& transfer, const std::string& where) {
    const char* const caller = transfer.caller.c_str();
    const auto movable = agree_on(comm, caller, [&] {
        require<ShapeError>(!array.section().read_only, [&] {
            return text(caller, ": expected a writable array for ", transfer.what,
                        ", got a read-only array");
        });
        return make_movable(array, transfer.permutation);
    });
    if (stored.elements() == 0) return;
    array.mark_written();
    const Outline outline = make_outline(comm, movable);

    if (outline.goes_directly) {
        agree_on(comm, caller, [&] {
            const OwnBox box = own_box(movable);
            if (box.is_empty) return tell(comm, transfer, stored, 1, 1);
            const StridedBytes memory(box.data, box.extents, box.strides,
                                      movable.array.section().element.bytes);
            const auto [begin, end] = own_bytes(movable);
            std::vector<std::byte> copy;
            const std::int64_t base = begin;
            const std::int64_t mine = end - begin;
            read_piece(source, stored.bytes(), transfer.blocks, caller, where, begin, end,
                       {[&](std::int64_t b, std::int64_t e) {
                            std::byte* const found = memory.find(b - base, e - base);
                            if (found) return found;
                            copy.resize(static_cast<std::size_t>(e - b));
                            return copy.data();
                        },
                        [&](std::int64_t b, std::int64_t e) {
                            if (!memory.find(b - base, e - base))
                                memory.copy_in(b - base, e - base, copy.data());
                            tell(comm, transfer, stored, e - base, mine);
                        }});
        });
        return;
    }

    const Rounds rounds(movable, comm.rank(), comm.size(), transfer.buffer_bytes,
                        outline.most_below);
    Stage stage = agree_on(comm, caller, [&] {
        return Stage(comm, rounds.run_bytes(), movable.array.section().device);
    });
    for (std::int64_t number = 0; number < rounds.count(); ++number) {
        const Round round = rounds.round(number);
        agree_on(comm, caller, [&] {
            read_piece(
                source, stored.bytes(), transfer.blocks, caller, where, round.begin, round.end,
                {[&](std::int64_t b, std::int64_t) { return stage.host() + (b - round.begin); },
                 [](std::int64_t, std::int64_t) {}});
            tell(comm, transfer, stored, round.all_end, stored.bytes());
        });
        stage.bring_to_device(round.end - round.begin);
        RedistributionPlan plan(comm, round.layout, movable.array.layout(),
                                {.permutation = inverse(movable.permutation),
                                 .from_slice = whole(round.slices),
                                 .to_slice = of_array(round.slices, movable.permutation)});
        stage.execute(plan, stage.array(movable.array.section().element, round.layout, comm.rank()),
                      movable.array);
    }
}

} // namespace distview::impl
