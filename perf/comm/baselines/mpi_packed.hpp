// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "section.hpp"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace distview::perf {

/// The elements exchanged with one neighbouring rank: one message each way, even if that rank is the neighbour
/// both below and above.
struct Neighbour {
    int rank = 0;
    std::vector<Box> incoming; ///< ordered as the neighbour's `outgoing`
    std::vector<Box> outgoing;
};

inline std::vector<Neighbour> neighbours(const Section& section) {
    const std::vector<Box> low = boxes(section, -1);
    const std::vector<Box> high = boxes(section, +1);
    if (section.ranks == 1) return {};
    if (section.below() != section.above())
        // The elements sent up (`high`) fill the padding below of the rank above.
        return {{section.below(), low, high}, {section.above(), high, low}};
    std::vector<Box> both = low;
    both.insert(both.end(), high.begin(), high.end());
    return {{section.below(), both, both}};
}

/// Persistent requests, receives first; the destructor frees them.
class Requests {
public:
    Requests() = default;
    ~Requests() {
        for (MPI_Request& request : m_requests) MPI_Request_free(&request);
    }
    Requests(const Requests&) = delete;
    Requests& operator=(const Requests&) = delete;

    void receive(MPI_Comm comm, void* data, int count, MPI_Datatype type, int peer, int tag) {
        MPI_Recv_init(data, count, type, peer, tag, comm, &m_requests.emplace_back());
        ++m_receives;
    }
    void send(MPI_Comm comm, const void* data, int count, MPI_Datatype type, int peer, int tag) {
        MPI_Send_init(data, count, type, peer, tag, comm, &m_requests.emplace_back());
    }

    void start_receives() {
        if (m_receives > 0) MPI_Startall(m_receives, m_requests.data());
    }
    void start_sends() {
        const int sends = static_cast<int>(m_requests.size()) - m_receives;
        if (sends > 0) MPI_Startall(sends, m_requests.data() + m_receives);
    }
    void wait() {
        MPI_Waitall(static_cast<int>(m_requests.size()), m_requests.data(), MPI_STATUSES_IGNORE);
    }

private:
    std::vector<MPI_Request> m_requests;
    int m_receives = 0;
};

/// Expert MPI: persistent requests, packing by plain loops. Padding that wraps round onto the rank itself is
/// copied while the messages travel. Several arrays share the messages.
class MpiPacked {
public:
    MpiPacked(MPI_Comm comm, const Section& section, double* array)
        : MpiPacked(comm, section, std::vector<double*>{array}) {}
    MpiPacked(MPI_Comm comm, const Section& section, std::vector<double*> arrays)
        : m_section(section), m_arrays(std::move(arrays)), m_neighbours(neighbours(section)),
          m_own(boxes(section, 0)) {
        const auto fields = static_cast<std::int64_t>(m_arrays.size());
        std::int64_t count = 0;
        for (const Neighbour& n : m_neighbours) count += fields * elements(n.incoming);
        m_in.resize(static_cast<std::size_t>(count));
        m_out.resize(m_in.size());
        double* in = m_in.data();
        double* out = m_out.data();
        for (const Neighbour& n : m_neighbours) {
            const auto length = static_cast<int>(fields * elements(n.incoming));
            m_requests.receive(comm, in, length, MPI_DOUBLE, n.rank, 1);
            in += length;
        }
        for (const Neighbour& n : m_neighbours) {
            const auto length = static_cast<int>(fields * elements(n.outgoing));
            m_requests.send(comm, out, length, MPI_DOUBLE, n.rank, 1);
            out += length;
        }
    }

    void execute() {
        m_requests.start_receives();
        pack();
        m_requests.start_sends();
        copy_own();
        m_requests.wait();
        unpack();
    }

    // The parts of an exchange, to be timed one by one.
    void pack() {
        double* buffer = m_out.data();
        for (const Neighbour& n : m_neighbours)
            for (const double* array : m_arrays)
                buffer = perf::pack(m_section, n.outgoing, array, buffer);
    }
    void copy_own() {
        for (double* array : m_arrays) copy(m_section, m_own, array, array);
    }
    void message() {
        m_requests.start_receives();
        m_requests.start_sends();
        m_requests.wait();
    }
    void unpack() {
        const double* buffer = m_in.data();
        for (const Neighbour& n : m_neighbours)
            for (double* array : m_arrays)
                buffer = perf::unpack(m_section, n.incoming, buffer, array);
    }

    std::int64_t sent_bytes() const { return static_cast<std::int64_t>(m_out.size() * 8); }

private:
    Section m_section;
    std::vector<double*> m_arrays;
    std::vector<Neighbour> m_neighbours;
    std::vector<Box> m_own;
    std::vector<double> m_in;
    std::vector<double> m_out;
    Requests m_requests;
};

} // namespace distview::perf
