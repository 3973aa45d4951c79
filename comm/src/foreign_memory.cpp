// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/foreign_memory.hpp>

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <random>

#include <sys/uio.h>
#include <unistd.h>

namespace distview::impl {

namespace {

std::int64_t random_key() {
    std::random_device device;
    return static_cast<std::int64_t>((std::uint64_t{device()} << 32) ^ device());
}

iovec range(const char* address, std::size_t bytes) { return {const_cast<char*>(address), bytes}; }

/// Pairs of ranges that are copied in one call.
class Batch {
public:
    explicit Batch(const ForeignProcess& process) : m_process(process) {}

    void add(const char* from, char* to, std::size_t bytes) {
        for (; bytes > most_bytes; from += most_bytes, to += most_bytes, bytes -= most_bytes)
            add_range(from, to, most_bytes);
        add_range(from, to, bytes);
    }

    void flush() {
        if (m_count == 0) return;
        const ssize_t copied = ::process_vm_readv(static_cast<pid_t>(m_process.id), m_local.data(),
                                                  m_count, m_remote.data(), m_count, 0);
        if (copied != static_cast<ssize_t>(m_bytes))
            throw Error(text(
                "process_vm_readv from process ", m_process.id, " copied ", copied, " of ", m_bytes,
                " bytes: ", copied < 0 ? std::strerror(errno) : "memory that is not there"));
        m_count = 0;
        m_bytes = 0;
    }

private:
    /// The system call copies no more than 2 GiB less a page.
    static constexpr std::size_t most_bytes = std::size_t{1} << 30;

    void add_range(const char* from, char* to, std::size_t bytes) {
        if (m_bytes + bytes > most_bytes) flush();
        m_remote[m_count] = range(from, bytes);
        m_local[m_count] = range(to, bytes);
        m_bytes += bytes;
        if (++m_count == m_remote.size()) flush();
    }

    const ForeignProcess& m_process;
    std::array<iovec, 128> m_remote;
    std::array<iovec, 128> m_local;
    std::size_t m_count = 0;
    std::size_t m_bytes = 0;
};

} // namespace

ForeignProcess ForeignProcess::self() {
    static const std::int64_t key = random_key();
    return {::getpid(), reinterpret_cast<std::intptr_t>(&key), key};
}

bool ForeignProcess::can_be_read() const noexcept {
    if (id < 0) return false;
    std::int64_t found = 0;
    const iovec local = range(reinterpret_cast<const char*>(&found), sizeof(found));
    const iovec remote = range(reinterpret_cast<const char*>(key_address), sizeof(found));
    return ::process_vm_readv(static_cast<pid_t>(id), &local, 1, &remote, 1, 0) ==
               static_cast<ssize_t>(sizeof(found)) &&
           found == key;
}

void copy_from(const ForeignProcess& process, const CopyBox& box) {
    Batch batch(process);
    for_each_run(
        box, [&](const char* from, char* to, std::size_t bytes) { batch.add(from, to, bytes); });
    batch.flush();
}

} // namespace distview::impl
