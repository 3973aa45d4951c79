// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/communicator_state.hpp>
#include <distview/comm/impl/copy_box.hpp>
#include <distview/comm/impl/field.hpp>
#include <distview/comm/padding_exchange_schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace distview::impl {

/// Bytes for messages, at cache lines. Not a View: an abandoned exchange's buffers stay until
/// MPI_Finalize, which may come after Kokkos::finalize.
class MessageBuffer {
public:
    static constexpr std::size_t alignment = 64;

    MessageBuffer() = default;
    explicit MessageBuffer(std::size_t size)
        : m_data(static_cast<char*>(::operator new(size, std::align_val_t(alignment)))),
          m_size(size) {}

    char* data() const noexcept { return m_data.get(); }
    std::size_t size() const noexcept { return m_size; }

private:
    struct Delete {
        void operator()(char* data) const noexcept {
            ::operator delete(data, std::align_val_t(alignment));
        }
    };
    std::unique_ptr<char, Delete> m_data;
    std::size_t m_size = 0;
};

/// What a padding exchange of one set of arrays needs: copies with their addresses, message buffers
/// and persistent requests. Made once per set.
class PaddingExchangeBinding final : public Closable {
public:
    PaddingExchangeBinding(const std::vector<PaddingExchangeSchedule>& schedules,
                           std::span<const Field> fields);
    ~PaddingExchangeBinding() override;
    PaddingExchangeBinding(const PaddingExchangeBinding&) = delete;
    PaddingExchangeBinding& operator=(const PaddingExchangeBinding&) = delete;

    /// Makes the persistent requests; local.
    void make_requests(MPI_Comm comm, int tag);
    void close() noexcept override;

    bool is_for(std::span<const Field> fields) const noexcept;

    void post_receives();
    void start_sends();
    /// Index of a message that has arrived, -1 once all have been returned.
    int wait_for_message();
    void wait_for_sends();

    const std::vector<CopyBox>& pack() const noexcept { return m_pack; }
    const std::vector<CopyBox>& local() const noexcept { return m_local; }
    const std::vector<CopyBox>& unpack() const noexcept { return m_unpack; }
    /// unpack()[begin, end) empty message `index`.
    int unpack_begin(int index) const noexcept {
        return m_receives[static_cast<std::size_t>(index)].unpack_begin;
    }
    int unpack_end(int index) const noexcept {
        return m_receives[static_cast<std::size_t>(index)].unpack_end;
    }
    std::size_t workspace_bytes() const noexcept;

    std::uint64_t last_used = 0; ///< the plan's, for choosing which binding to drop

private:
    struct Message {
        int peer = 0;
        std::int64_t offset = 0; ///< into the buffer, bytes
        std::int64_t bytes = 0;
        int unpack_begin = 0;
        int unpack_end = 0;
    };
    void settle() const noexcept;
    void build(const std::vector<PaddingExchangeSchedule>& schedules,
               std::span<const Field> fields);

    std::vector<std::uint64_t> m_identities;
    std::vector<CopyBox> m_pack;
    std::vector<CopyBox> m_local;
    std::vector<CopyBox> m_unpack;
    std::vector<Message> m_sends;
    std::vector<Message> m_receives;
    MessageBuffer m_send_buffer;
    MessageBuffer m_receive_buffer;
    std::vector<MPI_Request> m_send_requests;
    std::vector<MPI_Request> m_receive_requests;
};

/// The part of a PaddingExchangePlan that does not depend on types or execution spaces.
class PaddingExchangeEngine {
public:
    struct Labels {
        std::string pack = "distview::PaddingExchangePlan::pack";
        std::string copy_local = "distview::PaddingExchangePlan::copy_local";
        std::string unpack = "distview::PaddingExchangePlan::unpack";
        std::string fence_pack = "distview::PaddingExchangePlan: messages are packed, MPI may read";
        std::string fence_unpack = "distview::PaddingExchangePlan: padding is filled";
    };

    /// Collective; the schedules are this process's.
    PaddingExchangeEngine(const Communicator& comm, std::vector<PaddingExchangeSchedule> schedules,
                          bool one_geometry);

    const Communicator& communicator() const noexcept { return m_comm; }
    const std::vector<PaddingExchangeSchedule>& schedules() const noexcept { return m_schedules; }
    bool one_geometry() const noexcept { return m_one_geometry; }

    /// The binding of these arrays; collective the first time a set comes. Throws UsageError if an
    /// exchange was abandoned.
    PaddingExchangeBinding& bind(std::span<const Field> fields) { return obtain(fields, false); }

    /// Begins an exchange of these arrays; throws UsageError also if one is in flight.
    PaddingExchangeBinding& begin(std::span<const Field> fields);
    /// What is in flight; throws UsageError if the communicator was closed meanwhile.
    PaddingExchangeBinding& active();
    void end() noexcept { m_active = nullptr; }
    /// Gives up the exchange in flight without waiting for anybody; the plan is unusable then.
    void abandon() noexcept;

    std::size_t workspace_bytes() const noexcept;
    std::string describe() const;

    const Labels labels{};

private:
    void check_ready(bool to_begin) const;
    void check(std::span<const Field> fields) const;
    PaddingExchangeBinding& obtain(std::span<const Field> fields, bool to_begin);
    void drop_oldest_binding();

    Communicator m_comm;
    std::vector<PaddingExchangeSchedule> m_schedules;
    bool m_one_geometry;
    bool m_unusable = false;
    std::uint64_t m_clock = 0;
    PaddingExchangeBinding* m_active = nullptr;
    std::vector<std::shared_ptr<PaddingExchangeBinding>> m_bindings;
};

} // namespace distview::impl
