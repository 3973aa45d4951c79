// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mpi_packed.hpp"
#include "section.hpp"

#include <mpi.h>

#include <array>
#include <vector>

namespace distview::perf {

/// Expert MPI without packing of its own: a subarray type for every box, joined to one struct type, hence one
/// message, for each neighbour.
class MpiTypes {
public:
    MpiTypes(MPI_Comm comm, const Section& section, double* array)
        : m_comm(comm), m_section(section), m_array(array), m_own(boxes(section, 0)) {
        for (const Neighbour& n : neighbours(section)) {
            m_in.push_back(joined(n.incoming, &Box::destination));
            m_out.push_back(joined(n.outgoing, &Box::source));
            m_requests.receive(comm, array, 1, m_in.back(), n.rank, 2);
            int bytes = 0;
            MPI_Pack_size(1, m_out.back(), comm, &bytes);
            m_buffers.emplace_back(static_cast<std::size_t>(bytes));
        }
        std::size_t i = 0;
        for (const Neighbour& n : neighbours(section))
            m_requests.send(comm, array, 1, m_out[i++], n.rank, 2);
    }
    ~MpiTypes() {
        for (MPI_Datatype& type : m_in) MPI_Type_free(&type);
        for (MPI_Datatype& type : m_out) MPI_Type_free(&type);
    }
    MpiTypes(const MpiTypes&) = delete;
    MpiTypes& operator=(const MpiTypes&) = delete;

    void execute() {
        m_requests.start_receives();
        m_requests.start_sends();
        copy(m_section, m_own, m_array, m_array);
        m_requests.wait();
    }

    // The parts of an exchange: MPI's packing, timed alone; the messages are the same as MpiPacked's.
    void pack() {
        for (std::size_t i = 0; i < m_out.size(); ++i) {
            int at = 0;
            MPI_Pack(m_array, 1, m_out[i], m_buffers[i].data(),
                     static_cast<int>(m_buffers[i].size()), &at, m_comm);
        }
    }
    void unpack() {
        for (std::size_t i = 0; i < m_in.size(); ++i) {
            int at = 0;
            MPI_Unpack(m_buffers[i].data(), static_cast<int>(m_buffers[i].size()), &at, m_array, 1,
                       m_in[i], m_comm);
        }
    }

private:
    MPI_Datatype joined(const std::vector<Box>& boxes, std::int64_t Box::* begin) const {
        std::vector<MPI_Datatype> types;
        for (const Box& box : boxes) {
            std::array<int, 3> sizes{};
            std::array<int, 3> extents{};
            std::array<int, 3> starts{};
            std::int64_t offset = box.*begin;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                sizes[axis] = static_cast<int>(m_section.extent(axis));
                extents[axis] = static_cast<int>(box.extent[axis]);
                starts[axis] = static_cast<int>(offset / m_section.stride(axis));
                offset %= m_section.stride(axis);
            }
            MPI_Type_create_subarray(3, sizes.data(), extents.data(), starts.data(), MPI_ORDER_C,
                                     MPI_DOUBLE, &types.emplace_back());
        }
        const std::vector<int> lengths(types.size(), 1);
        const std::vector<MPI_Aint> displacements(types.size(), 0);
        MPI_Datatype result = MPI_DATATYPE_NULL;
        MPI_Type_create_struct(static_cast<int>(types.size()), lengths.data(), displacements.data(),
                               types.data(), &result);
        MPI_Type_commit(&result);
        for (MPI_Datatype& type : types) MPI_Type_free(&type);
        return result;
    }

    MPI_Comm m_comm;
    Section m_section;
    double* m_array;
    std::vector<Box> m_own;
    std::vector<MPI_Datatype> m_in;
    std::vector<MPI_Datatype> m_out;
    std::vector<std::vector<char>> m_buffers;
    Requests m_requests;
};

} // namespace distview::perf
