// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "redistribution.hpp"
#include "together.hpp"

#include <distview/c/other_program.h>

#include <distview/comm/mpi_error.hpp>
#include <distview/comm/other_program.hpp>

#include <exception>
#include <optional>
#include <utility>

struct distview_other_program : distview::c::Counted {
    explicit distview_other_program(distview::OtherProgram other) : value(std::move(other)) {}
    distview::OtherProgram value;
};

using namespace distview::c;
using distview::ArrayLayout;
using distview::OtherProgram;
using distview::require;
using distview::text;
using distview::UsageError;

int distview_other_program_create(MPI_Comm intercommunicator, distview_other_program** result) {
    return guard(__func__, [&](const char* function) {
        give(result, function,
             OtherProgram(intercommunicator)); // made first: it is collective
    });
}

int distview_other_program_create_f(int intercommunicator, distview_other_program** result) {
    return guard(__func__, [&](const char* function) {
        distview::require_mpi("distview_other_program_create_f");
        give(result, function, OtherProgram(MPI_Comm_f2c(intercommunicator)));
    });
}

distview_other_program* distview_other_program_retain(distview_other_program* other) {
    return retain(other);
}
void distview_other_program_release(distview_other_program* other) { release(other); }

int distview_other_program_communicator(const distview_other_program* other,
                                        distview_communicator** result) {
    return guard(__func__, [&](const char* function) {
        const OtherProgram& there = checked(other, function, "the other program").value;
        give(result, function, there.communicator());
    });
}

int distview_other_program_sizes(const distview_other_program* other, int* own_size, int* own_rank,
                                 int* other_size) {
    return guard(__func__, [&](const char* function) {
        const OtherProgram& there = checked(other, function, "the other program").value;
        if (own_size) *own_size = static_cast<int>(there.own_ranks().size());
        if (own_rank) *own_rank = there.communicator().rank() - there.own_ranks().front();
        if (other_size) *other_size = static_cast<int>(there.ranks().size());
    });
}

int distview_other_program_exchange(const distview_other_program* other,
                                    const distview_layout* mine, distview_layout** theirs) {
    if (!other)
        return guard(__func__, [](const char* name) { throw_null(name, "the other program"); });
    const OtherProgram& there = other->value;
    return guard_call(__func__, there.communicator(), [&](const char* function) {
        distview_layout*& place = checked(theirs, function, "a place for the result");
        place = new distview_layout(there.exchange(mine ? mine->value : ArrayLayout()));
    });
}

int distview_other_program_plan(const distview_other_program* other, int sends,
                                const distview_layout* mine,
                                const distview_redistribution_options* options,
                                distview_redistribution_plan** result) {
    if (!other)
        return guard(__func__, [](const char* name) { throw_null(name, "the other program"); });
    const OtherProgram& there = other->value;
    // No additional agreement of the C face here: the other program may be written in C++.
    return guard_call(__func__, there.communicator(), [&](const char* function) {
        checked(result, function, "a place for the result");
        const ArrayLayout& layout = checked(mine, function, "a layout").value;
        require_kokkos(function);
        const auto ranks = static_cast<int>(there.own_ranks().size());
        require<UsageError>(layout.process_count() == ranks, [&] {
            return text(function, ": expected a layout of ", ranks,
                        " processes, one for each rank of this program, got ",
                        layout.process_count());
        });
        distview_redistribution_options of_both =
            options ? *options : distview_redistribution_options{};
        of_both.from_ranks = nullptr;
        of_both.to_ranks = nullptr;
        // Both layouts have the same number of axes: otherwise the plan cannot be made.
        const auto chosen = options_of(&of_both, layout, layout);
        distview::RedistributionPlan plan =
            sends != 0 ? there.plan_to(layout, chosen) : there.plan_from(layout, chosen);
        give(result, function, there.communicator(), std::move(plan), chosen.conjugate, false);
    });
}
