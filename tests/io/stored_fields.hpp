// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../unit/comm/redistribution_oracle.hpp"

#include <distview/comm/communicator.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/core/any_dist_view.hpp>
#include <distview/io.hpp>
#include <distview_testing/random.hpp>
#include <distview_testing/ranks.hpp>

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace distview::testing {

/// A temporary folder that all ranks share, removed at the end. Collective.
class SharedFolder {
public:
    SharedFolder() {
        std::array<char, 64> name{};
        if (rank() == 0) {
            std::strcpy(name.data(), "/tmp/distview-io-XXXXXX");
            if (!::mkdtemp(name.data())) name[0] = '\0';
        }
        MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
        m_path = name.data();
    }
    ~SharedFolder() {
        int finalized = 0;
        MPI_Finalized(&finalized);
        if (!finalized) MPI_Barrier(MPI_COMM_WORLD);
        std::error_code ignored;
        if (rank() == 0) std::filesystem::remove_all(m_path, ignored);
    }
    SharedFolder(const SharedFolder&) = delete;
    SharedFolder& operator=(const SharedFolder&) = delete;

    std::string file(const std::string& name) const { return m_path + "/" + name; }
    const std::string& path() const { return m_path; }
    /// The sorted names of its entries.
    std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (const auto& entry : std::filesystem::directory_iterator(m_path))
            result.push_back(entry.path().filename());
        std::sort(result.begin(), result.end());
        return result;
    }

private:
    std::string m_path;
};

/// A communicator of the first ranks, freed at the end; the other ranks have none. Collective.
class FirstRanks {
public:
    explicit FirstRanks(int count) {
        MPI_Comm_split(MPI_COMM_WORLD, rank() < count ? 0 : MPI_UNDEFINED, 0, &m_mpi);
        if (m_mpi != MPI_COMM_NULL) m_comm = std::make_unique<Communicator>(m_mpi);
    }
    ~FirstRanks() {
        if (m_comm) m_comm->close();
        if (m_mpi != MPI_COMM_NULL) MPI_Comm_free(&m_mpi);
    }
    FirstRanks(const FirstRanks&) = delete;
    FirstRanks& operator=(const FirstRanks&) = delete;
    explicit operator bool() const { return m_comm != nullptr; }
    const Communicator& comm() const { return *m_comm; }

private:
    MPI_Comm m_mpi = MPI_COMM_NULL;
    std::unique_ptr<Communicator> m_comm;
};

using CellNumbers = std::array<std::int64_t, max_rank>;

/// Byte `i` of a cell's element, hashed so that no wrong element looks like the right one.
inline unsigned char byte_of(const ElementType& element, const CellNumbers& cell, std::int64_t i,
                             std::uint64_t salt) {
    std::uint64_t hash = salt + 0x9e3779b97f4a7c15u;
    for (const std::int64_t number : cell)
        hash = (hash ^ static_cast<std::uint64_t>(number)) * 0xd6e8feb86659fd93u + (hash >> 29);
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93u + static_cast<std::uint64_t>(i);
    hash = (hash ^ (hash >> 31)) * 0xd6e8feb86659fd93u;
    const auto byte = static_cast<unsigned char>(hash >> 56);
    return element.kind == ElementKind::boolean ? byte & 1 : byte;
}

/// The cell number of each position of a section along one axis, counted by ascending index; -1 for padding and
/// ghosts.
inline std::vector<std::int64_t> cells_along(const AxisLayout& axis, int coordinate) {
    std::vector<std::int64_t> labels;
    if (axis.type() == DistType::unstructured) {
        for (int p = 0; p < axis.grid_size(); ++p)
            for (LocalIndex l(0); l < axis.interior_local(p).end; ++l)
                labels.push_back(axis.to_global(p, l).value());
        std::sort(labels.begin(), labels.end());
        labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    }
    std::vector<std::int64_t> cells;
    for (LocalIndex l(0); l < LocalIndex(axis.local_extent(coordinate)); ++l) {
        if (!axis.interior_local(coordinate).contains(l)) {
            cells.push_back(-1);
            continue;
        }
        const std::int64_t g = axis.to_global(coordinate, l).value();
        cells.push_back(labels.empty()
                            ? g
                            : std::lower_bound(labels.begin(), labels.end(), g) - labels.begin());
    }
    return cells;
}

/// A section of any element type, with random strides and gaps, in memory of the arena or in ordinary memory.
class StoredSection {
public:
    StoredSection(const Communicator& comm, const ArrayLayout& layout, const ElementType& element,
                  Random& random)
        : m_layout(layout), m_process(comm.rank()), m_element(element) {
        const Extents extents = layout.local_extents(m_process);
        const auto axes = static_cast<std::size_t>(layout.rank());
        std::vector<std::size_t> order(axes);
        for (std::size_t d = 0; d < axes; ++d) order[d] = axes - 1 - d;
        if (random.chance(0.4)) random.shuffle(order);
        const std::int64_t gap = random.chance(0.4) ? random.integer(1, 4) : 0;
        AnySection section;
        section.element = element;
        section.extents.assign(extents.begin(), extents.begin() + layout.rank());
        section.strides.resize(axes);
        std::int64_t stride = element.bytes * (gap > 0 ? random.integer(1, 3) : 1);
        for (const std::size_t d : order) {
            section.strides[d] = stride;
            stride = stride * std::max<std::int64_t>(extents[d], 1) + gap * element.bytes;
        }
        m_bytes.resize(0);
        m_size = static_cast<std::size_t>(stride + element.bytes);
        if (random.chance(0.5)) m_memory = allocate_shared(comm, m_size);
        if (!m_memory)
            m_memory = std::shared_ptr<void>(
                ::operator new(m_size, std::align_val_t{64}),
                [](void* memory) { ::operator delete(memory, std::align_val_t{64}); });
        std::memset(m_memory.get(), 0xcc, m_size);
        section.data = m_memory.get();
        section.owner = m_memory;
        m_any = std::make_unique<AnyDistView>(section, layout, m_process);
    }

    const AnyDistView& any() const { return *m_any; }
    void fill(std::uint64_t salt) {
        for_each([&](unsigned char* memory, const CellNumbers& cell, bool is_cell) {
            for (std::int64_t i = 0; i < m_element.bytes; ++i)
                memory[i] = is_cell ? byte_of(m_element, cell, i, salt) : 0xcc;
        });
    }
    /// Whether all cells have the expected elements, and the rest of the memory is unchanged.
    bool is_right(std::uint64_t salt) {
        bool right = true;
        std::vector<unsigned char> seen(static_cast<unsigned char*>(m_memory.get()),
                                        static_cast<unsigned char*>(m_memory.get()) + m_size);
        auto* const base = static_cast<unsigned char*>(m_memory.get());
        for_each([&](unsigned char* memory, const CellNumbers& cell, bool is_cell) {
            for (std::int64_t i = 0; i < m_element.bytes; ++i) {
                const unsigned char expected = is_cell ? byte_of(m_element, cell, i, salt) : 0xcc;
                right = right && memory[i] == expected;
                seen[static_cast<std::size_t>(memory - base + i)] = 0xcc;
            }
        });
        return right &&
               std::all_of(seen.begin(), seen.end(), [](unsigned char b) { return b == 0xcc; });
    }

private:
    template <class Visit>
    void for_each(const Visit& visit) {
        const GridCoordinates at = m_layout.coordinates(m_process);
        std::vector<std::vector<std::int64_t>> cells;
        for (int d = 0; d < m_layout.rank(); ++d)
            cells.push_back(cells_along(m_layout.axis(d), at[static_cast<std::size_t>(d)]));
        CellNumbers cell{};
        const auto along = [&](const auto& self, std::size_t d, std::int64_t offset,
                               bool is_cell) -> void {
            if (d == cells.size())
                return visit(static_cast<unsigned char*>(m_memory.get()) + offset, cell, is_cell);
            for (std::size_t l = 0; l < cells[d].size(); ++l) {
                cell[d] = cells[d][l];
                self(self, d + 1,
                     offset + static_cast<std::int64_t>(l) * m_any->section().strides[d],
                     is_cell && cell[d] >= 0);
            }
        };
        along(along, 0, 0, true);
    }

    ArrayLayout m_layout;
    int m_process;
    ElementType m_element;
    std::vector<unsigned char> m_bytes;
    std::size_t m_size = 0;
    std::shared_ptr<void> m_memory;
    std::unique_ptr<AnyDistView> m_any;
};

/// Whether `bytes` are the expected elements of all cells in C order.
inline bool are_in_c_order(const std::vector<unsigned char>& bytes, const ElementType& element,
                           const std::vector<std::int64_t>& shape, std::uint64_t salt) {
    CellNumbers cell{};
    std::size_t at = 0;
    bool right = true;
    const auto along = [&](const auto& self, std::size_t d) -> void {
        if (d == shape.size()) {
            for (std::int64_t i = 0; i < element.bytes; ++i, ++at)
                right = right && at < bytes.size() && bytes[at] == byte_of(element, cell, i, salt);
            return;
        }
        for (cell[d] = 0; cell[d] < shape[d]; ++cell[d]) self(self, d + 1);
        cell[d] = 0;
    };
    along(along, 0);
    return right && at == bytes.size();
}

inline ElementType random_element(Random& random) {
    static const std::vector<ElementType> all{
        {ElementKind::signed_integer, 1},   {ElementKind::signed_integer, 2},
        {ElementKind::signed_integer, 4},   {ElementKind::signed_integer, 8},
        {ElementKind::unsigned_integer, 1}, {ElementKind::unsigned_integer, 2},
        {ElementKind::unsigned_integer, 4}, {ElementKind::unsigned_integer, 8},
        {ElementKind::floating_point, 2},   {ElementKind::floating_point, 4},
        {ElementKind::floating_point, 8},   {ElementKind::bfloat, 2},
        {ElementKind::complex, 8},          {ElementKind::complex, 16},
        {ElementKind::boolean, 1},          {ElementKind::opaque, 3},
        {ElementKind::opaque, 12},          {ElementKind::opaque, 24}};
    return random.pick(all);
}

/// A random layout of this shape.
inline ArrayLayout random_stored_layout(Random& random, int processes,
                                        const std::vector<std::int64_t>& shape) {
    if (shape.empty()) return ArrayLayout();
    // Sometimes blocks of rows, which the library writes by a separate path.
    const int axes = static_cast<int>(shape.size());
    std::vector<int> grid = random_process_grid(random, processes, axes);
    const bool has_rows = random.chance(0.3);
    if (has_rows) {
        grid.assign(shape.size(), 1);
        grid[0] = processes;
    }
    std::vector<AxisSpec> specs;
    for (int d = 0; d < axes; ++d) {
        AxisSpec spec = random_axis_spec(random, grid[static_cast<std::size_t>(d)],
                                         shape[static_cast<std::size_t>(d)]);
        if (has_rows && !std::holds_alternative<BlockSpec>(spec.value))
            spec = block(shape[static_cast<std::size_t>(d)], {.padding = random.integer(0, 3)});
        specs.push_back(spec);
    }
    return {ProcessGrid(grid), specs};
}

inline std::vector<std::int64_t> random_shape(Random& random) {
    static constexpr std::array<std::int64_t, 5> limits{0, 300, 30, 12, 6};
    std::vector<std::int64_t> shape(static_cast<std::size_t>(random.integer(0, 5)));
    const std::int64_t limit = limits.at(shape.size());
    for (std::int64_t& extent : shape)
        extent = random.chance(0.05) ? 0 : random.integer(1, limit + 1);
    return shape;
}

} // namespace distview::testing
