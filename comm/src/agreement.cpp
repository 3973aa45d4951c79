// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/agreement.hpp>

#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace distview {

namespace {

enum class Kind : int { none, error, layout, shape, usage, protocol, mpi };

/// An exception in a form that can be sent.
struct Failure {
    Kind kind = Kind::none;
    std::string message;
    std::string code;
    std::string key;
    int number = 0; ///< MPI error code or protocol axis
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
    case Kind::none:
    case Kind::error: break;
    }
    throw Error(failure.message);
}

void broadcast(MPI_Comm comm, int root, std::string& value) {
    auto size = static_cast<int>(value.size());
    check_mpi(MPI_Bcast(&size, 1, MPI_INT, root, comm), "MPI_Bcast");
    value.resize(static_cast<std::size_t>(size));
    check_mpi(MPI_Bcast(value.data(), size, MPI_CHAR, root, comm), "MPI_Bcast");
}

void broadcast(MPI_Comm comm, int root, Failure& failure) {
    std::array<int, 3> numbers{static_cast<int>(failure.kind), failure.number, failure.process};
    check_mpi(MPI_Bcast(numbers.data(), 3, MPI_INT, root, comm), "MPI_Bcast");
    failure.kind = static_cast<Kind>(numbers[0]);
    failure.number = numbers[1];
    failure.process = numbers[2];
    broadcast(comm, root, failure.message);
    broadcast(comm, root, failure.code);
    broadcast(comm, root, failure.key);
}

[[noreturn]] void raise_first_failure(const Communicator& comm, int first,
                                      const std::exception_ptr& failure) {
    int failed = failure ? 1 : 0;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, comm.mpi()),
              "MPI_Allreduce");
    Failure description;
    if (comm.rank() == first) description = describe(failure);
    broadcast(comm.mpi(), first, description);
    if (comm.size() > 1) {
        description.message += text(" [rank ", first, " of ", comm.size());
        if (failed > 1) description.message += text("; ", failed, " ranks failed");
        description.message += ']';
    }
    raise(description);
}

[[noreturn]] void raise_difference(const Communicator& comm, const char* caller,
                                   std::uint64_t digest) {
    std::uint64_t root_digest = digest;
    check_mpi(MPI_Bcast(&root_digest, 1, MPI_UINT64_T, 0, comm.mpi()), "MPI_Bcast");
    int first = digest == root_digest ? comm.size() : comm.rank();
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm.mpi()),
              "MPI_Allreduce");
    throw UsageError(text(caller, ": expected the same arguments on all ranks, those of rank ",
                          first, " differ from those of rank 0"));
}

} // namespace

namespace {

/// `least` has room for three numbers and then what the caller wants the least of.
void agree_on_least(const Communicator& comm, const char* caller, const std::exception_ptr& failure,
                    std::uint64_t digest, std::span<std::uint64_t> least) {
    // A rank that failed may have no digest: it must not hide the failure behind a difference.
    const auto size = static_cast<std::uint64_t>(comm.size());
    const auto rank = static_cast<std::uint64_t>(comm.rank());
    least[0] = failure ? rank : size;
    least[1] = digest;
    least[2] = ~digest;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, least.data(), static_cast<int>(least.size()),
                            MPI_UINT64_T, MPI_MIN, comm.mpi()),
              "MPI_Allreduce");
    if (least[0] < size) raise_first_failure(comm, static_cast<int>(least[0]), failure);
    if (least[1] != ~least[2]) raise_difference(comm, caller, digest);
}

} // namespace

void agree(const Communicator& comm, const char* caller, const std::exception_ptr& failure,
           std::uint64_t digest) {
    std::array<std::uint64_t, 3> least{};
    agree_on_least(comm, caller, failure, digest, least);
}

impl::Flags impl::agreed_flags(const Communicator& comm, const char* caller,
                               const std::exception_ptr& failure, std::uint64_t digest,
                               const Flags& flags) {
    std::array<std::uint64_t, 3 + std::tuple_size_v<Flags>> least{};
    std::copy(flags.begin(), flags.end(), least.begin() + 3);
    agree_on_least(comm, caller, failure, digest, least);
    Flags result{};
    std::transform(least.begin() + 3, least.end(), result.begin(),
                   [](std::uint64_t flag) { return flag != 0; });
    return result;
}

} // namespace distview
