// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/kernels/point_moves.hpp>

#include <distview/comm/impl/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace distview::impl {

namespace {

/// Number of elements in a piece: some 10 us of work.
constexpr std::int64_t piece_elements = 8192;

void go_on(PointMoves::End& end, std::int64_t elements, std::int64_t element_size) {
    if (end.at)
        end.at += elements;
    else
        end.begin += elements * element_size;
}

} // namespace

void append_pieces(std::vector<PointMoves>& pieces, const PointMoves& moves) {
    const bool streams = moves.from.at && !moves.to.at && !moves.to.data &&
                         moves.count * moves.element_size >= tuning::streamed_bytes;
    for (std::int64_t begin = 0; begin < moves.count; begin += piece_elements) {
        PointMoves piece = moves;
        piece.streams = streams;
        piece.count = std::min(piece_elements, moves.count - begin);
        go_on(piece.from, begin, moves.element_size);
        go_on(piece.to, begin, moves.element_size);
        pieces.push_back(piece);
    }
}

int host_threads() { return Kokkos::DefaultHostExecutionSpace().concurrency(); }

} // namespace distview::impl
