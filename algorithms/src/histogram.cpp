// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/histogram.hpp>

#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

#include <cmath>
#include <limits>

namespace distview::impl {

HistogramBins::HistogramBins(const char* caller, std::span<const double> edges)
    : m_edges(edges.begin(), edges.end()) {
    require<UsageError>(
        edges.size() >= 2 && edges.size() <= std::size_t{std::numeric_limits<int>::max()},
        [&] { return text(caller, ": expected 2 to 2^31-1 edges, got ", edges.size()); });
    for (std::size_t i = 1; i < edges.size(); ++i)
        require<UsageError>(edges[i - 1] < edges[i], [&] {
            return text(caller, ": expected ascending edges, got ", edges[i - 1], " and ", edges[i],
                        " at positions ", i - 1, " and ", i);
        });
}

HistogramBins::HistogramBins(const char* caller, int bins, double low, double high) {
    require<UsageError>(bins >= 1,
                        [&] { return text(caller, ": expected at least one bin, got ", bins); });
    const double width = (high - low) / bins;
    require<UsageError>(low < high && std::isfinite(high - low) && low + width > low &&
                            low + (bins - 1) * width < high,
                        [&] {
                            return text(caller, ": expected ", bins,
                                        " bins between finite bounds low < high, got ", low,
                                        " and ", high);
                        });
    for (int i = 0; i < bins; ++i) m_edges.push_back(low + i * width);
    m_edges.push_back(high);
    m_scale = bins / (high - low);
}

std::uint64_t HistogramBins::digest() const {
    Hash digest;
    digest.add(m_edges.size());
    for (const double edge : m_edges) digest.add(edge);
    return digest.value();
}

void combine_histogram(const Communicator& comm, const Caller& caller,
                       const std::exception_ptr& failure, const CommonArguments& arguments,
                       const HistogramBins& bins, std::vector<std::int64_t>& counts) {
    agree(
        comm, caller.name, failure, arguments.digest() ^ bins.digest(),
        [&] {
            std::vector<Argument> list = arguments.list();
            list.push_back({"number of bins", text(bins.count())});
            list.push_back({"edges", text(bins.edges().front(), " to ", bins.edges().back(),
                                          ", hash ", bins.digest())});
            return list;
        },
        arguments.arrays);
    all_reduce(comm, ReduceOperation::sum, std::span<std::int64_t>(counts));
}

} // namespace distview::impl
