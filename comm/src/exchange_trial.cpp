// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/exchange_trial.hpp>

#include <distview/comm/mpi_error.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <vector>

namespace distview::impl {

namespace {

using Clock = std::chrono::steady_clock;

void copy_all(const std::vector<CopyBox>& boxes, int begin, int end) {
    for (int i = begin; i < end; ++i) copy(boxes[static_cast<std::size_t>(i)]);
}

void exchange(PaddingExchangeBinding& binding, std::uint64_t epoch) {
    const ExchangeCopies& copies = binding.copies();
    copy_all(copies.local, 0, copies.local_given);
    binding.post_receives();
    copy_all(copies.pack, 0, copies.shared_end);
    binding.start_sends(epoch, [&](const ExchangeCopies::Partner& message) {
        copy_all(copies.pack, message.begin, message.end);
    });
    copy_all(copies.local, copies.local_given, static_cast<int>(copies.local.size()));
    while (const auto arrived = binding.wait_for_elements())
        if (arrived->process)
            for (int i = arrived->begin; i < arrived->end; ++i)
                copy_from(*arrived->process, copies.incoming[static_cast<std::size_t>(i)]);
        else
            copy_all(copies.incoming, arrived->begin, arrived->end);
    binding.end_reading();
    binding.wait_for_readers();
}

} // namespace

bool is_faster(const Communicator& comm, PaddingExchangeBinding& rival,
               PaddingExchangeBinding& binding, std::uint64_t& epoch) {
    constexpr int untimed = 2;
    constexpr int timed = 5;
    const std::array<PaddingExchangeBinding*, 2> ways{&binding, &rival};
    std::array<std::array<double, timed>, 2> seconds{};
    for (int round = -untimed; round < timed; ++round)
        for (std::size_t way = 0; way < ways.size(); ++way) {
            const Clock::time_point start = Clock::now();
            exchange(*ways[way], ++epoch);
            const std::chrono::duration<double> taken = Clock::now() - start;
            if (round >= 0) seconds[way][static_cast<std::size_t>(round)] = taken.count();
        }
    // What a process takes is mostly what it waits for others: the sum says more than the longest.
    std::array<double, 2> medians{};
    for (std::size_t way = 0; way < ways.size(); ++way) {
        std::sort(seconds[way].begin(), seconds[way].end());
        medians[way] = seconds[way][timed / 2];
    }
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, medians.data(), 2, MPI_DOUBLE, MPI_SUM, comm.mpi()),
              "MPI_Allreduce");
    return medians[1] < medians[0];
}

} // namespace distview::impl
