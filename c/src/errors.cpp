// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guard.hpp"

#include <distview/comm/agreement.hpp>

#include <algorithm>
#include <cstring>
#include <new>

namespace distview::c {

namespace {

using distview::impl::CodedError;

struct ThreadError {
    distview_error view{DISTVIEW_SUCCESS, 0, -1, -1, "", "", "", ""};
    std::string message;
    std::string code;
    std::string key;
    std::uint64_t set_by_program = 0;

    void set(int status, const char* class_name, const char* text) noexcept {
        view = {status, 0, -1, -1, class_name, "", "", ""};
        keep(message, text, view.message);
    }
    /// Keeps a copy of the text; if memory is short, shows a text that says so.
    static void keep(std::string& copy, std::string_view text, const char*& shown) noexcept {
        try {
            copy.assign(text);
            shown = copy.c_str();
        } catch (...) {
            shown = "out of memory while the text of an error was stored";
        }
    }
};

ThreadError& thread_error() noexcept {
    thread_local ThreadError error;
    return error;
}

const char* class_name_of(int status) noexcept {
    switch (status) {
    case DISTVIEW_LAYOUT_ERROR: return "LayoutError";
    case DISTVIEW_SHAPE_ERROR: return "ShapeError";
    case DISTVIEW_USAGE_ERROR: return "UsageError";
    case DISTVIEW_PROTOCOL_ERROR: return "ProtocolError";
    case DISTVIEW_MPI_ERROR: return "MpiError";
    case DISTVIEW_DEADLINE_ERROR: return "DeadlineError";
    default: return "Error";
    }
}

/// The exception for an error, with all fields of its class.
std::exception_ptr exception_of(const distview_error& error) {
    if (error.code[0] != '\0' && error.status != DISTVIEW_PROTOCOL_ERROR) {
        const bool is_class = error.status > 0 && error.status <= DISTVIEW_DEADLINE_ERROR;
        return std::make_exception_ptr(
            CodedError(error.message, error.code, is_class ? error.status : DISTVIEW_OTHER_ERROR));
    }
    switch (error.status) {
    case DISTVIEW_LAYOUT_ERROR: return std::make_exception_ptr(LayoutError(error.message));
    case DISTVIEW_SHAPE_ERROR: return std::make_exception_ptr(ShapeError(error.message));
    case DISTVIEW_USAGE_ERROR: return std::make_exception_ptr(UsageError(error.message));
    case DISTVIEW_PROTOCOL_ERROR:
        return std::make_exception_ptr(
            ProtocolError(error.message, error.code, error.axis, error.key, error.process));
    case DISTVIEW_MPI_ERROR:
        return std::make_exception_ptr(MpiError(error.message, error.mpi_code));
    case DISTVIEW_DEADLINE_ERROR: return std::make_exception_ptr(DeadlineError(error.message, {}));
    default: break;
    }
    return std::make_exception_ptr(Error(error.message));
}
std::exception_ptr exception_of(int status, const std::string& message) {
    return exception_of({status, 0, -1, -1, "", message.c_str(), "", ""});
}

int set(int status, const char* text) noexcept {
    thread_error().set(status, class_name_of(status), text);
    return status;
}

} // namespace

int record_failure() noexcept {
    ThreadError& error = thread_error();
    try {
        throw;
    } catch (const ProtocolError& e) {
        set(DISTVIEW_PROTOCOL_ERROR, e.what());
        ThreadError::keep(error.code, e.code(), error.view.code);
        ThreadError::keep(error.key, e.key(), error.view.key);
        error.view.axis = e.axis();
        error.view.process = e.process();
        return DISTVIEW_PROTOCOL_ERROR;
    } catch (const LayoutError& e) {
        return set(DISTVIEW_LAYOUT_ERROR, e.what());
    } catch (const ShapeError& e) {
        return set(DISTVIEW_SHAPE_ERROR, e.what());
    } catch (const UsageError& e) {
        return set(DISTVIEW_USAGE_ERROR, e.what());
    } catch (const MpiError& e) {
        set(DISTVIEW_MPI_ERROR, e.what());
        error.view.mpi_code = e.code();
        return DISTVIEW_MPI_ERROR;
    } catch (const DeadlineError& e) {
        return set(DISTVIEW_DEADLINE_ERROR, e.what());
    } catch (const CodedError& e) {
        set(e.status, e.what());
        ThreadError::keep(error.code, e.code, error.view.code);
        return e.status;
    } catch (const std::bad_alloc&) {
        return set(DISTVIEW_OTHER_ERROR, "out of memory");
    } catch (const std::exception& e) {
        return set(DISTVIEW_OTHER_ERROR, e.what());
    } catch (...) {
        return set(DISTVIEW_OTHER_ERROR, "an exception of an unknown type");
    }
}

void throw_null(const char* function, const char* what) {
    throw UsageError(text(function, ": expected ", what, ", got a null pointer"));
}

CallbackErrors::CallbackErrors(const char* function) noexcept
    : m_function(function), m_errors(thread_error().set_by_program) {}

std::exception_ptr CallbackErrors::error_of(int status) const {
    const ThreadError& error = thread_error();
    if (error.set_by_program != m_errors && error.view.status == status)
        return failure_of(status, m_function);
    return exception_of(status, text(m_function, ": a function of the program returned ", status));
}

std::exception_ptr failure_of(int status, const char* function) {
    const ThreadError& error = thread_error();
    if (error.view.status == status) return exception_of(error.view);
    return exception_of(status, text(function, ": got the status ", status));
}

void give_text(std::string_view text, char* buffer, std::int64_t capacity, std::int64_t* length,
               const char* function) {
    std::int64_t& told = checked(length, function, "a place for the length");
    require<UsageError>(capacity >= 0 && (buffer || capacity == 0), [&] {
        return distview::text(function, ": expected a buffer and its capacity, got ",
                              buffer ? "" : "a null pointer and ", capacity);
    });
    told = static_cast<std::int64_t>(text.size());
    if (capacity == 0) return;
    const auto kept = static_cast<std::size_t>(std::min(told, capacity - 1));
    std::memcpy(buffer, text.data(), kept);
    buffer[kept] = '\0';
}

} // namespace distview::c

using namespace distview::c;

const distview_error* distview_last_error(void) { return &thread_error().view; }

void distview_clear_error(void) { thread_error().set(DISTVIEW_SUCCESS, "", ""); }

int distview_set_error(int status, const char* code, const char* message) {
    ThreadError& error = thread_error();
    ++error.set_by_program;
    error.set(status, class_name_of(status), message ? message : "");
    ThreadError::keep(error.code, code ? code : "", error.view.code);
    return status;
}
