// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/message_sink.hpp>

#include <mutex>
#include <utility>

namespace distview {

namespace {

struct SinkHolder {
    std::mutex mutex;
    MessageSink sink;
};

/// Never destroyed: MPI_Finalize may be called from the destructor of a static object.
SinkHolder& holder() {
    static auto& instance = *new SinkHolder;
    return instance;
}

} // namespace

MessageSink set_message_sink(MessageSink sink) {
    const std::lock_guard lock(holder().mutex);
    return std::exchange(holder().sink, std::move(sink));
}

bool report(Severity severity, std::string_view message) noexcept {
    try {
        MessageSink sink;
        {
            // Called outside the lock: a sink may itself replace the sink.
            const std::lock_guard lock(holder().mutex);
            sink = holder().sink;
        }
        if (!sink) return false;
        sink(severity, message);
    } catch (...) {
        // A message must not change the program's behaviour.
    }
    return true;
}

} // namespace distview
