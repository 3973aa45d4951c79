// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mpi_packed.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace distview::perf {

/// Redistributions, packed by hand, of a square matrix dealt out in blocks of rows: persistent requests, one
/// message for each pair of ranks.
///
/// If `transposes`, the result is the transposed matrix in the same blocks of rows; else the same matrix dealt
/// out in rows of `to_block`.
class MpiRows {
public:
    MpiRows(MPI_Comm comm, std::int64_t n, std::int64_t from_block, std::int64_t to_block,
            bool transposes, const double* from, double* to)
        : m_n(n), m_transposes(transposes), m_from(from), m_to(to) {
        MPI_Comm_rank(comm, &m_rank);
        MPI_Comm_size(comm, &m_ranks);
        const auto peers = static_cast<std::size_t>(m_ranks);
        m_given.resize(peers);
        m_taken.resize(peers);
        m_mine = rows_of(m_rank, from_block);
        for (int peer = 0; peer < m_ranks; ++peer) {
            const auto p = static_cast<std::size_t>(peer);
            const std::vector<std::int64_t> theirs = rows_of(peer, to_block);
            const std::vector<std::int64_t> sent = rows_of(peer, from_block);
            const std::vector<std::int64_t> wanted = rows_of(m_rank, to_block);
            // Positions to exchange: columns that become the peer's rows, or rows that move to the peer.
            m_given[p] = transposes ? theirs : places(m_mine, theirs);
            m_taken[p] = transposes ? sent : places(wanted, sent);
            m_out_at.push_back(m_out_size);
            m_in_at.push_back(m_in_size);
            const auto row = static_cast<std::int64_t>(transposes ? m_mine.size() : 0);
            m_out_size += static_cast<std::int64_t>(m_given[p].size()) * (transposes ? row : n);
            m_in_size += static_cast<std::int64_t>(m_taken[p].size()) * (transposes ? row : n);
        }
        m_out_at.push_back(m_out_size);
        m_in_at.push_back(m_in_size);
        m_out.resize(static_cast<std::size_t>(m_out_size));
        m_in.resize(static_cast<std::size_t>(m_in_size));
        for (int peer = 0; peer < m_ranks; ++peer)
            if (peer != m_rank)
                m_requests.receive(comm, m_in.data() + begin(m_in_at, peer), length(m_in_at, peer),
                                   MPI_DOUBLE, peer, 2);
        for (int peer = 0; peer < m_ranks; ++peer)
            if (peer != m_rank)
                m_requests.send(comm, m_out.data() + begin(m_out_at, peer), length(m_out_at, peer),
                                MPI_DOUBLE, peer, 2);
    }

    void execute() {
        m_requests.start_receives();
        for (int peer = 0; peer < m_ranks; ++peer)
            if (peer != m_rank) pack(peer, m_out.data() + begin(m_out_at, peer));
        m_requests.start_sends();
        pack(m_rank, m_in.data() + begin(m_in_at, m_rank));
        unpack(m_rank);
        m_requests.wait();
        for (int peer = 0; peer < m_ranks; ++peer)
            if (peer != m_rank) unpack(peer);
    }

private:
    static std::int64_t begin(const std::vector<std::int64_t>& at, int peer) {
        return at[static_cast<std::size_t>(peer)];
    }
    static int length(const std::vector<std::int64_t>& at, int peer) {
        return static_cast<int>(begin(at, peer + 1) - begin(at, peer));
    }
    std::vector<std::int64_t> rows_of(int rank, std::int64_t block) const {
        std::vector<std::int64_t> rows;
        for (std::int64_t row = 0; row < m_n; ++row)
            if (row / block % m_ranks == rank) rows.push_back(row);
        return rows;
    }
    /// Positions in `rows` of the numbers that are also in `others`.
    static std::vector<std::int64_t> places(const std::vector<std::int64_t>& rows,
                                            const std::vector<std::int64_t>& others) {
        std::vector<std::int64_t> result;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (std::binary_search(others.begin(), others.end(), rows[i]))
                result.push_back(static_cast<std::int64_t>(i));
        return result;
    }

    void pack(int peer, double* to) const {
        const std::vector<std::int64_t>& given = m_given[static_cast<std::size_t>(peer)];
        if (!m_transposes) {
            for (const std::int64_t row : given) to = std::copy_n(m_from + row * m_n, m_n, to);
            return;
        }
        constexpr std::size_t tile = 16;
        const std::size_t rows = m_mine.size();
        for (std::size_t c = 0; c < given.size(); c += tile)
            for (std::size_t r = 0; r < rows; r += tile)
                for (std::size_t i = c; i < std::min(c + tile, given.size()); ++i)
                    for (std::size_t j = r; j < std::min(r + tile, rows); ++j)
                        to[i * rows + j] = m_from[static_cast<std::int64_t>(j) * m_n + given[i]];
    }
    void unpack(int peer) const {
        const std::vector<std::int64_t>& taken = m_taken[static_cast<std::size_t>(peer)];
        const double* from = m_in.data() + begin(m_in_at, peer);
        if (!m_transposes) {
            for (const std::int64_t row : taken) {
                std::copy_n(from, m_n, m_to + row * m_n);
                from += m_n;
            }
            return;
        }
        // The columns from one sender are contiguous.
        const std::size_t width = taken.size();
        for (std::size_t row = 0; row < m_mine.size(); ++row)
            std::copy_n(from + row * width, width,
                        m_to + static_cast<std::int64_t>(row) * m_n + taken.front());
    }

    std::int64_t m_n;
    bool m_transposes;
    const double* m_from;
    double* m_to;
    int m_rank = 0;
    int m_ranks = 1;
    std::vector<std::int64_t> m_mine;
    std::vector<std::vector<std::int64_t>> m_given;
    std::vector<std::vector<std::int64_t>> m_taken;
    std::vector<std::int64_t> m_out_at;
    std::vector<std::int64_t> m_in_at;
    std::int64_t m_out_size = 0;
    std::int64_t m_in_size = 0;
    std::vector<double> m_out;
    std::vector<double> m_in;
    Requests m_requests;
};

} // namespace distview::perf
