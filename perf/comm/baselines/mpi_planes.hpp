// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mpi_packed.hpp"
#include "row_sweep.hpp"
#include "section.hpp"

#include <mpi.h>

namespace distview::perf {

/// Expert MPI where ranks split the slowest axis, the most favourable case: first the other axes are wrapped in
/// place, then whole padded planes, which are contiguous, travel without packing.
class MpiPlanes {
public:
    static bool applies(const Section& section) {
        for (int axis = 0; axis < section.split_axis; ++axis)
            if (section.extent(static_cast<std::size_t>(axis)) != 1) return false;
        return section.ranks > 1;
    }

    MpiPlanes(MPI_Comm comm, const Section& section, double* array)
        : m_sweep(section), m_array(array) {
        const auto axis = static_cast<std::size_t>(section.split_axis);
        const std::int64_t plane = section.stride(axis);
        const std::int64_t n = section.cells[axis];
        const std::int64_t w = section.width[axis];
        const auto count = static_cast<int>(w * plane);
        m_sent_bytes = 2 * w * plane * 8;
        const auto at = [&](std::int64_t l) { return array + l * plane; };
        m_requests.receive(comm, at(0), count, MPI_DOUBLE, section.below(), 3);
        m_requests.receive(comm, at(w + n), count, MPI_DOUBLE, section.above(), 4);
        m_requests.send(comm, at(n), count, MPI_DOUBLE, section.above(), 3);
        m_requests.send(comm, at(w), count, MPI_DOUBLE, section.below(), 4);
    }

    void execute() {
        m_requests.start_receives();
        wrap();
        m_requests.start_sends();
        m_requests.wait();
    }

    // The parts of an exchange, to be timed one by one.
    void wrap() { m_sweep.fill_own(m_array); }
    void message() {
        m_requests.start_receives();
        m_requests.start_sends();
        m_requests.wait();
    }
    std::int64_t sent_bytes() const { return m_sent_bytes; }

private:
    RowSweep m_sweep;
    double* m_array;
    std::int64_t m_sent_bytes = 0;
    Requests m_requests;
};

} // namespace distview::perf
