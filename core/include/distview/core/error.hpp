// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace distview {

/// Base of every exception that this library throws.
///
/// what() names the called function, what it expected, what it got, and where. In a collective
/// call every rank throws the same type with the same text (see docs/design/errors.md).
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& message) : std::runtime_error(message) {}
};

/// A layout cannot exist: sizes, bounds, grids or padding contradict each other.
class LayoutError : public Error {
public:
    using Error::Error;
};

/// Extents, ranks or element types of arrays do not fit each other or their layout.
class ShapeError : public Error {
public:
    using Error::Error;
};

/// A call at the wrong time or on the wrong object: before initialisation, after close().
class UsageError : public Error {
public:
    using Error::Error;
};

/// Dimension data break a rule of the Distributed Array Protocol.
///
/// code() is the reason code of the broken rule (for example "stop_gt_size"). axis(), key() and
/// process() give the place; they are -1 or empty if the rule does not concern them.
class ProtocolError : public Error {
public:
    ProtocolError(const std::string& message, std::string code, int axis = -1, std::string key = {},
                  int process = -1)
        : Error(message), m_code(std::move(code)), m_axis(axis), m_key(std::move(key)),
          m_process(process) {}

    const std::string& code() const noexcept { return m_code; }
    int axis() const noexcept { return m_axis; }
    const std::string& key() const noexcept { return m_key; }
    int process() const noexcept { return m_process; }

private:
    std::string m_code;
    int m_axis;
    std::string m_key;
    int m_process;
};

/// A call of the MPI library failed; code() is its return value. Not recoverable.
class MpiError : public Error {
public:
    MpiError(const std::string& message, int code) : Error(message), m_code(code) {}
    int code() const noexcept { return m_code; }

private:
    int m_code;
};

/// A rank waited for others longer than the deadline of its communicator; see Communicator::set_deadline().
///
/// ranks() lists the ranks of its node that did not arrive, as far as this rank can see. Not recoverable.
class DeadlineError : public Error {
public:
    DeadlineError(const std::string& message, std::vector<int> ranks)
        : Error(message), m_ranks(std::move(ranks)) {}
    const std::vector<int>& ranks() const noexcept { return m_ranks; }

private:
    std::vector<int> m_ranks;
};

/// Throws ErrorType with `message` unless `condition` holds.
///
/// The message should name the function, the expected value and the actual value.
template <class ErrorType>
inline void require(bool condition, const std::string& message) {
    if (!condition) throw ErrorType(message);
}

/// As above, for a literal: allocates nothing when the condition holds.
template <class ErrorType>
inline void require(bool condition, const char* message) {
    if (!condition) throw ErrorType(message);
}

/// As above, for a function that builds the message: called only if the condition does not hold.
template <class ErrorType, class MessageBuilder>
    requires requires(MessageBuilder builder) { std::string(builder()); }
inline void require(bool condition, MessageBuilder&& message) {
    if (!condition) throw ErrorType(message());
}

} // namespace distview
