// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "row_sweep.hpp"
#include "section.hpp"

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace distview::perf {

/// A counter in a cache line of its own, and in the adjacent line that prefetchers load with it.
struct alignas(128) Counter {
    std::atomic<std::uint64_t> value{0};

    void publish(std::uint64_t epoch) { value.store(epoch, std::memory_order_release); }
    void wait_for(std::uint64_t epoch) const {
        while (value.load(std::memory_order_acquire) < epoch) {
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#elif defined(__aarch64__)
            asm volatile("isb" ::: "memory");
#endif
        }
    }
};

/// The memory that a rank shares with its node: its counters, then its section.
struct SharedSection {
    Counter ready;                   ///< my cells may be read
    std::array<Counter, 2> consumed; ///< written by the rank below, above: it has read them
    static constexpr std::size_t bytes = 4096; ///< the section begins at a page

    double* array() { return reinterpret_cast<double*>(reinterpret_cast<char*>(this) + bytes); }
};
static_assert(sizeof(SharedSection) <= SharedSection::bytes);

/// The sections of all ranks in memory that every rank can read: MPI_Win_allocate_shared.
class SharedSections {
public:
    SharedSections(MPI_Comm comm, std::int64_t elements) {
        MPI_Info info = MPI_INFO_NULL;
        MPI_Info_create(&info);
        MPI_Info_set(info, "alloc_shared_noncontig", "true"); // each rank's own pages
        void* mine = nullptr;
        MPI_Win_allocate_shared(static_cast<MPI_Aint>(2 * SharedSection::bytes) + elements * 8, 1,
                                info, comm, &mine, &m_window);
        MPI_Info_free(&info);
        new (at_page(mine)) SharedSection;
        MPI_Barrier(comm);
    }
    ~SharedSections() { MPI_Win_free(&m_window); }
    SharedSections(const SharedSections&) = delete;
    SharedSections& operator=(const SharedSections&) = delete;

    SharedSection& of(int rank) const {
        MPI_Aint size = 0;
        int unit = 0;
        void* data = nullptr;
        MPI_Win_shared_query(m_window, rank, &size, &unit, &data);
        return *std::launder(static_cast<SharedSection*>(at_page(data)));
    }

private:
    /// MPI promises no alignment, so this aligns to a page: memory mapped twice has equal offsets within its pages.
    static void* at_page(void* data) {
        const auto at = reinterpret_cast<std::uintptr_t>(data);
        return static_cast<char*>(data) +
               (SharedSection::bytes - at % SharedSection::bytes) % SharedSection::bytes;
    }

    MPI_Win m_window = MPI_WIN_NULL;
};

/// The lower bound: a handshake with the neighbours and plain copies of the cells from the owners' memory.
///
/// Three variants: box by box, the same regions that a plan copies; in one sweep over rows; and with the owner packing
/// the elements that its neighbours read, which pays where they would fetch a cache line for every element.
class SharedWindow {
public:
    SharedWindow(MPI_Comm comm, const Section& section)
        : m_section(section), m_sweep(section), m_own(boxes(section, 0)), m_low(boxes(section, -1)),
          m_high(boxes(section, +1)),
          m_memory(comm, section.size() + elements(m_low) + elements(m_high)),
          m_me(m_memory.of(section.rank)), m_below(m_memory.of(section.below())),
          m_above(m_memory.of(section.above())), m_alone(section.ranks == 1),
          m_one_neighbour(section.below() == section.above()) {}

    double* array() { return m_me.array(); }

    void execute_boxes() {
        exchange([this] { copy(m_section, m_own, array(), array()); },
                 [this] { copy(m_section, m_low, m_below.array(), array()); },
                 [this] { copy(m_section, m_high, m_above.array(), array()); });
    }
    void execute_rows() {
        exchange([this] { m_sweep.fill_own(array()); },
                 [this] {
                     // A sweep fills both ends of a row at once, so both neighbours must be ready.
                     if (!m_one_neighbour) m_above.ready.wait_for(m_epoch);
                     m_sweep.fill_others(array(), {m_below.array(), array(), m_above.array()});
                 },
                 [] {});
    }
    void execute_packed() {
        pack(m_section, m_high, array(), pack(m_section, m_low, array(), packed(m_me)));
        exchange([this] { copy(m_section, m_own, array(), array()); },
                 [this] { unpack(m_section, m_low, packed(m_below), array()); },
                 [this] { unpack(m_section, m_high, packed(m_above) + elements(m_low), array()); });
    }

private:
    double* packed(SharedSection& of) const { return of.array() + m_section.size(); }

    template <class Own, class Low, class High>
    void exchange(const Own& own, const Low& low, const High& high) {
        ++m_epoch;
        if (m_alone) return own();
        m_me.ready.publish(m_epoch);
        own();
        m_below.ready.wait_for(m_epoch);
        low();
        if (m_one_neighbour) {
            high();
            m_below.consumed[0].publish(m_epoch);
            m_me.consumed[0].wait_for(m_epoch);
            return;
        }
        m_above.ready.wait_for(m_epoch);
        high();
        m_below.consumed[1].publish(m_epoch); // this rank is the upper neighbour of the rank below
        m_above.consumed[0].publish(m_epoch);
        m_me.consumed[0].wait_for(m_epoch);
        m_me.consumed[1].wait_for(m_epoch);
    }

    Section m_section;
    RowSweep m_sweep;
    std::vector<Box> m_own;
    std::vector<Box> m_low;
    std::vector<Box> m_high;
    SharedSections m_memory;
    SharedSection& m_me;
    SharedSection& m_below;
    SharedSection& m_above;
    bool m_alone;
    bool m_one_neighbour;
    std::uint64_t m_epoch = 0;
};

} // namespace distview::perf
