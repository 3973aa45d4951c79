// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handles.hpp"
#include "together.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/mpi_error.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <span>
#include <type_traits>
#include <vector>

using namespace distview::c;
using distview::require;
using distview::text;
using distview::UsageError;

namespace {

/// The ranks in another order; throws on all ranks if one rank has no place for the result.
MPI_Comm in_order(const distview_communicator* comm, const int* ranks, const void* result,
                  const char* function) {
    const distview::Communicator& all = communicator_of(comm, function);
    together(all, function, [&] {
        checked(ranks, function, "ranks");
        checked(static_cast<const char*>(result), function, "a place for the communicator");
    });
    return distview::order_ranks(all, std::span(ranks, static_cast<std::size_t>(all.size())));
}

} // namespace

static_assert(std::is_same_v<MPI_Fint, int>, "distview_communicator_create_f() takes an int");

int distview_communicator_create(MPI_Comm comm, distview_communicator** result) {
    return guard(__func__, [&](const char* function) {
        give(result, function, distview::Communicator(comm)); // made first: it is collective
    });
}

int distview_communicator_create_f(int comm, distview_communicator** result) {
    return guard(__func__, [&](const char* function) {
        distview::require_mpi("distview_communicator_create_f");
        give(result, function, distview::Communicator(MPI_Comm_f2c(comm)));
    });
}

distview_communicator* distview_communicator_retain(distview_communicator* comm) {
    return retain(comm);
}
void distview_communicator_release(distview_communicator* comm) { release(comm); }

int distview_communicator_mpi(const distview_communicator* comm, MPI_Comm* mpi) {
    return guard(__func__, [&](const char* function) {
        checked(mpi, function, "a place for the communicator") =
            checked(comm, function, "a communicator").value.mpi();
    });
}

int distview_communicator_rank(const distview_communicator* comm, int* rank) {
    return guard(__func__, [&](const char* function) {
        checked(rank, function, "a place for the rank") =
            checked(comm, function, "a communicator").value.rank();
    });
}

int distview_communicator_size(const distview_communicator* comm, int* size) {
    return guard(__func__, [&](const char* function) {
        checked(size, function, "a place for the size") =
            checked(comm, function, "a communicator").value.size();
    });
}

int distview_communicator_nodes(const distview_communicator* comm, int* nodes) {
    return guard(__func__, [&](const char* function) {
        const distview::Communicator& all = communicator_of(comm, function);
        together(all, function, [&] { checked(nodes, function, "a place for the nodes"); });
        const std::vector<int> found = distview::nodes_of_ranks(all);
        std::copy(found.begin(), found.end(), nodes);
    });
}

int distview_communicator_order_ranks(const distview_communicator* comm, const int* ranks,
                                      MPI_Comm* result) {
    return guard(__func__, [&](const char* function) {
        MPI_Comm const ordered = in_order(comm, ranks, result, function);
        *result = ordered;
    });
}

int distview_communicator_order_ranks_f(const distview_communicator* comm, const int* ranks,
                                        int* result) {
    return guard(__func__, [&](const char* function) {
        MPI_Comm const ordered = in_order(comm, ranks, result, function);
        *result = MPI_Comm_c2f(ordered);
    });
}

int distview_communicator_set_deadline(distview_communicator* comm, double seconds) {
    return guard(__func__, [&](const char* function) {
        checked(comm, function, "a communicator")
            .value.set_deadline(std::chrono::duration<double>(seconds));
    });
}

int distview_communicator_set_report(distview_communicator* comm, const char* file) {
    return guard(__func__, [&](const char* function) {
        checked(comm, function, "a communicator").value.set_report(file ? file : "");
    });
}

int distview_communicator_barrier(const distview_communicator* comm) {
    return guard(__func__, [&](const char* function) {
        distview::barrier(checked(comm, function, "a communicator").value);
    });
}

int distview_communicator_close(distview_communicator* comm) {
    return guard(__func__, [&](const char* function) {
        checked(comm, function, "a communicator").value.close();
    });
}

int distview_communicator_any(const distview_communicator* comm, const char* caller, int flag,
                              int* any) {
    return guard(__func__, [&](const char* function) {
        const distview::Communicator& all = checked(comm, function, "a communicator").value;
        const char* const name = caller ? caller : function;
        const distview::CollectiveCall call(all, name);
        int& result = checked(any, name, "a place for the answer");
        result = distview::all_reduce(all, distview::ReduceOperation::max, flag != 0 ? 1 : 0);
    });
}

int distview_communicator_agree(const distview_communicator* comm, const char* caller, int status) {
    return guard(__func__, [&](const char* function) {
        const distview::Communicator& all = checked(comm, function, "a communicator").value;
        const char* const name = caller ? caller : function;
        const std::exception_ptr failure = status == 0 ? nullptr : failure_of(status, name);
        distview::agree(all, name, failure);
    });
}

int distview_communicator_refuse(const distview_communicator* comm, const char* caller,
                                 int status) {
    if (!comm) return guard(__func__, [](const char* name) { throw_null(name, "a communicator"); });
    return guard_call(caller ? caller : __func__, comm->value, [&](const char* function) {
        require<UsageError>(status != 0, [&] {
            return text(function, ": expected the status of an error, got 0");
        });
        std::rethrow_exception(failure_of(status, function));
    });
}
