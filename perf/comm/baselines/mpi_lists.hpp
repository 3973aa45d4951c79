// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace distview::perf {

/// The rank that owns an element, and the element's position in that rank's section.
using ElementPlace = std::pair<int, int>;

/// Gathers elements of other ranks' memory into a list, and writes them back: plain loops pack and unpack around
/// MPI_Alltoallv; this rank's own elements bypass MPI.
class MpiLists {
public:
    /// Entry `first` + k of a list is elements[k].
    MpiLists(MPI_Comm comm, const std::vector<ElementPlace>& elements, int first = 0)
        : m_comm(comm) {
        int rank = 0, size = 0;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        const auto ranks = static_cast<std::size_t>(size), self = static_cast<std::size_t>(rank);
        std::vector<std::vector<int>> wanted(ranks), places(ranks);
        for (std::size_t k = 0; k < elements.size(); ++k) {
            const auto owner = static_cast<std::size_t>(elements[k].first);
            wanted[owner].push_back(elements[k].second);
            places[owner].push_back(first + static_cast<int>(k));
        }
        m_own_positions = std::exchange(wanted[self], {});
        m_own_places = std::exchange(places[self], {});
        std::vector<int> positions;
        for (std::size_t r = 0; r < ranks; ++r) {
            m_wanted.push_back(static_cast<int>(wanted[r].size()));
            positions.insert(positions.end(), wanted[r].begin(), wanted[r].end());
            m_places.insert(m_places.end(), places[r].begin(), places[r].end());
        }
        m_given.resize(ranks);
        MPI_Alltoall(m_wanted.data(), 1, MPI_INT, m_given.data(), 1, MPI_INT, m_comm);
        m_wanted_begin = begins(m_wanted);
        m_given_begin = begins(m_given);
        m_positions.resize(static_cast<std::size_t>(m_given_begin.back() + m_given.back()));
        MPI_Alltoallv(positions.data(), m_wanted.data(), m_wanted_begin.data(), MPI_INT,
                      m_positions.data(), m_given.data(), m_given_begin.data(), MPI_INT, m_comm);
        m_at_owner.resize(m_positions.size());
        m_at_list.resize(m_places.size());
        for (std::size_t k = 1; k < m_places.size(); ++k)
            m_is_dense = m_is_dense && m_places[k] == m_places[k - 1] + 1;
    }

    void gather(const double* array, double* list) {
        for (std::size_t i = 0; i < m_positions.size(); ++i) m_at_owner[i] = array[m_positions[i]];
        double* const received = elements_of(list);
        MPI_Alltoallv(m_at_owner.data(), m_given.data(), m_given_begin.data(), MPI_DOUBLE, received,
                      m_wanted.data(), m_wanted_begin.data(), MPI_DOUBLE, m_comm);
        for (std::size_t i = 0; i < m_own_places.size(); ++i)
            list[m_own_places[i]] = array[m_own_positions[i]];
        for (std::size_t i = 0; i < m_places.size() && !m_is_dense; ++i)
            list[m_places[i]] = received[i];
    }

    void add(double* list, double* array) {
        double* const sent = elements_of(list);
        for (std::size_t i = 0; i < m_places.size() && !m_is_dense; ++i)
            sent[i] = list[m_places[i]];
        MPI_Alltoallv(sent, m_wanted.data(), m_wanted_begin.data(), MPI_DOUBLE, m_at_owner.data(),
                      m_given.data(), m_given_begin.data(), MPI_DOUBLE, m_comm);
        for (std::size_t i = 0; i < m_own_places.size(); ++i)
            array[m_own_positions[i]] += list[m_own_places[i]];
        for (std::size_t i = 0; i < m_positions.size(); ++i) array[m_positions[i]] += m_at_owner[i];
    }

    /// Positions of this rank's elements that other ranks want.
    const std::vector<int>& given_positions() const { return m_positions; }

private:
    static std::vector<int> begins(const std::vector<int>& counts) {
        std::vector<int> result(counts.size());
        std::exclusive_scan(counts.begin(), counts.end(), result.begin(), 0);
        return result;
    }
    /// The receive and send buffer for other ranks' elements: the list itself if they are contiguous there.
    double* elements_of(double* list) {
        return m_is_dense && !m_places.empty() ? list + m_places.front() : m_at_list.data();
    }

    MPI_Comm m_comm;
    std::vector<int> m_wanted, m_wanted_begin, m_given, m_given_begin; ///< by rank
    std::vector<int> m_places, m_positions, m_own_places, m_own_positions;
    std::vector<double> m_at_list, m_at_owner;
    bool m_is_dense = true;
};

/// Fetches elements one by one (MPI_Get) from sections exposed as windows.
class MpiGets {
public:
    /// `allocates`: reads a copy of the section, in memory from MPI_Win_allocate (MPI may share it on a node).
    MpiGets(MPI_Comm comm, std::vector<ElementPlace> elements, double* section, std::size_t size,
            bool allocates)
        : m_elements(std::move(elements)) {
        const auto bytes = static_cast<MPI_Aint>(size * sizeof(double));
        if (allocates) {
            double* copy = nullptr;
            MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, comm, &copy, &m_window);
            MPI_Win_lock_all(MPI_MODE_NOCHECK, m_window);
            std::copy_n(section, size, copy);
        } else {
            MPI_Win_create(section, bytes, sizeof(double), MPI_INFO_NULL, comm, &m_window);
            MPI_Win_lock_all(MPI_MODE_NOCHECK, m_window);
        }
        MPI_Win_sync(m_window);
        MPI_Barrier(comm);
    }
    MpiGets(const MpiGets&) = delete;
    MpiGets& operator=(const MpiGets&) = delete;
    ~MpiGets() {
        MPI_Win_unlock_all(m_window);
        MPI_Win_free(&m_window);
    }

    void gather(double* list) const {
        for (const auto& [owner, position] : m_elements) {
            MPI_Get(list++, 1, MPI_DOUBLE, owner, position, 1, MPI_DOUBLE, m_window);
            MPI_Win_flush(owner, m_window);
        }
    }

private:
    std::vector<ElementPlace> m_elements;
    MPI_Win m_window = MPI_WIN_NULL;
};

} // namespace distview::perf
