// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/agreement.hpp>

#include <distview/comm/impl/archive.hpp>
#include <distview/comm/impl/mpi/communicator_state.hpp>
#include <distview/comm/impl/report/report_log.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <new>
#include <tuple>

namespace distview {

namespace {

enum class Kind : int { none, error, layout, shape, usage, protocol, mpi, deadline, coded };

/// An exception in a form that can be sent.
struct Failure {
    Kind kind = Kind::none;
    std::string message;
    std::string code;
    std::string key;
    int number = 0; ///< MPI error code, protocol axis or status
    int process = -1;
};

Failure describe(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const LayoutError& e) {
        return {Kind::layout, e.what(), {}, {}, 0, -1};
    } catch (const ShapeError& e) {
        return {Kind::shape, e.what(), {}, {}, 0, -1};
    } catch (const UsageError& e) {
        return {Kind::usage, e.what(), {}, {}, 0, -1};
    } catch (const ProtocolError& e) {
        return {Kind::protocol, e.what(), e.code(), e.key(), e.axis(), e.process()};
    } catch (const MpiError& e) {
        return {Kind::mpi, e.what(), {}, {}, e.code(), -1};
    } catch (const DeadlineError& e) {
        return {Kind::deadline, e.what(), {}, {}, 0, -1};
    } catch (const impl::CodedError& e) {
        return {Kind::coded, e.what(), e.code, {}, e.status, -1};
    } catch (const std::bad_alloc&) {
        return {Kind::error, "out of memory", {}, {}, 0, -1};
    } catch (const std::exception& e) {
        return {Kind::error, e.what(), {}, {}, 0, -1};
    } catch (...) {
        return {Kind::error, "unknown exception", {}, {}, 0, -1};
    }
}

[[noreturn]] void raise(const Failure& failure) {
    switch (failure.kind) {
    case Kind::layout: throw LayoutError(failure.message);
    case Kind::shape: throw ShapeError(failure.message);
    case Kind::usage: throw UsageError(failure.message);
    case Kind::protocol:
        throw ProtocolError(failure.message, failure.code, failure.number, failure.key,
                            failure.process);
    case Kind::mpi: throw MpiError(failure.message, failure.number);
    case Kind::deadline: throw DeadlineError(failure.message, {});
    case Kind::coded: throw impl::CodedError(failure.message, failure.code, failure.number);
    case Kind::none:
    case Kind::error: break;
    }
    throw Error(failure.message);
}

/// A rank without memory for the value takes part, and gets an empty one.
void broadcast(MPI_Comm comm, int root, std::string& value) {
    auto size = static_cast<int>(value.size());
    check_mpi(MPI_Bcast(&size, 1, MPI_INT, root, comm), "MPI_Bcast");
    try {
        value.resize(static_cast<std::size_t>(size));
    } catch (const std::bad_alloc&) {
        value.clear();
    }
    std::array<char, 1024> unwanted;
    for (int begin = 0; begin < size; begin += static_cast<int>(unwanted.size())) {
        const int count = std::min(size - begin, static_cast<int>(unwanted.size()));
        char* const piece = value.empty() ? unwanted.data() : value.data() + begin;
        check_mpi(MPI_Bcast(piece, count, MPI_CHAR, root, comm), "MPI_Bcast");
    }
}

int lowest_rank(const Communicator& comm, bool is_one) {
    int rank = is_one ? comm.rank() : comm.size();
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &rank, 1, MPI_INT, MPI_MIN, comm.mpi()), "MPI_Allreduce");
    return rank;
}

/// Members of the types that ranks send each other.
struct AgreementMembers {
    static auto of(Failure& it) {
        return std::tie(it.kind, it.message, it.code, it.key, it.number, it.process);
    }
    static auto of(Argument& it) { return std::tie(it.name, it.value); }
};

[[noreturn]] void raise_first_failure(const Communicator& comm, int first,
                                      const std::exception_ptr& failure) {
    int failed = failure ? 1 : 0;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, comm.mpi()),
              "MPI_Allreduce");
    std::string bytes;
    try {
        if (comm.rank() == first) bytes = impl::packed<AgreementMembers>(describe(failure));
    } catch (const std::bad_alloc&) {
        bytes.clear(); // no memory for the text either; the others wait for it
    }
    broadcast(comm.mpi(), first, bytes);
    auto description = bytes.empty() ? describe(std::make_exception_ptr(std::bad_alloc()))
                                     : impl::unpacked<AgreementMembers, Failure>(bytes);
    if (comm.size() > 1) {
        description.message += text(" [rank ", first, " of ", comm.size());
        if (failed > 1) description.message += text("; ", failed, " ranks failed");
        description.message += ']';
    }
    raise(description);
}

/// "; layout is ... on rank 2, ... on rank 0", or nothing if the lists are alike.
std::string describe_difference(const std::vector<Argument>& differing, int rank,
                                const std::vector<Argument>& of_root) {
    for (std::size_t i = 0; i < std::min(differing.size(), of_root.size()); ++i) {
        if (differing[i].name == of_root[i].name && differing[i].value == of_root[i].value)
            continue;
        const auto [here, there] = first_difference(differing[i].value, of_root[i].value);
        return text(": ", differing[i].name, " is ", here, " on rank ", rank, ", ", there,
                    " on rank 0");
    }
    return {};
}

[[noreturn]] void raise_difference(const Communicator& comm, const char* caller,
                                   std::uint64_t digest, const Arguments& arguments) {
    std::uint64_t root_digest = digest;
    check_mpi(MPI_Bcast(&root_digest, 1, MPI_UINT64_T, 0, comm.mpi()), "MPI_Bcast");
    const int first = lowest_rank(comm, digest != root_digest);
    std::string mine;
    try {
        mine = impl::packed<AgreementMembers>(arguments ? arguments() : std::vector<Argument>());
    } catch (...) {
        mine.clear(); // the others wait for it
    }
    std::string of_root_bytes, of_first_bytes; // each rank fills one
    (comm.rank() == 0 ? of_root_bytes : of_first_bytes).swap(mine);
    broadcast(comm.mpi(), 0, of_root_bytes);
    broadcast(comm.mpi(), first, of_first_bytes);
    const auto read = [](const std::string& bytes) {
        return bytes.empty() ? std::vector<Argument>()
                             : impl::unpacked<AgreementMembers, std::vector<Argument>>(bytes);
    };
    const std::vector<Argument> of_root = read(of_root_bytes), of_first = read(of_first_bytes);
    throw UsageError(text(caller, ": expected the same arguments on all ranks, those of rank ",
                          first, " differ from those of rank 0",
                          describe_difference(of_first, first, of_root)));
}

/// `arrays`: digest of the arrays, if this rank has numbers for all of them.
[[noreturn]] void raise_other_arrays(const Communicator& comm, const char* caller,
                                     const std::optional<std::uint64_t>& arrays) {
    const int first = lowest_rank(comm, arrays.has_value());
    std::uint64_t of_first = arrays.value_or(0);
    check_mpi(MPI_Bcast(&of_first, 1, MPI_UINT64_T, first, comm.mpi()), "MPI_Bcast");
    const int other = lowest_rank(comm, arrays && *arrays != of_first);
    throw UsageError(text(caller,
                          ": expected the same arrays, in the same order, on all ranks, "
                          "those of rank ",
                          other, " differ from those of rank ", first));
}

} // namespace

CollectiveCall::CollectiveCall(const Communicator& comm, std::string_view name)
    : m_state(impl::state_of(comm)), m_exceptions(std::uncaught_exceptions()) {
    m_state->calls().enter(name);
    if (impl::ReportLog* const report = m_state->report()) report->enter_call(name);
}

CollectiveCall::~CollectiveCall() {
    if (impl::ReportLog* const report = m_state->report()) report->leave_call();
    m_state->calls().leave({}, std::uncaught_exceptions() > m_exceptions);
}

SingleCall::SingleCall(const Communicator& comm, std::string_view name)
    : m_comm(comm), m_name(name), m_begun(impl::state_of(comm)->calls().begun()),
      m_exceptions(std::uncaught_exceptions()) {}

SingleCall::~SingleCall() {
    if (std::uncaught_exceptions() > m_exceptions)
        impl::state_of(m_comm)->calls().count_failed(m_begun, m_name);
}

CallSite::CallSite(const Communicator& comm, const std::source_location& where)
    : CallSite(comm, impl::describe_site(where)) {}

CallSite::CallSite(const Communicator& comm, std::string_view where)
    : m_state(impl::state_of(comm)) {
    if (!m_state->calls().enter_site(where)) m_state.reset();
}

CallSite::~CallSite() {
    if (m_state) m_state->calls().leave_site();
}

void agree(const Communicator& comm, const char* caller, const std::exception_ptr& failure,
           std::uint64_t digest, const Arguments& arguments,
           std::span<const std::uint64_t> arrays) {
    // Not set without arrays, or if this rank does not know all of them: then it agrees with any arrays.
    std::optional<std::uint64_t> numbers;
    if (!arrays.empty()) numbers = impl::state_of(comm)->digest_of(arrays);
    // Other ranks may still be in a step that this rank left when it failed.
    if (failure) impl::state_of(comm)->calls().skip_with_next();
    const auto size = static_cast<std::uint64_t>(comm.size());
    const CollectiveCall call(comm, caller);
    // A failed rank may have no digest, so the failure is thrown before any difference of digests.
    impl::MeetingRecord record;
    record.least = {failure ? static_cast<std::uint64_t>(comm.rank()) : size, digest, ~digest,
                    numbers.value_or(~std::uint64_t{0}), numbers ? ~*numbers : ~std::uint64_t{0}};
    const impl::MeetingRecord all = impl::state_of(comm)->meeting().meet(record, caller);
    const bool any_known = all.least[3] != ~std::uint64_t{0} || all.least[4] != ~std::uint64_t{0};
    const bool arrays_differ = any_known && all.least[3] != ~all.least[4];
    const bool digests_differ = all.least[1] != ~all.least[2];
    const bool any_failed = all.least[0] < size;
    if (any_failed) raise_first_failure(comm, static_cast<int>(all.least[0]), failure);
    if (digests_differ) raise_difference(comm, caller, digest, arguments);
    if (arrays_differ) raise_other_arrays(comm, caller, numbers);
}

// Defined here because close() needs an agreement, which needs communicators.
void Communicator::close() {
    static_cast<void>(mpi()); // throws if it is closed
    if (m_state->calls().has_failed()) m_state->calls().skip_with_next();
    agree(*this, "Communicator::close", nullptr);
    impl::CommunicatorState::close_all({&m_state, 1});
}

} // namespace distview
