// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access by global index with ranks as threads of one process over plain memory, for ThreadSanitizer: owners compute on
// some elements of their sections while other ranks read, store and add to others. The test calls the element
// operations of GlobalElements, and the meeting of GlobalAccess::fence(), directly.
#include <distview/comm/impl/kernels/add_to_shared.hpp>
#include <distview/comm/impl/mpi/meeting.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace {

using distview::impl::CallLine;
using distview::impl::Calls;
using distview::impl::Meeting;

constexpr int elements_each = 12;
constexpr int passes = 5; ///< over the elements in each epoch

/// An array in blocks; every rank can access all sections.
template <class T>
class Elements {
public:
    explicit Elements(int ranks)
        : m_sections(static_cast<std::size_t>(ranks), std::vector<T>(elements_each)) {}
    int count() const { return static_cast<int>(m_sections.size()) * elements_each; }
    T& at(int index) {
        return m_sections[static_cast<std::size_t>(index / elements_each)]
                         [static_cast<std::size_t>(index % elements_each)];
    }

private:
    std::vector<std::vector<T>> m_sections;
};

/// The use of an element in an epoch; it changes in each epoch.
enum class Use { added_to, computed, stored, read };
Use use_of(int index, int epoch) { return static_cast<Use>((index + epoch) % 4); }

/// Multiples of a power of two: sums are exact in any order.
template <class T>
T number(int rank, int index, int epoch) {
    return static_cast<T>((rank * 31 + index * 7 + epoch * 3) % 64 - 20) / static_cast<T>(4);
}

template <class T>
void add(T& element, T value) {
#ifdef DISTVIEW_PLANTED_PLAIN_ADD
    element += value;
#else
    distview::impl::add_to_shared(&element, value);
#endif
}

/// One pass over all elements, as one rank.
template <class T>
int run_pass(Elements<T>& elements, const std::vector<T>& before, int ranks, int me, int epoch) {
    int wrong = 0;
    for (int k = 0; k < elements.count(); ++k) {
        const int index = (k + me * elements_each) % elements.count();
        const int owner = index / elements_each;
        T& element = elements.at(index);
        switch (use_of(index, epoch)) {
        case Use::added_to: add(element, number<T>(me, index, epoch)); break;
        case Use::computed:
            if (owner == me) element = number<T>(me, index, epoch) - element;
            break;
        case Use::stored:
            if ((owner + 1) % ranks == me) element = number<T>(me, index, epoch);
            break;
        case Use::read: wrong += element != before[static_cast<std::size_t>(index)]; break;
        }
    }
    return wrong;
}

/// The expected values after an epoch: all ranks' operations, one rank after the other.
template <class T>
void expect_epoch(std::vector<T>& values, int ranks, int epoch) {
    for (int index = 0; index < static_cast<int>(values.size()); ++index) {
        T& value = values[static_cast<std::size_t>(index)];
        const int owner = index / elements_each;
        for (int pass = 0; pass < passes; ++pass) {
            switch (use_of(index, epoch)) {
            case Use::added_to:
                for (int rank = 0; rank < ranks; ++rank) value += number<T>(rank, index, epoch);
                break;
            case Use::computed: value = number<T>(owner, index, epoch) - value; break;
            case Use::stored: value = number<T>((owner + 1) % ranks, index, epoch); break;
            case Use::read: break;
            }
        }
    }
}

void fence(Calls& calls, Meeting& meeting) {
    calls.enter("GlobalAccess::fence");
    meeting.meet({}, "GlobalAccess::fence");
    calls.leave({}, false);
}

/// Returns the number of wrong elements.
template <class T>
int run_rank(const std::vector<Calls::Rank>& ranks, Elements<T>& elements, int me, int epochs,
             bool oversubscribed) {
    const auto count = static_cast<int>(ranks.size());
    Calls calls(me, ranks, nullptr, oversubscribed);
    Meeting meeting(calls, nullptr);
    std::vector<T> expected(static_cast<std::size_t>(elements.count()));
    int wrong = 0;
    for (int epoch = 0; epoch < epochs; ++epoch) {
        for (int pass = 0; pass < passes; ++pass)
            wrong += run_pass(elements, expected, count, me, epoch);
        expect_epoch(expected, count, epoch);
#ifndef DISTVIEW_PLANTED_NO_FENCE
        fence(calls, meeting);
#endif
        for (int index = 0; index < elements.count(); ++index)
            wrong += elements.at(index) != expected[static_cast<std::size_t>(index)];
        fence(calls, meeting);
    }
    return wrong;
}

template <class T>
int run(int count, int epochs, bool oversubscribed) {
    std::vector<std::unique_ptr<CallLine>> lines;
    std::vector<Calls::Rank> ranks;
    for (int rank = 0; rank < count; ++rank)
        ranks.push_back({rank, lines.emplace_back(std::make_unique<CallLine>()).get()});
    Elements<T> elements(count);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int me = 0; me < count; ++me)
        threads.emplace_back(
            [&, me] { wrong += run_rank(ranks, elements, me, epochs, oversubscribed); });
    for (std::thread& thread : threads) thread.join();
    return wrong;
}

} // namespace

int main(int argc, char** argv) {
    const int epochs = argc > 1 ? std::atoi(argv[1]) : 60;
    int wrong = 0;
    for (int count = 2; count <= 8; ++count)
        for (const bool oversubscribed : {false, true})
            wrong += run<double>(count, epochs, oversubscribed) +
                     run<std::int64_t>(count, epochs, oversubscribed) +
                     run<std::int32_t>(count, epochs, oversubscribed);
    if (wrong > 0) std::printf("%d elements were wrong\n", wrong);
    std::puts(wrong == 0 ? "DISTVIEW-TEST-PASSED" : "DISTVIEW-TEST-FAILED");
    return wrong == 0 ? 0 : 1;
}
